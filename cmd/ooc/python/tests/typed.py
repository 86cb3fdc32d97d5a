"""What type checkers make of the package: mypy reads this, and nothing runs it. A line that mypy takes, though it is marked as an
error, is an error."""

from typing import Any

import numpy.typing as npt
import pandas as pd
from typing_extensions import assert_type

import ooc

Array = npt.NDArray[Any]


def results(A: Any, either: bool) -> None:
    assert_type(ooc.shortest_path(A), Array)
    assert_type(ooc.shortest_path(A).mean(), Any)
    assert_type(ooc.shortest_path(A, "auto", True, False, indices=[0]), Array)
    assert_type(ooc.shortest_path(A, return_predecessors=True, device_memory="2GiB"), tuple[Array, Array])
    assert_type(ooc.shortest_path(A, "D", False, True), tuple[Array, Array])
    assert_type(ooc.shortest_path(A, return_predecessors=either), Array | tuple[Array, Array])
    store = ooc.solve(A, "roads.ooc", kind="u8", predecessors=True, max_hours=1.5)
    assert_type(store, ooc.Store)
    assert_type(store["paris", "nice"], float)
    assert_type(store.table(["paris"]), pd.DataFrame)
    assert_type(store.paths([("paris", "nice")]), pd.DataFrame)
    assert_type(store.stats(bins=[0, 100]), ooc.Statistics)
    assert_type(ooc.stats(A, k_nearest=3, host_memory=1 << 30).table, pd.DataFrame)
    assert_type(ooc.near(A, within=5), pd.DataFrame)
    assert_type(ooc.__version__, str)


def mistakes(A: Any, store: ooc.Store) -> None:
    ooc.solve(A, "roads.ooc", limit=3)  # type: ignore[call-arg]
    ooc.solve(A, "roads.ooc", kind="i8")  # type: ignore[arg-type]
    ooc.shortest_path(A, sources=[1])  # type: ignore[call-overload]
    ooc.near(A, bins=5)  # type: ignore[call-arg]
    ooc.stats(A, keep="factors")  # type: ignore[call-arg]
    store.stats(sources=[1])  # type: ignore[call-arg]
    ooc.slove(A)  # type: ignore[attr-defined]
