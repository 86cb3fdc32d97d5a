"""Write matrices of weights and check what became of them: matrices.py make SEED, matrices.py check.

make writes, in the current folder, an .npy file of each type NumPy has for real numbers, byte order, memory order
and format version, and prints a line "FILE no-arc" for each. check compares FILE.ooc with SciPy: equal in i32, within
four units in the last place an arc of the longest possible path in f32.
"""
import glob
import itertools
import sys

import numpy as np
from scipy.sparse.csgraph import csgraph_from_dense, floyd_warshall

from store import matrix

TYPES = ["?", "i1", "i2", "i4", "i8", "u1", "u2", "u4", "u8", "f2", "f4", "f8"]


def make(seed):
    rng = np.random.default_rng(int(seed))
    for code, order, memory in itertools.product(TYPES, "<>", "CF"):
        n = int(rng.integers(2, 150))
        weights = rng.integers(0, 2 if code == "?" else 100, (n, n))
        hole = rng.random((n, n)) < rng.random()
        if code == "?":
            array, none = np.where(hole, False, True), "0"
        elif code[0] == "f":
            weights = weights + (rng.integers(0, 8, (n, n)) / 8 if rng.random() < 0.5 else 0)
            array, none = np.where(hole, np.inf, weights), "inf"
            if rng.random() < 0.5:
                array, none = np.where(hole, np.nan, weights), "nan"
        else:
            none = str(np.iinfo(code).max)
            array = np.where(hole, int(none), weights.astype(object)).astype(code)
        if rng.random() < 0.3:  # potentials make negative arcs and no negative cycle
            if code[0] == "f" or code in ("i4", "i8"):
                p = rng.integers(0, 500, n)
                array = np.where(hole, array, array + p[:, None] - p[None, :])
        array = np.asarray(array.astype(np.dtype(code).newbyteorder(order)), order=memory)
        name = f"{np.dtype(code).kind}{np.dtype(code).itemsize}{'little' if order == '<' else 'big'}{memory}.npy"
        with open(name, "wb") as f:
            np.lib.format.write_array(f, array, version=[(1, 0), (2, 0), (3, 0)][rng.integers(3)])
        print(name, none)


def check():
    negative, kinds = 0, {}
    files = sorted(glob.glob("*.npy"))
    assert len(files) >= 36, files
    for name in files:
        meta, got = matrix(name[:-4] + ".ooc")
        n, got = meta["n"], got.astype(np.float64)
        array, none = np.load(name), meta["input"]["no_arc"]
        assert array.shape == (n, n)
        weights = array.astype(np.float64)
        weights[np.isnan(weights) if none == "nan" else array == array.dtype.type(none if array.dtype.kind != "b" else 0)] = np.inf
        np.fill_diagonal(weights, np.inf)
        assert meta["negative"] == bool((weights < 0).any()) and meta["arcs"] == np.isfinite(weights).sum()
        want = floyd_warshall(csgraph_from_dense(weights, null_value=np.inf))
        negative += meta["negative"]
        kinds[meta["kind"]] = kinds.get(meta["kind"], 0) + 1
        if meta["kind"] == "i32":
            got[got == 0x3F3F3F3F] = np.inf
            assert np.array_equal(got, want), f"{name}: {(got != want).sum()} of {got.size} distances differ"
        else:
            finite = np.isfinite(want)
            assert np.array_equal(np.isfinite(got), finite), name
            largest = np.abs(weights[np.isfinite(weights)]).max(initial=0)
            assert (np.abs(got[finite] - want[finite]) <= 4 * 2.0**-24 * n * n * largest).all(), name
    print(f"{len(files)} matrices agree with SciPy: {kinds}, {negative} with negative entries")


if __name__ == "__main__":
    make(sys.argv[2]) if sys.argv[1] == "make" else check()
