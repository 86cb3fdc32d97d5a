"""Answers as pandas tables, and statistics."""

from __future__ import annotations

from collections.abc import Callable, Hashable, Iterable
from typing import TYPE_CHECKING, Any

import numpy as np

from .graphs import Ids

if TYPE_CHECKING:
    import pandas as pd

# Columns of statistics that are about distances to a vertex; those to others are unknown where a vertex is no source.
_TO = ("ancestors", "distance_sum_in", "closeness_centrality", "harmonic_centrality")


def needed(what: str) -> Any:
    """The module pandas. ImportError that says what needs it."""
    try:
        import pandas
    except ImportError:
        raise ImportError(f"{what} is a pandas table: pip install pandas", name="pandas") from None
    return pandas


def index(ids: Iterable[Hashable], name: str | None = None) -> Any:
    """Vertices as a pandas index. A tuple is one label."""
    import pandas

    return pandas.Index(ids if isinstance(ids, range) else list(ids), tupleize_cols=False, name=name)


class Statistics(dict[str, Any]):
    """What ooc stats --json prints, with ids as in the graph: docs/stats.md defines each number. None is infinite, or unknown."""

    @classmethod
    def labelled(cls, found: dict[str, Any], label: Callable[[str], Hashable]) -> Statistics:
        """From what the command prints, and the vertex that it calls by a name."""

        def read(value: Any) -> Any:
            if isinstance(value, str):
                return label(value)
            if isinstance(value, list):
                return [read(v) for v in value]
            if isinstance(value, dict):
                return {key: read(v) for key, v in value.items()}
            return value

        return cls((key, value if key in ("type", "kind") else read(value)) for key, value in found.items())

    @property
    def table(self) -> pd.DataFrame:
        """What there is of each vertex: a pandas table with the vertices as its index. inf is infinite; None and NaN are unknown, or
        say that there is no such vertex."""
        frame, found, made = needed("Statistics.table").DataFrame, self["vertices"], {}
        unknown = [number is None for number in found.get("descendants", found["id"])]
        for name, column in found.items():
            if name == "id":
                continue
            if name == "farthest" or (name.startswith("nearest_") and not name.endswith("_distance")):
                made[name] = _objects(column)
                continue
            never = name.startswith(("nearest_", "betweenness"))  # infinite
            none = [np.nan if never or (no and name not in _TO) else np.inf for no in unknown]
            numbers = np.array([instead if number is None else number for number, instead in zip(column, none)])
            counts = name in ("descendants", "ancestors") or name.startswith("within_")
            made[name] = numbers if counts else numbers.astype(np.float64)
        return frame(made, index(found["id"], "vertex"))

    @property
    def edges(self) -> pd.DataFrame:
        """The betweenness of the edges, in directed graphs of the arcs, if betweenness="edges" or "both" has asked for it: a pandas
        table with the columns source, target, betweenness and betweenness_centrality."""
        frame, found = needed("Statistics.edges").DataFrame, self.get("edges")
        if found is None:
            raise ValueError('there is nothing of edges: ooc.stats(…, betweenness="edges") asks for it')
        return frame({name: index(column) if name in ("source", "target") else np.array(column, float) for name, column in found.items()})


def _objects(labels: Ids) -> Any:
    """Labels as an array; where there is none, None."""
    if None not in labels:
        return index(labels)
    made = np.empty(len(labels), object)
    made[:] = labels
    return made
