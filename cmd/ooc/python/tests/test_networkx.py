"""The backend of networkx. networkx's own tests run against it, too: .ci/run does that."""

import inspect

import networkx as nx
import numpy as np
import pytest

import _ooc_networkx
from ooc import networkx_backend

FUNCTIONS = [name for name in _ooc_networkx.FUNCTIONS if hasattr(nx, name)]  # of this networkx


def test_every_function_is_there_with_networkxs_arguments():
    for name in FUNCTIONS:
        own, wanted = (inspect.signature(f).parameters for f in (getattr(networkx_backend, name), getattr(nx, name).orig_func))
        listed, more = ([(p.name, p.default, p.kind) for p in parameters.values()] for parameters in (wanted, own))
        assert more[: len(listed)] == listed, name
        assert all(default is None for _, default, _ in more[len(listed) :]), name  # of a later networkx


def graphs(rng):
    n = 30
    for directed in (nx.Graph, nx.DiGraph, nx.MultiDiGraph):
        graph = nx.gnm_random_graph(n, 60, seed=int(rng.integers(1 << 31)), directed=directed is not nx.Graph)
        graph = nx.relabel_nodes(directed(graph), {i: f"v{i}" for i in range(n)})
        nx.add_cycle(graph, list(graph))  # so that every vertex reaches every other
        for w in ("whole", "real"):
            for *ends, data in graph.edges(data=True):
                data[w] = int(rng.integers(1, 9)) if w == "whole" else float(rng.random())
        yield graph


SINGLE = {"source": "v3", "target": "v3", "sources": ["v3"]}


def call(function, name, graph, weight, **more):
    """Calls a function with what it needs. Generators become dictionaries."""
    given = inspect.signature(getattr(nx, name).orig_func).parameters
    arguments = {k: SINGLE[k] for k, p in given.items() if k in SINGLE and p.default is p.empty}
    arguments |= {k: weight for k in ("weight", "distance") if k in given}
    made = function(graph, **arguments, **more)
    return dict(made) if inspect.isgenerator(made) else made


def close(a, b):
    """Equal but for the rounding of real numbers."""
    if isinstance(a, dict):
        return a.keys() == b.keys() and all(close(a[k], b[k]) for k in a)
    if isinstance(a, (tuple, list)):
        return len(a) == len(b) and all(map(close, a, b))
    if isinstance(a, np.ndarray):
        return np.allclose(a, b, rtol=1e-12)
    return a == b or (isinstance(a, (int, float)) and a == pytest.approx(b, rel=1e-9))


def ways(made):
    """All paths in a result, which is no list of vertices."""
    if isinstance(made, list):
        yield made
    elif isinstance(made, (dict, tuple)):
        for part in made.values() if isinstance(made, dict) else made:
            yield from ways(part)


# What asks whether two distances are equal, where a last digit decides in real numbers.
TIES = ("dijkstra_predecessor_and_distance", "center", "periphery", "barycenter", "centroid")


def lengths(made, graph, weight):
    """The lengths of all paths in a result, by their ends: which of several equal paths it is, is not said."""
    weighed = {}
    for way in ways(made):
        length = nx.path_weight(graph, way, weight) if weight else len(way) - 1
        assert weighed.setdefault((way[0], way[-1]), length) == length
    return weighed


@pytest.mark.parametrize("name", FUNCTIONS)
def test_random_graphs(name, rng, long):
    function, original = getattr(nx, name), getattr(nx, name).orig_func
    weighted = {"weight", "distance"} & set(inspect.signature(original).parameters)
    weights = [*rng.permutation(["whole", "real"]).tolist(), None]
    for i, graph in enumerate(graphs(rng)):
        if name == "global_efficiency" and graph.is_directed():
            continue
        for weight in (weights if long else [weights[i]]) if weighted else [None]:
            if weight == "real" and name in TIES:
                continue
            got, wanted = call(function, name, graph, weight, backend="ooc"), call(original, name, graph, weight)
            if name in ("dijkstra_predecessor_and_distance", "floyd_warshall_predecessor_and_distance"):
                assert close(got[1], wanted[1])
                assert {u: set(before) for u, before in got[0].items()} == {u: set(before) for u, before in wanted[0].items()}
            elif name in TIES or not any(ways(wanted)):
                assert close(got, wanted), weight
            else:
                assert close(lengths(got, graph, weight), lengths(wanted, graph, weight)), weight


def test_negative_weights():
    graph = nx.DiGraph()
    graph.add_weighted_edges_from([("v3", 1, 5), (1, 2, -3), ("v3", 2, 4), (2, 3, 1)])
    for name in ("johnson", "single_source_bellman_ford", "all_pairs_bellman_ford_path", "floyd_warshall"):
        assert call(getattr(nx, name), name, graph, "weight", backend="ooc") == call(getattr(nx, name).orig_func, name, graph, "weight")
    with pytest.raises(NotImplementedError) as left:
        nx.diameter(graph, weight="weight", backend="ooc")
    assert "negative weights" in str(left.value.__cause__)
    graph.add_edge(2, 1, weight=1)
    with pytest.raises(nx.NetworkXUnbounded):
        nx.johnson(graph, backend="ooc")
    with pytest.raises(NotImplementedError) as left:
        nx.single_source_bellman_ford(graph, 3, backend="ooc")
    assert "negative cycle" in str(left.value.__cause__)


@pytest.mark.parametrize("name", [name for name in FUNCTIONS if name.startswith(("single", "multi", "dijkstra"))])
def test_messages_are_networkxs(name):
    graph, missing = nx.path_graph(3), {99} if name.startswith("multi") else 99
    with pytest.raises(nx.NodeNotFound) as wanted:
        getattr(nx, name).orig_func(graph, missing)
    with pytest.raises(nx.NodeNotFound) as got:
        getattr(nx, name)(graph, missing, backend="ooc")
    assert str(got.value) == str(wanted.value)


def test_sources_at_distance_0_from_another():
    graph = nx.Graph()
    graph.add_weighted_edges_from([(0, 1, 0), (1, 2, 3), (2, 3, 0)])
    for data in ([0, 1], [3, 1, 0, 2]):
        for zero in (0, 0.0):
            graph.add_edge(0, 1, weight=zero)
            assert nx.multi_source_dijkstra_path_length(graph, data, backend="ooc") == nx.multi_source_dijkstra_path_length(graph, data)
            lengths, paths = nx.multi_source_dijkstra(graph, data, backend="ooc")
            assert lengths == nx.multi_source_dijkstra_path_length(graph, data)
            assert all(paths[source] == [source] for source in data) and paths.keys() == lengths.keys()


STATISTICS = ("closeness_centrality", "harmonic_centrality", "barycenter", "wiener_index", "average_shortest_path_length", "eccentricity")


@pytest.mark.parametrize("name", STATISTICS)
def test_sums_beyond_float64(name):
    graph = nx.DiGraph()
    graph.add_weighted_edges_from([("a", "b", 1e308), ("b", "c", 1.0), ("c", "a", 2.0)])
    function, original = getattr(nx, name), getattr(nx, name).orig_func
    assert call(function, name, graph, "weight", backend="ooc") == call(original, name, graph, "weight")
    graph.add_edge("c", "a", weight=5e-324)  # whose reciprocal is as large
    assert call(function, name, graph, "weight", backend="ooc") == call(original, name, graph, "weight")


@pytest.mark.parametrize("name", [*STATISTICS, "floyd_warshall", "all_pairs_dijkstra_path_length", "single_source_dijkstra"])
def test_paths_beyond_float64_are_left_to_networkx(name):
    graph = nx.DiGraph()
    graph.add_weighted_edges_from([("v3", "b", 1e308), ("b", "c", 1e308), ("c", "v3", 2.0)])
    with pytest.raises(NotImplementedError) as left:
        call(getattr(nx, name), name, graph, "weight", backend="ooc")
    assert "ooc refuses the graph: a path may" in str(left.value.__cause__)
    with nx.config.backend_priority(algos=["ooc"]), pytest.MonkeyPatch.context() as patch:
        patch.setattr(networkx_backend, "_SMALL", 0)
        assert call(getattr(nx, name), name, graph, "weight") == call(getattr(nx, name).orig_func, name, graph, "weight")


def test_negative_cycles_are_said_when_networkx_says_it():
    graph = nx.DiGraph()
    graph.add_weighted_edges_from([(1, 2, 3), (2, 1, -5)])
    for function in (nx.all_pairs_bellman_ford_path, nx.all_pairs_bellman_ford_path_length):
        some = function(graph, backend="ooc")
        with pytest.raises(nx.NetworkXUnbounded):
            next(some)


def test_small_graphs_stay_with_networkx():
    for n, wanted in ((10, False), (1000, True)):
        assert (networkx_backend.should_run("diameter", (nx.path_graph(n),), {}) is True) == wanted
    assert networkx_backend.can_run("diameter", (nx.path_graph(2),), {"weight": len}) is not True


@pytest.mark.parametrize("weight", ["far", None, float("nan"), float("inf"), 2**60, 1j])
def test_weights_that_are_left_to_networkx(weight):
    graph = nx.Graph([(0, 1, {"weight": weight}), (1, 2, {"weight": 1})])
    with pytest.raises(NotImplementedError):
        nx.floyd_warshall(graph, backend="ooc")
