import numpy as np
import psutil
import pytest

from consens._labels import pair_seconds
from consens._support import memory
from consens._support.memory import available_memory, format_size, require_memory
from consens.consensus import CAHNE, CSPA, CoassociationKMeans, cahne
from consens.consensus.cahne import threshold_graph
from consens.measure import consensus_cdf


@pytest.fixture
def groups(tmp_path, monkeypatch):
    """A system of control groups made of files."""
    monkeypatch.setattr(memory, "PROCESS_GROUPS", tmp_path / "cgroup")
    monkeypatch.setattr(memory, "GROUP_ROOT", tmp_path / "fs")

    def write(membership, files):
        (tmp_path / "cgroup").write_text(membership)
        for name, text in files.items():
            path = tmp_path / "fs" / name
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(text)

    return write


def test_the_limit_of_a_container_counts(groups):
    groups(
        "0::/job\n",
        {
            "job/memory.max": "1000000",
            "job/memory.current": "400000",
            "job/memory.stat": "anon 300000\ninactive_file 100000\n",
        },
    )
    assert available_memory() == 700_000
    with pytest.raises(MemoryError, match="m needs 585.9 KiB, 683.6 KiB are available; x"):
        require_memory(600_000, "m", "x")
    require_memory(500_000, "m", "x")


def test_the_tightest_limit_of_all_parents_counts(groups):
    groups(
        "0::/job/step\n",
        {
            "job/step/memory.max": "max",
            "job/step/memory.current": "400000",
            "job/step/memory.stat": "",
            "job/memory.max": "900000",
            "job/memory.current": "500000",
            "job/memory.stat": "",
        },
    )
    assert available_memory() == 400_000


def test_groups_of_version_1_whose_path_is_only_known_outside(groups):
    groups(
        "5:cpu:/\n4:memory:/docker/3ca8\n",
        {
            "memory/memory.limit_in_bytes": "1000",
            "memory/memory.usage_in_bytes": "1500",
            "memory/memory.stat": "total_inactive_file 100",
        },
    )
    assert available_memory() == 0


def test_without_groups_the_memory_of_the_machine_counts(groups):
    assert 0 < available_memory() <= psutil.virtual_memory().total


@pytest.mark.parametrize(
    ("n_bytes", "text"),
    [
        (0, "0 bytes"),
        (1023, "1023 bytes"),
        (2**20, "1.0 MiB"),
        (1.5 * 2**30, "1.5 GiB"),
        (2**52, "4,096.0 TiB"),
    ],
)
def test_sizes_are_in_units_of_1024(n_bytes, text):
    assert format_size(n_bytes) == text


LONG_WORK = pytest.mark.parametrize(
    ("work", "instead"),
    [
        (lambda labels: CSPA(2, partitioner="metis", random_state=0).fit(labels), "LWGP or SEC"),
        (lambda labels: CAHNE(2).fit(labels), "LWGP or SEC"),
        (lambda labels: CoassociationKMeans(2, random_state=0).fit(labels), "SEC takes linear"),
        (lambda labels: consensus_cdf(labels, max_objects=None), "max_objects=2000"),
    ],
)


@pytest.mark.parametrize(
    ("work", "k", "n_members"),
    [
        (lambda labels: CSPA(2, partitioner="metis", random_state=0).fit(labels), 20, 30),
        (lambda labels: CAHNE(2).fit(labels), 20, 30),
        (lambda labels: CoassociationKMeans(50, random_state=0).fit(labels), 150, 30),
        (lambda labels: consensus_cdf(labels, max_objects=None), 20, 120),
    ],
)
@pytest.mark.filterwarnings("error::UserWarning")
def test_200_000_objects_are_announced_before_work_begins(work, k, n_members, monkeypatch):
    monkeypatch.setattr(cahne, "require_memory", lambda *_: None)
    rng = np.random.default_rng(0)
    shape = 200_000, n_members
    drawn, own = rng.integers(0, k, shape, np.int16), rng.integers(0, k, (200_000, 1), np.int16)
    labels = np.where(rng.random(shape) < 0.3, drawn, own)
    with pytest.raises(UserWarning, match=r"takes about \d+ (minutes|hours); .*"):
        work(labels)


@LONG_WORK
def test_long_work_is_announced(work, instead, monkeypatch):
    monkeypatch.setattr(memory, "LONG", 1e-12)
    monkeypatch.setattr(cahne, "SAMPLE_ROWS", 10)
    labels = np.random.default_rng(0).integers(0, 3, (60, 4))
    with pytest.warns(UserWarning, match=f"takes about 0 minutes; .*{instead}"):
        work(labels)


def test_estimates_grow_with_the_work():
    with pytest.warns(UserWarning, match="a walk takes about 11 minutes; take a bus"):
        memory.warn_of_time(660, "a walk", "take a bus")
    with pytest.warns(UserWarning, match="about 3 hours"):
        memory.warn_of_time(3 * 3600, "a hike", "take a train")
    minutes = pair_seconds(200_000, 20, 15) / 60
    assert 5 < minutes < 60


def test_edges_that_do_not_fit_are_refused_before_they_are_counted(monkeypatch):
    monkeypatch.setattr(cahne, "SAMPLE_ROWS", 50)
    monkeypatch.setattr(memory, "available_memory", lambda: 1000.0)
    monkeypatch.setattr(cahne, "unique_rows", lambda labels: (labels, None, None))
    labels = np.random.default_rng(0).integers(0, 2, (500, 8))
    with pytest.raises(MemoryError, match="pairs with co-association > 0.3 needs"):
        threshold_graph(labels, 0.3)
