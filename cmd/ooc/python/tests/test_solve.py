"""What ooc.solve takes, refuses, and resumes."""

import importlib.metadata
import os
import signal
import subprocess
import sys
import time

import igraph
import networkx as nx
import numpy as np
import pandas as pd
import pytest
import scipy.sparse as sp

import ooc

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


def test_labels():
    graph = nx.Graph([("b", "a"), ("a", ("c", 1))])
    store = ooc.solve(graph, "labels.ooc")
    assert store.ids == ["b", "a", ("c", 1)] and store["b", ("c", 1)] == 2 and store.path(("c", 1), "b") == [("c", 1), "a", "b"]
    named = igraph.Graph([(0, 1)], vertex_attrs={"name": ["x", "y"]})
    assert ooc.solve(named, "named.ooc")["x", "y"] == 1
    table = pd.DataFrame({"from": ["x", "y"], "to": ["y", "z"]})
    assert ooc.solve(table, "table.ooc")["x", "z"] == 2
    assert ooc.solve(table, "some.ooc", sources=["y"]).row("y").tolist() == [np.inf, 0, 1]


@pytest.mark.parametrize("labels", [["b", "a", "naïve, c"], [-5, 7, 2**40], [10, 11, 12], [0, 1, 2], ["1", "0", "x y"]])
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


def test_again_is_found_solved():
    graph = nx.gnm_random_graph(100, 300, seed=1)
    seen = []
    assert ooc.solve(graph, "same.ooc").to_numpy()[3, 4] == ooc.solve(graph, "same.ooc", progress=seen.append)[3, 4]
    with pytest.raises(ooc.InputError, match="the graph has changed"):
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
    nothing = nx.Graph([("a", "b", {"weight": None})])
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
