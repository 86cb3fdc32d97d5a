"""Solving a graph into a store."""

from __future__ import annotations

import contextlib
import os
import tempfile
from collections.abc import Callable, Hashable, Iterable, Iterator, Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any

from . import flags as typed
from . import graphs, program
from .progress import shown
from .store import Store

if TYPE_CHECKING:
    from typing_extensions import Unpack

Progress = Callable[[dict[str, Any]], None]

# Flags for files, and what says it of a graph in memory.
_READING = {
    "base": "",
    "columns": ": table[[FROM, TO, WEIGHT]] picks columns",
    "format": "",
    "no_arc": ": numpy.ma.masked_equal(A, VALUE) makes the entries that are VALUE no arcs",
    "undirected": ": directed=False makes every arc go both ways",
}


def solve(
    graph: Any,
    out: str | os.PathLike[str] | None = None,
    *,
    directed: bool | None = None,
    weight: Any = graphs.WEIGHT,
    sources: str | Iterable[Hashable] | None = None,
    progress: bool | Progress | None = None,
    **flags: Unpack[typed.Solve],
) -> Store:
    """Computes every shortest distance of a graph into a store, a folder on disk. The same call resumes what was interrupted.

    graph is a SciPy sparse matrix, a NumPy array (where 0, NaN and infinities are no arcs), a networkx or igraph graph, a pandas
    table of edges (columns from, to and maybe weight, by these or similar names, else in this order), or the path of a file or a store.
    out is the folder of the store. Only for paths it may be left out: it is then that of the command.
    directed says whether arcs go one way, and is otherwise the graph's own; matrices and tables are directed.
    weight is the attribute of lengths in networkx and igraph, or the column in pandas; in networkx also a function of an edge's ends
    and data; None makes every length 1. The lengths of matrices and files have no such name.
    sources are the vertices that get rows of distances, by default all.
    progress shows a bar: by default on a terminal and in a notebook. A function instead gets each object "status" of docs/json.md.
    flags are those of ooc solve, with _ for -: device_memory="2GiB", predecessors=True, kind="f64", restart=True.

    A store that is there has to be the answer to this very call, with its defaults; InputError if it is not, and nothing changes.
    Only out, progress, restart and what says how to compute may be others. ooc.open takes a store as it is.

    Ctrl-C takes a checkpoint before KeyboardInterrupt is raised. Errors are classes of ooc.Error by exit codes of the command.
    InputWarning says what was taken for granted.
    """
    if isinstance(graph, (str, os.PathLike)):
        return _solved(os.fspath(graph), of_file(directed, weight), out, sources, None, progress, flags)
    if out is None:
        raise TypeError("out= has to name the folder that the distances of a graph in memory go to")
    known = graphs.read(graph, directed, weight)
    if sources is not None and isinstance(known.matrix, graphs.Dense):
        known.matrix = graphs.sparse(known.matrix)  # of which alone the command computes some rows
    if known.ids and known.stored_ids() is None and known.ids != range(len(known.ids)):
        program.warn("labels stay with a store if all are integers or all are texts: on disk these vertices are 0, 1, …")
    return solve_graph(known, out, sources, progress, flags)


def solve_graph(
    graph: graphs.Graph,
    out: str | os.PathLike[str],
    sources: str | Iterable[Hashable] | None,
    progress: bool | Progress | None,
    flags: Mapping[str, Any],
) -> Store:
    """Solves a graph in memory."""
    with in_file(graph, flags) as (file, words, called):
        return _solved(file, words, out, called(sources), graph.ids, progress, flags)


def of_file(directed: bool | None, weight: Any) -> list[str]:
    """The words with which the command reads a file."""
    if weight != graphs.WEIGHT:
        raise TypeError('weight= is for a graph in memory: columns="from=A,to=B,weight=C" says it of a file')
    return [f"--{'' if directed else 'un'}directed"] * (directed is not None)


Sources = str | Iterable[Hashable] | None


@contextlib.contextmanager
def in_file(graph: graphs.Graph, flags: Mapping[str, Any]) -> Iterator[tuple[str, list[str], Callable[[Sources], Sources]]]:
    """Writes a graph in memory into a file, for a while. Gives the file, the words with which the command reads it, and what calls
    sources as the command does. Errors of the command are about the graph."""
    if wrong := flags.keys() & _READING.keys():
        name = wrong.pop()
        raise TypeError(f"{name}= says how a file is read, and this graph is in memory{_READING[name]}")

    def called(sources: Sources) -> Sources:
        if sources is None or isinstance(sources, str):
            return sources
        names = {label: name for name, label in graph.names().items()}
        return [names[label] for label in sources]

    with graphs.saved(graph) as (file, *words):
        try:
            yield file, words, called
        except program.Error as e:
            changed = "another graph, or one with other lengths, as weight= and unweighted= make them"
            e.message = e.message.replace(f"another file, or {file} has changed since", changed).replace(file, "the graph")
            e.args = (e.message,)
            if isinstance(e, program.NegativeCycleError):
                labels = graph.names()
                e.cycle = [labels[name] for name in e.cycle]
            raise


@contextlib.contextmanager
def chosen(sources: Sources) -> Iterator[str | None]:
    """The flag --sources for these vertices, as the command calls them."""
    if sources is None or isinstance(sources, str):
        yield sources
        return
    with tempfile.TemporaryDirectory(prefix="ooc-") as folder:
        names = Path(folder, "sources")
        graphs.listed(map(str, sources), names)
        if not names.stat().st_size:
            raise ValueError("sources= or targets= names no vertex: without it, all are taken")
        yield str(names)


def _solved(
    file: str,
    words: list[str],
    out: str | os.PathLike[str] | None,
    sources: Sources,
    ids: graphs.Ids | None,
    progress: bool | Progress | None,
    flags: Mapping[str, Any],
) -> Store:
    if out is not None:
        words = [*words, f"--out={os.fspath(out)}"]
    words = [*words, "--strict"]  # a call asks for its defaults, too
    with contextlib.ExitStack() as stack:
        words += program.flags({**flags, "sources": stack.enter_context(chosen(sources))})
        printed = stack.enter_context(contextlib.closing(program.lines("solve", *words, "--", file)))
        show = stack.enter_context(shown(progress))
        last: dict[str, Any] = {}
        for last in printed:
            if last["type"] == "status":
                show(last)
            elif last["type"] == "note":
                program.warn(program.in_python(last["message"]))
    if last.get("type") != "summary":
        raise TypeError("ooc.solve takes one graph: for a folder of graphs, and for dry_run, use the command")
    return Store(last["store"], ids)
