"""A networkx graph whose distances do not fit into memory: what it is like, and any distance in it.

python large_network.py 40000
"""

import sys

import networkx as nx
import numpy as np

import ooc

n = int(sys.argv[1])
side = round(n**0.5)
streets = nx.grid_2d_graph(side, side)
rng = np.random.default_rng(1)
for _, _, street in streets.edges(data=True):
    street["minutes"] = int(rng.integers(1, 10))
print(f"{len(streets):,} crossings have {len(streets) ** 2 * 8 / 2**30:.1f} GiB of distances.")

# One pass over all distances, of which none is kept.
central = nx.closeness_centrality(streets, distance="minutes", backend="ooc")
print(f"The most central crossing is {max(central, key=central.get)}.")

# Factors take little room, and any row of distances is computed from them when it is asked for.
store = ooc.solve(streets, out="streets.ooc", weight="minutes", keep="factors")
corner, opposite = (0, 0), (side - 1, side - 1)
print(f"From corner to corner: {store[corner, opposite]:.0f} minutes over {len(store.path(corner, opposite)) - 1} streets.")
