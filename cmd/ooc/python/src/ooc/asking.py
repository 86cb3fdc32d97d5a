"""What is asked of a graph that has no store."""

from __future__ import annotations

import contextlib
import os
import re
import tempfile
from collections.abc import Callable, Hashable, Iterable, Iterator, Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from . import flags as typed
from . import graphs, program, tables
from .csgraph import kind_of
from .solving import Sources, chosen, in_file, of_file
from .tables import Statistics

if TYPE_CHECKING:
    import pandas as pd
    from typing_extensions import Unpack


@contextlib.contextmanager
def _given(
    graph: Any, directed: bool | None, weight: Any, flags: Mapping[str, Any]
) -> Iterator[tuple[str, list[str], Callable[[Sources], Sources], graphs.Graph | None]]:
    """The file of a graph, the words with which the command reads it, what calls sources as the command does, and a graph in memory."""
    if isinstance(graph, (str, os.PathLike)):
        yield os.fspath(graph), of_file(directed, weight) + program.flags(flags), lambda sources: sources, None
        return
    known = graphs.read(graph, directed, weight)
    if isinstance(known.matrix, graphs.Dense):
        known.matrix = graphs.sparse(known.matrix)
    with in_file(known, flags) as (file, words, called):
        yield file, words + program.flags({"kind": kind_of(known.matrix), **flags}), called, known


def stats(
    graph: Any,
    *,
    directed: bool | None = None,
    weight: Any = graphs.WEIGHT,
    sources: str | Iterable[Hashable] | None = None,
    targets: Sources = None,
    out: str | os.PathLike[str] | None = None,
    **flags: Unpack[typed.Stats],
) -> Statistics:
    """The statistics of all distances of a graph, of which none is kept: store.stats() without a store.

    graph, directed, weight and sources are as for ooc.solve; graph may be the path of a store, too. targets, named as the sources, are
    where the paths end that betweenness= counts; without them, at all vertices.
    out is a file that keeps what was gathered until all is, so that the same call goes on after a stop. For a path, the command has
    a name for it.
    flags are those of ooc stats, with _ for -: bins=50, within=[100, 500], k_nearest=3, device="cuda".

    Of a graph in memory, integers are computed as integers and real weights in f64, if kind= does not say otherwise.
    """
    with (
        _given(graph, directed, weight, flags) as (file, words, called, known),
        chosen(called(sources)) as some,
        chosen(called(targets)) as ends,
    ):
        words += program.flags({"sources": some, "targets": ends, "out": None if out is None else os.fspath(out)})
        if known is not None and out is None:
            words.append(f"--out={file}.stats")
        if not os.path.isdir(file):
            words.append("--progress=never")
        found = program.run("stats", *words, "--", file, file=file)[-1]
    names = known.names() if known is not None else _names(found["vertices"]["id"])
    return Statistics.labelled(found, names.__getitem__)


def near(
    graph: Any,
    *,
    directed: bool | None = None,
    weight: Any = graphs.WEIGHT,
    targets: Sources = None,
    **flags: Unpack[typed.Near],
) -> pd.DataFrame:
    """The pairs of vertices that are near each other, and their distances: a pandas table with the columns source, target and distance.

    within=R asks for the pairs no farther than R, k_nearest=K for the K nearest others of each vertex, both for the K nearest within R.
    targets are the vertices that may be near, named as the sources of ooc.solve; without them, all may.
    graph, directed and weight are as for ooc.solve; graph may be the path of a store, too. kind is as for ooc.stats. Rows are in the
    order of the graph's vertices, and within a vertex's in that order, too. A pair that is not there is not near.
    """
    pandas = tables.needed("ooc.near")
    with (
        _given(graph, directed, weight, flags) as (file, words, called, known),
        chosen(called(targets)) as some,
        tempfile.TemporaryDirectory(prefix="ooc-") as folder,
    ):
        words += program.flags({"targets": some})
        pairs, ids = Path(folder, "near.npz"), Path(folder, "ids.npy")
        program.run("near", *words, f"--ids={ids}", "--", file, pairs, file=file)
        labels = tables.index(np.load(ids).tolist() if known is None else known.ids)
        with np.load(pairs) as csr:
            rows = np.repeat(np.arange(len(labels)), np.diff(csr["indptr"]))
            columns, distances = csr["indices"], csr["data"].astype(np.float64)
    return pandas.DataFrame({"source": labels.take(rows), "target": labels.take(columns), "distance": distances})


def _names(ids: list[str]) -> dict[str, Hashable]:
    """The vertices of a file by what the command calls them: integers if all are."""
    whole = all(re.fullmatch("0|-?[1-9][0-9]*", name) for name in ids)
    return {name: int(name) if whole else name for name in ids}
