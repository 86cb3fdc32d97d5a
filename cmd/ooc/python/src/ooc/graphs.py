"""Graphs of any kind that Python has, as files that the command ooc reads."""

from __future__ import annotations

import contextlib
import os
import re
import tempfile
from collections.abc import Callable, Collection, Hashable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, TypeAlias

import numpy as np
import numpy.typing as npt

from .program import warn

Array: TypeAlias = npt.NDArray[Any]
Ids: TypeAlias = Sequence[Hashable]


@dataclass
class Arcs:
    """A sparse matrix in compressed rows: weights[k] is that of the arc from u to indices[k], for k from indptr[u] to
    indptr[u+1]. Of arcs between the same two vertices, the shortest counts."""

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
    assumed: bool = False  # that it is directed: the command then says so

    def stored_ids(self) -> Array | None:
        """The labels as a file has them, if it can: integers that ascend, or texts. Else vertices are called 0, 1, … there."""
        ids: Any = self.ids
        if isinstance(self.matrix, Dense) or not ids or ids == range(len(ids)):
            return None
        if all(type(label) is int for label in ids) and list(ids) == sorted(ids):  # not bool
            return np.array(ids, np.int64) if -(2**63) <= min(ids) and max(ids) < 2**63 else None
        if all(isinstance(label, str) and label and label.isprintable() for label in ids):
            return np.frombuffer("".join(f"{label}\n" for label in ids).encode(), np.uint8)
        return None

    def names(self) -> dict[str, Hashable]:
        """The vertices by what the command calls them."""
        stored = self.stored_ids() is not None
        return {str(label if stored else i): label for i, label in enumerate(self.ids)}


def read(graph: Any, directed: bool | None, weight: Any) -> Graph:
    """Takes a SciPy matrix, an array, a networkx or igraph graph, or a pandas table of edges.

    weight names the attribute or the column of the lengths, or is a function as networkx takes it; for None every length is 1.
    """
    if directed is not None:
        directed = bool(directed)  # also 0, and False as NumPy has it
    library = type(graph).__module__.partition(".")[0]
    if hasattr(graph, "is_multigraph") and hasattr(graph, "adj"):
        return _of_networkx(graph, directed, weight)
    if callable(weight):
        raise TypeError("weight= is a function for networkx graphs alone")
    if library == "igraph":
        return _of_igraph(graph, directed, weight)
    if library == "pandas":
        return _of_pandas(graph, directed, weight)
    if not hasattr(graph, "tocsr") and not isinstance(graph, np.ndarray):
        raise TypeError(
            f"a graph is a SciPy matrix, a NumPy array, a networkx or igraph graph, a pandas table of edges, or the path of a file, not {type(graph).__name__}"
        )
    if weight not in (None, WEIGHT):
        raise TypeError(f"weight={weight!r}: the lengths of a matrix are its entries, which have no name")
    matrix = of_matrix(graph)
    if weight is None:
        count_arcs(matrix)
    return Graph(matrix, directed is not False, range(matrix.n))


WEIGHT = "weight"  # what lengths are called where nobody says otherwise


def _looked_up(weight: Hashable, edges: int, having: int, others: Callable[[], Collection[Hashable]]) -> None:
    """Refuses the name of an attribute that no edge has, and says that edges without it have length 1."""
    if not edges or having == edges:
        return
    if having:
        warn(f"{edges - having} of {edges} edges have no attribute {weight!r}: their length is 1")
        return
    names = ", ".join(sorted(map(repr, others())))
    if weight != WEIGHT:
        raise ValueError(f"no edge has the attribute {weight!r}, but {names or 'none at all'}; weight=None makes every length 1")
    if names:
        warn(f"no edge has the attribute {weight!r}, but {names}: every length is 1; weight= names the one that is the length")


def of_matrix(graph: Any) -> Arcs | Dense:
    """Takes a sparse or dense matrix as scipy.sparse.csgraph does: what a sparse one stores is an arc, zeros too, and so is what
    a masked one does not mask; in a dense one 0 is none. NaN and infinities are none. ValueError for what is no square matrix of numbers."""
    stored = hasattr(graph, "tocsr")
    if not stored:
        graph = np.ma.asarray(graph) if isinstance(graph, np.ma.MaskedArray) else np.asarray(graph)
    if len(graph.shape) != 2:
        raise ValueError("graph should have two dimensions")
    if graph.shape[0] != graph.shape[1]:
        raise ValueError("graph should be a square array")
    if stored:
        csr = graph.tocsr()  # which adds up what COO has twice; of what CSR has twice the command takes the shortest
        data = numbers(csr.data)
        if data.dtype.kind == "f" and not (data > -np.inf).all():
            raise ValueError("an entry is NaN or -inf: lengths are finite, or inf for no arc")
        return Arcs(csr.indptr, csr.indices, data)
    weights = numbers(np.ma.getdata(graph))
    none = ~np.isfinite(weights) | (np.ma.getmaskarray(graph) if isinstance(graph, np.ma.MaskedArray) else weights == 0)
    if not np.issubdtype(weights.dtype, np.floating):
        weights = weights.astype(np.float64)
    dense = Dense(np.where(none, weights.dtype.type(np.inf), weights))
    return dense if np.count_nonzero(none) * 2 < none.size else sparse(dense)


def count_arcs(matrix: Arcs | Dense) -> None:
    """Makes every length 1."""
    ones = np.ones(matrix.weights.shape, np.int8)
    matrix.weights = ones if isinstance(matrix, Arcs) else np.where(np.isfinite(matrix.weights), ones, np.inf)


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


def _of_networkx(graph: Any, directed: bool | None, weight: Any) -> Graph:
    if not graph.is_directed() and directed:
        raise ValueError("an undirected graph has no arcs of one direction: graph.to_directed() has both")
    if isinstance(weight, bool):  # which asks networkx for something else
        raise TypeError("weight= is the name of an attribute, a function, or None")
    if weight is not None and not callable(weight):
        data = [data for _, _, data in graph.edges(data=True)]
        _looked_up(weight, len(data), sum(weight in one for one in data), lambda: set().union(*data))
        hidden = sum(one.get(weight, 1) is None for one in data)
        if hidden and not graph.is_multigraph():
            warn(f"{hidden} of {len(data)} edges have the {weight} None: they are left out, as in networkx")
            name, weight = weight, lambda u, v, edge: edge.get(name, 1)
    nodes = _sorted(list(graph))
    return Graph(of_edges(graph, nodes, weight, numbers), graph.is_directed() if directed is None else directed, nodes)


def of_edges(graph: Any, nodes: Ids, weight: Any, read_weights: Callable[[list[Any]], Array]) -> Arcs:
    """The edges of a networkx graph, those of an undirected one in one direction; its nodes in the order of rows."""
    at = {node: i for i, node in enumerate(nodes)}
    rows, cols, weights = [], [], []
    if callable(weight):
        edges = _measured(graph, at, weight)
    else:
        edges = graph.edges(data=weight, default=1) if weight is not None else ((u, v, 1) for u, v in graph.edges())
    for u, v, w in edges:
        rows.append(at[u])
        cols.append(at[v])
        weights.append(w)
    return shortest(len(nodes), rows, cols, read_weights(weights))


def _measured(graph: Any, at: dict[Hashable, int], length: Callable[..., Any]) -> Iterator[tuple[Hashable, Hashable, Any]]:
    """The edges with the lengths that a function gives, called as networkx does: once for all between two nodes. None hides them."""
    for u, neighbours in graph.adjacency():
        for v, data in neighbours.items():
            if graph.is_directed() or at[u] <= at[v]:
                found = length(u, v, data)
                if not graph.is_directed() and length(v, u, data) != found == found:  # NaN is refused later
                    raise ValueError(
                        f"weight= gives the edge {u!r}, {v!r} another length each way: graph.to_directed() has an arc for both"
                    )
                if found is not None:
                    yield u, v, found


def _of_igraph(graph: Any, directed: bool | None, weight: Any) -> Graph:
    if weight is not None and not isinstance(weight, str):
        raise TypeError("weight= is the name of an attribute, or None")
    if not graph.is_directed() and directed:
        raise ValueError("an undirected graph has no arcs of one direction: graph.as_directed() has both")
    ends = np.array(graph.get_edgelist(), np.int64).reshape(-1, 2)
    weights: Any = np.ones(len(ends), np.int8)
    if weight is not None:
        names = graph.es.attributes()
        _looked_up(weight, len(ends), len(ends) * (weight in names), lambda: names)
        weights = graph.es[weight] if weight in names else weights
    n = graph.vcount()
    labels = graph.vs["name"] if "name" in graph.vs.attributes() else list(range(n))
    ids = _sorted(labels)
    at = {label: i for i, label in enumerate(ids)}
    if len(at) < n:
        raise ValueError("two vertices have the same name")
    places = np.array([at[label] for label in labels], np.int64)[ends]
    return Graph(shortest(n, places[:, 0], places[:, 1], weights), graph.is_directed() if directed is None else directed, ids)


# The names of columns that the command knows: docs/graph-formats.md, "Edge lists".
COLUMNS = {
    names.split()[0]: tuple(names.split())
    for names in (
        "from source src tail u start from_node fromnodeid node1 start_node orig origin follower citing sender init_node row von quelle "
        "départ origen",
        "to target dst destination head v end to_node tonodeid node2 end_node dest followee cited receiver term_node col column nach ziel "
        "arrivée destino",
        "weight w length len cost distance dist",
    )
}
# Letters and digits of names, as patterns: of the cost of the way back, of what says which rows are edges, and of what
# is no length.
_BACK = "reverse{0}|{0}reverse|rev{0}|r{0}|backward{0}"
_WAYS = ".*oneway.*|.*bidir.*|.*twoway.*|.*bothway.*|(is|un)?directed|dir|direction|directionality"
_ALIKE = (
    ".*(score|similarity|correlation|confidence|probability|affinity|likelihood|jaccard|cosine|strength|capacity|speed|bandwidth|lanes|"
    "rating|frequency|multiplicity|timestamp|datetime|label).*|sim|corr|cap|date|year|type|name|sign|count|trust"
)


def _like(pattern: str, names: Iterable[Hashable]) -> list[int]:
    """Which of the names are like that."""
    return [i for i, name in enumerate(names) if re.fullmatch(pattern, re.sub(r"[\W_]", "", str(name)).lower())]


def _pair(names: list[Hashable]) -> list[int]:
    """The two columns that differ in a 1 and a 2, or an a and a b, at the end: gene1 and gene2."""
    pairs = []
    for i, name in enumerate(names):
        if end := re.fullmatch(r"(..+)(1|a)", re.sub(r"[\W_]", "", str(name)).lower()):
            pairs += [[i, k] for k in _like(re.escape(end[1]) + {"1": "2", "a": "b"}[end[2]], names)]
    return pairs[0] if len(pairs) == 1 else []


def _columns(names: list[Hashable], weight: Hashable) -> tuple[int, int, int | None]:
    """Which columns of a table are from, to and weight: by their names, as the command reads a header, else in this order."""
    known = [str(name).strip().lower() for name in names]

    def meant(part: str) -> list[int]:
        free = [i for i in range(len(names)) if i not in given]
        found = [i for i in free if known[i] == part] or [i for i in free if known[i] in COLUMNS[part]]
        if not found and part != "weight":  # source_id, Origin Node
            words = "|".join(COLUMNS[part]).replace("_", "")
            found = [i for i in _like(f"({words})(node|vertex)?(id)?", names) if i in free]
        if len(found) > 1:
            raise ValueError(
                f"several columns may be the {part}: {', '.join(repr(names[i]) for i in found)}; pass table[[FROM, TO, WEIGHT]]"
            )
        return found

    given = [i for i, name in enumerate(names) if name == weight] if weight not in (None, WEIGHT) else []
    if weight not in (None, WEIGHT) and len(given) != 1:
        raise ValueError(f"weight={weight!r}: the table has {len(given) or 'no'} such columns")
    first, second = meant("from"), meant("to")
    if not first and not second and (pair := _pair(names)):
        first, second = pair[:1], pair[1:]
    if first and second:
        third = given or ([] if weight is None else meant("weight"))
        if not third and weight is not None:
            third = [i for i in range(len(names)) if i not in first + second]
            if len(third) > 1:
                raise ValueError("no column is called weight: weight= names the one with the lengths, and weight=None makes every length 1")
            if third and third != [2]:
                warn(f"column {names[third[0]]!r} is taken for the weight")
            _check_length(names, third)
        return first[0], second[0], third[0] if third else None
    rest = [i for i in range(len(names)) if i not in given]
    if len(rest) not in ((2,) if given else (2, 3)):
        raise ValueError("a table of edges has the columns from, to and maybe weight, in this order: pass table[[FROM, TO, WEIGHT]]")
    for part, i in zip(COLUMNS, rest):
        # A letter does not speak against its place: before the name of a weight, v and w are from and to.
        if len(known[i]) > 1 and any(known[i] in synonyms for other, synonyms in COLUMNS.items() if other != part):
            raise ValueError(f"column {names[i]!r} stands where the {part} does: pass table[[FROM, TO, WEIGHT]]")
    third = given or ([] if weight is None else rest[2:])
    if not given:
        _check_length(names, third)
    return rest[0], rest[1], third[0] if third else None


def _check_length(names: list[Hashable], third: list[int]) -> None:
    """Refuses a weight, found by its place alone, whose name says that it is no length."""
    for name in (names[i] for i in _like(_ALIKE, names) if i in third):
        raise ValueError(f"column {name!r} seems to be no length: weight={name!r} takes it for one, weight=None makes every length 1")


def _of_pandas(table: Any, directed: bool | None, weight: Hashable) -> Graph:
    if getattr(table, "ndim", 0) != 2:
        raise ValueError("a table of edges has the columns from, to and maybe weight: pass a DataFrame")
    if any(str(name).lower() in COLUMNS["from"] + COLUMNS["to"] for name in table.index.names):
        table = table.reset_index()  # as osmnx has u, v and key
    names = list(table.columns)
    if names == list(table.index):
        raise ValueError(
            "rows and columns have the same names, as in a matrix: pass table.to_numpy(), or nx.from_pandas_adjacency(table, "
            "create_using=nx.DiGraph), which keeps names; if each row is an edge, call the columns from, to and weight"
        )
    first, second, third = _columns(names, weight)
    back = None
    if third is not None:
        back = next(iter(_like(_BACK.format(re.sub(r"[\W_]", "", str(names[third])).lower()), names)), None)
    ways = [i for i in _like(_WAYS, names) if i not in (first, second, third)]
    if ways and directed is None and not _like("key|reversed", names):
        raise ValueError(
            f"column {names[ways[0]]!r} seems to say which rows are one way, and is not read: add each row that is not one way a second "
            "time, ends swapped, and say directed=True; if all are alike, only say directed=True or directed=False"
        )
    if unused := [repr(name) for i, name in enumerate(names) if i not in (first, second, third, back)]:
        warn(f"columns not used: {', '.join(unused)}")
    ends = table.iloc[:, [first, second]]
    if ends.isna().to_numpy().any():
        raise ValueError("an edge lacks one of its ends")
    listed = [label for pair in zip(ends.iloc[:, 0].tolist(), ends.iloc[:, 1].tolist()) for label in pair]
    ids = _sorted(list(dict.fromkeys(listed)))
    at = {label: i for i, label in enumerate(ids)}
    places = np.array([at[label] for label in listed], np.int64).reshape(-1, 2)
    weights = np.ones(len(table), np.int8) if third is None else table.iloc[:, third].to_numpy()
    if back is not None:  # of pgRouting, where a cost below 0 closes a way
        places = np.concatenate([places, places[:, ::-1]])
        weights = np.concatenate([numbers(weights), numbers(table.iloc[:, back].to_numpy())])
        places, weights = places[~(weights < 0)], weights[~(weights < 0)]
        directed = directed is not False
    return Graph(shortest(len(ids), places[:, 0], places[:, 1], weights), directed is not False, ids, directed is None)


def _sorted(labels: list[Any]) -> Ids:
    """Labels of rows: integers ascending, as those of Python, whatever their type; others as they come."""
    if not labels or not all(map(_whole, labels)):
        return labels
    labels = [int(label) for label in labels]
    low, high = min(labels), max(labels)
    return range(low, high + 1) if high - low + 1 == len(labels) else sorted(labels)


def _whole(label: Any) -> bool:
    """Whether a label is an integer, which equals that of Python: also np.int64(2) and 2.0, but not True."""
    if isinstance(label, (float, np.floating)):
        return float(label).is_integer()
    return isinstance(label, (int, np.integer)) and not isinstance(label, bool)


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
    if not graph.assumed:
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
            out.write(quoted(name) + "\n")


def quoted(name: str) -> str:
    """A vertex as a cell of such a file."""
    return '"' + name.replace('"', '""') + '"'
