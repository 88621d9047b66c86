import psutil
import pytest

from consens import memory
from consens.memory import available_memory, format_size, require_memory


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
