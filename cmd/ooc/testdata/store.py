"""Read the distances of a store, whatever its layout (docs/format.md)."""

import json

import numpy as np


def matrix(store):
    """store.json, and all n×n distances as they are stored."""
    meta = json.load(open(f"{store}/store.json"))
    tiles = np.load(f"{store}/dist.npy", mmap_mode="r")
    n, side = meta["n"], -(-meta["n"] // meta["tile"])
    if meta["layout"] == "upper":
        at = lambda i, j: i * side - i * (i - 1) // 2 + j - i
        tile = lambda i, j: tiles[at(i, j)] if i <= j else tiles[at(j, i)].T
    else:
        tile = lambda i, j: tiles[i, j]
    return meta, np.block([[tile(i, j) for j in range(side)] for i in range(side)])[:n, :n]
