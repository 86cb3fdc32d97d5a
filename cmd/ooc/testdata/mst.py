"""Compare least spanning forests with SciPy and networkx: mst.py GRAPH OUT [GRAPH OUT...].

GRAPH has lines "u v weight", or "id u v weight" of an undirected graph; OUT is what ooc mst printed. The total, the
number of edges and their weights in order have to be equal, and the edges the graph's.
"""
import sys

import networkx as nx
import numpy as np
from scipy.sparse import coo_matrix
from scipy.sparse.csgraph import minimum_spanning_tree


def compare(path, out):
    least = {}
    for row in (line.split() for line in open(path) if not line.startswith("#")):
        u, v, w = row[-3], row[-2], float(np.float32(row[-1]))
        if u != v:
            e = (min(u, v), max(u, v))
            least[e] = min(w, least.get(e, np.inf))
    *lines, last = [line.split() for line in open(out)]
    got = {(min(u, v), max(u, v)): float(np.float32(w)) for u, v, w in lines}
    assert len(got) == len(lines) and all(least[e] == w for e, w in got.items())
    g = nx.Graph()
    g.add_weighted_edges_from((u, v, w) for (u, v), w in least.items())
    tree = nx.minimum_spanning_tree(g)
    assert sorted(got.values()) == sorted(w for _, _, w in tree.edges(data="weight"))
    assert nx.is_forest(nx.Graph(list(got)))
    place = {v: i for i, v in enumerate(g)}
    ends = np.array([(place[u], place[v]) for u, v in least])
    total = minimum_spanning_tree(coo_matrix((list(least.values()), (ends[:, 0], ends[:, 1])), shape=(len(g), len(g))).tocsr()).sum()
    assert last[0] == "total" and abs(float(last[1]) - total) <= 1e-12 * abs(total), (last, total)
    return len(got)


print(sum(compare(*pair) for pair in zip(sys.argv[1::2], sys.argv[2::2])), "edges agree")
