"""SciPy's own tests of shortest_path, with ooc in its place.

What does not apply: the tests that only call dijkstra, yen and others, which have no part of shortest_path in them; and test_predecessors,
which wants a certain one of several equal paths (test_construct_shortest_path and those of test_csgraph.py check that each is one).
"""

import importlib
import inspect
import re
import subprocess
import sys

import pytest
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


def test_the_whole_of_csgraph(long):
    if not long:
        pytest.skip("all tests of scipy.sparse.csgraph, most of which have no part of shortest_path in them: of --long only")
    run = """
import sys, pytest, ooc
from scipy.sparse import csgraph
csgraph.shortest_path = ooc.shortest_path
sys.exit(pytest.main(["-q", "-p", "no:cacheprovider", "-k", "not test_predecessors", "--pyargs", "scipy.sparse.csgraph"]))
"""
    subprocess.run([sys.executable, "-c", run], check=True)
