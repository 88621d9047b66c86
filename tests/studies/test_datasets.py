"""The papers' synthetic data: sizes, places, seeds."""

from inspect import signature

import numpy as np
import pytest
from scipy.stats import chi2

from consens import NOISE
from consens.measure import error_rate
from studies import _datasets as datasets

MAKERS = [getattr(datasets, name) for name in datasets.__all__]

# class sizes and background, as the papers print them (the cigars': see the docstring)
PUBLISHED = {
    "make_two_gaussians": ([300, 300], 0),
    "make_three_gaussians": ([300, 300, 300], 0),
    "make_cigars": ([100, 100, 25, 25], 0),
    "make_cube": ([300], 0),
    "make_half_rings": ([100, 300], 0),
    "make_rings": ([200, 200, 50], 0),
    "make_spirals": ([100, 100], 0),
    "make_complex_image": ([200, 200, 100, 100, 50, 50, 33], 10),
    "make_paths": ([200, 200, 200], 200),
}


@pytest.fixture(params=MAKERS, ids=lambda maker: maker.__name__)
def maker(request):
    return request.param


def radii(X, center):
    return np.hypot(*(X - center).T)


def test_sizes_are_the_published_ones_and_rows_come_class_by_class(maker):
    X, y = maker(random_state=0)
    sizes, background = PUBLISHED[maker.__name__]
    expected = np.repeat([*range(len(sizes)), NOISE], [*sizes, background])
    np.testing.assert_array_equal(y, expected)
    assert len(X) == len(y)
    assert np.isfinite(X).all()


def test_same_seed_same_data(maker):
    X, _ = maker(random_state=3)
    np.testing.assert_array_equal(X, maker(random_state=3)[0])
    if maker is not datasets.make_spirals:  # which has no random part without noise
        assert not np.array_equal(X, maker(random_state=4)[0])


SIZED = [maker for maker in MAKERS if "n_samples" in signature(maker).parameters]


@pytest.mark.parametrize("maker", SIZED)
def test_a_total_is_split_in_the_published_proportions(maker):
    _, y = maker(157, random_state=0)
    sizes, _ = PUBLISHED[maker.__name__]
    got = np.bincount(y[y >= 0])
    assert got.sum() == 157
    assert np.abs(got - 157 * np.array(sizes) / sum(sizes)).max() < 1


def test_impossible_sizes_are_refused():
    with pytest.raises(ValueError, match=r"expected a total or 3 class sizes, as \(300, 300"):
        datasets.make_three_gaussians((1, 2))
    with pytest.raises(ValueError, match="leaves a class of 3 without objects"):
        datasets.make_three_gaussians(2)
    with pytest.raises(ValueError, match="allowed are 'noise' and 'class'"):
        datasets.make_complex_image(outer="ignore")


@pytest.mark.parametrize(
    ("make", "means", "variances"),
    [
        (datasets.make_two_gaussians, [(0.5, 5), (12, 5)], [(1, 9), (6, 2)]),
        (
            datasets.make_three_gaussians,
            [(2, 5), (12, 5), (23, 5)],
            [(1, 9), (6, 2), (1, 9)],
        ),
    ],
)
def test_gaussians_have_the_printed_means_and_variances(make, means, variances):
    X, y = make(random_state=0)
    # 10 to 12 statistics at 1e-5 on either side: a right sampler fails with probability < 3e-4
    low, high = chi2.ppf([1e-5, 1 - 1e-5], df=300) / 300
    for c, (mean, variance) in enumerate(zip(means, variances, strict=True)):
        own = X[y == c]
        assert (np.square(own - mean).mean(axis=0) > low * np.array(variance)).all()
        assert (np.square(own - mean).mean(axis=0) < high * np.array(variance)).all()


def test_rings_lie_between_their_radii_all_around():
    X, y = datasets.make_rings(random_state=0)
    for c, low in enumerate([0.97, 0.47, 0.07]):
        r = radii(X[y == c], (0, 0))
        assert r.min() >= low
        assert r.max() <= low + 0.06 + 1e-12
        quadrants = np.unique(np.sign(X[y == c]), axis=0)
        assert len(quadrants) == 4


def test_half_rings_open_towards_each_other():
    X, y = datasets.make_half_rings(random_state=0)
    assert (X[y == 0, 1] >= 0.255).all()
    assert (X[y == 1, 1] <= 0.33).all()
    # the right end of the upper ring hangs into the lower one
    inside = radii(X[y == 0], (0.667, 0.33)) < 0.25
    assert inside.any()


def test_spirals_are_the_classical_ones():
    X, y = datasets.make_spirals()
    r = radii(X, (0, 0))
    np.testing.assert_allclose(r[y == 0], 0.5 + np.arange(1, 101) / 16)
    np.testing.assert_allclose(X[y == 1], -X[y == 0], atol=1e-12)
    step = np.diff(np.unwrap(np.arctan2(X[y == 0, 1], X[y == 0, 0])))
    np.testing.assert_allclose(step, -np.pi / 32)


def test_spirals_take_more_arms_jitter_and_background():
    plain, _ = datasets.make_spirals(90, n_arms=3)
    X, y = datasets.make_spirals(90, n_arms=3, noise=0.1, n_noise=40, random_state=0)
    np.testing.assert_array_equal(np.bincount(y + 1), [40, 30, 30, 30])
    moved = X[y >= 0] - plain
    # 180 normal deviates: chi-squared bounds at 1e-6
    low, high = chi2.ppf([1e-6, 1 - 1e-6], df=180) / 180 * 0.1**2
    assert low < np.square(moved).mean() < high
    assert (np.abs(X[y == NOISE]) <= np.abs(plain).max(axis=0)).all()


def test_the_outer_circle_is_background_or_a_class():
    X, y = datasets.make_complex_image(random_state=1)
    same, with_class = datasets.make_complex_image(outer="class", random_state=1)
    np.testing.assert_array_equal(X, same)
    np.testing.assert_array_equal(with_class == 7, y == NOISE)
    # it encloses everything else
    assert radii(X[y == NOISE], (0, 0)).min() > radii(X[y >= 0], (0, 0)).max()


def test_paths_are_waves_above_each_other_within_the_background():
    X, y = datasets.make_paths(noise=0.0, random_state=0)
    for path in range(3):
        x, height = X[y == path].T
        np.testing.assert_allclose(height, 2.2 * path + 0.6 * np.sin(np.pi / 2 * x))
    assert (X[y == NOISE].min(axis=0) >= X[y >= 0].min(axis=0) - 0.5).all()
    assert (X[y == NOISE].max(axis=0) <= X[y >= 0].max(axis=0) + 0.5).all()


def test_background_does_not_count_as_an_error():
    _, y = datasets.make_paths(random_state=0)
    everything_right_but_background = np.where(y == NOISE, 0, y)
    assert error_rate(y, everything_right_but_background) == 0


def test_the_cube_has_any_number_of_features():
    X, y = datasets.make_cube(50, n_features=3, random_state=0)
    assert X.shape == (50, 3)
    assert ((X >= 0) & (X < 1)).all()
    assert (y == 0).all()
