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


@pytest.mark.parametrize("form", ["csr", "csc"])
@pytest.mark.parametrize("dtype", [float, np.float32, np.int8])
def test_of_entries_that_are_there_twice_the_shorter_counts(form, dtype):
    parts = np.array([5, 1, 2], dtype), np.array([1, 1, 2]), np.array([0, 2, 3, 3])
    graph = {"csr": sp.csr_array, "csc": sp.csc_array}[form](parts, shape=(3, 3))
    want = [[0, 1, 3], [np.inf, 0, 2], [np.inf, np.inf, 0]]
    want = want if form == "csr" else np.transpose(want).tolist()
    assert (
        csgraph.shortest_path(
            graph.astype(float, copy=True) if dtype is float else type(graph)((parts[0].astype(float), *parts[1:]))
        ).tolist()
        == want
    )
    assert ooc.shortest_path(graph).tolist() == ooc.solve(graph, "twice.ooc").to_numpy().tolist() == want
    sp.save_npz("twice.npz", graph)
    assert ooc.solve("twice.npz", "file.ooc").to_numpy().tolist() == want
    assert graph.nnz == 3


def test_coo_adds_up_what_is_there_twice():
    graph = sp.coo_array(([1.0, 2.0], ([0, 0], [1, 1])), shape=(2, 2))
    assert ooc.shortest_path(graph)[0, 1] == csgraph.shortest_path(graph, method="D")[0, 1] == 3
    assert graph.nnz == 2
    sp.save_npz("coo.npz", graph)
    with pytest.raises(ooc.InputError, match="in COO, SciPy takes their sum") as caught:
        ooc.solve("coo.npz", "coo.ooc")
    exec(caught.value.message.partition("in Python: ")[2].replace("FILE", "coo.npz"), {})
    assert ooc.solve("NEW.npz", "sum.ooc")[0, 1] == 3


def test_zeros_that_are_not_masked_are_arcs():
    """SciPy's way to give lengths of 0 in an array."""
    far = np.full((12, 12), np.inf)
    far[0, 1], far[1, 2], far[2, 3], far[3, 4] = 0, 3, 0, 2
    graph = np.ma.masked_invalid(far)
    assert (ooc.shortest_path(graph) == csgraph.shortest_path(graph)).all()
    assert (ooc.solve(graph, "masked.ooc").to_numpy() == csgraph.shortest_path(graph)).all()
    nines = np.array([[9, 0, 9], [9, 9, 4], [9, 9, 9]])
    assert ooc.shortest_path(np.ma.masked_equal(nines, 9))[0].tolist() == [0, 0, 4]  # as the refusal of no_arc= says


@pytest.mark.parametrize("loop", [1_061_109_567, 2**31, 2**40, 0.5, 1e300])
@pytest.mark.parametrize("of", [sp.csr_array, sp.coo_array, np.array])
def test_loops_need_not_fit(loop, of):
    assert ooc.shortest_path(of(np.array([[loop]]))).tolist() == [[0]]
    for kind in ("i32", "u16", "f32"):
        assert ooc.solve(of(np.array([[loop, 3], [0, loop]])), f"{kind}.ooc", kind=kind)[0, 1] == 3


def test_negative_cycle():
    graph = np.array([[0, 1.0, 0], [0, 0, 1], [-3, 0, 0]])
    with pytest.raises(csgraph.NegativeCycleError) as caught:
        ooc.shortest_path(graph)
    assert isinstance(caught.value, ooc.NegativeCycleError)
    assert sorted(caught.value.cycle) == [0, 1, 2] and caught.value.cycle_length == -1
    assert ooc.shortest_path(np.array([[0, -1.0], [0, 0]])).tolist() == [[0, -1], [np.inf, 0]]


@pytest.mark.parametrize("loop", [-1, -(2**40), -1e300])
@pytest.mark.parametrize("of", [sp.csr_array, np.array])
@pytest.mark.parametrize("n", [1, 2])
def test_a_negative_loop_is_a_negative_cycle(loop, of, n):
    graph = np.zeros((n, n), np.array(loop).dtype)
    graph[-1, -1] = loop
    with pytest.raises(csgraph.NegativeCycleError) as caught:
        ooc.shortest_path(of(graph))
    assert caught.value.cycle == [n - 1] and caught.value.cycle_length == loop


@pytest.mark.parametrize(
    "arguments, error",
    [
        (dict(csgraph=np.ones((2, 3))), ValueError),
        (dict(csgraph=np.ones(3)), ValueError),
        (dict(csgraph="roads"), ValueError),
        (dict(csgraph=None), ValueError),
        (dict(csgraph=np.array([["a"]])), ValueError),
        (dict(csgraph=np.array([[1j]])), ValueError),
        (dict(csgraph=sp.csr_array([[0, np.nan], [1, 0]])), ValueError),
        (dict(csgraph=sp.csr_array([[0, -np.inf], [1, 0]])), ValueError),
        (dict(csgraph=np.eye(2), method="A"), ValueError),
        (dict(csgraph=np.eye(2), method="FW", indices=0), ValueError),
        (dict(csgraph=np.eye(2), indices=2), ValueError),
        (dict(csgraph=np.eye(2), indices=-3), ValueError),
        (dict(csgraph=np.eye(2), indices=["a"]), ValueError),
        (dict(csgraph=np.eye(2), device="none"), ooc.UsageError),
        (dict(csgraph=np.eye(2), no_such_flag=1), ooc.UsageError),
        (dict(csgraph=np.eye(2), out=""), ooc.UsageError),
        (dict(csgraph=np.eye(2), sources=[0]), TypeError),
        (dict(csgraph=np.eye(2), no_arc=1), TypeError),
        (dict(csgraph=sp.eye_array(2), undirected=True), TypeError),
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
