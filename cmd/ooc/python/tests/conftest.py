import importlib
import os
import random
from pathlib import Path

import numpy as np
import pytest

ROME = Path(__file__).parents[4] / "engine" / "graph" / "testdata" / "rome99.gr"
SEED = int(os.environ.get("OOC_SEED") or random.SystemRandom().getrandbits(32))


def pytest_addoption(parser):
    parser.addoption("--long", action="store_true", help="all of every suite, not a slice")


def pytest_report_header():
    return f"OOC_SEED={SEED}"


def optional(module):
    """A package that not everybody has. A test without it is skipped, unless OOC_REQUIRE_PYTHON is set."""
    return importlib.import_module(module) if os.environ.get("OOC_REQUIRE_PYTHON") else pytest.importorskip(module)


@pytest.fixture
def rng():
    return np.random.default_rng(SEED)


@pytest.fixture
def long(request):
    return request.config.getoption("--long")


@pytest.fixture(autouse=True)
def here(tmp_path, monkeypatch):
    """Stores without a name go to the folder of the test."""
    monkeypatch.chdir(tmp_path)


@pytest.fixture(scope="session")
def rome(tmp_path_factory):
    """Rome's roads, solved."""
    import ooc

    return ooc.solve(ROME, tmp_path_factory.mktemp("stores") / "rome.ooc")


@pytest.fixture(scope="session")
def rome_matrix():
    """The same as SciPy has it."""
    import scipy.sparse as sp

    arcs = np.array([line.split()[1:] for line in ROME.read_text().splitlines() if line.startswith("a")], int)
    shortest = {}
    for u, v, w in arcs.tolist():
        shortest[u - 1, v - 1] = min(w, shortest.get((u - 1, v - 1), w))
    rows, cols = np.array(list(shortest)).T
    return sp.csr_array((np.array(list(shortest.values()), float), (rows, cols)), shape=(3353, 3353))
