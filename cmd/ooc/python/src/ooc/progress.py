"""How far a solve is, on a terminal."""

from __future__ import annotations

import contextlib
import sys
from collections.abc import Callable, Iterator
from typing import Any


@contextlib.contextmanager
def shown(progress: bool | Callable[[dict[str, Any]], None] | None) -> Iterator[Callable[[dict[str, Any]], None]]:
    """Gives what shows each status: a bar of tqdm where that is installed, else lines; None is a bar on terminals and in notebooks."""
    if callable(progress):
        yield progress
        return
    if progress is None:
        progress = sys.stderr.isatty() or _in_a_notebook()
    if not progress:
        yield lambda status: None
        return
    try:
        from tqdm.auto import tqdm
    except ImportError:
        yield lambda status: print(_line(status), file=sys.stderr)
        return
    with tqdm(total=1.0, bar_format="{desc} {percentage:3.0f}%|{bar}| {elapsed}<{remaining}") as bar:

        def show(status: dict[str, Any]) -> None:
            bar.set_description_str(_stage(status), refresh=False)
            bar.update(status["progress"] - bar.n)

        yield show


def _in_a_notebook() -> bool:
    """Whether this runs for a notebook, whose standard error is no terminal."""
    ipython = sys.modules.get("IPython")
    return ipython is not None and hasattr(ipython.get_ipython(), "kernel")


def _stage(status: dict[str, Any]) -> str:
    at = f"{status['vertices']:,} vertices, {status['stage'] or status['state']}"
    if share := status["stage_progress"]:
        at += f" {share:.0%}"
    return at


def _line(status: dict[str, Any]) -> str:
    return f"ooc: {_stage(status)}, {status['progress']:.0%} of all"
