"""The backend of networkx. networkx's own tests run against it, too: .ci/run does that."""

import copy
import inspect
import random
from collections.abc import Iterator

import networkx as nx
import numpy as np
import pytest

import _ooc_networkx
from ooc import networkx_backend, program

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


SINGLE = {"source": "v3", "target": "v3", "sources": ["v3"], "targets": [f"v{i}" for i in range(30)]}


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
    return a == b or (isinstance(a, (int, float)) and a == pytest.approx(b, rel=1e-9, nan_ok=True))


# What asks whether two distances are equal, where a last digit decides in real numbers.
TIES = ("dijkstra_predecessor_and_distance", "center", "periphery", "barycenter", "centroid")


def weighed(made, graph, weight):
    """A result with the end and the length of each path in its place: which of several equal paths it is, is not said."""
    if isinstance(made, list):
        return made[-1], nx.path_weight(graph, made, weight) if weight else len(made) - 1
    if isinstance(made, tuple):
        return tuple(weighed(part, graph, weight) for part in made)
    return {u: weighed(part, graph, weight) for u, part in made.items()} if isinstance(made, dict) else made


def alike(name, got, wanted, graph, weight):
    """Equal, but for rounding and which of several equal paths it is."""
    if name.endswith(("predecessor_and_distance", "tree")):
        got, wanted = (({u: set(before) for u, before in made[0].items()}, made[1]) for made in (got, wanted))
    elif name not in TIES:
        got, wanted = weighed(got, graph, weight), weighed(wanted, graph, weight)
    return close(got, wanted)


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
            assert alike(name, got, wanted, graph, weight), weight


def any_graph(rng):
    """A graph of any class: with loops, parallel edges, edges of length 0, vertices without edges, and labels of several types."""
    graph = [nx.Graph, nx.DiGraph, nx.MultiGraph, nx.MultiDiGraph][rng.integers(4)]()
    n, unit = int(rng.choice([1, 2, 3, 6, 10])), rng.choice([1, 0.25])  # sums of quarters are exact
    nodes = [[f"v{i}", i + 20, (i, "x")][rng.integers(3)] for i in range(n)]
    graph.add_nodes_from(nodes)
    for u, v in rng.integers(n, size=(int(rng.integers(4 * n)), 2)).tolist():
        length = int(rng.integers(rng.integers(2), 9)) * unit
        graph.add_edge(nodes[u], nodes[v], weight=float(length) if unit < 1 else int(length))
    if rng.integers(2) and n > 2:
        nx.add_cycle(graph, nodes, weight=2)
    return graph


def any_arguments(name, graph, rng):
    """Arguments of a call, of which those that need not be given sometimes are not."""
    nodes, given = list(graph), {}
    for k, p in inspect.signature(getattr(nx, name).orig_func).parameters.items():
        if k != "G" and (p.default is p.empty or rng.integers(3)):
            some = [nodes[i] for i in rng.integers(len(nodes), size=3)]
            choices = {
                "source": some[:1] * 9 + ["missing"],
                "target": some[:1] * 9 + ["missing"],
                "u": [*some, "missing"],
                "v": [*some, some],
                "sources": [None]
                if name.startswith("harmonic")
                else [some, set(some), tuple(some[:1])] + [nodes] * name.endswith("subset"),
                "nbunch": [some, some[0]],
                "nodelist": [nodes[::-1], nodes[1:]],
                "weight": ["weight", "weight", None, "none has it"],
                "cutoff": [None, 0, 1, 2.5, -1, 100],
                "method": ["dijkstra", "bellman-ford", "floyd-warshall", "unweighted", "unheard of"],
                "wf_improved": [True, False],
                "targets": [nodes, nodes[::-1], some],
                "k": [None, 1, len(nodes), max(1, len(nodes) // 2)],
                "normalized": [True, False],
                "endpoints": [True, False],
            }
            choices["distance"] = choices["weight"]
            if k in choices:
                given[k] = choices[k][rng.integers(len(choices[k]))]
    if "k" in given:
        given["seed"] = int(rng.integers(100))
    return given


def outcome(function, graph, arguments, **more):
    if "seed" in arguments:
        more["seed"] = random.Random(arguments["seed"])
    try:
        made = function(graph, **{**arguments, **more})
        return "made", dict(made) if isinstance(made, Iterator) else made
    except NotImplementedError:
        return None
    except Exception as e:
        return type(e), str(e)


@pytest.mark.parametrize("name", FUNCTIONS)
def test_any_call_of_any_graph(name, rng, long):
    compared, enough = 0, 40 if long else 4
    for _ in range(100 * enough):  # some calls are left to networkx
        graph = any_graph(rng)
        if name == "global_efficiency":
            graph = nx.Graph(graph)
        arguments = any_arguments(name, graph, rng)
        got, wanted = (
            outcome(f, graph, arguments, **more) for f, more in ((getattr(nx, name), {"backend": "ooc"}), (getattr(nx, name).orig_func, {}))
        )
        about = name, arguments, type(graph), list(graph), list(graph.edges(data=True))
        if got is None:
            continue
        assert got[0] == wanted[0], (about, got, wanted)
        if got[0] == "made":
            given = inspect.signature(getattr(nx, name).orig_func).parameters
            weight = arguments.get("weight", given["weight"].default if "weight" in given else None)
            assert alike(name, got[1], wanted[1], graph, weight if weight == "weight" else None), (about, got, wanted)
        else:
            assert got == wanted, about
        if (compared := compared + 1) == enough:
            return
    pytest.fail("networkx does all of it")


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


@pytest.mark.parametrize("name", ["barycenter", "wiener_index", "average_shortest_path_length"])
def test_integers_whose_sums_are_too_large_are_left_to_networkx(name):
    graph = nx.DiGraph()
    graph.add_weighted_edges_from((i, (i + 1) % 60, 2**44 + i % 7) for i in range(60))
    assert nx.eccentricity(graph, weight="weight", backend="ooc") == nx.eccentricity(graph, weight="weight")
    with pytest.raises(NotImplementedError) as left:
        getattr(nx, name)(graph, weight="weight", backend="ooc")
    assert "below 2**53" in str(left.value.__cause__)


def test_negative_cycles_are_said_when_networkx_says_it():
    graph = nx.DiGraph()
    graph.add_weighted_edges_from([(1, 2, 3), (2, 1, -5)])
    for function in (nx.all_pairs_bellman_ford_path, nx.all_pairs_bellman_ford_path_length):
        some = function(graph, backend="ooc")
        with pytest.raises(nx.NetworkXUnbounded):
            next(some)


@pytest.mark.parametrize("weight", ["weight", None])
@pytest.mark.parametrize("kind", [nx.Graph, nx.DiGraph])
def test_a_few_vertices_are_not_all(kind, weight, monkeypatch):
    """What is asked of some vertices is the same from their rows as from statistics of all, and all are left alone."""
    random = nx.gnp_random_graph(60, 0.1, seed=5, directed=kind is nx.DiGraph)
    graph = kind((u, v, {"weight": (3 * u + v) % 7 + 1}) for u, v in random.edges)
    calls = [("eccentricity", "v"), ("closeness_centrality", "u"), ("harmonic_centrality", "nbunch")]
    some = next(iter(graph))
    want = [call(getattr(nx, name).orig_func, name, graph, weight, **{which: some}) for name, which in calls]
    for few in (0, 256):
        monkeypatch.setattr(networkx_backend, "_FEW", few)
        if few:
            monkeypatch.setattr(networkx_backend, "_statistics", None)
        got = [call(getattr(nx, name), name, kind(graph), weight, backend="ooc", **{which: some}) for name, which in calls]
        assert all(map(close, got, want))


def test_statistics_of_a_graph_take_one_pass(monkeypatch):
    passes, run = [], program.run
    monkeypatch.setattr(program, "run", lambda *words: passes.append(words[0]) or run(*words))
    graph = nx.gnm_random_graph(60, 200, seed=5)
    nx.set_edge_attributes(graph, {e: sum(e) % 7 + 1 for e in graph.edges}, "km")

    def all_of_them(weight):
        for name in STATISTICS:
            got, want = (call(f, name, graph, weight, **more) for f, more in made[name])
            assert close(got, want), name

    made = {name: ((getattr(nx, name), {"backend": "ooc"}), (getattr(nx, name).orig_func, {})) for name in STATISTICS}
    all_of_them("km")
    assert passes == ["stats"]
    for weight in (None, "km", None, "km"):
        all_of_them(weight)
    assert close(nx.eccentricity(graph, 3, weight="km", backend="ooc"), nx.eccentricity(graph, 3, weight="km"))
    assert passes == ["stats"] * 2
    graph.add_edge(0, 59, km=1)
    all_of_them("km")
    assert passes == ["stats"] * 3
    with nx.config(cache_converted_graphs=False):
        all_of_them("km")
    assert passes == ["stats"] * (3 + len(STATISTICS))
    graph.add_edge(0, 58, km=1)  # betweenness first, in which all others are
    passes.clear()
    for normalized in (False, True):
        assert close(*(nx.betweenness_centrality(graph, weight="km", normalized=normalized, **one) for one in ({"backend": "ooc"}, {})))
    all_of_them("km")
    assert passes == ["stats"]
    assert close(*(nx.edge_betweenness_centrality(graph, weight="km", **one) for one in ({"backend": "ooc"}, {})))
    assert passes == ["stats"] * 2


@pytest.mark.skipif(nx.__version__.startswith(("3.4", "3.5")), reason="k is left to networkx before 3.6")
def test_vertices_that_networkx_draws():
    graph = nx.gnm_random_graph(60, 200, seed=5, directed=True)
    for function in (nx.betweenness_centrality, nx.edge_betweenness_centrality):
        for seed in (3, random.Random(4), np.random.RandomState(5), np.random.default_rng(6)):
            other = copy.deepcopy(seed)
            for _ in range(2):
                assert close(function(graph, k=7, seed=seed, backend="ooc"), function(graph, k=7, seed=other))
    graph.add_edge(0, 1, km=0)  # which is left to networkx, that draws the same then
    with nx.config.backend_priority(algos=["ooc"]), pytest.MonkeyPatch.context() as patch:
        patch.setattr(networkx_backend, "_SMALL", 0)
        seed, other = random.Random(4), random.Random(4)
        got = nx.betweenness_centrality(graph, k=7, weight="km", seed=seed)
        assert got == nx.betweenness_centrality(graph, k=7, weight="km", seed=other, backend="networkx")
        assert seed.random() == other.random()


def test_sources_and_targets_that_are_left_to_networkx():
    graph = nx.path_graph(600)
    every, few = list(graph), [5, 9, 17]
    for name, takes in (
        ("betweenness_centrality_subset", [(every, few), (few, every), (few, few), (few, [7, "none"])]),
        ("edge_betweenness_centrality_subset", [(few, every), (every, every)]),
    ):
        for sources, targets in takes:
            assert networkx_backend.can_run(name, (graph, sources, targets), {}) is True
        for sources, targets in (([5, 5], every), (few, ["none"]), ([], every), (iter(few), every), (few, iter(every))):
            assert networkx_backend.can_run(name, (graph, sources, targets), {}) is not True
    assert networkx_backend.can_run("edge_betweenness_centrality_subset", (graph, every, few), {}) is not True
    assert networkx_backend.should_run("betweenness_centrality_subset", (graph, few, every), {}) is not True
    assert networkx_backend.should_run("betweenness_centrality_subset", (graph, every, every), {}) is True
    assert networkx_backend.should_run("betweenness_centrality", (graph,), {"k": 3}) is not True
    assert networkx_backend.should_run("betweenness_centrality", (graph,), {}) is True


@pytest.mark.parametrize("few", [0, 256])
def test_vertices_may_come_from_an_iterator(few, monkeypatch):
    monkeypatch.setattr(networkx_backend, "_FEW", few)
    graph = nx.path_graph(40)
    for function in (nx.eccentricity, nx.harmonic_centrality):
        assert close(function(graph, iter([3, 4]), backend="ooc"), function(graph, [3, 4]))


def test_small_graphs_stay_with_networkx():
    for n, wanted in ((10, False), (1000, True)):
        assert (networkx_backend.should_run("diameter", (nx.path_graph(n),), {}) is True) == wanted
    assert networkx_backend.can_run("diameter", (nx.path_graph(2),), {"weight": len}) is not True
    large = nx.path_graph(1000)
    for name, argument in (("closeness_centrality", {"u": 5}), ("eccentricity", {"v": 5}), ("harmonic_centrality", {"nbunch": 5})):
        assert networkx_backend.should_run(name, (large,), {}) is True
        assert networkx_backend.should_run(name, (large,), argument) is not True
    assert networkx_backend.should_run("eccentricity", (large,), {"v": [5, 6]}) is True


@pytest.mark.parametrize("weight", ["far", None, float("nan"), float("inf"), 2**60, 1j])
def test_weights_that_are_left_to_networkx(weight):
    graph = nx.Graph([(0, 1, {"weight": weight}), (1, 2, {"weight": 1})])
    with pytest.raises(NotImplementedError):
        nx.floyd_warshall(graph, backend="ooc")
