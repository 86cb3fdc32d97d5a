"""What ooc.solve takes, refuses, and resumes."""

import importlib.metadata
import os
import pickle
import re
import signal
import subprocess
import sys
import time
import warnings
from concurrent.futures import ProcessPoolExecutor
from pathlib import Path

import igraph
import networkx as nx
import numpy as np
import pandas as pd
import pytest
import scipy.sparse as sp
from scipy.sparse.csgraph import NegativeCycleError

import ooc
from ooc import graphs, program
from ooc.program import _ERRORS

SMALL = [[0, 2, 5], [np.inf, 0, 3], [np.inf, np.inf, 0]]


@pytest.mark.parametrize(
    "graph",
    [
        np.array([[0, 2, 9], [0, 0, 3], [0, 0, 0]]),
        np.array([[0, 2, 9], [0, 0, 3], [0, 0, 0]], np.float16),
        np.array([[0, 2, 9], [0, 0, 3], [0, 0, 0]], object),
        np.ma.masked_equal([[1, 2, 9], [1, 1, 3], [1, 1, 1]], 1),
        sp.coo_array(([2, 3, 9], ([0, 1, 0], [1, 2, 2])), shape=(3, 3)),
        nx.MultiDiGraph([(0, 1, {"weight": 2}), (0, 1, {"weight": 4}), (1, 2, {"weight": 3}), (0, 2, {"weight": 9})]),
        igraph.Graph([(0, 1), (1, 2), (0, 2)], directed=True, edge_attrs={"weight": [2, 3, 9]}),
        pd.DataFrame({"u": [0, 0, 1, 0], "v": [1, 1, 2, 2], "w": [2, 4, 3, 9]}),
    ],
)
def test_kinds_of_graphs(graph):
    assert ooc.solve(graph, "small.ooc").to_numpy().tolist() == SMALL


def test_lengths_of_edges():
    graph = nx.path_graph(3, create_using=nx.DiGraph)
    nx.set_edge_attributes(graph, 7, "km")
    assert ooc.solve(graph, "km.ooc", weight="km")[0, 2] == 14
    assert ooc.solve(graph, "one.ooc")[0, 2] == ooc.solve(graph, "none.ooc", weight=None)[0, 2] == 2


@pytest.mark.parametrize("kind", [nx.DiGraph, nx.MultiDiGraph, nx.Graph])
def test_lengths_by_a_function(kind):
    graph = kind([(0, 1, {"km": 10, "kmh": 5}), (1, 2, {"km": 30, "kmh": 10}), (0, 2, {"km": 1, "kmh": 0})])

    def hours(u, v, data):
        (data,) = data.values() if graph.is_multigraph() else [data]
        return data["km"] / data["kmh"] if data["kmh"] else None

    store = ooc.solve(graph, "hours.ooc", weight=hours)
    assert store[0, 2] == nx.dijkstra_path_length(graph, 0, 2, weight=hours) == 5
    for other in (np.eye(2), sp.eye_array(2), igraph.Graph([(0, 1)]), pd.DataFrame({"from": [1], "to": [2]}), "roads.csv"):
        with pytest.raises(TypeError, match="weight="):
            ooc.solve(other, "no.ooc", weight=hours)


def test_a_function_that_has_two_lengths_for_an_edge():
    def uphill(u, v, data):
        return max(1, v - u)

    graph = nx.Graph([(0, 5)])
    with pytest.raises(ValueError, match="graph.to_directed"):
        ooc.solve(graph, "no.ooc", weight=uphill)
    with pytest.raises(ValueError, match="an edge has no weight"):
        ooc.solve(graph, "no.ooc", weight=lambda u, v, data: np.nan * u)
    store = ooc.solve(graph.to_directed(), "hills.ooc", weight=uphill)
    assert store[0, 5] == 5 and store[5, 0] == 1


def test_names_that_no_edge_has():
    km = {"km": [3, 4]}
    for graph in (
        nx.DiGraph([(0, 1, {"km": 3}), (1, 2, {"km": 4})]),
        igraph.Graph([(0, 1), (1, 2)], edge_attrs=km),
        pd.DataFrame({"u": [0, 1], "v": [1, 2], **km}),
    ):
        with pytest.raises(ValueError, match="kmh"):
            ooc.solve(graph, "no.ooc", weight="kmh")
        assert ooc.solve(graph, "km.ooc", weight="km", restart=True)[0, 2] == 7
        assert ooc.solve(graph, "none.ooc", weight=None, restart=True)[0, 2] == 2
    for graph in (np.eye(2), sp.eye_array(2), "roads.csv"):
        with pytest.raises(TypeError, match="weight="):
            ooc.solve(graph, "no.ooc", weight="km")


TABLE = pd.DataFrame({"km": [4, 5], "source": [2, 3], "target": [1, 2], "lanes": [1, 1]})  # 3 -> 2 -> 1


@pytest.mark.parametrize(
    "columns, names, arguments, want",
    [
        (["km", "source", "target"], {}, {}, 9),
        (["km", "target", "source"], {}, {}, 9),
        (["target", "km", "source"], {"km": "Length"}, {}, 9),
        (["source", "target"], {}, {}, 2),
        (["lanes", "source", "km", "target"], {}, {"weight": "km"}, 9),
        (["lanes", "source", "km", "target"], {"lanes": "cost", "km": "length"}, {"weight": "length"}, 9),
        (["lanes", "source", "km", "target"], {}, {"weight": None}, 2),
        (["lanes", "source", "km", "target"], {}, {}, "weight= names"),
        (["lanes", "source", "km", "target"], {"lanes": "cost", "km": "length"}, {}, "several columns may be the weight"),
        (["source", "target", "lanes", "km"], {"lanes": "tail"}, {}, "several columns may be the from"),
        (["source", "target", "km"], {"source": "a", "target": "b"}, {}, 9),
        (["source", "target", "km"], {"source": 0, "target": 1, "km": 2}, {}, 9),
        (["source", "target", "km"], {"source": "v", "target": "w", "km": "length"}, {}, 9),
        (["km", "source", "target"], {"source": "a", "target": "b"}, {"weight": "km"}, 9),
        (["km", "source", "target"], {"source": "a", "target": "b", "km": "weight"}, {}, "stands where the from does"),
        (["source", "target", "lanes", "km"], {"source": "a", "target": "b"}, {}, "in this order"),
        (["target", "source", "km"], {"source": "orig", "target": "dest"}, {}, 9),
        (["target", "source", "km"], {"source": "follower", "target": "followee"}, {}, 9),
        (["target", "source", "km"], {"source": "Origin_ID", "target": "dest id"}, {}, 9),
        (["target", "source", "km"], {"source": "gene1", "target": "gene2"}, {}, 9),
        (["source", "target", "km"], {"km": "capacity"}, {}, "seems to be no length: weight='capacity' takes it"),
        (["source", "target", "km"], {"km": "capacity"}, {"weight": "capacity"}, 9),
        (["source", "target", "km"], {"source": "gene1", "target": "gene2", "km": "combined_score"}, {}, "seems to be no length"),
        (["source", "target", "km", "lanes"], {"km": "length", "lanes": "oneway"}, {}, "'oneway' seems to say which rows are one way"),
        (["source", "target", "km", "lanes"], {"km": "length", "lanes": "oneway"}, {"directed": True}, 9),
    ],
)
def test_columns_by_name(columns, names, arguments, want):
    table = TABLE[columns].rename(columns=names)
    if isinstance(want, str):
        with pytest.raises(ValueError, match=want):
            ooc.solve(table, "table.ooc", **arguments)
    else:
        assert ooc.solve(table, "table.ooc", **arguments)[3, 1] == want


def test_columns_that_are_not_used_are_said():
    with pytest.warns(ooc.InputWarning, match="columns not used: 'lanes'$"):
        ooc.solve(TABLE.rename(columns={"km": "length"}), "table.ooc")


NO_LENGTHS = np.array([[0, 0.5, 0], [-3, 0, 7e9], [0, 0, 0]])


@pytest.mark.parametrize("graph", [NO_LENGTHS, sp.csr_array(NO_LENGTHS), nx.from_numpy_array(NO_LENGTHS, create_using=nx.DiGraph)])
def test_hop_counts(graph):
    store = ooc.solve(graph, "hops.ooc", unweighted=True)
    assert store.kind == "i32" and store.row(0).tolist() == [0, 1, 2]


def test_hop_counts_of_a_file():
    Path("g.csv").write_text("from,to,weight\n0,1,0.5\n1,0,-3\n1,2,7e9\n")
    assert ooc.solve("g.csv", unweighted=True, directed=True).row(0).tolist() == [0, 1, 2]


def test_ends_in_the_index():
    assert ooc.solve(TABLE.set_index(["source", "target", "lanes"]).rename(columns={"km": "length"}), "table.ooc")[3, 1] == 9


def test_the_cost_of_the_way_back():
    table = pd.DataFrame({"source": [1, 2], "target": [2, 3], "cost": [3, -1], "reverse_cost": [4, 5]})
    for name, directed in ("one.ooc", None), ("both.ooc", False):
        store = ooc.solve(table, name, directed=directed)
        assert (store[1, 2], store[3, 2], store[2, 3]) == (3, 5, np.inf if directed is None else 5)


def test_a_matrix_is_no_table_of_edges():
    for names in list("abc"), range(3):
        with pytest.raises(ValueError, match="as in a matrix: pass table.to_numpy"):
            ooc.solve(pd.DataFrame(np.ones((3, 3)), index=names, columns=names), "no.ooc")


def test_a_weight_of_none_hides_an_edge():
    graph = nx.DiGraph([(0, 1, {"weight": None}), (0, 2, {"weight": 5}), (2, 1)])
    with pytest.warns(ooc.InputWarning, match="1 of 3 edges have the weight None: they are left out"):
        assert ooc.solve(graph, "hidden.ooc")[0, 1] == nx.dijkstra_path_length(graph, 0, 1) == 6


def one_graph():
    """A graph of four vertices in four ways, with a length of 0, two arcs at one place and a vertex without arcs."""
    table = pd.DataFrame({"to": [1, 1, 2], "from": [0, 0, 1], "weight": [5, 2, 0]})
    table.loc[3] = [3, 3, 0]
    Path("one.csv").write_text(table.to_csv(index=False))
    graph = nx.MultiDiGraph()
    graph.add_nodes_from(range(4))
    graph.add_weighted_edges_from([(0, 1, 5), (0, 1, 2), (1, 2, 0)])
    array = np.ma.masked_all((4, 4))
    array[0, 1], array[1, 2] = 2, 0
    return {"command": "one.csv", "table": table, "networkx": graph, "array": array, "floats": table.astype(float)}


@pytest.mark.parametrize("directed", [True, False])
@pytest.mark.parametrize("way", ["command", "table", "networkx", "array", "floats"])
def test_one_graph(way, directed):
    store = ooc.solve(one_graph()[way], "one.ooc", directed=directed)
    back = np.inf if directed else 2
    assert list(store.ids) == [0, 1, 2, 3]
    assert store.to_numpy().tolist() == [
        [0, 2, 2, np.inf],
        [back, 0, 0, np.inf],
        [back, 0 if not directed else np.inf, 0, np.inf],
        [np.inf, np.inf, np.inf, 0],
    ]


def test_names_of_columns_are_those_of_the_command():
    rows = (Path(__file__).parents[4] / "docs" / "graph-formats.md").read_text(encoding="utf-8").splitlines()
    for part, names in graphs.COLUMNS.items():
        (row,) = [row for row in rows if row.startswith(f"| {part} | `{part}`")]
        assert tuple(re.findall("`(.*?)`", row.lower())) == names


@pytest.mark.parametrize("flag", ["base", "columns", "format", "no_arc", "undirected"])
def test_what_is_for_files(flag):
    for graph in (np.eye(2), sp.eye_array(2), nx.path_graph(2)):
        with pytest.raises(TypeError, match=f"{flag}= says how a file is read"):
            ooc.solve(graph, "no.ooc", **{flag: "1"})


def test_guesses_are_warnings(tmp_path):
    (tmp_path / "roads.csv").write_text("from,to,km\nparis,lyon,465.1\nlyon,nice,472.2\n")
    with pytest.warns(ooc.InputWarning) as said:
        store = ooc.solve("roads.csv", "roads.ooc")
    assert store["nice", "paris"] == np.inf
    texts = [str(one.message) for one in said]
    assert [text.partition(";")[0].partition(",")[0] for text in texts] == [
        'column "km" is taken for the weight',
        "weights are rounded to float32",
        "directed by default",
    ]
    assert "scale=10 is exact" in texts[1] and "directed=False makes" in texts[2] and not any("--" in text for text in texts)
    assert {one.filename for one in said} == {__file__}
    with warnings.catch_warnings():  # what the warnings name, done
        warnings.simplefilter("error")
        store = ooc.solve("roads.csv", "exact.ooc", directed=False, scale=10, columns="from=from,to=to,weight=km")
    assert store["nice", "paris"] == 937.3


@pytest.mark.parametrize(
    "graph, arguments, want",
    [
        (pd.DataFrame({"from": [1], "to": [2]}), {}, "directed by default"),
        (pd.DataFrame({"from": [1], "to": [2]}), {"directed": True}, None),
        (np.array([[0, 0.1], [0, 0]]), {}, "rounded to float32"),
        (sp.csr_array([[0, 0.1], [0, 0]]), {}, "rounded to float32"),
        (sp.csr_array([[0, 1 / 3], [0, 0]]), {}, 'kind="f64" has more digits'),
        (sp.csr_array([[0, 0.1], [0, 0]]), {"kind": "f64"}, None),
        (nx.DiGraph([(1, 2, {"km": 3})]), {}, "no edge has the attribute 'weight', but 'km'"),
        (igraph.Graph([(0, 1)], edge_attrs={"km": [3]}), {}, "no edge has the attribute 'weight', but 'km'"),
        (nx.DiGraph([(1, 2, {"km": 3}), (2, 3)]), {"weight": "km"}, "1 of 2 edges"),
        (nx.DiGraph([(1, 2)]), {}, None),
        (nx.DiGraph([(1, 2, {"km": 3})]), {"weight": None}, None),
        (nx.DiGraph([((0, 1), (1, 1))]), {}, "on disk these vertices are 0, 1"),
        (pd.DataFrame({"km": [3], "from": [1], "to": [2]}), {"directed": True}, "'km' is taken for the weight"),
    ],
)
def test_guesses_about_graphs_in_memory(graph, arguments, want):
    with warnings.catch_warnings(record=True) as said:
        warnings.simplefilter("always")
        ooc.solve(graph, "any.ooc", **arguments)
    assert [one.category for one in said] == [ooc.InputWarning] * (want is not None)
    assert want is None or (want in str(said[0].message) and said[0].filename == __file__)


def test_messages_name_arguments():
    for text, want in {
        "use --kind f32, or --scale to make it one": 'use kind="f32", or scale= to make it one',
        "--columns from=A,to=B,weight=C picks others": 'columns="from=A,to=B,weight=C" picks others',
        "--undirected makes; say --no-arc 0; --out DIR": "directed=False makes; say no_arc=0; out=DIR",
        "--kind i8: want one of i32": 'kind="i8": want one of i32',
        '--device-memory "": no size': 'device_memory="": no size',
    }.items():
        assert program.in_python(text) == want
    for arguments in ({"kind": "i8"}, {"limit": 3}, {"device_memory": ""}):
        with pytest.raises(ooc.UsageError) as caught:
            ooc.solve(np.ones((2, 2)), "no.ooc", **arguments)
        assert "--" not in caught.value.message and next(iter(arguments)) in caught.value.message


def test_labels():
    graph = nx.Graph([("b", "a"), ("a", ("c", 1))])
    store = ooc.solve(graph, "labels.ooc")
    assert store.ids == ["b", "a", ("c", 1)] and store["b", ("c", 1)] == 2 and store.path(("c", 1), "b") == [("c", 1), "a", "b"]
    named = igraph.Graph([(0, 1)], vertex_attrs={"name": ["x", "y"]})
    assert ooc.solve(named, "named.ooc")["x", "y"] == 1
    table = pd.DataFrame({"from": ["x", "y"], "to": ["y", "z"]})
    assert ooc.solve(table, "table.ooc")["x", "z"] == 2
    assert ooc.solve(table, "some.ooc", sources=["y"]).row("y").tolist() == [np.inf, 0, 1]


@pytest.mark.parametrize("labels", [[3, 1, 2], [7, -5, 2**40], [3.0, 1.0, 2.0], [np.int64(3), 1, np.uint8(2)]])
def test_integers_of_any_order_and_type(labels):
    ends = [(labels[0], labels[1]), (labels[1], labels[2])]
    named = igraph.Graph([(0, 1), (1, 2)], directed=True, vertex_attrs={"name": labels}, edge_attrs={"weight": [4, 5]})
    graph = nx.DiGraph([(*pair, {"weight": w}) for pair, w in zip(ends, (4, 5))])
    table = pd.DataFrame([(*pair, w) for pair, w in zip(ends, (4, 5))], columns=["from", "to", "weight"])
    for i, graph in enumerate((named, graph, table)):
        made = ooc.solve(graph, f"{i}.ooc", sources=[labels[0]])
        for store in (made, ooc.open(f"{i}.ooc")):
            assert list(store.ids) == sorted(labels) and store.row(labels[0]).tolist() == [
                {0: 0, 1: 4, 2: 9}[labels.index(v)] for v in store.ids
            ]
    (asked,) = program.run("query", "--", "0.ooc", str(int(labels[0])), str(int(labels[2])))
    assert asked["distance"] == 9


@pytest.mark.parametrize(
    "labels", [["b", "a", "naïve, c"], [-5, 7, 2**40], [10, 11, 12], [0, 1, 2], ["1", "0", "x y"], [np.str_("b"), "a", "c"]]
)
def test_labels_stay_with_the_store(labels):
    graph = nx.DiGraph([(labels[0], labels[1], {"weight": 2}), (labels[1], labels[2], {"weight": 3})])
    ooc.solve(graph, "labels.ooc")
    store = ooc.open("labels.ooc")
    assert list(store.ids) == labels and store[labels[0], labels[2]] == 5 and store.path(labels[0], labels[2]) == labels
    assert ooc.solve(graph, "one.ooc", sources=[labels[1]]).sources == ooc.open("one.ooc").sources == [labels[1]]
    graph.add_edge(labels[2], labels[1], weight=-4)
    with pytest.raises(ooc.NegativeCycleError) as caught:
        ooc.solve(graph, "no.ooc")
    assert set(caught.value.cycle) == set(labels[1:])


@pytest.mark.parametrize("labels", [[("a", 1), "b"], [1, "1"], ["line\nfeed", "b"], [2**64, 1], [True, 7], ["", "x"], [1.5, 2]])
def test_labels_that_no_file_has(labels):
    graph = nx.DiGraph([labels])
    store = ooc.solve(graph, "labels.ooc")
    assert store[labels[0], labels[1]] == 1 and set(store.ids) == set(labels) and list(ooc.open("labels.ooc").ids) == [0, 1]


def test_directions():
    arcs = sp.csr_array([[0, 5], [3, 0]])
    assert ooc.solve(arcs, "two.ooc")[0, 1] == 5 and ooc.solve(arcs, "both.ooc", directed=False)[0, 1] == 3
    assert ooc.solve(nx.DiGraph([(0, 1)]), "edge.ooc", directed=False)[1, 0] == 1
    with pytest.raises(ValueError, match="to_directed"):
        ooc.solve(nx.Graph([(0, 1)]), "no.ooc", directed=True)


@pytest.mark.parametrize("no", [False, np.False_, 0])
@pytest.mark.parametrize(
    "graph",
    [
        sp.csr_array([[0, 5], [0, 0]]),
        np.array([[0, 5], [0, 0]]),
        pd.DataFrame([[0, 1, 5]]),
        nx.DiGraph([(0, 1, {"weight": 5})]),
        igraph.Graph([(0, 1)], directed=True, edge_attrs={"weight": [5]}),
    ],
    ids=["sparse", "dense", "pandas", "networkx", "igraph"],
)
def test_any_false_makes_arcs_go_both_ways(graph, no):
    assert ooc.solve(graph, "both.ooc", directed=no)[1, 0] == 5


def test_again_is_found_solved():
    graph = nx.gnm_random_graph(100, 300, seed=1)
    seen = []
    assert ooc.solve(graph, "same.ooc").to_numpy()[3, 4] == ooc.solve(graph, "same.ooc", progress=seen.append)[3, 4]
    with pytest.raises(ooc.InputError, match="made from another graph"):
        ooc.solve(nx.path_graph(100), "same.ooc")
    assert ooc.solve(nx.path_graph(100), "same.ooc", restart=True)[0, 99] == 99


@pytest.mark.parametrize(
    "graph, flags, error",
    [
        ([[0, 1], [1, 0]], {}, TypeError),
        (nx.Graph([(1, 2, {"weight": "far"})]), {}, ValueError),
        (nx.Graph([(1, 2, {"weight": float("nan")})]), {}, ValueError),
        (nx.Graph(), {}, ooc.InputError),
        (pd.DataFrame({"u": [1]}), {}, ValueError),
        (pd.DataFrame({"u": [1, None], "v": [1, 2]}), {}, ValueError),
        (nx.path_graph(3), {"sources": [9]}, KeyError),
        (nx.path_graph(3), {"sources": []}, ValueError),
        (nx.path_graph(3), {"kind": "i8"}, ooc.UsageError),
        (nx.path_graph(3), {"dry_run": True}, TypeError),
        ("nothing.gr", {}, ooc.InputError),
    ],
)
def test_refused(graph, flags, error, tmp_path):
    with pytest.raises(error):
        ooc.solve(graph, "refused.ooc", **flags)
    assert not (tmp_path / "refused.ooc").exists()


def test_a_graph_in_memory_needs_a_folder():
    with pytest.raises(TypeError, match="out="):
        ooc.solve(nx.path_graph(3))


def test_negative_cycle_has_labels():
    with pytest.raises(ooc.NegativeCycleError) as caught:
        ooc.solve(nx.DiGraph([("a", "b", {"weight": 1}), ("b", "a", {"weight": -2})]), "no.ooc")
    assert sorted(caught.value.cycle) == ["a", "b"] and caught.value.cycle_length == -1


def slow(rng):
    """A graph that takes a second or two in squaring."""
    return rng.integers(1, 1000, (1500, 1500)).astype(np.int32)


def test_interrupt_and_resume(rng):
    graph, running = slow(rng), []

    def interrupt(status):
        if status["state"] == "running":
            running.append(status)
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        ooc.solve(graph, "slow.ooc", algorithm="squaring", progress=interrupt)
    assert len(running) == 1
    with pytest.raises(ooc.InputError, match="not solved"):
        ooc.open("slow.ooc")
    store = ooc.solve(graph, "slow.ooc", algorithm="squaring")
    assert (store.row(3) == ooc.shortest_path(graph, indices=3)).all()


SCRIPT = """
import numpy, ooc, signal
signal.signal(signal.SIGINT, signal.default_int_handler)  # a shell may have begun the tests with the signal ignored
ooc.solve(numpy.load("slow.npy"), "slow.ooc", algorithm="squaring", progress=lambda status: print(status["state"], status["pid"], flush=True))
"""


def running(child):
    """Waits until a script solves; returns the process of the command."""
    while (line := child.stdout.readline().split())[:1] != ["running"]:
        assert child.poll() is None
    return int(line[1])


@pytest.mark.skipif(sys.platform == "win32", reason="Windows has no SIGINT for one process")
def test_control_c(rng):
    np.save("slow.npy", slow(rng))
    child = subprocess.Popen([sys.executable, "-c", SCRIPT], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
    command = running(child)
    os.kill(command, signal.SIGSTOP)  # so that it does not end before Python has passed the signal on
    child.send_signal(signal.SIGINT)
    time.sleep(0.5)
    os.kill(command, signal.SIGCONT)
    _, said = child.communicate()
    assert child.returncode != 0 and said.rstrip().endswith("KeyboardInterrupt")
    with pytest.raises(ooc.InputError, match="not solved"):  # and nobody solves it any more
        ooc.open("slow.ooc")
    assert ooc.solve(np.load("slow.npy"), "slow.ooc", algorithm="squaring").n == 1500


@pytest.mark.skipif(sys.platform == "win32", reason="Windows has no SIGINT for one process")
def test_errors_go_from_process_to_process():
    cycle = np.array([[0, -1], [-1, 0.0]])
    made = [error("why", code, [1, 2], -3) if error is ooc.NegativeCycleError else error("why", code) for code, error in _ERRORS.items()]
    with pytest.raises(ooc.NegativeCycleError) as caught:  # which is SciPy's too where that is loaded
        ooc.shortest_path(cycle)
    assert isinstance(caught.value, NegativeCycleError)
    for error in [*made, ooc.Error("why", 7), caught.value]:
        again = pickle.loads(pickle.dumps(error))
        assert type(again) is type(error) and vars(again) == vars(error) and str(again) == str(error)
    with ProcessPoolExecutor(1) as pool, pytest.raises(ooc.NegativeCycleError) as caught:
        pool.submit(ooc.shortest_path, cycle).result()
    assert caught.value.cycle == [0, 1] and caught.value.cycle_length == -2


def test_locked(rng):
    np.save("slow.npy", slow(rng))
    child = subprocess.Popen([sys.executable, "-c", SCRIPT], stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True)
    command = running(child)
    os.kill(command, signal.SIGSTOP)  # so that it does not end before it is asked
    try:
        with pytest.raises(ooc.LockedError):
            ooc.solve(np.load("slow.npy"), "slow.ooc")
        with pytest.raises(ooc.InputError, match="a process works on it .stopped"):
            ooc.open("slow.ooc")
    finally:
        os.kill(command, signal.SIGCONT)
    child.send_signal(signal.SIGINT)
    child.communicate()


@pytest.mark.skipif(sys.platform == "win32", reason="the command is a script of sh")
def test_a_failed_command_says_so(monkeypatch, tmp_path):
    fake = tmp_path / "fake"
    fake.write_text("#!/bin/sh\necho out of luck >&2\nexit 1\n")
    fake.chmod(0o755)
    monkeypatch.setenv("OOC_PROGRAM", str(fake))
    with pytest.raises(ooc.Error, match="out of luck"):
        ooc.open("any.ooc")


@pytest.mark.skipif(sys.platform == "win32", reason="the command is a script of sh")
@pytest.mark.parametrize(
    "does, error, message",
    [
        ("kill -9 $$", ooc.Error, "was killed"),
        ("exit 130", ooc.Interrupted, "the same call goes on"),
        ("echo Usage:", ooc.Error, "prints 'Usage:', and no JSON"),
        ("echo {}", ooc.Error, "no JSON"),
        ("exit 0", ooc.Error, "no JSON"),
        (
            """echo '{"type":"error","cycle":null,"message":"do --restart or --out-dir"}'; exit 8""",
            ooc.CorruptError,
            "^do restart=True or out_dir=$",
        ),
    ],
)
def test_what_a_strange_command_does(monkeypatch, tmp_path, does, error, message):
    fake = tmp_path / "fake"
    fake.write_text(f"#!/bin/sh\n{does}\n")
    fake.chmod(0o755)
    monkeypatch.setenv("OOC_PROGRAM", str(fake))
    with pytest.raises(error, match=message):
        ooc.solve(np.ones((2, 2)), "any.ooc")


def test_flags_that_are_none():
    for flags in ({"layout": True}, {"checkpoint": True, "restart": True}, {"help": True}):
        with pytest.raises(ooc.Error, match="true|no JSON"):
            ooc.solve(np.ones((2, 2)), "any.ooc", **flags)


def test_edges_without_weights():
    nothing = nx.Graph([("a", "b", {"weight": np.nan})])
    for graph in (nothing, pd.DataFrame({"u": [1, 2], "v": [2, 3], "w": [1, None]})):
        with pytest.raises(ValueError, match="an edge has no weight"):
            ooc.solve(graph, "any.ooc")


def test_the_command_of_the_package():
    (script,) = importlib.metadata.entry_points(group="console_scripts", name="ooc")
    assert script.value == "_ooc_command:main"
    for words, code in (["version"], 0), (["status", "nothing.ooc"], 3):
        ended = subprocess.run([sys.executable, "-m", "_ooc_command", *words], capture_output=True, text=True)
        assert ended.returncode == code and "ooc" in ended.stdout + ended.stderr


def test_no_program(monkeypatch):
    monkeypatch.setenv("OOC_PROGRAM", "/nowhere/ooc")
    with pytest.raises(FileNotFoundError, match="OOC_PROGRAM"):
        ooc.open("any.ooc")
    monkeypatch.delenv("OOC_PROGRAM", raising=False)
    monkeypatch.setenv("PATH", "")
    monkeypatch.setattr("ooc.program.__file__", "/nowhere/program.py")
    with pytest.raises(FileNotFoundError, match="pip install"):
        ooc.open("any.ooc")


def test_a_bar(capsys):
    ooc.solve(nx.path_graph(50), "bar.ooc", progress=True)
    assert "50 vertices" in capsys.readouterr().err


def test_nothing_is_left(tmp_path, monkeypatch):
    (tmp_path / "tmp").mkdir()
    monkeypatch.setattr("tempfile.tempdir", str(tmp_path / "tmp"))
    ooc.shortest_path(np.ones((5, 5)))
    with pytest.raises(ooc.NegativeCycleError):
        ooc.shortest_path(-np.ones((5, 5)))
    assert list((tmp_path / "tmp").iterdir()) == []
