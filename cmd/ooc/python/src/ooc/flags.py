"""The flags of the command, as arguments: their names with _ for -. None is the command's default."""

from __future__ import annotations

import os
from collections.abc import Sequence
from typing import Literal, TypeAlias, TypedDict

Kind: TypeAlias = Literal["i32", "f32", "u16", "f64"]
Size: TypeAlias = int | str | None  # bytes, or with a unit: "2GiB"
Path: TypeAlias = str | os.PathLike[str] | None
Numbers: TypeAlias = float | str | Sequence[float] | None  # one, several, or as the command takes them: "100,500"


class Matrix(TypedDict, total=False):
    """Of ooc.shortest_path: how distances are computed."""

    algorithm: Literal["auto", "blocked", "searches", "eliminate", "core-searches", "squaring", "single-stage", "factors"] | None
    checkpoint: str | None
    device: str | None
    device_memory: Size
    host_memory: Size
    keep: Literal["rows", "factors"] | None
    kind: Kind | Literal["u8"] | None
    layout: Literal["upper", "square"] | None
    max_hours: float | None
    restart: bool | None
    round: int | None
    scale: int | None
    streams: int | None
    tile: int | None
    timeline: Path


class Reading(TypedDict, total=False):
    """How a graph is read: all but scale and unweighted are of files alone."""

    base: int | None
    columns: str | None
    format: Literal["dimacs", "mtx", "npy", "npz", "metis", "tntp", "matrix", "edgelist"] | None
    no_arc: float | str | None
    unweighted: bool | None


class Solve(Matrix, Reading, total=False):
    """Of ooc.solve."""

    overwrite: bool | None
    predecessors: bool | None


class StoreStats(TypedDict, total=False):
    """Of store.stats: what is counted beside the statistics that there always are."""

    bins: Numbers
    decay: str | None
    k_nearest: int | None
    overwrite: bool | None
    plot: Path
    values: Path
    within: Numbers


class Stats(StoreStats, Reading, total=False):
    """Of ooc.stats."""

    betweenness: Literal["vertices", "edges", "both"] | None
    checkpoint: str | None
    device: str | None
    device_memory: Size
    endpoints: bool | None
    host_memory: Size
    kind: Kind | None
    scale: int | None
    store: Path


class Near(Reading, total=False):
    """Of ooc.near: which pairs are near, by one of these or both."""

    k_nearest: int | None
    kind: Kind | None
    scale: int | None
    within: float | str | None


class Verify(TypedDict, total=False):
    """Of store.verify."""

    device: str | None
    full: bool | None
    rows: int | None
    seed: int | None
