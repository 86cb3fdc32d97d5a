"""SciPy's own tests of shortest_path, with ooc in its place.

What does not apply: the tests that only call dijkstra, yen and others, which have no part of shortest_path in them; and test_predecessors,
which wants a certain one of several equal paths (test_construct_shortest_path and those of test_csgraph.py check that each is one).
"""

import importlib
import inspect
import re

from scipy.sparse import csgraph

import ooc


def _theirs():
    """SciPy's tests that call shortest_path, from a copy of their module that has ooc's."""
    own, csgraph.shortest_path = csgraph.shortest_path, ooc.shortest_path
    try:
        module = importlib.import_module("scipy.sparse.csgraph.tests.test_shortest_path")
    finally:
        csgraph.shortest_path = own
    assert module.shortest_path is ooc.shortest_path
    tests = {name: test for name, test in vars(module).items() if name.startswith("test_") and name != "test_predecessors"}
    return {name: test for name, test in tests.items() if re.search(r"\bshortest_path\b", inspect.getsource(test))}


globals().update(_theirs())


def test_they_are_there():
    assert len([name for name in globals() if name.startswith("test_")]) > 15
