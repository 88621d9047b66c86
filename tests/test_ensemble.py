"""An ensemble is closed under slicing and joining, and reads as an array."""

import copy
import pickle  # noqa: TID251 - ensembles must survive it; no file of ours is read by it

import numpy as np
import pandas as pd
import pytest

from consens import Ensemble
from consens.ensemble import concat


@pytest.fixture
def ensemble():
    labels = np.array([[0, 1, 0], [0, 0, -1], [1, 0, -2], [1, 1, 1]])
    records = [{"algorithm": "kmeans", "seed": s} for s in (7, 8, 9)]
    payload = [{"centers": np.full((2, 1), s)} for s in (7, 8, 9)]
    return Ensemble(labels, records, payload, obs=["a", "b", "c", "d"])


def test_slicing_members_keeps_the_side_cars_aligned(ensemble):
    part = ensemble[:, [2, 0]]
    np.testing.assert_array_equal(part.labels, ensemble.labels[:, [2, 0]])
    assert [r["seed"] for r in part.records] == [9, 7]
    assert [p["centers"][0, 0] for p in part.payload] == [9, 7]
    assert list(part.members["seed"]) == [9, 7]


def test_slicing_objects_keeps_the_ids_aligned(ensemble):
    part = ensemble[np.array([True, False, False, True])]
    assert list(part.obs) == ["a", "d"]
    assert part.shape == (2, 3)
    assert list(ensemble[1:3, ...].obs) == ["b", "c"]


def test_slicing_objects_slices_what_has_a_row_per_object():
    features = np.arange(8.0).reshape(4, 2)
    soft = np.eye(4)[:, :2]
    payload = [{"features": features, "centers": np.eye(2)}, {"features": features}]
    payload.append({"memberships": soft})
    E = Ensemble(np.zeros((4, 3)), payload=payload)
    part = E[[3, 0]]
    np.testing.assert_array_equal(part.payload[0]["features"], features[[3, 0]])
    assert part.payload[1]["features"] is part.payload[0]["features"]
    assert part.payload[0]["centers"] is payload[0]["centers"]
    np.testing.assert_array_equal(part.payload[2]["memberships"], soft[[3, 0]])
    assert E[:, [1]].payload[0]["features"] is features


def test_single_rows_columns_and_entries_are_plain_numbers(ensemble):
    np.testing.assert_array_equal(ensemble[0], [0, 1, 0])
    np.testing.assert_array_equal(ensemble[:, 1], [1, 0, 0, 1])
    assert ensemble[2, 2] == -2


def test_hstack_joins_members_with_their_side_cars(ensemble):
    parts = [ensemble, ensemble[:, [1]]]
    for joined in (np.hstack(parts), np.concatenate(parts, axis=1), np.concatenate(parts, 1)):
        assert isinstance(joined, Ensemble)
        assert list(joined.members["seed"]) == [7, 8, 9, 8]
        assert list(joined.obs) == ["a", "b", "c", "d"]


def test_other_numpy_functions_see_the_label_matrix(ensemble):
    np.testing.assert_array_equal(np.vstack([ensemble, ensemble])[4:], ensemble.labels)
    assert np.mean(ensemble) == ensemble.labels.mean()
    assert np.asarray(ensemble, dtype=float).dtype == float


def test_ensembles_of_different_objects_do_not_join(ensemble):
    with pytest.raises(ValueError, match="same objects"):
        concat([ensemble, ensemble[:2]])
    other = Ensemble(ensemble.labels, obs=["a", "b", "d", "c"])
    with pytest.raises(ValueError, match="different row ids"):
        concat([ensemble, other])


def test_an_ensemble_cannot_be_changed(ensemble):
    unpickled = pickle.loads(pickle.dumps(ensemble))  # noqa: S301
    for same in (ensemble, copy.copy(ensemble), copy.deepcopy(ensemble), unpickled):
        with pytest.raises(ValueError, match="read-only"):
            same.labels[0, 0] = 5
    with pytest.raises(AttributeError):
        ensemble.labels = np.zeros((2, 2))


@pytest.mark.parametrize("take", [lambda a: a, lambda a: a[:, :2], lambda a: a.view()])
def test_the_callers_array_stays_writable_and_separate(take):
    labels = np.array([[0, 0, 1], [0, 1, 1], [1, 1, 0]], dtype=np.int32)
    ids = np.array(["a", "b", "c"])
    expected = take(labels).copy()
    given = take(labels)
    given.flags.writeable = given is labels  # a view may be read-only while its base is not
    ensemble = Ensemble(given, obs=ids)
    labels[:] = 7
    ids[:] = "z"
    np.testing.assert_array_equal(ensemble.labels, expected)
    assert ensemble.n_clusters.max() == 2
    assert ensemble.obs.tolist() == ["a", "b", "c"]


def test_read_only_labels_are_not_copied(ensemble):
    assert np.shares_memory(Ensemble(ensemble.labels).labels, ensemble.labels)
    assert np.shares_memory(ensemble[:2].labels, ensemble.labels)


def test_side_cars_of_the_wrong_length_are_refused(ensemble):
    with pytest.raises(ValueError, match="records has 1 entries"):
        Ensemble(ensemble.labels, records=[{}])
    with pytest.raises(ValueError, match="obs has 2 entries"):
        Ensemble(ensemble.labels, obs=["a", "b"])


def test_data_frames_keep_index_and_column_names():
    frame = pd.DataFrame({"hdbscan": [0, 0, -1], "leiden": ["x", "y", "y"]}, index=[5, 6, 7])
    ensemble = Ensemble.from_labels(frame)
    assert list(ensemble.obs) == [5, 6, 7]
    assert list(ensemble.members["name"]) == ["hdbscan", "leiden"]


def test_repr_tells_what_matters(ensemble):
    text = repr(ensemble)
    assert text == "Ensemble: 4 objects, 3 partitions of 2 clusters, 8.3% noise, 8.3% missing"


def test_pickle_round_trip(ensemble):
    again = pickle.loads(pickle.dumps(ensemble))  # noqa: S301
    np.testing.assert_array_equal(again.labels, ensemble.labels)
    assert again.records == ensemble.records
