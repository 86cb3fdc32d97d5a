"""All-pairs shortest paths of graphs whose distances do not fit into memory.

ooc.shortest_path(A) returns what scipy.sparse.csgraph.shortest_path returns. ooc.solve(G, out="roads.ooc") writes the distances
of a graph of any size to disk, and ooc.open("roads.ooc") asks for them: store["paris", "nice"]. ooc.stats(G) and ooc.near(G) keep
no distances: statistics of them all, and the pairs that are near.
"""

from typing import TYPE_CHECKING

from .asking import near, stats
from .csgraph import shortest_path
from .program import CorruptError, Error, InputError, InputWarning, Interrupted, LockedError, NegativeCycleError, NoSpaceError, UsageError
from .solving import solve
from .store import Store, open
from .tables import Statistics

__all__ = [
    "CorruptError",
    "Error",
    "InputError",
    "InputWarning",
    "Interrupted",
    "LockedError",
    "NegativeCycleError",
    "NoSpaceError",
    "Statistics",
    "Store",
    "UsageError",
    "near",
    "open",
    "shortest_path",
    "solve",
    "stats",
]

__version__: str

if not TYPE_CHECKING:  # a type checker would take any name for one of these

    def __getattr__(name):
        """The version, read when it is asked for: that of the installed package, or of the command where this is no installed one."""
        if name != "__version__":
            raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
        import importlib.metadata

        from .program import run

        try:
            return importlib.metadata.version("ooc")
        except importlib.metadata.PackageNotFoundError:
            return run("version")[0]["version"]
