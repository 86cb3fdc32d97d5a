"""A store is the answer to one call, and a handle that of one store."""

import inspect
import os
import re
import shutil
from pathlib import Path

import networkx as nx
import numpy as np
import pytest
import scipy.sparse as sp
from conftest import optional

import ooc

SPARSE = sp.csr_array([[0, 2.0, 0], [0, 0, 3], [4, 0, 0]])
DENSE = np.array([[0, 2.5, 9], [1, 0, 3], [4, 7, 0]])
EDGES = [(0, 1, {"weight": 2, "km": 5}), (1, 2, {"weight": 3, "km": 7}), (2, 0, {"weight": 4, "km": 9})]
CSV = "a,b,km,h\n1,2,2,9\n2,3,3,1\n"


def bytes_of(folder):
    return {file.relative_to(folder): file.read_bytes() for file in Path(folder).rglob("*") if file.is_file()}


def shortest(graph, **call):
    return lambda **more: ooc.shortest_path(graph, **{**call, **more})


def solve(graph, **call):
    return lambda **more: ooc.solve(graph, **{**call, **more})


KM = "from=a,to=b,weight=km"
HOURS = "from=a,to=b,weight=h"

# Two calls that ask for something else in one aspect, and how the message names both.
CALLS = [
    ("direction", shortest(SPARSE), shortest(SPARSE, directed=False), "directed=True", "directed=False"),
    ("direction, dense", shortest(DENSE), shortest(DENSE, directed=False), "directed=True", "directed=False"),
    ("direction of a matrix", solve(SPARSE), solve(SPARSE, directed=False), "directed=True", "directed=False"),
    ("type of the graph", solve(nx.DiGraph(EDGES)), solve(nx.Graph(EDGES)), "directed=True", "directed=False"),
    ("direction of a file", solve("r.csv", columns=KM), solve("r.csv", columns=KM, directed=False), "directed", "directed=False"),
    ("indices", shortest(SPARSE), shortest(SPARSE, indices=[0]), "all vertices", "indices=0"),
    ("other indices", shortest(SPARSE, indices=[1, 2]), shortest(SPARSE, indices=[0]), "indices=1,2", "indices=0"),
    ("sources", solve(SPARSE), solve(SPARSE, sources=[0]), "all vertices", "sources=0"),
    ("kind", solve(SPARSE), solve(SPARSE, kind="f64"), "i32 or f32", "kind=f64"),
    ("kind of integers", solve(SPARSE), solve(SPARSE, kind="f32"), "i32 or f32", "kind=f32"),
    ("kind named", solve(SPARSE, kind="i32"), solve(SPARSE, kind="u16"), "kind=i32", "kind=u16"),
    ("kind of shortest_path", shortest(DENSE), solve(DENSE), "kind=f64", "kind=f32"),
    ("scale", solve(SPARSE), solve(SPARSE, scale=10), "1", "scale=10"),
    ("unweighted", shortest(SPARSE), shortest(SPARSE, unweighted=True), "unweighted=", "another graph"),
    ("hop counts", solve(SPARSE), solve(SPARSE, unweighted=True), "the weights of the input", "unweighted=True"),
    ("weight", solve(nx.Graph(EDGES)), solve(nx.Graph(EDGES), weight="km"), "weight=", "another graph"),
    ("graph", solve(SPARSE), solve(SPARSE * 2), "other lengths", "another graph"),
    ("columns", solve("e.csv"), solve("e.csv", columns="from,to,weight"), "by their names", "columns=from,to"),
    ("other columns", solve("r.csv", columns=KM), solve("r.csv", columns=HOURS), "weight=km", "weight=h"),
    ("no_arc", solve("m.npy"), solve("m.npy", no_arc=9), "inf", "no_arc=9"),
    ("base", solve("g.gr"), solve("g.gr", base=0), "that of the format", "base=0"),
    ("format", solve("k.txt", format="edgelist"), solve("k.txt", format="metis"), "format=edgelist", "format=metis"),
    ("predecessors", shortest(DENSE, return_predecessors=True), shortest(DENSE), "return_predecessors=True", "no return_"),
    ("factors", solve(SPARSE), solve(SPARSE, keep="factors", kind="f64"), "i32 or f32", "kind=f64"),
]


@pytest.fixture
def files():
    Path("r.csv").write_text(CSV)
    Path("e.csv").write_text("from,to,weight\n1,2,2\n2,3,3\n")
    Path("g.gr").write_text("p sp 3 2\na 1 2 5\na 2 1 7\n")
    Path("k.txt").write_text("3 3\n2 3\n1 3\n1 2\n")
    np.save("m.npy", DENSE)


def unfinish(folder):
    """Takes the restore points of a store away, as a restart does before it begins."""
    Path(folder, "state").write_bytes(bytes(3 * 4096))
    Path(folder, "sums").unlink(missing_ok=True)
    with pytest.raises(ooc.InputError, match="not solved"):
        ooc.open(folder)


@pytest.mark.parametrize("state", ["solved", "unfinished"])
@pytest.mark.parametrize("asked, made, wish, was", [call[1:] for call in CALLS], ids=[call[0] for call in CALLS])
def test_another_call_is_refused(asked, made, wish, was, state, files):
    made(out="S")
    if state == "unfinished" and not Path("S", "factors").exists():
        unfinish("S")
    before = bytes_of("S")
    with pytest.raises(ooc.InputError) as caught:
        asked(out="S")
    message = str(caught.value)
    assert "S was made " in message and wish in message and was in message and "--" not in message and "/" not in message
    after = bytes_of("S")
    assert before == after
    made(out="S")  # which goes on, or is found solved

    # The remedies, in their order: what destroys comes last.
    assert re.search("out=, .*restart=True", message)
    asked(out="T")
    asked(out="S", restart=True)
    asked(out="S")


def test_predecessors_that_nobody_asks_for_do_no_harm():
    ooc.solve(DENSE, "S", predecessors=True)
    assert ooc.solve(DENSE, "S")[0, 2] == 5.5


def test_open_takes_a_store_as_it_is(files):
    ooc.solve("r.csv", "S", columns=KM, directed=False, sources=["1"], kind="f64")
    for store in ooc.open("S"), ooc.solve("S"):
        assert store.to_numpy().tolist() == [[0, 2, 5]] and not store.directed and store.kind == "f64"


def test_a_graph_that_was_in_memory_has_no_name():
    ooc.solve(SPARSE, "S")
    with pytest.raises(ooc.InputError, match="solve its graph into another store with out=, or over this one with restart=True"):
        ooc.solve("S", kind="f64")


# How each public method of a store is asked.
ASKED = {
    "row": lambda store: store.row(0),
    "rows": lambda store: store.rows([0, 1]),
    "to_numpy": lambda store: store.to_numpy(),
    "tiles": lambda store: store.tiles(),
    "predecessors": lambda store: store.predecessors(us=[0]),
    "operator": lambda store: store.operator() @ np.ones(3),
    "table": lambda store: store.table([0], [2]),
    "to_xarray": lambda store: optional("xarray") and store.to_xarray().values,
    "path": lambda store: store.path(0, 2),
    "paths": lambda store: store.paths([(0, 2)]),
    "stats": lambda store: store.stats(),
    "nearest": lambda store: store.nearest(1),
    "verify": lambda store: store.verify(),
    "__getitem__": lambda store: store[0, 2],
}
QUIET = {"index"}  # which names columns, and no distances


def test_every_method_is_asked():
    public = {name for name, _ in inspect.getmembers(ooc.Store, inspect.isfunction) if not name.startswith("_")}
    assert public | {"__getitem__"} == ASKED.keys() | QUIET


def made_anew(store):
    ooc.solve(DENSE, "S", scale=10, restart=True)


def removed(store):
    shutil.rmtree("S")


def begun_again(store):
    unfinish("S")


def copied_over(store):
    """Another store in the same files, of the same size and time."""
    times = {name: os.stat(Path("S", name)) for name in ("store.json", "state")}
    ooc.solve(DENSE + np.eye(3), "T", predecessors=True)
    for file in Path("T").iterdir():
        Path("S", file.name).write_bytes(file.read_bytes())
    for name, was in times.items():
        os.utime(Path("S", name), ns=(was.st_atime_ns, was.st_mtime_ns))


@pytest.mark.parametrize("change", [made_anew, removed, begun_again, copied_over])
@pytest.mark.parametrize("name", ASKED)
@pytest.mark.parametrize("before", [False, True])
def test_a_handle_is_of_one_store(name, change, before):
    ask, store = ASKED[name], ooc.solve(DENSE, "S", predecessors=True)
    if before:
        ask(store)  # and keeps what it has mapped
    change(store)
    with pytest.raises(ooc.InputError, match="made anew, or removed"):
        ask(store)


@pytest.mark.parametrize("name", ASKED.keys() - {"tiles", "operator"})
def test_a_handle_of_factors_is_of_one_store(name):
    store = ooc.solve(SPARSE, "S", keep="factors")
    ASKED[name](store)
    ooc.solve(SPARSE, "S", keep="factors", scale=10, restart=True)
    with pytest.raises(ooc.InputError, match="made anew, or removed"):
        ASKED[name](store)


def test_a_handle_whose_store_is_old_enough(monkeypatch):
    """Files that were written long ago are not read again, until they are written."""
    store = ooc.solve(DENSE, "S")
    for name in "store.json", "state":
        os.utime(Path("S", name), (1, 1))
    assert store[0, 2] == 5.5
    with monkeypatch.context() as patched:
        patched.setattr(Path, "read_bytes", None)
        assert store[0, 2] == 5.5
    made_anew(store)
    with pytest.raises(ooc.InputError, match="made anew"):
        store[0, 2]


def test_ids_are_of_one_store():
    graph = nx.DiGraph([("a", "b", {"weight": 2})])
    ooc.solve(graph, "S")
    store = ooc.open("S")
    ooc.solve(nx.relabel_nodes(graph, {"a": "c"}), "S", restart=True)
    with pytest.raises(ooc.InputError, match="made anew"):
        store["a", "b"]
