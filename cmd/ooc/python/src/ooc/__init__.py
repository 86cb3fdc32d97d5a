"""All-pairs shortest paths of graphs whose distances do not fit into memory.

    import ooc
    distances = ooc.shortest_path(A)           # as scipy.sparse.csgraph.shortest_path
    store = ooc.solve(G, out="roads.ooc")      # distances on disk, of any size
    store = ooc.open("roads.ooc"); store["paris", "nice"]
"""

from .csgraph import shortest_path
from .program import CorruptError, Error, InputError, Interrupted, LockedError, NegativeCycleError, NoSpaceError, UsageError
from .solving import solve
from .store import Store, open

__all__ = [
    "CorruptError",
    "Error",
    "InputError",
    "Interrupted",
    "LockedError",
    "NegativeCycleError",
    "NoSpaceError",
    "Store",
    "UsageError",
    "open",
    "shortest_path",
    "solve",
]
