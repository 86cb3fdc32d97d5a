"""All-pairs shortest paths of graphs whose distances do not fit into memory.

ooc.shortest_path(A) returns what scipy.sparse.csgraph.shortest_path returns. ooc.solve(G, out="roads.ooc") writes the distances
of a graph of any size to disk, and ooc.open("roads.ooc") asks for them: store["paris", "nice"].
"""

from .csgraph import shortest_path
from .program import CorruptError, Error, InputError, InputWarning, Interrupted, LockedError, NegativeCycleError, NoSpaceError, UsageError
from .solving import solve
from .store import Store, open

__all__ = [
    "CorruptError",
    "Error",
    "InputError",
    "InputWarning",
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
