"""The shortest_path of scipy.sparse.csgraph, with its arguments and results."""

from __future__ import annotations

import functools
import os
import sys
import tempfile
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal, overload

import numpy as np

from . import flags as typed
from . import graphs, program
from .graphs import Arcs, Array, Dense
from .solving import Progress, solve_graph

if TYPE_CHECKING:
    from typing_extensions import Unpack

_METHODS = ("auto", "FW", "D", "BF", "J")
_NONE = -9999  # no predecessor


@overload
def shortest_path(
    csgraph: Any,
    method: str = "auto",
    directed: bool = True,
    return_predecessors: Literal[False] = False,
    unweighted: bool = False,
    overwrite: bool = False,
    indices: Any = None,
    *,
    out: str | os.PathLike[str] | None = None,
    progress: bool | Progress | None = False,
    **flags: Unpack[typed.Matrix],
) -> Array: ...
@overload
def shortest_path(
    csgraph: Any,
    method: str,
    directed: bool,
    return_predecessors: Literal[True],
    unweighted: bool = False,
    overwrite: bool = False,
    indices: Any = None,
    *,
    out: str | os.PathLike[str] | None = None,
    progress: bool | Progress | None = False,
    **flags: Unpack[typed.Matrix],
) -> tuple[Array, Array]: ...
@overload
def shortest_path(
    csgraph: Any,
    method: str = "auto",
    directed: bool = True,
    *,
    return_predecessors: Literal[True],
    unweighted: bool = False,
    overwrite: bool = False,
    indices: Any = None,
    out: str | os.PathLike[str] | None = None,
    progress: bool | Progress | None = False,
    **flags: Unpack[typed.Matrix],
) -> tuple[Array, Array]: ...
@overload
def shortest_path(
    csgraph: Any,
    method: str = "auto",
    directed: bool = True,
    return_predecessors: bool = False,
    unweighted: bool = False,
    overwrite: bool = False,
    indices: Any = None,
    *,
    out: str | os.PathLike[str] | None = None,
    progress: bool | Progress | None = False,
    **flags: Unpack[typed.Matrix],
) -> Array | tuple[Array, Array]: ...
def shortest_path(
    csgraph: Any,
    method: str = "auto",
    directed: bool = True,
    return_predecessors: bool = False,
    unweighted: bool = False,
    overwrite: bool = False,
    indices: Any = None,
    *,
    out: str | os.PathLike[str] | None = None,
    progress: bool | Progress | None = False,
    **flags: Unpack[typed.Matrix],
) -> Array | tuple[Array, Array]:
    """All shortest distances of a graph, as scipy.sparse.csgraph.shortest_path returns them.

    csgraph is an n x n sparse matrix, array or masked array of arc lengths. In a sparse one every stored entry is an arc, and of two
    at one place the shorter counts; COO adds them up, as in SciPy. In a masked array every entry that is not masked is an arc, in
    another one 0 is none. NaN and infinities are none.
    directed=False lets an arc be used both ways, with the smaller of two lengths.
    indices asks for the rows of these vertices alone. unweighted=True counts arcs.
    method is checked and otherwise has no effect: the command finds its own. overwrite has none either.
    out is the folder of a store that stays; without it the distances are on disk only while they are computed. One that is there has
    to be the answer to this very call, with its defaults: InputError if it is not.
    progress and flags are as for ooc.solve: progress=True shows a bar, device_memory="2GiB" is a limit.

    Returns an array of float64, n x n or indices.shape + (n,), with inf where there is no path; integers below 2**53 are
    exact. With return_predecessors also one of int32: the vertex before each on a shortest path, -9999 where there is none.
    Raises NegativeCycleError if there is a cycle of negative length, also by an entry on the diagonal; ValueError for what is no graph.
    """
    if method not in _METHODS:
        raise ValueError(f"unrecognized method '{method}'")
    if method == "FW" and indices is not None:
        raise ValueError("Cannot specify indices with method == 'FW'.")
    if flags.keys() & {"sources", "predecessors"}:
        raise TypeError("shortest_path has indices= and return_predecessors= in the place of sources and predecessors")
    matrix = graphs.of_matrix(csgraph)
    if unweighted:
        graphs.count_arcs(matrix)
    wanted = None if indices is None else _positions(indices, matrix.n)
    if matrix.n == 0 or (wanted is not None and wanted.size == 0):
        shape = (matrix.n if wanted is None else 0, matrix.n)
        empty = np.empty(shape if wanted is None else (*wanted.shape, matrix.n))
        return (empty, empty.astype(np.int32)) if return_predecessors else empty
    rows = None if wanted is None else np.unique(wanted)
    if rows is not None and isinstance(matrix, Dense):
        matrix = graphs.sparse(matrix)  # for predecessors of some rows
    flags.setdefault("kind", kind_of(matrix))
    with tempfile.TemporaryDirectory(prefix="ooc-") as folder:
        try:
            graph = graphs.Graph(matrix, directed, range(matrix.n))
            kept = return_predecessors and isinstance(matrix, Dense)  # of a sparse graph they are found faster from its distances
            where = Path(folder, "distances.ooc") if out is None else out
            store = solve_graph(graph, where, rows, progress, dict(flags, predecessors=kept))
        except program.NegativeCycleError as e:
            raise _negative_cycle()(e.message, e.exit_code, e.cycle, e.cycle_length) from None
        except program.InputError as e:  # whose arguments are those of solve
            e.message = e.message.replace("sources=", "indices=").replace("predecessors=True", "return_predecessors=True")
            e.args = (e.message,)
            raise
        distances = store.to_numpy().astype(np.float64, copy=False)
        predecessors = store.predecessors(_NONE) if return_predecessors else None
        del store  # and its mapping, before the folder goes
    if rows is not None and wanted is not None:
        at = np.searchsorted(rows, wanted)
        distances = distances[at]
        predecessors = None if predecessors is None else predecessors[at]
    return distances if predecessors is None else (distances, predecessors)


def _positions(indices: Any, n: int) -> Array:
    wanted = np.asarray(indices)
    if wanted.dtype.kind not in "iu" and wanted.size:
        raise ValueError(f"indices should be integers, not of type {wanted.dtype}")
    wanted = wanted.astype(np.int64)
    wanted = np.where(wanted < 0, wanted + n, wanted)
    if ((wanted < 0) | (wanted >= n)).any():
        raise ValueError("indices out of range 0...N")
    return wanted


def kind_of(matrix: Arcs | Dense) -> Literal["i32", "f64"]:
    """i32 where weights are integers and no distance can be too large for it, else f64."""
    weights = matrix.weights[np.isfinite(matrix.weights)]
    if not weights.size:
        return "i32"
    low, high = weights.min(), weights.max()
    most = 1_061_109_567 if low >= 0 else 530_554_783  # docs/graph-formats.md
    # The command adds up n - 1 arcs; of a single vertex the loop may still be a negative cycle.
    fits = max(matrix.n - 1, 1) * max(abs(float(low)), abs(float(high))) < most
    return "i32" if fits and (weights.dtype.kind != "f" or bool((weights == np.rint(weights)).all())) else "f64"


def _negative_cycle() -> type[Exception]:
    """The class NegativeCycleError, which is SciPy's too where that is loaded."""
    scipy = sys.modules.get("scipy.sparse.csgraph")
    return program.NegativeCycleError if scipy is None else _both(scipy.NegativeCycleError)


@functools.cache
def _both(of_scipy: type[Exception]) -> type[Exception]:
    # pickle finds no class by a name that it does not have in its module, so it asks for the class again.
    pickled = {"__reduce__": lambda self: (_new, self.args, self.__dict__)}
    return type("NegativeCycleError", (program.NegativeCycleError, of_scipy), pickled)


def _new(message: str) -> Exception:
    return _negative_cycle()(message)
