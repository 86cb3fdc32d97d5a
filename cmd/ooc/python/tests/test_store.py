"""What a store answers, in every layout and kind."""

import networkx as nx
import numpy as np
import pytest
import scipy.sparse as sp
from conftest import ROME
from scipy.sparse import csgraph

import ooc


@pytest.fixture(scope="module")
def wanted(rome_matrix):
    return csgraph.shortest_path(rome_matrix, method="D")


def check(store, wanted, rng):
    """Compares every way to ask for distances."""
    assert store.shape == wanted.shape
    assert (store.to_numpy() == wanted).all()
    picked = rng.integers(0, len(wanted), 5).tolist()
    assert (store.rows([store.sources[i] for i in picked]) == wanted[picked]).all()
    for i in picked:
        j = int(rng.integers(0, store.n))
        assert (store.row(store.sources[i]) == wanted[i]).all()
        assert store[store.sources[i], store.ids[j]] == wanted[i, j]


def check_operator(store, wanted, rng):
    x = rng.random((store.n, 2))
    y = rng.random(len(wanted))
    operator = store.operator()
    np.testing.assert_allclose(operator @ x, wanted @ x)
    np.testing.assert_allclose(operator @ x[:, 0], wanted @ x[:, 0])
    np.testing.assert_allclose(operator.H @ y, wanted.T @ y)
    np.testing.assert_allclose(store.operator(np.square) @ x, wanted**2 @ x)


def test_square(rome, wanted, rng):
    assert rome.layout == "square" and rome.ids == range(1, 3354)
    check(rome, wanted, rng)
    check_operator(rome, wanted, rng)


@pytest.mark.parametrize("kind", ["i32", "f32", "u16", "f64"])
def test_upper(kind, rng):
    graph = nx.gnm_random_graph(150, 300, seed=int(rng.integers(1 << 31)))
    nx.set_edge_attributes(graph, {e: int(rng.integers(1, 50)) for e in graph.edges}, "weight")
    graph.add_edges_from(zip(range(149), range(1, 150)), weight=60)
    wanted = nx.floyd_warshall_numpy(graph)
    store = ooc.solve(graph, "upper.ooc", kind=kind)
    assert store.layout == "upper" and store.kind == kind
    check(store, wanted, rng)
    check_operator(store, wanted, rng)


@pytest.mark.parametrize("layout", ["upper", "square"])
def test_hops_in_a_byte(layout, rng):
    graph = nx.gnm_random_graph(150, 300, seed=int(rng.integers(1 << 31)))
    graph.add_edges_from(zip(range(149), range(1, 150)))
    store = ooc.solve(graph, "hops.ooc", weight=None, kind="u8", layout=layout)
    assert store.layout == layout and store.kind == "u8"
    wanted = nx.floyd_warshall_numpy(graph, weight=None)
    check(store, wanted, rng)
    check_operator(store, wanted, rng)


@pytest.mark.parametrize("kind", ["i32", "f32", "u16", "u8", "f64"])
def test_unreachable_is_inf(kind):
    store = ooc.solve(np.array([[0, 3], [0, 0]]), "two.ooc", kind=kind)
    assert store.to_numpy().tolist() == [[0, 3], [np.inf, 0]]
    assert store[1, 0] == np.inf and store[0, 1] == 3


def test_chosen_sources(wanted, rng):
    store = ooc.solve(ROME, "rows.ooc", sources=[70, 3353, 9, 10])
    assert store.layout == "rows" and store.sources == [9, 10, 70, 3353]
    check(store, wanted[[8, 9, 69, 3352]], rng)
    check_operator(store, wanted[[8, 9, 69, 3352]], rng)
    with pytest.raises(KeyError):
        store.row(8)


def test_factors(wanted, rng):
    store = ooc.solve(ROME, "factors.ooc", keep="factors")
    check(store, wanted, rng)
    with pytest.raises(ValueError, match="factors"):
        store.tiles()


def test_scale_is_undone():
    store = ooc.solve(np.array([[0, 1.1, 0], [0, 0, 2.2], [0, 0, 0]]), "scaled.ooc", scale=10)
    assert store.kind == "i32" and store[0, 2] == 3.3


@pytest.mark.parametrize("flags", [{}, {"predecessors": True}])
def test_predecessors(flags, wanted, rome_matrix):
    part = rome_matrix[:200, :200]
    store = ooc.solve(part, "part.ooc", **flags)
    distances, before = store.to_numpy(), store.predecessors()
    u, v = np.nonzero(np.isfinite(distances) & (distances > 0))
    assert (distances[u, before[u, v]] + part.toarray()[before[u, v], v] == distances[u, v]).all()
    assert (before[~np.isfinite(distances)] == -9999).all() and (np.diagonal(before) == -9999).all()


def test_path(rome, wanted, rome_matrix):
    way = rome.path(17, 3000)
    assert way[0] == 17 and way[-1] == 3000
    assert sum(rome_matrix[u - 1, v - 1] for u, v in zip(way, way[1:])) == wanted[16, 2999]
    store = ooc.solve(sp.csr_array([[0, 1], [0, 0]]), "two.ooc")
    assert store.path(1, 0) == [] and store.path(0, 1) == [0, 1] and store.path(1, 1) == [1]


def test_statistics():
    graph = nx.relabel_nodes(nx.karate_club_graph(), lambda i: ("member", i))
    store = ooc.solve(graph, "club.ooc")
    found = store.stats()
    assert found["diameter"] == nx.diameter(graph, weight="weight") and found["center"] == nx.center(graph, weight="weight")
    assert found["vertices"]["id"] == list(graph)
    vertices, distances = store.nearest(3)
    assert vertices.shape == distances.shape == (34, 3)
    for u, near, far in zip(graph, vertices, distances):
        assert [store[u, v] for v in near] == far.tolist() == sorted(d for v in graph if v != u for d in [store[u, v]])[:3]


def test_fewer_near_ones():
    vertices, distances = ooc.solve(sp.csr_array([[0, 1], [0, 0]]), "two.ooc").nearest(2)
    assert vertices.tolist() == [[1, None], [None, None]] and distances.tolist() == [[1, np.inf], [np.inf, np.inf]]


def test_nearest_of_few():
    line = ooc.solve(nx.path_graph(3, create_using=nx.DiGraph), "line.ooc")
    vertices, distances = line.nearest(4)
    assert vertices.tolist() == [[1, 2, None, None], [2, None, None, None], [None] * 4]
    assert distances.tolist() == [[1, 2, np.inf, np.inf], [1, np.inf, np.inf, np.inf], [np.inf] * 4]
    some = ooc.solve(nx.path_graph(3, create_using=nx.DiGraph), "some.ooc", sources=[2])
    assert some.nearest(2)[0].tolist() == [[None] * 2] * 3
    assert ooc.solve(np.zeros((1, 1)), "one.ooc").nearest(2)[0].tolist() == [[None] * 2]


def test_verify(rome):
    assert rome.verify(rows=8)["rows"] == 8
    assert rome.verify(full=True)["entries"] == 3353**2


def test_damage_is_found():
    store = ooc.solve(ROME, "damaged.ooc", sources="1..64")
    with open(store.folder / "dist.npy", "r+b") as file:
        file.seek(5000)
        file.write(b"damage")
    with pytest.raises(ooc.CorruptError, match="dist.npy"):
        store.verify()


def test_ids_of_files():
    with open("towns.csv", "w", encoding="utf-8") as file:
        file.write('from,to,km\nParis,"Nice, France",931.5\n"Nice, France",Città,40\n')
    store = ooc.solve("towns.csv", "towns.ooc", columns="from=from,to=to,weight=km")
    assert store.ids == ["Paris", "Nice, France", "Città"]
    assert store["Paris", "Città"] == 971.5 and store.path("Paris", "Città") == store.ids
    assert ooc.solve("towns.csv", "one.ooc", columns="from=from,to=to,weight=km", sources=["Nice, France"]).sources == ["Nice, France"]
    with open("numbers.csv", "w") as file:
        file.write("100,7,2\n7,-3,1\n")
    store = ooc.solve("numbers.csv", "numbers.ooc")
    assert store.ids == [-3, 7, 100] and store[100, -3] == 3 and store.path(100, -3) == [100, 7, -3]


def test_what_is_no_store(rome):
    with pytest.raises(ooc.InputError):
        ooc.open("nothing.ooc")
    with pytest.raises(KeyError):
        rome[1, 0]
    with pytest.raises(TypeError):
        rome[1]
