"""shortest_path against SciPy's."""

import itertools

import numpy as np
import pytest
import scipy.sparse as sp
from scipy.sparse import csgraph

import ooc


def tight(distances, predecessors, weights, sources):
    """Whether each predecessor is the last vertex before on a shortest path, and leads back to the source."""
    for row, before, source in zip(distances, predecessors, sources):
        reached = np.flatnonzero(np.isfinite(row))
        ends = reached[reached != source]
        assert (before[np.setdiff1d(np.arange(len(row)), ends)] == -9999).all()
        np.testing.assert_allclose(row[before[ends]] + weights[before[ends], ends], row[ends], rtol=1e-12)
        back = ends.copy()
        for _ in range(len(row)):
            back = np.where(back == source, source, before[back])
        assert (back == source).all()


def random_graph(rng):
    n = int(rng.integers(2, 60))
    weights = rng.integers(1, 50, (n, n)).astype(float) if rng.random() < 0.5 else rng.random((n, n))
    return np.where(rng.random((n, n)) < rng.choice([0.03, 0.2, 0.9]), weights, 0)


def undirected(weights):
    return np.minimum(weights, weights.T)


def compare(dense, graph, directed, unweighted, indices):
    exact = unweighted or (dense == np.rint(dense)).all()
    want = csgraph.shortest_path(sp.csr_array(dense), directed=directed, unweighted=unweighted, indices=indices)
    got, before = ooc.shortest_path(graph, directed=directed, unweighted=unweighted, indices=indices, return_predecessors=True)
    alone = ooc.shortest_path(graph, directed=directed, unweighted=unweighted, indices=indices)
    for distances in (got, alone):
        assert distances.shape == want.shape and distances.dtype == want.dtype
        np.testing.assert_allclose(distances, want, rtol=0 if exact else 1e-12)
    assert before.shape == want.shape and before.dtype == np.int32
    weights = np.where(dense == 0, np.inf, 1 if unweighted else dense)
    n = len(dense)
    rows = np.arange(n) if indices is None else np.atleast_1d(np.arange(n)[indices])
    tight(got.reshape(-1, n), before.reshape(-1, n), weights if directed else undirected(weights), rows)


FORMS = [np.array, sp.csr_array, sp.csc_matrix, sp.lil_array, lambda a: np.ma.masked_array(a, a == 0)]
ARGUMENTS = list(itertools.product((True, False), (True, False), (None, -1, [1, 0, 1])))


def test_random_graphs_equal_scipys(rng, long):
    for i in range(100 if long else 6):
        dense = random_graph(rng)
        for j, arguments in enumerate(ARGUMENTS):
            if long or (i + j) % 3 == 0:
                compare(dense, FORMS[(i + j) % len(FORMS)](dense), *arguments)


def test_rome_equals_scipys(rome_matrix):
    want = csgraph.shortest_path(rome_matrix, method="D")
    got, before = ooc.shortest_path(rome_matrix, return_predecessors=True)
    assert (got == want).all()
    some = [0, 17, 3352]
    weights = rome_matrix.toarray()
    tight(got[some], before[some], np.where(weights == 0, np.inf, weights), some)


def test_decimals(rome_matrix):
    """Real weights have SciPy's digits, and decimals that are scaled to integers are exact."""
    part = rome_matrix[:300, :300].copy()
    part.data = part.data / 10
    want = csgraph.shortest_path(part)
    np.testing.assert_allclose(ooc.shortest_path(part), want, rtol=1e-14)
    tenths = csgraph.shortest_path(part * 10)
    assert (ooc.shortest_path(part, kind="i32", scale=10) == np.rint(tenths) / 10).all()


def test_large_integers():
    far = np.array([[0, 2**40, 0], [0, 0, 2**40], [0, 0, 0]])
    assert ooc.shortest_path(far)[0, 2] == 2**41


def test_zeros_that_are_stored_are_arcs():
    graph = sp.csr_array(([0, 2, 0], ([0, 1, 2], [1, 2, 3])), shape=(4, 4))
    assert ooc.shortest_path(graph)[0].tolist() == [0, 0, 2, 2]
    assert ooc.shortest_path(graph, unweighted=True)[0].tolist() == [0, 1, 2, 3]


def test_what_is_no_arc():
    graph = np.array([[0, 1, np.nan], [np.inf, 0, 2], [-np.inf, 0, 0]])
    want = [[0, 1, 3], [np.inf, 0, 2], [np.inf, np.inf, 0]]
    assert ooc.shortest_path(graph).tolist() == want
    masked = np.ma.masked_array([[0, 1, 9], [9, 0, 2], [9, 9, 0]], [[0, 0, 1], [1, 0, 0], [1, 1, 0]])
    assert ooc.shortest_path(masked).tolist() == want


def test_entries_that_are_there_twice_are_added_up():
    graph = sp.coo_array(([1.0, 2.0], ([0, 0], [1, 1])), shape=(2, 2))
    assert ooc.shortest_path(graph)[0, 1] == 3
    assert graph.nnz == 2


def test_negative_cycle():
    graph = np.array([[0, 1.0, 0], [0, 0, 1], [-3, 0, 0]])
    with pytest.raises(csgraph.NegativeCycleError) as caught:
        ooc.shortest_path(graph)
    assert isinstance(caught.value, ooc.NegativeCycleError)
    assert sorted(caught.value.cycle) == [0, 1, 2] and caught.value.cycle_length == -1
    assert ooc.shortest_path(np.array([[0, -1.0], [0, 0]])).tolist() == [[0, -1], [np.inf, 0]]


@pytest.mark.parametrize(
    "arguments, error",
    [
        (dict(csgraph=np.ones((2, 3))), ValueError),
        (dict(csgraph=np.ones(3)), ValueError),
        (dict(csgraph="roads"), ValueError),
        (dict(csgraph=None), ValueError),
        (dict(csgraph=np.array([["a"]])), ValueError),
        (dict(csgraph=np.array([[1j]])), ValueError),
        (dict(csgraph=sp.csr_array([[0, np.nan], [1, 0]])), ooc.InputError),
        (dict(csgraph=np.eye(2), method="A"), ValueError),
        (dict(csgraph=np.eye(2), method="FW", indices=0), ValueError),
        (dict(csgraph=np.eye(2), indices=2), ValueError),
        (dict(csgraph=np.eye(2), indices=-3), ValueError),
        (dict(csgraph=np.eye(2), indices=["a"]), ValueError),
        (dict(csgraph=np.eye(2), device="none"), ooc.UsageError),
        (dict(csgraph=np.eye(2), no_such_flag=1), ooc.UsageError),
        (dict(csgraph=np.eye(2), out=""), ooc.UsageError),
        (dict(csgraph=np.eye(2), sources=[0]), TypeError),
    ],
)
def test_refused(arguments, error):
    with pytest.raises(error):
        ooc.shortest_path(**arguments)


def test_nothing_asked():
    assert ooc.shortest_path(np.empty((0, 0))).shape == (0, 0)
    assert ooc.shortest_path(np.ones((3, 3)), indices=[]).shape == (0, 3)


def test_out_stays(tmp_path):
    graph = np.array([[0, 1.5], [0, 0]])
    seen = []
    distances = ooc.shortest_path(graph, out=tmp_path / "two.ooc", progress=seen.append)
    assert seen[-1]["state"] == "solved"
    assert (ooc.open(tmp_path / "two.ooc").to_numpy() == distances).all()
