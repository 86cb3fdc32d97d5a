"""Compare `ooc stats --betweenness both --json` with networkx: betweenness.py GRAPH STATS.json SOURCES ENDPOINTS ...

GRAPH is a DIMACS .gr file of a directed graph, or lines "id id weight" of an undirected one. Weights are multiples of
a quarter, whose sums are exact. SOURCES are ids with commas between them, or all; ENDPOINTS is 1 or 0.
"""
import json
import math
import random
import sys

import networkx as nx


def read(path):
    G = nx.DiGraph() if path.endswith(".gr") else nx.Graph()
    for line in open(path):
        t = line.split()
        if t and t[0] == "p":
            G.add_nodes_from(str(v + 1) for v in range(int(t[2])))
        if not t or t[0] in "cp":
            continue
        u, v, w = t[-3:]
        G.add_nodes_from((u, v))
        if u != v and float(w) < G.get_edge_data(u, v, {"weight": math.inf})["weight"]:
            G.add_edge(u, v, weight=float(w))
    return G


class Chosen(random.Random):
    def __init__(self, sources):
        super().__init__()
        self.sources = sources

    def sample(self, nodes, k):
        return self.sources


def same(what, got, want):
    got = math.nan if got is None else got
    assert math.isclose(got, want, rel_tol=1e-9, abs_tol=1e-15) or got != got and want != want, (what, got, want)


count = 0
for path, stats, sources, endpoints in zip(*[iter(sys.argv[1:])] * 4):
    G, s = read(path), json.load(open(stats))
    k = {} if sources == "all" else {"k": len(sources.split(",")), "seed": Chosen(sources.split(","))}
    v, e = s["vertices"], s["edges"]
    assert len(v["id"]) == len(G) and len(e["source"]) == G.number_of_edges()
    for name, normalized in ("betweenness", False), ("betweenness_centrality", True):
        o = {"weight": "weight", "normalized": normalized, **k}
        want = nx.betweenness_centrality(G, endpoints=endpoints == "1", **o)
        for u, x in zip(v["id"], v[name]):
            same((path, name, u), x, want[u])
        want = nx.edge_betweenness_centrality(G, **o)
        for t, h, x in zip(e["source"], e["target"], e[name]):
            same((path, name, t, h), x, want[t, h] if (t, h) in want else want[h, t])
        count += len(v["id"]) + len(e["source"])
print(count, "numbers")
