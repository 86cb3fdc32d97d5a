"""The backend ooc of networkx: its functions, which networkx calls in the place of its own.

What they cannot do raises NotImplementedError, and networkx does it. Their names, arguments, results and errors are those of networkx.
"""

from __future__ import annotations

import collections
import contextlib
import copy
import functools
import inspect
import os
import tempfile
from collections.abc import Callable, Hashable, Iterable, Iterator
from pathlib import Path
from typing import Any

import networkx as nx
import numpy as np

from . import graphs, program
from .csgraph import kind_of
from .graphs import Arcs, Array
from .solving import chosen, solve_graph
from .store import Store

_SMALL = 500  # vertices, below which networkx has an answer before the command has started
_BATCH = 256  # rows of predecessors at a time
_FEW = 256  # vertices of which rows of distances are looked at, rather than statistics of all
_VERTEX = {"eccentricity": "v", "closeness_centrality": "u", "harmonic_centrality": "nbunch"}  # whose argument names vertices


class Graph:
    """A graph of networkx, with its arcs as arrays once they are asked for."""

    __networkx_backend__ = "ooc"

    def __init__(self, graph: Any) -> None:
        self.graph = graph
        self._nodes: list[Hashable] = []
        self._at: dict[Hashable, int] = {}
        self._arcs: dict[str | None, Arcs] = {}
        # Once they are computed: statistics by the weight, and betweenness also by what else is asked.
        self.statistics: dict[str | None, dict[str, Any]] = {}
        self.betweenness: dict[tuple[Any, ...], dict[str, list[Any]]] = {}

    def is_directed(self) -> bool:
        return bool(self.graph.is_directed())

    def is_multigraph(self) -> bool:
        return bool(self.graph.is_multigraph())

    def __len__(self) -> int:
        return len(self.graph)

    def __iter__(self) -> Iterator[Hashable]:
        return iter(self.graph)

    def __contains__(self, node: Any) -> bool:
        return node in self.graph

    @property
    def nodes(self) -> list[Hashable]:
        if not self._nodes:
            self._nodes = list(self.graph)
        return self._nodes

    def index(self, node: Hashable) -> int:
        if not self._at:
            self._at = {node: i for i, node in enumerate(self.nodes)}
        return self._at[node]

    def arcs(self, weight: str | None, negative: bool = False) -> Arcs:
        """The arcs with their weights, those of undirected graphs one way. NotImplementedError if they are not what ooc takes."""
        if not self.graph:
            raise NotImplementedError("ooc takes no empty graph")
        if weight not in self._arcs:
            self._arcs[weight] = graphs.of_edges(self.graph, self.nodes, weight, _plain)
        arcs = self._arcs[weight]
        if not negative and arcs.weights.size and arcs.weights.min() < 0:
            raise NotImplementedError("negative weights are left to networkx here")
        return arcs


def _plain(weights: list[Any]) -> Array:
    """Weights as an array, where float64 holds what Python would compute with."""
    if not all(type(w) in (int, float, bool) for w in weights):
        raise NotImplementedError("ooc takes weights that are int or float")
    array = graphs.numbers(weights) if weights else np.ones(0, np.int8)
    if not np.isfinite(array).all():
        raise NotImplementedError("ooc takes weights that are finite")
    if all(type(w) is not float for w in weights):
        if float(np.abs(array.astype(np.float64)).sum()) >= 2**53:
            raise NotImplementedError("ooc takes integers whose sums are below 2**53")
        array = array.astype(np.int64)
    return array


def convert_from_nx(graph: Any, *args: Any, **kwargs: Any) -> Graph:
    if isinstance(graph, Graph):
        return graph
    # networkx keeps a Graph for each set of attributes, until the graph changes. One has room for all weights.
    cache = getattr(graph, "__networkx_cache__", None) if nx.config.cache_converted_graphs else None
    kept = list((cache or {}).get("backends", {}).get("ooc", {}).values())
    return next((one for one in kept if isinstance(one, Graph) and one.graph is graph), None) or Graph(graph)


def convert_to_nx(result: Any, **kwargs: Any) -> Any:
    return result.graph if isinstance(result, Graph) else result


_SUBSETS = ("betweenness_centrality_subset", "edge_betweenness_centrality_subset")
_ALONE = {"e", "sp", "attr", "sources"}  # arguments that leave nothing to compute, or something else


def _given(name: str, args: Any, kwargs: Any) -> dict[str, Any]:
    """The arguments of a call by their names, with those that are not given."""
    bound = inspect.signature(getattr(nx, name).orig_func).bind(*args, **{k: v for k, v in kwargs.items() if k != "backend"})
    bound.apply_defaults()
    return dict(bound.arguments)


def can_run(name: str, args: Any, kwargs: Any) -> bool | str:
    given = _given(name, args, kwargs)
    if any(callable(given.get(weight)) for weight in ("weight", "distance")):
        return "weights are a function"
    if given.get("usebounds") or (not name.startswith(("multi", *_SUBSETS)) and any(given.get(a) is not None for a in _ALONE)):
        return "an argument replaces what ooc would compute"
    if name.startswith("shortest_path") and given["source"] is not None and given["target"] is not None:
        return "networkx finds a single path faster"
    if name == "dijkstra_predecessor_and_distance" and given["cutoff"] is not None:
        return "a cutoff"
    if given.get("k") is not None and nx.__version__.startswith(("3.4", "3.5")):
        return "before 3.6, networkx divides by other numbers where only k vertices are sources"
    if name in _SUBSETS:
        if any(isinstance(given[ends], Iterator) for ends in ("sources", "targets")):
            return "sources and targets are read more than once"
        if why := _pairs(given["G"], given["sources"], given["targets"], name.startswith("edge")):
            return why
    return True


def should_run(name: str, args: Any, kwargs: Any) -> bool | str:
    given = _given(name, args, kwargs)
    if len(given["G"]) < _SMALL:
        return "the graph is small"
    if name.startswith(("single_", "dijkstra_")) or given.get("source") is not None or given.get("target") is not None:
        return "networkx finds the paths from a single vertex as fast"
    if name in _VERTEX and given[_VERTEX[name]] in given["G"]:
        return "networkx finds what is asked of a single vertex as fast"
    if "betweenness" in name:
        few = given["k"] if "k" in given else len(given["sources"])
        if few is not None and few * len(given["G"]) < _SMALL**2:
            return "networkx searches from a few vertices as fast"
    return True


def _refused(name: str, graph: Graph, *args: Any, **kwargs: Any) -> Any:
    """Lets networkx refuse arguments in its own words."""
    return getattr(nx, name).orig_func(graph.graph, *args, **kwargs)


# Distances and paths


def _tails(arcs: Arcs) -> Array:
    """The vertex that each arc leaves."""
    return np.repeat(np.arange(arcs.n), np.diff(arcs.indptr))


def _reversed(arcs: Arcs) -> Arcs:
    return graphs.shortest(arcs.n, arcs.indices, _tails(arcs), arcs.weights)


@contextlib.contextmanager
def _solved(graph: Graph, arcs: Arcs, sources: list[int] | None, reverse: bool = False) -> Iterator[Store]:
    """A store of the distances from sources, or from all, for a while. reverse turns every arc round."""
    if reverse and graph.is_directed():
        arcs = _reversed(arcs)
    with tempfile.TemporaryDirectory(prefix="ooc-") as folder:
        flags = {"kind": kind_of(arcs)}
        with _left_to_networkx():
            own = graphs.Graph(arcs, graph.is_directed(), range(arcs.n))
            store = solve_graph(own, Path(folder, "distances.ooc"), sources, False, flags)
        yield store


@contextlib.contextmanager
def _left_to_networkx() -> Iterator[None]:
    """Leaves graphs that the command refuses to networkx: those whose paths may be longer than a float64 holds."""
    try:
        yield
    except program.InputError as e:
        raise NotImplementedError(f"ooc refuses the graph: {e.message.partition(': ')[2] or e.message}") from e  # less its file


def _reached(row: Array, source: int, cutoff: float | None) -> list[int]:
    """The vertices that a row of distances reaches, the nearest first, after the source."""
    near = np.isfinite(row) if cutoff is None else np.isfinite(row) & (row <= cutoff)
    at = np.flatnonzero(near)
    at = at[np.argsort(row[at], kind="stable")]
    return [source, *at[at != source].tolist()]


def _python(row: Array, arcs: Arcs) -> list[Any]:
    """Distances as Python's numbers: int where all weights are."""
    if arcs.weights.dtype.kind == "f":
        return row.tolist()
    return np.where(np.isfinite(row), row, -1).astype(np.int64).tolist()


def _lengths(graph: Graph, arcs: Arcs, row: Array, source: int, cutoff: float | None) -> dict[Hashable, Any]:
    numbers, nodes = _python(row, arcs), graph.nodes
    return {nodes[i]: numbers[i] for i in _reached(row, source, cutoff)}


def _paths(graph: Graph, row: Array, before: Array, source: int, cutoff: float | None) -> dict[Hashable, list[Hashable]]:
    nodes, back = graph.nodes, before.tolist()
    made, reached = {source: [nodes[source]]}, _reached(row, source, cutoff)
    for vertex in reached:
        way = []
        while vertex not in made:
            way.append(vertex)
            vertex = back[vertex]
        for step in reversed(way):
            made[step] = [*made[vertex], nodes[step]]
            vertex = step
    return {nodes[vertex]: made[vertex] for vertex in reached}


Both = tuple[dict[Hashable, Any], dict[Hashable, list[Hashable]]]


def _all_pairs(
    graph: Graph, weight: str | None, cutoff: float | None, paths: bool, negative: bool = False
) -> Iterator[tuple[Hashable, Both]]:
    """Of each vertex its lengths, and if asked for its paths. What cannot be computed is said at once, not at the first of them."""
    arcs = graph.arcs(weight, negative)

    def each() -> Iterator[Any]:
        solved = contextlib.ExitStack()
        try:
            store = solved.enter_context(_solved(graph, arcs, None))
        except program.NegativeCycleError:
            yield None
            raise nx.NetworkXUnbounded("Negative cycle detected.") from None  # networkx says it at the first of them
        with solved:
            yield None
            for first in range(0, arcs.n, _BATCH):
                some = range(first, min(first + _BATCH, arcs.n))
                back = store.predecessors(us=some) if paths else None
                for i, u in enumerate(some):
                    row = store.row(u)
                    ways = {} if back is None else _paths(graph, row, back[i], u, cutoff)
                    yield graph.nodes[u], (_lengths(graph, arcs, row, u, cutoff), ways)

    made = each()
    next(made)
    return made


def _from(
    graph: Graph,
    sources: Iterable[Hashable],
    weight: str | None,
    cutoff: float | None = None,
    paths: bool = True,
    negative: bool = False,
    reverse: bool = False,
) -> Both:
    """Lengths and paths from the nearest of sources; with reverse to it."""
    arcs = graph.arcs(weight, negative)
    places = sorted({graph.index(s) for s in sources})
    try:
        with _solved(graph, arcs, places, reverse) as store:
            rows = store.to_numpy()
            back = store.predecessors() if paths else None
    except program.NegativeCycleError:
        raise NotImplementedError("there is a negative cycle, which the source may not reach") from None
    nearest = rows.argmin(axis=0)
    nearest[places] = range(len(places))  # also where one is at distance 0 from another
    lengths: dict[Hashable, Any] = {}
    ways: dict[Hashable, list[Hashable]] = {}
    for i, source in enumerate(places):
        row = np.where(nearest == i, rows[i], np.inf)
        lengths |= _lengths(graph, arcs, row, source, cutoff)
        if back is not None:
            ways |= _paths(graph, row, back[i], source, cutoff)
    if len(places) > 1:
        lengths = dict(sorted(lengths.items(), key=lambda item: item[1]))
    if reverse:
        ways = {v: way[::-1] for v, way in ways.items()}
    return lengths, ways


def _levels(cutoff: float | None) -> float | None:
    """The greatest distance that a search by levels reaches, which begins one as long as it is below cutoff."""
    return None if cutoff is None else float(np.ceil(cutoff))


def all_pairs_shortest_path_length(G: Graph, cutoff: float | None = None) -> Any:
    return ((u, lengths) for u, (lengths, _) in _all_pairs(G, None, _levels(cutoff), False))


def all_pairs_shortest_path(G: Graph, cutoff: float | None = None) -> Any:
    return ((u, paths) for u, (_, paths) in _all_pairs(G, None, _levels(cutoff), True))


def all_pairs_dijkstra(G: Graph, cutoff: float | None = None, weight: Any = "weight") -> Any:
    return _all_pairs(G, weight, cutoff, True)


def all_pairs_dijkstra_path_length(G: Graph, cutoff: float | None = None, weight: Any = "weight") -> Any:
    return ((u, lengths) for u, (lengths, _) in _all_pairs(G, weight, cutoff, False))


def all_pairs_dijkstra_path(G: Graph, cutoff: float | None = None, weight: Any = "weight") -> Any:
    return ((u, paths) for u, (_, paths) in _all_pairs(G, weight, cutoff, True))


def all_pairs_bellman_ford_path_length(G: Graph, weight: Any = "weight") -> Any:
    return ((u, lengths) for u, (lengths, _) in _all_pairs(G, weight, None, False, True))


def all_pairs_bellman_ford_path(G: Graph, weight: Any = "weight") -> Any:
    return ((u, paths) for u, (_, paths) in _all_pairs(G, weight, None, True, True))


def johnson(G: Graph, weight: Any = "weight") -> Any:
    return {u: paths for u, (_, paths) in _all_pairs(G, weight, None, True, True)}


def single_source_shortest_path_length(G: Graph, source: Any, cutoff: float | None = None) -> Any:
    if source not in G:
        return _refused("single_source_shortest_path_length", G, source)
    return _from(G, [source], None, _levels(cutoff), False)[0]


def single_source_shortest_path(G: Graph, source: Any, cutoff: float | None = None) -> Any:
    if source not in G:
        return _refused("single_source_shortest_path", G, source)
    return _from(G, [source], None, _levels(cutoff))[1]


def single_target_shortest_path_length(G: Graph, target: Any, cutoff: float | None = None) -> Any:
    if target not in G:
        return _refused("single_target_shortest_path_length", G, target)
    return _from(G, [target], None, _levels(cutoff), False, reverse=True)[0]


def single_target_shortest_path(G: Graph, target: Any, cutoff: float | None = None) -> Any:
    if target not in G:
        return _refused("single_target_shortest_path", G, target)
    return _from(G, [target], None, _levels(cutoff), reverse=True)[1]


def multi_source_dijkstra(G: Graph, sources: Any, target: Any = None, cutoff: float | None = None, weight: Any = "weight") -> Any:
    if not sources or any(s not in G for s in sources) or target in sources:
        return _refused("multi_source_dijkstra", G, sources, target)
    lengths, paths = _from(G, sources, weight, cutoff)
    if target is None:
        return lengths, paths
    if target not in lengths:
        raise nx.NetworkXNoPath(f"No path to {target}.")
    return lengths[target], paths[target]


def multi_source_dijkstra_path_length(G: Graph, sources: Any, cutoff: float | None = None, weight: Any = "weight") -> Any:
    if not sources or any(s not in G for s in sources):
        return _refused("multi_source_dijkstra_path_length", G, sources)
    return _from(G, sources, weight, cutoff, False)[0]


def multi_source_dijkstra_path(G: Graph, sources: Any, cutoff: float | None = None, weight: Any = "weight") -> Any:
    return multi_source_dijkstra(G, sources, None, cutoff, weight)[1]


def single_source_dijkstra(G: Graph, source: Any, target: Any = None, cutoff: float | None = None, weight: Any = "weight") -> Any:
    return multi_source_dijkstra(G, {source}, target, cutoff, weight)


def single_source_dijkstra_path_length(G: Graph, source: Any, cutoff: float | None = None, weight: Any = "weight") -> Any:
    return multi_source_dijkstra_path_length(G, {source}, cutoff, weight)


def single_source_dijkstra_path(G: Graph, source: Any, cutoff: float | None = None, weight: Any = "weight") -> Any:
    return multi_source_dijkstra_path(G, {source}, cutoff, weight)


def single_source_bellman_ford(G: Graph, source: Any, target: Any = None, weight: Any = "weight") -> Any:
    if source not in G or source == target:
        return _refused("single_source_bellman_ford", G, source, target)
    lengths, paths = _from(G, [source], weight, negative=True)
    if target is None:
        return lengths, paths
    if target not in lengths:
        return _refused("single_source_bellman_ford", G, source, target, weight)
    return lengths[target], paths[target]


def single_source_bellman_ford_path_length(G: Graph, source: Any, weight: Any = "weight") -> Any:
    if source not in G:
        return _refused("single_source_bellman_ford_path_length", G, source)
    return _from(G, [source], weight, paths=False, negative=True)[0]


def single_source_bellman_ford_path(G: Graph, source: Any, weight: Any = "weight") -> Any:
    return single_source_bellman_ford(G, source, None, weight)[1]


def dijkstra_predecessor_and_distance(G: Graph, source: Any, cutoff: float | None = None, weight: Any = "weight") -> Any:
    if source not in G:
        return _refused("dijkstra_predecessor_and_distance", G, source)
    arcs = G.arcs(weight)
    if arcs.weights.dtype.kind == "f" or (arcs.weights < 1).any():
        raise NotImplementedError("ooc tells equal paths apart where weights are positive integers")
    lengths = _from(G, [source], weight, paths=False)[0]
    order = {u: i for i, u in enumerate(lengths)}  # the nearest first
    before: dict[Hashable, list[Hashable]] = {u: [] for u in lengths}
    for i, j, w in zip(_tails(arcs).tolist(), arcs.indices.tolist(), arcs.weights.tolist()):
        for u, v in [(G.nodes[i], G.nodes[j]), (G.nodes[j], G.nodes[i])][: 1 if G.is_directed() else 2]:
            if u in lengths and v in lengths and lengths[u] + w == lengths[v]:
                before[v].append(u)
    return {v: sorted(us, key=order.__getitem__) for v, us in before.items()}, lengths


def _generic(G: Graph, source: Any, target: Any, weight: Any, method: str, which: int) -> Any:
    name = ("shortest_path_length", "shortest_path")[which]
    end = source if target is None else target
    if method not in ("dijkstra", "bellman-ford") or (end is not None and end not in G):
        return _refused(name, G, source, target, weight, method)
    negative = method == "bellman-ford" and weight is not None
    if end is None:
        return ((u, both[which]) for u, both in _all_pairs(G, weight, None, bool(which), negative))
    return _from(G, [end], weight, paths=bool(which), negative=negative, reverse=target is not None)[which]


def shortest_path(G: Graph, source: Any = None, target: Any = None, weight: Any = None, method: str = "dijkstra") -> Any:
    return _generic(G, source, target, weight, method, 1)


def shortest_path_length(G: Graph, source: Any = None, target: Any = None, weight: Any = None, method: str = "dijkstra") -> Any:
    return _generic(G, source, target, weight, method, 0)


def _floyd_warshall(graph: Graph, weight: Any, predecessors: bool) -> tuple[Arcs, Array, Array | None]:
    arcs = graph.arcs(weight, True)
    try:
        with _solved(graph, arcs, None) as store:
            return arcs, store.to_numpy(), store.predecessors() if predecessors else None
    except program.NegativeCycleError:
        raise NotImplementedError("there is a negative cycle, of which networkx returns what its sweeps leave") from None


def floyd_warshall_numpy(G: Graph, nodelist: Any = None, weight: Any = "weight") -> Any:
    if nodelist is not None and not (len(nodelist) == len(G) == len(set(nodelist))):
        return _refused("floyd_warshall_numpy", G, nodelist, weight)
    _, distances, _ = _floyd_warshall(G, weight, False)
    if nodelist is None:
        return distances
    at = [G.index(node) for node in nodelist]
    return distances[np.ix_(at, at)]


def floyd_warshall(G: Graph, weight: Any = "weight") -> Any:
    arcs, distances, _ = _floyd_warshall(G, weight, False)
    return _table(G, arcs, distances)


def floyd_warshall_predecessor_and_distance(G: Graph, weight: Any = "weight") -> Any:
    arcs, distances, back = _floyd_warshall(G, weight, True)
    if back is None or (_tails(arcs) == arcs.indices).any():
        raise NotImplementedError("networkx has predecessors of self-loops")
    nodes, before = G.nodes, {}
    for u, row in zip(nodes, back.tolist()):
        if reached := {v: nodes[k] for v, k in zip(nodes, row) if k >= 0}:
            before[u] = reached
    return before, _table(G, arcs, distances)


if hasattr(nx, "floyd_warshall_tree"):  # from networkx 3.7 on

    def floyd_warshall_tree(G: Graph, weight: Any = "weight") -> Any:
        before, distances = floyd_warshall_predecessor_and_distance(G, weight)
        for u, row in distances.items():  # of pairs without a path, networkx lists those to vertices that have arcs
            listed = {v: d for v, d in row.items() if d != float("inf") or v in before}
            distances[u] = collections.defaultdict(lambda: float("inf"), listed)
        return before, distances


def _table(graph: Graph, arcs: Arcs, distances: Array) -> dict[Hashable, dict[Hashable, Any]]:
    """Distances as networkx's Floyd-Warshall has them: also of pairs without a path."""
    whole = arcs.weights.dtype.kind != "f"
    made = {}
    for u, row in zip(graph.nodes, distances.tolist()):
        made[u] = {v: int(d) if whole and d != np.inf else d for v, d in zip(graph.nodes, row)}
    return made


# Statistics


# What networkx has functions for, of each vertex.
_COLUMNS = ("eccentricity", "distance_sum", "distance_sum_in", "harmonic_centrality", "ancestors")


def _asked(graph: Graph, arcs: Arcs, sources: list[int] | None = None, targets: list[int] | None = None, **flags: Any) -> dict[str, Any]:
    """What ooc stats --json says of the graph: nothing of n times n is kept."""
    with tempfile.TemporaryDirectory(prefix="ooc-") as folder, chosen(sources) as some, chosen(targets) as ends:
        words = graphs.save(graphs.Graph(arcs, graph.is_directed(), range(arcs.n)), folder)
        own = {"kind": kind_of(arcs), "out": os.path.join(folder, "graph.stats"), "sources": some, "targets": ends}
        with _left_to_networkx():
            return program.run("stats", *program.flags({**own, **flags}), *words[1:], "--", words[0])[-1]


def _statistics(graph: Graph, weight: str | None) -> dict[str, Any]:
    """The statistics of all vertices. One pass computes all of them, and later calls find them."""
    arcs = graph.arcs(weight)
    if weight not in graph.statistics:
        graph.statistics[weight] = _with_columns(_asked(graph, arcs), arcs)
    return graph.statistics[weight]


def _with_columns(found: dict[str, Any], arcs: Arcs) -> dict[str, Any]:
    """Statistics with numbers as networkx has them."""
    columns, inf = {}, float("inf")  # null in JSON, also where a sum is too large for a float64
    for name in _COLUMNS:
        real = name == "harmonic_centrality" or (arcs.weights.dtype.kind == "f" and name != "ancestors")  # 2.0 is 2 in JSON
        columns[name] = [inf if number is None else float(number) if real else int(number) for number in found["vertices"][name]]
    return {**found, "vertices": columns}


def _sums(found: dict[str, Any]) -> list[Any]:
    """The distances from each vertex added up, where they are what Python's integers add up to."""
    sums: list[Any] = found["vertices"]["distance_sum"]
    if any(type(total) is int and total >= 2**53 for total in sums):
        raise NotImplementedError("ooc takes integers whose sums are below 2**53")
    return sums


def _few(graph: Graph, vertices: Any, weight: str | None, reverse: bool = False) -> dict[Hashable, Array] | None:
    """The distances from each of a few vertices, with reverse to it; None where statistics of all vertices cost less."""
    nodes = dict.fromkeys(graph.graph.nbunch_iter(vertices))
    if vertices is None or weight in graph.statistics or not 0 < len(nodes) <= min(_FEW, max(1, len(graph) // 8)):
        return None
    arcs, places = graph.arcs(weight), sorted(map(graph.index, nodes))
    with _solved(graph, arcs, places, reverse) as store:
        return dict(zip([graph.nodes[i] for i in places], store.to_numpy()))


def eccentricity(G: Graph, v: Any = None, sp: Any = None, weight: Any = None) -> Any:
    nodes = None if v is None else list(G.graph.nbunch_iter(v))  # an iterator gives them once
    arcs, few = G.arcs(weight), _few(G, nodes, weight)
    if few is None:
        column = _statistics(G, weight)["vertices"]["eccentricity"]
        found = {u: column[G.index(u)] for u in G.graph.nbunch_iter(nodes)}
    else:
        most = {u: row.max() for u, row in few.items()}
        found = {u: most[u] if most[u] == float("inf") else _python(most[u], arcs) for u in G.graph.nbunch_iter(nodes)}
    if float("inf") in found.values():
        what = "digraph is not strongly connected" if G.is_directed() else "graph is not connected"
        raise nx.NetworkXError(f"Found infinite path length because the {what}")
    return found[v] if v in G else found


def diameter(G: Graph, e: Any = None, usebounds: bool = False, weight: Any = None) -> Any:
    return max(eccentricity(G, weight=weight).values())


def radius(G: Graph, e: Any = None, usebounds: bool = False, weight: Any = None) -> Any:
    return min(eccentricity(G, weight=weight).values())


def _extreme(graph: Graph, weight: Any, pick: Callable[[Iterable[Any]], Any]) -> list[Hashable]:
    found = eccentricity(graph, weight=weight)
    extreme = pick(found.values())
    return [u for u, far in found.items() if far == extreme]


def center(G: Graph, e: Any = None, usebounds: bool = False, weight: Any = None) -> Any:
    return _extreme(G, weight, min)


def periphery(G: Graph, e: Any = None, usebounds: bool = False, weight: Any = None) -> Any:
    return _extreme(G, weight, max)


def barycenter(G: Graph, weight: Any = None, attr: Any = None, sp: Any = None) -> Any:
    found = _statistics(G, weight)
    if not found["connected"]:
        raise nx.NetworkXNoPath(f"Input graph {G.graph} is disconnected, so every induced subgraph has infinite barycentricity.")
    sums = _sums(found)
    return [u for u, total in zip(G.nodes, sums) if total == min(sums)]


if hasattr(nx, "centroid"):  # from networkx 3.7 on it is called so; before, a function of trees was
    centroid = barycenter


def closeness_centrality(G: Graph, u: Any = None, distance: Any = None, wf_improved: bool = True, *, sp: Any = None) -> Any:
    if u is not None and u not in G:
        return _refused("closeness_centrality", G, u, distance)

    few = _few(G, u, distance, reverse=True)
    sums: Iterable[tuple[Hashable, Any, Any]]
    if few is None:
        columns = _statistics(G, distance)["vertices"]
        sums = zip(G.nodes, columns["ancestors"], columns["distance_sum_in"])
    else:
        sums = ((v, np.isfinite(row).sum() - 1, row[np.isfinite(row)].sum()) for v, row in few.items())
    made = {}
    for v, reach, total in sums:
        made[v] = 0.0
        if total > 0 and len(G) > 1:
            made[v] = float(reach / total * (reach / (len(G) - 1) if wf_improved else 1))
    return made if u is None else made[u]


def harmonic_centrality(G: Graph, nbunch: Any = None, distance: Any = None, sources: Any = None) -> Any:
    nodes = None if nbunch is None else list(G.graph.nbunch_iter(nbunch))
    few = _few(G, nodes, distance, reverse=True)
    if few is not None:
        with np.errstate(over="ignore"):  # of the least numbers
            return {u: float((1 / row[row > 0]).sum()) for u, row in few.items()}
    column = _statistics(G, distance)["vertices"]["harmonic_centrality"]
    return {u: column[G.index(u)] for u in G.graph.nbunch_iter(nodes)}


def wiener_index(G: Graph, weight: Any = None) -> Any:
    found = _statistics(G, weight)
    if not found["connected"]:
        return float("inf")
    total = sum(_sums(found))
    return total if G.is_directed() else total / 2


def average_shortest_path_length(G: Graph, weight: Any = None, method: Any = None) -> Any:
    known = (None, "unweighted", "dijkstra", "bellman-ford", "floyd-warshall", "floyd-warshall-numpy")
    if method not in known or len(G) < 2:
        return _refused("average_shortest_path_length", G, weight, method)
    found = _statistics(G, None if method == "unweighted" else weight)
    if not found["connected"]:
        raise nx.NetworkXError("Graph is not strongly connected." if G.is_directed() else "Graph is not connected.")
    return sum(_sums(found)) / (len(G) * (len(G) - 1))


def global_efficiency(G: Graph) -> Any:
    return float(_statistics(G, None)["global_efficiency"]) if len(G) > 1 else 0


# Betweenness


def _betweenness(
    graph: Graph, weight: str | None, what: str, endpoints: bool, sources: list[int] | None, targets: list[int] | None = None
) -> dict[str, list[Any]]:
    """What ooc stats --betweenness says of the vertices or the edges. The pass over all also finds all other statistics."""
    arcs, key = graph.arcs(weight), (weight, what, endpoints)
    if (arcs.weights <= 0).any():  # also of loops, which ooc drops
        raise NotImplementedError("ooc counts paths where weights are above 0")
    if sources is None and key in graph.betweenness:
        return graph.betweenness[key]
    found = _asked(graph, arcs, sources, targets, betweenness=what, endpoints=endpoints)
    columns: dict[str, list[Any]] = {name: found[what].get(name, []) for name in ("source", "target", *_SCALED)}
    if sources is None:
        graph.betweenness[key] = columns
        graph.statistics.setdefault(weight, _with_columns({**found, "edges": None}, arcs))
    return columns


_SCALED = ("betweenness", "betweenness_centrality")  # as sums over pairs, and as shares of all pairs


def _of_vertices(graph: Graph, numbers: Iterable[float | None]) -> dict[Hashable, float]:
    return {u: float("nan") if number is None else float(number) for u, number in zip(graph.nodes, numbers)}


def _of_edges(graph: Graph, weight: str | None, found: dict[str, list[Any]], numbers: Iterable[float]) -> dict[Any, float]:
    """Numbers by the edges, as networkx names them. Of parallel edges, those of the least length share one."""
    nodes, edges, multi = graph.nodes, dict.fromkeys(graph.graph.edges, 0.0), graph.is_multigraph()
    for i, j, number in zip(map(int, found["source"]), map(int, found["target"]), numbers):
        u, v = nodes[i], nodes[j]
        if not multi:
            edges[(u, v) if (u, v) in edges else (v, u)] = float(number)
            continue
        lengths = {key: data.get(weight, 1) for key, data in graph.graph.adj[u][v].items()}
        least = [key for key, length in lengths.items() if length == min(lengths.values())]
        for key in least:
            edges[(u, v, key) if (u, v, key) in edges else (v, u, key)] = number / len(least)
    return edges


def _sampled(graph: Graph, k: int | None, seed: Any) -> tuple[list[int] | None, Callable[[], Any]]:
    """The sources that networkx would draw, and what draws them: nothing is drawn where networkx has to."""
    if k is None:
        return None, lambda: None
    own = getattr(seed, "_rng", None)  # of NumPy, in networkx's wrapper
    other = copy.deepcopy(seed) if own is None else type(seed)(copy.deepcopy(own))
    return sorted(map(graph.index, other.sample(graph.nodes, k))), functools.partial(seed.sample, graph.nodes, k)


def betweenness_centrality(
    G: Graph, k: Any = None, normalized: bool = True, weight: Any = None, endpoints: bool = False, seed: Any = None
) -> Any:
    some, draw = _sampled(G, None if k == len(G) else k, seed)
    if some == []:
        return _refused("betweenness_centrality", G, k, normalized, weight, endpoints, seed)
    found = _betweenness(G, weight, "vertices", bool(endpoints), some)
    draw()
    return _of_vertices(G, found[_SCALED[bool(normalized)]])


def edge_betweenness_centrality(G: Graph, k: Any = None, normalized: bool = True, weight: Any = None, seed: Any = None) -> Any:
    some, draw = _sampled(G, k, seed)
    if some == []:
        return _refused("edge_betweenness_centrality", G, k, normalized, weight, seed)
    found = _betweenness(G, weight, "edges", False, some)
    draw()
    return _of_edges(G, weight, found, found[_SCALED[bool(normalized)]])


def _pairs(graph: Any, sources: Any, targets: Any, edges: bool) -> str:
    """Why ooc does not count paths from these sources to these targets; "" if it does."""
    every = set(graph)
    if len(set(sources)) < len(sources):
        return "a source is there twice"
    if not sources or not every & set(targets):
        return "there is no pair of vertices to count paths of"
    return "networkx shares out paths to some targets in another way among edges" if edges and not every <= set(targets) else ""


def _subset(graph: Graph, sources: Any, targets: Any, weight: str | None, what: str) -> dict[str, list[Any]]:
    """What ooc stats --betweenness says of paths from some vertices to some."""
    if why := _pairs(graph, sources, targets, what == "edges"):
        raise NotImplementedError(why)
    starts, ends = (sorted(map(graph.index, some)) for some in (sources, set(graph) & set(targets)))
    return _betweenness(graph, weight, what, False, starts, ends)


def betweenness_centrality_subset(G: Graph, sources: Any, targets: Any, normalized: bool = False, weight: Any = None) -> Any:
    if any(s not in G for s in sources):
        return _refused("betweenness_centrality_subset", G, sources, targets, normalized, weight)
    return _of_vertices(G, _subset(G, sources, targets, weight, "vertices")[_SCALED[bool(normalized)]])


def edge_betweenness_centrality_subset(G: Graph, sources: Any, targets: Any, normalized: bool = False, weight: Any = None) -> Any:
    if any(s not in G for s in sources):
        return _refused("edge_betweenness_centrality_subset", G, sources, targets, normalized, weight)
    found = _subset(G, sources, targets, weight, "edges")
    return _of_edges(G, weight, found, found[_SCALED[bool(normalized)]])
