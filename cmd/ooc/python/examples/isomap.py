"""Isomap (Tenenbaum, de Silva and Langford, 2000): the flat shape of points that lie on a curved sheet.

python isomap.py 20000

The distances along the sheet are shortest paths between neighbours. They stay on disk, n x n of them, and the eigenvectors that
give the flat shape are computed by multiplying with them: memory holds the points and a few vectors.
"""

import sys

import numpy as np
import scipy.sparse as sp
from scipy.sparse.linalg import LinearOperator, eigsh
from scipy.spatial import cKDTree

import ooc

n, neighbours = int(sys.argv[1]), 10
rng = np.random.default_rng(1)

# Points on a sheet that is rolled up, and where they are on the flat sheet.
angle, height = 1.5 * np.pi * (1 + 2 * rng.random(n)), 21 * rng.random(n)
points = np.column_stack([angle * np.cos(angle), height, angle * np.sin(angle)])
along = (angle * np.sqrt(1 + angle**2) + np.arcsinh(angle)) / 2  # the length of the spiral up to there

# Each point is joined to its nearest neighbours.
lengths, near = cKDTree(points).query(points, neighbours + 1)
rows = np.repeat(np.arange(n), neighbours)
graph = sp.csr_array((lengths[:, 1:].ravel(), (rows, near[:, 1:].ravel())), shape=(n, n))
store = ooc.solve(graph, out="sheet.ooc", directed=False)

# Classical scaling: the two greatest eigenvectors of -1/2 J D² J, where J takes the mean away.
squares = store.operator(np.square)


def centred(x):
    product = squares @ (x - x.mean(axis=0))
    return (product.mean(axis=0) - product) / 2


values, vectors = eigsh(LinearOperator((n, n), centred, dtype=float), k=2, tol=1e-3, v0=rng.random(n))
flat = vectors * np.sqrt(values)

for name, truth in (("along the spiral", along), ("height", height)):
    fit, *_ = np.linalg.lstsq(np.column_stack([flat, np.ones(n)]), truth, rcond=None)
    residual = truth - np.column_stack([flat, np.ones(n)]) @ fit
    print(f"{name}: correlation {np.sqrt(1 - residual.var() / truth.var()):.4f}")
