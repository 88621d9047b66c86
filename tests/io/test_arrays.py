"""Arrays in npz and MATLAB files."""

import numpy as np
import pytest
from scipy.io import savemat
from scipy.sparse import csc_array

from consens import MISSING, NOISE
from consens.io import read_ensemble, read_labels

from ._features import read_features, read_truth

MEMBERS = np.array([[1, 2], [1, 1], [2, 1]])


@pytest.fixture
def pool(tmp_path):
    """A pool of clusterings as they are published: one column each, and the classes."""
    path = tmp_path / "pool.mat"
    savemat(path, {"members": MEMBERS.astype(float), "gt": np.array([[3.0], [3.0], [1.0]])})
    return path


def test_a_pool(pool):
    assert read_ensemble(pool).labels.tolist() == [[0, 1], [0, 0], [1, 0]]
    assert read_labels(pool).labels.to_numpy().tolist() == MEMBERS.tolist()
    assert read_truth(pool).tolist() == [1, 1, 0]


@pytest.mark.parametrize("kind", [np.uint8, np.int16, np.int64, np.float32])
def test_a_pool_of_any_numbers(tmp_path, kind):
    savemat(tmp_path / "a.mat", {"members": MEMBERS.astype(kind)}, do_compression=True)
    assert read_ensemble(tmp_path / "a.mat").labels.tolist() == [[0, 1], [0, 0], [1, 0]]


def test_codes_in_a_pool(tmp_path):
    savemat(tmp_path / "a.mat", {"members": np.array([[1, np.nan], [-1, 4], [2, 9]])})
    assert read_ensemble(tmp_path / "a.mat").labels.tolist() == [
        [0, MISSING],
        [NOISE, 0],
        [1, 1],
    ]
    savemat(tmp_path / "b.mat", {"members": np.array([[1, 0], [1, 2]])})
    with pytest.raises(ValueError, match="'column2' holds the label 0, where MATLAB counts from"):
        read_ensemble(tmp_path / "b.mat")


def test_features_of_matlab(tmp_path):
    X = np.array([[0, 1.5], [2, 0]])
    savemat(tmp_path / "a.mat", {"fea": csc_array(X), "gt": [1, 2]})
    np.testing.assert_array_equal(read_features(tmp_path / "a.mat").X, X)
    assert read_truth(tmp_path / "a.mat").tolist() == [0, 1]


def test_matlab_73_names_the_way_out(tmp_path):
    path = tmp_path / "a.mat"
    path.write_bytes(b"MATLAB 7.3 MAT-file".ljust(512) + b"\x89HDF\r\n\x1a\n" + bytes(100))
    with pytest.raises(ValueError, match="version 7.3, which is HDF5; save it .*'-v7'"):
        read_labels(path)


def test_npz_by_name_or_alone(tmp_path):
    np.savez(tmp_path / "a.npz", labels=MEMBERS, X=np.eye(3), y=[0, 1, 1])
    np.savez_compressed(tmp_path / "b.npz", whatever=MEMBERS)
    for name in ("a.npz", "b.npz"):
        assert read_labels(tmp_path / name).labels.to_numpy().tolist() == MEMBERS.tolist()
    np.testing.assert_array_equal(read_features(tmp_path / "a.npz").X, np.eye(3))
    assert read_truth(tmp_path / "a.npz").tolist() == [0, 1, 1]


def test_npz_of_vectors(tmp_path):
    np.savez(tmp_path / "a.npz", km=MEMBERS[:, 0], gmm=MEMBERS[:, 1])
    table = read_labels(tmp_path / "a.npz")
    assert table.labels.columns.tolist() == ["km", "gmm"]
    assert table.labels.to_numpy().tolist() == MEMBERS.tolist()


def test_arrays_that_could_mean_anything(tmp_path):
    np.savez(tmp_path / "a.npz", one=MEMBERS, two=MEMBERS)
    with pytest.raises(ValueError, match="holds 'one', 'two'; choose one .* call it 'members'"):
        read_labels(tmp_path / "a.npz")
    assert read_labels(tmp_path / "a.npz", array="two").labels.to_numpy().tolist() == (
        MEMBERS.tolist()
    )
    with pytest.raises(ValueError, match="no array 'three'; it holds 'one', 'two'"):
        read_labels(tmp_path / "a.npz", array="three")
    np.savez(tmp_path / "b.npz")
    with pytest.raises(ValueError, match="holds no array"):
        read_labels(tmp_path / "b.npz")


def test_npz_of_objects(tmp_path):
    np.savez(tmp_path / "a.npz", labels=np.array([["a", None]], dtype=object))
    with pytest.raises(ValueError, match="only pickle could read"):
        read_labels(tmp_path / "a.npz")
    savemat(tmp_path / "a.mat", {"members": np.array([["a", 2]], dtype=object)})
    with pytest.raises(ValueError, match="expected an array of numbers or text, got object"):
        read_labels(tmp_path / "a.mat")


def test_truth_of_a_table(tmp_path):
    (tmp_path / "a.csv").write_text("id,class\na,cat\nb,dog\nc,cat\n")
    assert read_truth(tmp_path / "a.csv").tolist() == [0, 1, 0]
    (tmp_path / "b.csv").write_text("id,class,kind\na,cat,1\nb,dog,2\n")
    with pytest.raises(ValueError, match="expected one column of classes, got 'class', 'kind'"):
        read_truth(tmp_path / "b.csv")
    assert read_truth(tmp_path / "b.csv", drop=["class"]).tolist() == [0, 1]
