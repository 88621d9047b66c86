"""Ensemble -> labels: one method, one file, one class, one line here."""

from typing import Any

from consens.consensus._base import BaseConsensus
from consens.consensus.cahne import CAHNE
from consens.consensus.coassociation_kmeans import CoassociationKMeans
from consens.consensus.cosine_lwea import CosineLWEA
from consens.consensus.cspa import CSPA
from consens.consensus.cts import CTS
from consens.consensus.drawn import DrawnConsensus
from consens.consensus.eac import EAC
from consens.consensus.eccms import ECCMS
from consens.consensus.ecpcs import ECPCS
from consens.consensus.gpmgla import GPMGLA
from consens.consensus.hbgf import HBGF
from consens.consensus.hgpa import HGPA
from consens.consensus.kcc import KCC
from consens.consensus.latent_em import LatentEM
from consens.consensus.lce import LCE
from consens.consensus.lwea import LWEA
from consens.consensus.lwgp import LWGP
from consens.consensus.lwmc import LWMC
from consens.consensus.mcla import MCLA
from consens.consensus.nmf import NMFConsensus
from consens.consensus.pta import PTA
from consens.consensus.ptgp import PTGP
from consens.consensus.sdgca import SDGCA
from consens.consensus.sec import SEC
from consens.consensus.usenc import USENC
from consens.consensus.voting import Voting
from consens.consensus.wbpa import WBPA
from consens.consensus.weac import WEAC
from consens.consensus.wsbpa import WSBPA
from consens.consensus.wspa import WSPA

__all__ = [
    "CAHNE",
    "CSPA",
    "CTS",
    "EAC",
    "ECCMS",
    "ECPCS",
    "GPMGLA",
    "HBGF",
    "HGPA",
    "KCC",
    "LCE",
    "LWEA",
    "LWGP",
    "LWMC",
    "MCLA",
    "PTA",
    "PTGP",
    "SDGCA",
    "SEC",
    "USENC",
    "WBPA",
    "WEAC",
    "WSBPA",
    "WSPA",
    "BaseConsensus",
    "CoassociationKMeans",
    "CosineLWEA",
    "DrawnConsensus",
    "LatentEM",
    "NMFConsensus",
    "Voting",
]

METHODS = [name for name in __all__ if name != "BaseConsensus"]  # names of the methods


def get_method(name: str) -> Any:
    """Look up the class of a consensus method by its case-insensitive name."""
    by_name = {method.lower(): method for method in METHODS}
    if str(name).lower() not in by_name:
        raise ValueError(f"method={name!r} is not known; methods are {', '.join(by_name)}")
    return globals()[by_name[name.lower()]]


def can_choose(method: Any) -> bool:
    """Whether a consensus method can choose the number of clusters itself, with None for it."""
    rule = getattr(method, "_parameter_constraints", {}).get("n_clusters", [])
    return None in rule
