# The public names of consens: read by type checkers, and by lazy_loader at run time.
import typing

__version__: str

if typing.TYPE_CHECKING:  # or mypy takes these for import cycles
    from . import anndata as anndata
    from . import choose as choose
    from . import consensus as consensus
    from . import datasets as datasets
    from . import evidence as evidence
    from . import generate as generate
    from . import io as io
    from . import measure as measure
    from . import partition as partition
    from . import select as select
    from . import show as show
    from ._check import check as check
    from ._labels import MISSING as MISSING
    from ._labels import NOISE as NOISE
    from ._profile import profile as profile
    from ._tabular import TableFeatures as TableFeatures
    from .cluster import ConsensusClustering as ConsensusClustering
    from .combination import combine as combine
    from .ensemble import Ensemble as Ensemble
    from .io.models import load as load
    from .io.models import save as save
    from .show.comparison import compare as compare
    from .show.page import report as report
    from .show.reasons import why as why
