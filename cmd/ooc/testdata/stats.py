"""Compare `ooc stats --json` with networkx and igraph: stats.py [all] GRAPH STATS.json ...

GRAPH is a DIMACS .gr file of a directed graph, or lines "id id weight" of an undirected one; weights are positive
multiples of a quarter, which float32 adds exactly. Distances, their sums and counts must be equal, sums of reciprocals
and quotients within 1e-12. igraph does all by itself. What networkx does by itself would take ten minutes on 3,353
vertices: above 500 vertices it does so for 10 vertices, and, where the first argument is "all", its functions for all of
them get the distances from SciPy's Dijkstra.
"""
import json
import math
import random
import sys

import igraph
import networkx as nx
import numpy as np
from scipy.sparse import coo_matrix
from scipy.sparse.csgraph import dijkstra

CLOSE = 1e-12


def read(path):
    """Return an igraph-independent list of arcs (u, v, w), parallel ones merged, and whether they go one way."""
    directed = path.endswith(".gr")
    rows = [line.split() for line in open(path)]
    if directed:
        rows = [r[1:] for r in rows if r and r[0] == "a"]
    least = {}
    for u, v, w in rows:
        if u != v:
            arc = (u, v) if directed else tuple(sorted((u, v)))
            least[arc] = min(float(w), least.get(arc, math.inf))
    return [(u, v, w) for (u, v), w in least.items()], directed


def same(name, got, want, exact=False):
    got = np.array([math.inf if x is None else x for x in np.atleast_1d(np.array(got, dtype=object))], dtype=float)
    want = np.atleast_1d(np.array(want, dtype=float))
    assert got.shape == want.shape, (name, got.shape, want.shape)
    wrong = got != want if exact else ~np.isclose(got, want, rtol=CLOSE, atol=0)
    assert not wrong.any(), f"{name}: {wrong.sum()} of {len(got)} differ, the first: {got[wrong][0]} and {want[wrong][0]}"
    same.count += len(got)


same.count = 0


def raises(f, *args, **options):
    try:
        f(*args, **options)
    except nx.NetworkXError:
        return True
    return False


def by_networkx(G, s, v):
    n, connected = len(G), s["connected"]
    assert connected == (nx.is_strongly_connected(G) if G.is_directed() else nx.is_connected(G))
    if connected:
        ecc = nx.eccentricity(G, weight="w")
        same("eccentricity", v["eccentricity"], [ecc[u] for u in v["id"]], True)
        same("diameter", s["diameter"], nx.diameter(G, e=ecc), True)
        same("radius", s["radius"], nx.radius(G, e=ecc), True)
        assert set(s["center"]) == set(nx.center(G, e=ecc)) and s["radius_pair"][0] in s["center"]
        assert set(s["periphery"]) == set(nx.periphery(G, e=ecc)) and s["diameter_pair"][0] in s["periphery"]
        assert set(s["barycenter"]) == set(nx.barycenter(G, weight="w"))
        same("average_shortest_path_length", s["average_shortest_path_length"], nx.average_shortest_path_length(G, weight="w"))
    else:
        assert raises(nx.eccentricity, G, weight="w") and raises(nx.average_shortest_path_length, G, weight="w")
        assert s["diameter"] is None and s["barycenter"] == [] and s["periphery"] == []
        same("average_shortest_path_length", s["average_shortest_path_length"], math.inf)
    same("wiener_index", s["wiener_index"], nx.wiener_index(G, weight="w"), True)
    back = G.reverse() if G.is_directed() else G
    for name, graph in ("", G), ("_out", back):
        closeness = nx.closeness_centrality(graph, distance="w")
        same("closeness" + name, v["closeness_centrality" + name], [closeness[u] for u in v["id"]])
        harmonic = nx.harmonic_centrality(graph, distance="w")
        same("harmonic" + name, v["harmonic_centrality" + name], [harmonic[u] for u in v["id"]])
    if not G.is_directed() and all(w == 1 for _, _, w in G.edges(data="w")):
        same("global_efficiency", s["global_efficiency"], nx.global_efficiency(G))
    same("global_efficiency", s["global_efficiency"], sum(v["harmonic_centrality"]) / (n * (n - 1)))


def samples_by_networkx(G, v, rows):
    """What networkx has no function for all vertices for, and centralities of some vertices."""
    for i in rows:
        u = v["id"][i]
        below, above = (nx.descendants(G, u), nx.ancestors(G, u)) if G.is_directed() else (nx.node_connected_component(G, u) - {u},) * 2
        same("descendants", v["descendants"][i], len(below), True)
        same("ancestors", v["ancestors"][i], len(above), True)
        same("closeness", v["closeness_centrality"][i], nx.closeness_centrality(G, u=u, distance="w"))
        same("harmonic", v["harmonic_centrality"][i], nx.harmonic_centrality(G, nbunch=[u], distance="w")[u])
        for radius in 100, 500.5:
            near = nx.single_source_dijkstra_path_length(G, u, cutoff=radius, weight="w")
            same("within", v[f"within_{radius:g}"][i], len(near) - 1, True)


def by_igraph(g, s, v):
    n = g.vcount()
    for mode, name, count in ("in", "", "ancestors"), ("out", "_out", "descendants"):
        reach = np.array(v[count])
        closeness = np.nan_to_num(g.closeness(mode=mode, weights="w", normalized=True)) * reach / (n - 1)
        same("igraph closeness" + name, v["closeness_centrality" + name], closeness)
        harmonic = np.array(g.harmonic_centrality(mode=mode, weights="w", normalized=True)) * (n - 1)
        same("igraph harmonic" + name, v["harmonic_centrality" + name], harmonic)
    same("igraph eccentricity", v["longest_distance"], g.eccentricity(mode="out", weights="w"), True)
    same("igraph diameter", s["longest_distance"], g.diameter(weights="w"), True)
    same("igraph average_path_length", s["mean_distance"], g.average_path_length(weights="w"))


def by_numpy(s, v, d):
    row = {u: i for i, u in enumerate(v["id"])}
    n = len(d)
    finite = np.isfinite(d)
    for pair, length in ("diameter_pair", "diameter"), ("radius_pair", "radius"), ("longest_pair", "longest_distance"):
        same(pair, s[length], d[row[s[pair][0]], row[s[pair][1]]], True)
    same("farthest", v["longest_distance"], d[np.arange(n), [row[u] for u in v["farthest"]]], True)
    same("distance_sum", v["distance_sum"], np.where(finite, d, 0).sum(axis=1), True)
    same("distance_sum_in", v["distance_sum_in"], np.where(finite, d, 0).sum(axis=0), True)
    same("reachable_pairs", s["reachable_pairs"], finite.sum() - n, True)
    h = s["distance_histogram"]
    counts, _ = np.histogram(d[finite & ~np.eye(n, dtype=bool)], bins=h["edges"])
    same("histogram", h["counts"], counts, True)
    np.fill_diagonal(d, np.inf)
    order = np.argsort(d, axis=1, kind="stable")[:, :3]
    for k in range(3):
        nearest = d[np.arange(n), order[:, k]]
        same("nearest", v[f"nearest_{k + 1}_distance"], nearest, True)
        assert [row.get(u, -1) for u in v[f"nearest_{k + 1}"]] == np.where(np.isfinite(nearest), order[:, k], -1).tolist()


def use_distances(G, d, row):
    """Give networkx's functions the distances instead of searching them."""
    ids = list(row)
    one_way = next(((u, v) for u, v in G.edges if not G.has_edge(v, u)), None) if G.is_directed() else None

    def lengths(graph, source=None, target=None, weight=None, **_):
        assert weight == "w" and target is None
        forward = one_way is None or graph.has_edge(*one_way)

        def one(u):
            line = d[row[u]] if forward else d[:, row[u]]
            lengths = dict(zip(ids, line.tolist()))
            return lengths if np.isfinite(line).all() else {v: x for v, x in lengths.items() if x < math.inf}
        return one(source) if source is not None else ((u, one(u)) for u in graph)

    nx.shortest_path_length = nx.single_source_dijkstra_path_length = lengths
    for module in nx.algorithms.centrality.closeness, nx.algorithms.wiener, nx.algorithms.distance_measures, nx.algorithms.shortest_paths.generic:
        for name in "shortest_path_length", "single_source_dijkstra_path_length":
            if hasattr(module, name):
                setattr(module, name, lengths)


def compare(path, stats, everything):
    print(path, flush=True)
    same.count = 0
    s = json.load(open(stats))
    v = s["vertices"]
    arcs, directed = read(path)
    assert s["directed"] == directed
    row = {u: i for i, u in enumerate(v["id"])}
    n = len(row)
    G = nx.DiGraph() if directed else nx.Graph()
    G.add_nodes_from(v["id"])
    G.add_weighted_edges_from(arcs, weight="w")
    g = igraph.Graph(n, [(row[u], row[v]) for u, v, _ in arcs], directed=directed, edge_attrs={"w": [w for _, _, w in arcs]})
    u, w, x = zip(*((row[u], row[v], w) for u, v, w in arcs))
    d = dijkstra(coo_matrix((np.array(x, float), (u, w)), shape=(n, n)).tocsr(), directed=directed)
    by_igraph(g, s, v)
    samples_by_networkx(G, v, range(n) if n <= 500 else random.sample(range(n), 10))
    if n > 500 and everything:
        use_distances(G, d, row)
    if n <= 500 or everything:
        by_networkx(G, s, v)
    by_numpy(s, v, d)
    print(f"{same.count} numbers of {n} vertices agree with networkx {nx.__version__} and igraph {igraph.__version__}")


def main(args):
    everything = args[0] == "all"
    args = args[everything:]
    for path, stats in zip(args[::2], args[1::2], strict=True):
        compare(path, stats, everything)


main(sys.argv[1:])
