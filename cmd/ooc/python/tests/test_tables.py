"""Answers as pandas tables and as xarray, statistics and near pairs without a store, and what type checkers know of flags."""

import re
import subprocess
import sys
import types
import typing
import warnings
from pathlib import Path

import igraph
import networkx as nx
import numpy as np
import pandas as pd
import pytest
import scipy.sparse as sp
from conftest import ROME, optional

import ooc
from ooc import flags, program


def roads():
    """Two parts, a loop, an arc of length 0, and vertices in no order."""
    graph = nx.DiGraph([(u, v, {"weight": (3 * u + v) % 5}) for u, v in nx.gnp_random_graph(40, 0.06, seed=4, directed=True).edges])
    graph.add_edge(7, 7, weight=2)
    graph.add_edges_from([("x", "y"), ("y", "z")], weight=2.5)
    return nx.relabel_nodes(graph, {3: "a, b", 4: 'say "c"'})


@pytest.fixture(
    params=[lambda u: u, lambda u: f"v {u}", lambda u: (str(u), 1), lambda u: -7 * u if isinstance(u, int) else 100 * len(u) + ord(u[0])]
)
def labelled(request):
    graph = nx.relabel_nodes(roads(), request.param)
    assert len(graph) == len(roads())
    return graph


def all_lengths(graph, weight="weight"):
    return {u: nx.single_source_dijkstra_path_length(graph, u, weight=weight) for u in graph}


def pairs_of(table):
    return dict(zip(zip(table["source"], table["target"]), table["distance"]))


def test_near_pairs(labelled):
    lengths = all_lengths(labelled)
    for within in (0, 4, np.inf):
        table = ooc.near(labelled, within=within)
        assert list(table.columns) == ["source", "target", "distance"] and table["distance"].dtype == np.float64
        assert pairs_of(table) == {(u, v): d for u in lengths for v, d in lengths[u].items() if v != u and d <= within}
        assert not table.duplicated(["source", "target"]).any()
    table = ooc.near(labelled, k_nearest=2)
    for u in labelled:
        near = table[[one == u for one in table["source"]]]
        assert sorted(near["distance"]) == sorted(d for v, d in lengths[u].items() if v != u)[:2]


def test_the_nearest_of_some(labelled):
    lengths, some = all_lengths(labelled), list(labelled)[::3]
    table = ooc.near(labelled, k_nearest=2, targets=some)
    for u in labelled:
        near = table[[one == u for one in table["source"]]]
        assert set(near["target"]) <= set(some)
        assert sorted(near["distance"]) == sorted(d for v, d in lengths[u].items() if v in some)[:2]
    with pytest.raises(ValueError, match="names no vertex"):
        ooc.near(labelled, k_nearest=2, targets=[])


def test_sums_of_values(tmp_path):
    graph = nx.path_graph(4)
    (tmp_path / "v.csv").write_text("id,jobs\n0,1\n1,10\n2,100\n")
    table = ooc.stats(graph, within=[1, 2], values=f"{tmp_path / 'v.csv'}:jobs").table
    assert table["sum_within_1"].tolist() == [11, 111, 110, 100] and table["within_2"].tolist() == [2, 3, 3, 2]


def test_statistics_of_a_graph_are_those_of_its_store(labelled):
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        store = ooc.solve(labelled, "roads.ooc", kind="f64")
    for arguments in ({}, {"bins": [0, 3, 8], "within": (2, 4.5), "k_nearest": 2}):
        found, stored = ooc.stats(labelled, **arguments), store.stats(**arguments)
        assert found["kind"] == stored["kind"] == "f64" and found["vertices"]["id"] == stored["vertices"]["id"] == list(store.ids)
        assert found.keys() == stored.keys()
        pd.testing.assert_frame_equal(found.table, stored.table, rtol=1e-12)
    assert {"within_2", "within_4.5", "nearest_2_distance"} <= set(found.table.columns)


def test_a_table_of_statistics():
    graph = nx.relabel_nodes(nx.karate_club_graph(), lambda i: f"member {i}")
    table = ooc.stats(graph).table
    assert list(table.index) == list(graph) and table.index.name == "vertex" and "id" not in table
    for name in ("eccentricity", "closeness_centrality", "harmonic_centrality"):
        wanted = getattr(nx, name)(graph, **{"weight" if name == "eccentricity" else "distance": "weight"})
        assert table[name].to_dict() == pytest.approx(wanted)
    assert table["descendants"].dtype == np.int64 and table["distance_sum"].dtype == np.float64


def test_betweenness(labelled):
    graph = nx.Graph(labelled.to_undirected())
    graph.remove_edges_from(list(nx.selfloop_edges(graph)))
    nx.set_edge_attributes(graph, {edge: 1 + i % 3 for i, edge in enumerate(graph.edges)}, "weight")
    found = ooc.stats(graph, betweenness="both")
    assert found.table["betweenness_centrality"].to_dict() == pytest.approx(nx.betweenness_centrality(graph, weight="weight"))
    edges, wanted = found.edges, nx.edge_betweenness_centrality(graph, normalized=False, weight="weight")
    assert list(edges.columns) == ["source", "target", "betweenness", "betweenness_centrality"]
    got = {frozenset(ends): number for *ends, number in zip(edges["source"], edges["target"], edges["betweenness"])}
    assert got == pytest.approx({frozenset(edge): number for edge, number in wanted.items()})
    ends = ooc.stats(graph, betweenness="vertices", endpoints=True, sources=[next(iter(graph))])
    assert not ends.table["betweenness"].isna().any()
    one = ooc.stats(graph, betweenness="vertices", sources=[next(iter(graph))]).table["betweenness"]
    assert list(one.index[one.isna()]) == [next(iter(graph))]
    with pytest.raises(ValueError, match='betweenness="edges"'):
        ends.edges


def test_what_is_infinite_and_what_is_unknown():
    graph = nx.DiGraph([(0, 1, {"weight": 3}), (1, 2, {"weight": 4})])
    table = ooc.stats(graph, k_nearest=1).table
    assert table["eccentricity"].tolist() == [7, np.inf, np.inf]
    assert table["nearest_1_distance"].tolist()[:2] == [3, 4] and table["nearest_1_distance"].isna().tolist() == [False, False, True]
    assert table["nearest_1"].tolist() == [1, 2, None]
    few = ooc.stats(graph, sources=[0], k_nearest=1).table
    assert few["eccentricity"].tolist()[0] == 7 and few["eccentricity"].isna().tolist() == [False, True, True]
    assert few["ancestors"].tolist() == [0, 1, 1] and few["descendants"].isna().tolist() == [False, True, True]
    huge = nx.DiGraph([(0, 1, {"weight": 1e308}), (1, 2, {"weight": 0.5})])
    assert ooc.stats(huge).table["distance_sum_in"].tolist() == [0, 1e308, 1e308]
    huge.add_edge(3, 2, weight=1e308)
    assert ooc.stats(huge, sources=[0, 3]).table["distance_sum_in"].tolist() == [0, 1e308, np.inf, 0]


@pytest.mark.parametrize(
    "graph",
    [
        np.array([[0, 2, 9], [2, 0, 3.5], [9, 3.5, 0]]),
        sp.csr_array([[0, 2, 9], [0, 0, 3.5], [0, 0, 0]]),
        igraph.Graph([(0, 1), (1, 2), (0, 2)], edge_attrs={"weight": [2, 3.5, 9]}),
        pd.DataFrame({"u": [0, 1, 0], "v": [1, 2, 2], "w": [2, 3.5, 9]}),
    ],
)
def test_kinds_of_graphs(graph):
    found = ooc.stats(graph, directed=False)
    assert found["diameter"] == 5.5 and found["kind"] == "f64" and found["center"] == [1]
    assert pairs_of(ooc.near(graph, directed=False, within=3)) == {(0, 1): 2, (1, 0): 2}
    assert ooc.stats(graph, directed=False, weight=None)["diameter"] == 1
    with pytest.raises(TypeError, match="base= says how a file is read"):
        ooc.near(graph, within=3, base=1)


def test_files_and_stores(rome):
    some = ooc.near(ROME, within=100)
    assert pairs_of(some) == pairs_of(ooc.near(rome.folder, within=100)) and some["source"].dtype == np.int64
    assert set(pairs_of(some).values()) <= set(range(101))
    assert ooc.stats(ROME)["center"] == ooc.stats(rome.folder)["center"] == rome.stats()["center"]
    Path("towns.csv").write_text("from,to,km\nparis,lyon,465.1\nlyon,nice,472.2\n")
    for ask in (ooc.stats, lambda *given, **more: ooc.near(*given, within=500, **more)):
        with pytest.warns(ooc.InputWarning) as said:
            ask("towns.csv")
        texts = [str(one.message).partition(";")[0].partition(",")[0] for one in said]
        assert texts == ['column "km" is taken for the weight', "weights are rounded to float32", "directed by default"]
        assert not any("--" in str(one.message) or one.filename != __file__ for one in said)
    found = ooc.stats("towns.csv", columns="from=from,to=to,weight=km", directed=False, scale=10)
    assert found["diameter"] == 937.3 and found.table.index.tolist() == ["paris", "lyon", "nice"]
    with pytest.warns(ooc.InputWarning) as said:
        ooc.near(pd.DataFrame({"from": [1], "to": [2], "way": ["A1"]}), within=1, weight=None)
    assert [str(one.message)[:15] for one in said] == ["columns not use", "directed by def"]
    assert {one.filename for one in said} == {__file__}


def test_refused_questions():
    path = nx.path_graph(3)
    with pytest.raises(ooc.UsageError, match="within"):
        ooc.near(path)
    with pytest.raises(ooc.UsageError, match="there is no argument keep="):
        ooc.stats(path, keep="factors")
    with pytest.raises(KeyError):
        ooc.stats(path, sources=[7])
    with pytest.raises(ValueError, match="names no vertex"):
        ooc.stats(path, sources=[])
    with pytest.raises(ooc.NegativeCycleError) as caught:
        ooc.near(nx.DiGraph([("a", "b", {"weight": 1}), ("b", "a", {"weight": -2})]), within=1)
    assert sorted(caught.value.cycle) == ["a", "b"]


LAYOUTS = [{"layout": "square"}, {"layout": "upper"}, {"keep": "factors"}, {"sources": [5, 60, 61]}]


@pytest.fixture(params=LAYOUTS, ids=str)
def store(request):
    """Of more vertices than a tile has, in another order than their labels."""
    graph = nx.connected_watts_strogatz_graph(150, 4, 0.1, seed=3)
    nx.set_edge_attributes(graph, {(u, v): (u * v) % 7 + 1 for u, v in graph.edges}, "weight")
    graph.add_node(150)
    return ooc.solve(graph, "small.ooc", **request.param, **({} if "keep" in request.param else {"tile": 64}))


def test_a_table_of_distances(store):
    all_of_them = store.to_numpy()
    table = store.table()
    assert (table.to_numpy() == all_of_them).all()
    assert list(table.index) == list(store.sources) and list(table.columns) == list(store.ids)
    assert (table.index.name, table.columns.name) == ("source", "target")
    us, vs = [61, 5], [149, 3, 61, 60, 150, 3]
    few = store.table(us, iter(vs))
    assert list(few.index) == us and list(few.columns) == vs
    assert few.to_numpy().tolist() == [[store[u, v] for v in vs] for u in us] == store.rows(us)[:, vs].tolist()
    assert store.table([]).shape == (0, 151) and store.table(us, []).shape == (2, 0)
    for wrong in (([151],), ([5], [151])):
        with pytest.raises(KeyError):
            store.table(*wrong)


def test_a_table_of_paths(store):
    pairs = [(5, 149), (61, 61), (60, 150), (5, 149)]
    table = store.paths(pairs)
    assert list(table.columns) == ["source", "target", "distance", "path"]
    assert list(zip(table["source"], table["target"])) == pairs
    assert table["distance"].tolist() == [store[u, v] for u, v in pairs]
    assert table["path"].tolist() == [store.path(u, v) for u, v in pairs]
    pd.testing.assert_frame_equal(store.paths(pd.DataFrame(pairs)), table)
    pd.testing.assert_frame_equal(store.paths(np.array(pairs)), table)
    assert store.paths([]).shape == (0, 4)
    with pytest.raises(KeyError):
        store.paths([(5, 151)])
    with pytest.raises(ValueError, match="two vertices"):
        store.paths([(5, 6, 7)])


def test_paths_of_any_names():
    for names in (["from", "to", "#c", 'd"'], ["1 2", "3,4", "5", "7"], [7, -3, 100], [(0, 1), (1, 1), 2.5]):
        graph = nx.path_graph(names)
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            store = ooc.solve(graph, "names.ooc", restart=True)
        table = store.paths([(u, v) for u in names for v in names])
        assert table["path"].tolist() == [nx.shortest_path(graph, u, v) for u in names for v in names]
        assert table["distance"].tolist() == [nx.shortest_path_length(graph, u, v) for u in names for v in names]


def test_xarray(store):
    optional("xarray")
    lazy, all_of_them = store.to_xarray(), store.to_numpy()
    assert lazy.dims == ("source", "target") and lazy.name == "distance" and lazy.shape == store.shape
    assert lazy["source"].values.tolist() == list(store.sources) and lazy["target"].values.tolist() == list(store.ids)
    assert lazy.sel(source=61, target=3) == store[61, 3]
    assert (lazy.sel(source=61).values == store.row(61)).all()
    assert (lazy.sel(source=[60, 5], target=[150, 3]).values == store.table([60, 5], [150, 3]).to_numpy()).all()
    for key in ((0, slice(None)), (slice(2, None), slice(3, 140, 5)), ([2, 0], slice(None, None, -1)), (-1, -1), (slice(0, 0), [1, 0])):
        wanted = all_of_them[key[0]][..., key[1]]
        assert (lazy[key].values == wanted).all() and lazy[key].values.shape == wanted.shape, key
    assert (lazy.transpose("target", "source").values == all_of_them.T).all()
    assert float(lazy.where(np.isfinite(lazy)).max()) == all_of_them[np.isfinite(all_of_them)].max()
    assert (store.to_xarray().load().values == all_of_them).all()


def test_xarray_reads_what_is_asked(rome, monkeypatch):
    optional("xarray")
    read, at = [], ooc.Store._stored_at
    monkeypatch.setattr(ooc.Store, "_stored_at", lambda store, r, columns: read.append((r, len(columns))) or at(store, r, columns))
    monkeypatch.setattr(ooc.Store, "_stored_row", None)
    lazy = rome.to_xarray()
    assert "..." not in repr(read) and repr(lazy) and not read
    assert lazy[10:30, 5:2000][1, :3].values.shape == (3,) and read == [(11, 3)]


def test_without_pandas(rome, monkeypatch):
    monkeypatch.setitem(sys.modules, "pandas", None)
    statistics = rome.stats()
    for name, ask in {
        "store.table": rome.table,
        "store.paths": lambda: rome.paths([]),
        "ooc.near": lambda: ooc.near(ROME, within=1),
        "Statistics.table": lambda: statistics.table,
    }.items():
        with pytest.raises(ImportError, match=f"{name} is a pandas table: pip install pandas"):
            ask()
    assert ooc.stats(nx.path_graph(4))["diameter"] == 3


def test_a_version():
    (said,) = program.run("version")
    assert ooc.__version__ == said["version"]
    with pytest.raises(AttributeError, match="__versoin__"):
        ooc.__versoin__


def test_a_bar_in_a_notebook(capsys, monkeypatch):
    for shell, shown in ((None, False), (types.SimpleNamespace(kernel=1), True), (types.SimpleNamespace(), False)):
        ipython = types.ModuleType("IPython")
        ipython.get_ipython = lambda shell=shell: shell
        with monkeypatch.context() as patched:
            patched.setitem(sys.modules, "IPython", ipython)
            patched.setitem(sys.modules, "tqdm.auto", None)
            ooc.solve(nx.path_graph(50), "bar.ooc", restart=True)
            assert ("50 vertices" in capsys.readouterr().err) == shown
            ooc.solve(nx.path_graph(50), "bar.ooc", restart=True, progress=False)
            assert not capsys.readouterr().err


# Flags that are no arguments: those that are said by another one, print for people, or are for more than one graph or process.
ELSEWHERE = {"directed", "undirected", "sources", "targets", "out", "progress", "json", "help", "csv", "ids", "matrix", "strict"}
BATCHES = {"cluster", "dry-run", "grid", "jobs", "out-dir", "part-dir", "stop-on-error"}


@pytest.mark.parametrize(
    "command, known", [("solve", flags.Solve), ("stats", flags.Stats), ("near", flags.Near), ("verify", flags.Verify)], ids=str
)
def test_every_flag_is_an_argument(command, known):
    told = subprocess.run([program.program(), command, "--help"], check=True, capture_output=True, text=True, encoding="utf-8").stdout
    listed = set(re.findall(r"(?m)^ +(?:-\w, )?--([a-z-]+)", told)) - ELSEWHERE - BATCHES
    arguments = {name.replace("_", "-") for name in known.__annotations__}
    reading = {"base", "columns", "format", "no-arc", "unweighted", "scale", "kind"} if command == "verify" else set()  # of no store
    overwriting = {"overwrite"} if command == "near" else set()  # of its own file
    assert listed - reading - overwriting == arguments
    kinds = re.search(r"--kind string +type of the distances: (.*?);", told)
    if kinds and "kind" in arguments:
        words = re.findall(r"Literal\['(\w+)'|'(\w+)'", str(typing.get_type_hints(known)["kind"]))
        assert {a or b for a, b in words} == set(kinds[1].split(", "))
