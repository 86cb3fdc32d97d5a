"""Solving a graph into a store."""

from __future__ import annotations

import contextlib
import os
import tempfile
from collections.abc import Callable, Hashable, Iterable
from pathlib import Path
from typing import Any

from . import graphs, program
from .progress import shown
from .store import Store

Progress = Callable[[dict[str, Any]], None]


def solve(
    graph: Any,
    out: str | os.PathLike[str] | None = None,
    *,
    directed: bool | None = None,
    weight: str | None = "weight",
    sources: str | Iterable[Hashable] | None = None,
    progress: bool | Progress | None = None,
    **flags: Any,
) -> Store:
    """Computes every shortest distance of a graph into a store, a folder on disk. The same call resumes what was interrupted.

    graph is a SciPy sparse matrix, a NumPy array (where 0, NaN and infinities are no arcs), a networkx or igraph graph, a pandas
    table of edges (columns from, to and maybe weight, in this order), or the path of a file or a store.
    out is the folder of the store. Only for paths it may be left out: it is then that of the command.
    directed says whether arcs go one way, and is otherwise the graph's own; matrices and tables are directed.
    weight is the attribute of lengths in networkx and igraph; None makes every length 1.
    sources are the vertices that get rows of distances, by default all.
    progress shows a bar: by default on a terminal that tqdm can draw on. A function instead gets each object "status" of docs/json.md.
    flags are those of ooc solve, with _ for -: device_memory="2GiB", predecessors=True, kind="f64", restart=True.

    A store that is there has to be the answer to this very call, with its defaults; InputError if it is not, and nothing changes.
    Only out, progress, restart and what says how to compute may be others. ooc.open takes a store as it is.

    Ctrl-C takes a checkpoint before KeyboardInterrupt is raised. Errors are classes of ooc.Error by exit codes of the command.
    """
    if isinstance(graph, (str, os.PathLike)):
        words, ids = [f"--{'' if directed else 'un'}directed"] * (directed is not None), None
        return _solved([os.fspath(graph)], words, out, sources, ids, progress, flags)
    if out is None:
        raise TypeError("out= has to name the folder that the distances of a graph in memory go to")
    return solve_graph(graphs.read(graph, directed, weight), out, sources, progress, flags)


def solve_graph(
    graph: graphs.Graph,
    out: str | os.PathLike[str],
    sources: str | Iterable[Hashable] | None,
    progress: bool | Progress | None,
    flags: dict[str, Any],
) -> Store:
    """Solves a graph in memory."""
    with graphs.saved(graph) as (file, *words):
        if sources is not None and not isinstance(sources, str):
            called = {label: name for name, label in graph.names().items()}
            sources = [called[label] for label in sources]
        try:
            return _solved([file], words, out, sources, graph.ids, progress, flags)
        except program.Error as e:
            changed = f"{file} has changed since", "the graph has changed since, which it also does by weight= or unweighted="
            e.message = e.message.replace(*changed).replace(file, "the graph")
            e.args = (e.message,)
            if isinstance(e, program.NegativeCycleError):
                names = graph.names()
                e.cycle = [names[name] for name in e.cycle]
            raise


def _solved(
    files: list[str],
    words: list[str],
    out: str | os.PathLike[str] | None,
    sources: str | Iterable[Hashable] | None,
    ids: graphs.Ids | None,
    progress: bool | Progress | None,
    flags: dict[str, Any],
) -> Store:
    if out is not None:
        words = [*words, f"--out={os.fspath(out)}"]
    words = [*words, "--strict"]  # a call asks for its defaults, too
    with contextlib.ExitStack() as stack:
        if sources is not None and not isinstance(sources, str):
            names = Path(stack.enter_context(tempfile.TemporaryDirectory(prefix="ooc-")), "sources")
            graphs.listed(map(str, sources), names)
            sources = str(names)
        words += program.flags({**flags, "sources": sources})
        printed = stack.enter_context(contextlib.closing(program.lines("solve", *words, "--", *files)))
        show = stack.enter_context(shown(progress))
        last: dict[str, Any] = {}
        for last in printed:
            if last["type"] == "status":
                show(last)
    if last.get("type") != "summary":
        raise TypeError("ooc.solve takes one graph: for a folder of graphs, and for dry_run, use the command")
    return Store(last["store"], ids)
