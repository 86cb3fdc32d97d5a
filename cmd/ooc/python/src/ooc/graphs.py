"""Graphs of any kind that Python has, as files that the command ooc reads."""

from __future__ import annotations

import contextlib
import os
import tempfile
from collections.abc import Callable, Hashable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, TypeAlias

import numpy as np
import numpy.typing as npt

Array: TypeAlias = npt.NDArray[Any]
Ids: TypeAlias = Sequence[Hashable]


@dataclass
class Arcs:
    """A sparse matrix in compressed rows: weights[k] is that of the arc from u to indices[k], for k from indptr[u] to
    indptr[u+1]. No arc is there twice."""

    indptr: Array
    indices: Array
    weights: Array

    @property
    def n(self) -> int:
        return len(self.indptr) - 1


@dataclass
class Dense:
    """A square matrix of weights, with inf where there is no arc."""

    weights: Array

    @property
    def n(self) -> int:
        return len(self.weights)


@dataclass
class Graph:
    """A graph, and the labels of its vertices in the order of its rows."""

    matrix: Arcs | Dense
    directed: bool
    ids: Ids

    def stored_ids(self) -> Array | None:
        """The labels as a file has them, if it can: integers that ascend, or texts. Else vertices are called 0, 1, … there."""
        ids: Any = self.ids
        if isinstance(self.matrix, Dense) or not ids or ids == range(len(ids)):
            return None
        if all(type(label) is int for label in ids) and list(ids) == sorted(ids):  # not bool
            return np.array(ids, np.int64) if -(2**63) <= min(ids) and max(ids) < 2**63 else None
        if all(type(label) is str and label and label.isprintable() for label in ids):
            return np.frombuffer("".join(f"{label}\n" for label in ids).encode(), np.uint8)
        return None

    def names(self) -> dict[str, Hashable]:
        """The vertices by what the command calls them."""
        stored = self.stored_ids() is not None
        return {str(label if stored else i): label for i, label in enumerate(self.ids)}


def read(graph: Any, directed: bool | None, weight: str | None) -> Graph:
    """Takes a SciPy matrix, an array, a networkx or igraph graph, or a pandas table of edges.

    weight names the attribute of weights in networkx and igraph; an edge without it has length 1, and so have all for None.
    """
    library = type(graph).__module__.partition(".")[0]
    if hasattr(graph, "is_multigraph") and hasattr(graph, "adj"):
        return _of_networkx(graph, directed, weight)
    if library == "igraph":
        return _of_igraph(graph, directed, weight)
    if library == "pandas":
        return _of_pandas(graph, directed)
    if not hasattr(graph, "tocsr") and not isinstance(graph, np.ndarray):
        raise TypeError(
            f"a graph is a SciPy matrix, a NumPy array, a networkx or igraph graph, a pandas table of edges, or the path of a file, not {type(graph).__name__}"
        )
    matrix = of_matrix(graph)
    return Graph(matrix, directed is not False, range(matrix.n))


def of_matrix(graph: Any) -> Arcs | Dense:
    """Takes a sparse or dense matrix as scipy.sparse.csgraph does: what a sparse one stores is an arc, zeros too; in a dense one
    0, NaN, infinities and what is masked are none. ValueError for what is no square matrix of numbers."""
    stored = hasattr(graph, "tocsr")
    if not stored:
        graph = np.ma.asarray(graph) if isinstance(graph, np.ma.MaskedArray) else np.asarray(graph)
    if len(graph.shape) != 2:
        raise ValueError("graph should have two dimensions")
    if graph.shape[0] != graph.shape[1]:
        raise ValueError("graph should be a square array")
    if stored:
        csr = graph.tocsr()
        if not csr.has_canonical_format:
            csr = csr.copy()
            csr.sum_duplicates()
        return Arcs(csr.indptr, csr.indices, numbers(csr.data))
    weights = numbers(np.ma.getdata(graph))
    none = (weights == 0) | ~np.isfinite(weights) | np.ma.getmaskarray(graph)
    if not np.issubdtype(weights.dtype, np.floating):
        weights = weights.astype(np.float64)
    dense = Dense(np.where(none, weights.dtype.type(np.inf), weights))
    return dense if np.count_nonzero(none) * 2 < none.size else sparse(dense)


def sparse(matrix: Dense) -> Arcs:
    """The same matrix in compressed rows."""
    arcs = np.isfinite(matrix.weights)
    rows, cols = np.nonzero(arcs)
    return Arcs(np.concatenate([[0], np.cumsum(np.count_nonzero(arcs, axis=1))]), cols, matrix.weights[rows, cols])


def numbers(weights: Any) -> Array:
    """Weights in a type that the command reads. ValueError for what are no real numbers."""
    array = np.asarray(weights)
    if array.dtype.kind == "O":  # such as of Decimal, Fraction, or integers beyond 64 bits
        try:
            array = array.astype(np.float64)
        except (TypeError, ValueError) as e:
            raise ValueError(f"weights should be numbers: {e}") from None
    if array.dtype.kind not in "biuf":
        raise ValueError(f"weights should be real numbers, not of type {array.dtype}")
    if array.dtype.kind == "f" and array.dtype.itemsize not in (4, 8):
        array = array.astype(np.float64)
    return array


def shortest(n: int, rows: Any, cols: Any, weights: Any) -> Arcs:
    """Arcs from lists of their ends. Of arcs between the same two vertices, the shortest one stays."""
    rows, cols, weights = np.asarray(rows, np.int64), np.asarray(cols, np.int64), numbers(weights)
    if np.isnan(weights).any():
        raise ValueError("an edge has no weight: it is None or NaN there")
    order = np.lexsort((weights, cols, rows))
    rows, cols, weights = rows[order], cols[order], weights[order]
    first = np.ones(len(rows), bool)
    first[1:] = (rows[1:] != rows[:-1]) | (cols[1:] != cols[:-1])
    counts = np.bincount(rows[first], minlength=n)
    return Arcs(np.concatenate([[0], np.cumsum(counts)]), cols[first], weights[first])


def _of_networkx(graph: Any, directed: bool | None, weight: str | None) -> Graph:
    if not graph.is_directed() and directed:
        raise ValueError("an undirected graph has no arcs of one direction: graph.to_directed() has both")
    nodes = _sorted(list(graph))
    return Graph(of_edges(graph, nodes, weight, numbers), graph.is_directed() if directed is None else directed, nodes)


def of_edges(graph: Any, nodes: Ids, weight: str | None, read_weights: Callable[[list[Any]], Array]) -> Arcs:
    """The edges of a networkx graph, those of an undirected one in one direction; its nodes in the order of rows."""
    at = {node: i for i, node in enumerate(nodes)}
    rows, cols, weights = [], [], []
    for u, v, w in graph.edges(data=weight, default=1) if weight is not None else ((u, v, 1) for u, v in graph.edges()):
        rows.append(at[u])
        cols.append(at[v])
        weights.append(w)
    return shortest(len(nodes), rows, cols, read_weights(weights))


def _of_igraph(graph: Any, directed: bool | None, weight: str | None) -> Graph:
    ends = np.array(graph.get_edgelist(), np.int64).reshape(-1, 2)
    weights = graph.es[weight] if weight in graph.es.attributes() else np.ones(len(ends), np.int8)
    if not graph.is_directed() and directed:
        raise ValueError("an undirected graph has no arcs of one direction: graph.as_directed() has both")
    n = graph.vcount()
    ids: Ids = graph.vs["name"] if "name" in graph.vs.attributes() else range(n)
    if len(set(ids)) < n:
        raise ValueError("two vertices have the same name")
    return Graph(shortest(n, ends[:, 0], ends[:, 1], weights), graph.is_directed() if directed is None else directed, ids)


def _of_pandas(table: Any, directed: bool | None) -> Graph:
    if getattr(table, "ndim", 0) != 2 or len(table.columns) not in (2, 3):
        raise ValueError("a table of edges has the columns from, to and maybe weight, in this order: pass table[[FROM, TO, WEIGHT]]")
    ends = table.iloc[:, :2]
    if ends.isna().to_numpy().any():
        raise ValueError("an edge lacks one of its ends")
    listed = [label for pair in zip(ends.iloc[:, 0].tolist(), ends.iloc[:, 1].tolist()) for label in pair]
    ids = _sorted(list(dict.fromkeys(listed)))
    at = {label: i for i, label in enumerate(ids)}
    places = np.array([at[label] for label in listed], np.int64).reshape(-1, 2)
    weights = table.iloc[:, 2].to_numpy() if len(table.columns) == 3 else np.ones(len(table), np.int8)
    return Graph(shortest(len(ids), places[:, 0], places[:, 1], weights), directed is not False, ids)


def _sorted(labels: list[Any]) -> Ids:
    """Labels of rows: integers ascending, others as they come."""
    if not labels or not all(type(label) is int for label in labels):
        return labels
    low, high = min(labels), max(labels)
    return range(low, high + 1) if high - low + 1 == len(labels) else sorted(labels)


def save(graph: Graph, folder: str | os.PathLike[str]) -> list[str]:
    """Writes a graph into a folder. Returns the words with which the command reads it."""
    words = ["--no-arc", "inf"]  # so that zeros are arcs
    matrix = graph.matrix
    if isinstance(matrix, Dense):
        file = Path(folder, "graph.npy")
        np.save(file, matrix.weights if graph.directed else np.minimum(matrix.weights, matrix.weights.T))
    else:
        file = Path(folder, "graph.npz")
        shape = np.array([matrix.n, matrix.n])
        arrays: Any = {"indptr": matrix.indptr, "indices": matrix.indices, "data": matrix.weights}
        ids = graph.stored_ids()
        if ids is not None:
            arrays["ids"] = ids
        np.savez(file, format=np.array(b"csr"), shape=shape, **arrays)
    words.append("--directed" if graph.directed else "--undirected")
    return [str(file), *words]


@contextlib.contextmanager
def saved(graph: Graph) -> Iterator[list[str]]:
    """Writes a graph into a folder that is removed afterwards, and gives the words with which the command reads it."""
    with tempfile.TemporaryDirectory(prefix="ooc-") as folder:
        yield save(graph, folder)


def listed(names: Iterable[str], file: Path) -> None:
    """Writes names of vertices into a file, as the command's flags take them."""
    with open(file, "w", encoding="utf-8") as out:
        for name in names:
            out.write('"' + name.replace('"', '""') + '"\n')
