"""Arguments at random, for everything that takes a graph in memory. SciPy and networkx have the right answers.

Each case is drawn from OOC_SEED and its number, and says what is wanted: distances, or the errors that may refuse it.
"""

import itertools
import math
import random
import warnings

import igraph
import networkx as nx
import numpy as np
import pandas as pd
import pytest
import scipy.sparse as sp
from conftest import SEED
from scipy.sparse import csgraph
from test_csgraph import tight

import ooc

PARTS, EACH = 20, 100  # of each part a slice by default


@pytest.mark.parametrize("part", range(PARTS))
def test_sweep(part, long):
    for case in range(part * EACH, (part + 1) * EACH if long else part * EACH + EACH // 20):
        said = []
        try:
            with warnings.catch_warnings():
                warnings.simplefilter("ignore")
                (array, sparse, table, networkx)[case % 4](random.Random(f"{SEED} {case}"), said, f"{case}.ooc")
        except BaseException as e:
            e.add_note(f"OOC_SEED={SEED}, case {case}: {said}")
            raise


def agree(call, wanted, **close):
    """What a call gives is wanted: these numbers, or one of these errors."""
    if isinstance(wanted, np.ndarray):
        got = call()
        assert got.shape == wanted.shape
        np.testing.assert_allclose(got, wanted, **close)
        return
    with pytest.raises(wanted):
        call()


# Matrices, against SciPy


def lengths(rnd, n):
    """A square of lengths, some of them 0, and where there is an arc."""
    draw = rnd.choice(
        [
            lambda: rnd.randint(1, 9),
            lambda: rnd.randint(0, 2),
            lambda: rnd.choice([0.5, 2.25, 0.1, 7.3]),
            lambda: rnd.randint(-2, 30),
            lambda: rnd.choice([0, 2**33, 2**40 + 1]),
        ]
    )
    weights = np.array([[draw() for _ in range(n)] for _ in range(n)], float)
    there = np.array([[rnd.random() < 0.3 for _ in range(n)] for _ in range(n)])
    if rnd.random() < 0.3:  # loops, as large as they like
        there |= np.eye(n, dtype=bool)
        weights[np.eye(n, dtype=bool)] = rnd.choice([0, 5, 0.5, 1_061_109_567, 2.0**62])
    return weights, there


def dtypes(weights):
    """The types that hold these numbers."""
    names = ["f8", "f4", "i8", "i4", "u8", "i2", "i1", "u1", "O", "g", ">f8"]
    with np.errstate(all="ignore"):
        return [t for t in names if (weights.astype(t).astype(float) == weights).all()]


def wanted_of(matrix, there, weights, arguments):
    """SciPy's distances of what a matrix stores; or the errors with which ooc may refuse it."""
    indices = arguments.get("indices")
    if arguments.get("method") == "A" or (arguments.get("method") == "FW" and indices is not None):
        return ValueError
    n = len(weights)
    if indices is not None and (
        np.asarray(indices).dtype.kind not in "iu" or ((np.asarray(indices) < -n) | (np.asarray(indices) >= n)).any()
    ):
        return ValueError
    asked = {k: arguments[k] for k in ("directed", "unweighted", "indices") if k in arguments}
    below = not arguments.get("unweighted") and (weights[there] < 0).any()
    if below and (np.diag(np.where(there, weights, 0)) < 0).any():
        return ooc.NegativeCycleError  # docs/python.md
    try:
        if below:  # of all, so that no cycle is missed
            asked.pop("indices", None)
            made = csgraph.shortest_path(matrix.copy(), method="J", **asked)
            return made if indices is None else made[np.asarray(indices)]
        return csgraph.shortest_path(matrix.copy(), method="D", **asked)
    except csgraph.NegativeCycleError:
        return ooc.NegativeCycleError


def ask(rnd, said, graph, matrix, there, weights, out):
    """Asks shortest_path or solve for the distances of a graph whose arcs are those of matrix."""
    n = len(weights)
    some = [0, -1, [0], [[0, n - 1], [n - 1, 0]], [n - 1] * 3, np.array([0], np.uint8), n, [-n - 1], [0.0], True]
    arguments = {
        "method": rnd.choice(["auto", "auto", "D", "FW", "BF", "J", "A"]),
        "directed": rnd.random() < 0.6,
        "unweighted": rnd.random() < 0.3,
        "overwrite": rnd.random() < 0.3,
        "indices": rnd.choice([None, None, *some]),
    }
    arguments = {k: v for k, v in arguments.items() if rnd.random() < 0.7}
    before = matrix.copy()
    said += [type(graph).__name__, getattr(graph, "dtype", None), arguments, repr(graph)]
    if rnd.random() < 0.7:
        kept = rnd.random() < 0.4
        wanted = wanted_of(matrix, there, weights, arguments)
        if rnd.random() < 0.1:
            arguments[rnd.choice(["no_arc", "base", "columns", "format", "sources", "min_only", "limit"])] = 1
            wanted = (TypeError, ValueError)
        made = []

        def call():
            made.append(ooc.shortest_path(graph, return_predecessors=kept, **arguments))
            return made[0][0] if kept else made[0]

        agree(call, wanted, rtol=1e-12)
        if kept and isinstance(wanted, np.ndarray):
            distances, back = made[0]
            arcs = np.where(there, 1 if arguments.get("unweighted") else weights, np.inf)
            arcs = arcs if arguments.get("directed", True) else np.minimum(arcs, arcs.T)
            rows = np.arange(n) if arguments.get("indices") is None else np.arange(n)[np.asarray(arguments["indices"])]
            assert back.dtype == np.int32 and back.shape == distances.shape
            if (arcs > 0).all():  # where zeros are arcs, the last vertex before may be as far
                tight(distances.reshape(-1, n), back.reshape(-1, n), arcs, rows.reshape(-1))
    else:
        arguments = {k: arguments[k] for k in arguments.keys() & {"directed"}}
        if rnd.random() < 0.3:
            arguments["unweighted"] = True
        wanted = wanted_of(matrix, there, weights, arguments)
        flags = {"directed": arguments.get("directed"), "weight": None if arguments.get("unweighted") else "weight"}
        if rnd.random() < 0.2:
            flags |= rnd.choice([{"weight": "km"}, {"weight": len}, {"no_arc": 3}, {"format": "npz"}, {"base": 0}, {"undirected": True}])
            wanted = TypeError
        elif isinstance(wanted, np.ndarray) and rnd.random() < 0.4:
            flags["sources"] = sorted(rnd.sample(range(n), rnd.randint(1, n)))
            wanted = wanted[flags["sources"]]
        said.append(flags)
        agree(lambda: ooc.solve(graph, out, kind="f64", progress=False, **flags).to_numpy(), wanted, rtol=1e-12)
    assert (matrix != before).nnz == 0  # nothing is written over


def array(rnd, said, out):
    n = rnd.randint(1, 9)
    weights, there = lengths(rnd, n)
    masked = rnd.random() < 0.4
    if not masked:
        there &= weights != 0
    holes = [0, np.nan, np.inf, -np.inf]
    filled = np.where(there, weights, np.reshape([rnd.choice(holes) for _ in range(n * n)], (n, n)))
    if masked:
        filled = np.where(there, weights, [[rnd.choice([*holes, 7]) for _ in range(n)] for _ in range(n)])
    elif rnd.random() < 0.7:
        filled = np.where(there, weights, 0)
    filled = filled.astype(rnd.choice(dtypes(filled) or ["f8"]))
    graph = np.ma.array(filled, mask=~there) if masked else filled
    if masked and rnd.random() < 0.2 and there.all():
        graph = np.ma.array(filled)  # nothing is masked
    graph = np.asfortranarray(graph) if rnd.random() < 0.3 and not masked else graph
    rows, cols = np.nonzero(there)
    ask(rnd, said, graph, sp.csr_array((weights[rows, cols], (rows, cols)), shape=(n, n)), there, weights, out)


def sparse(rnd, said, out):
    n = rnd.randint(1, 9)
    weights, there = lengths(rnd, n)
    rows, cols = np.nonzero(there)
    data = weights[rows, cols]
    form = rnd.choice(["csr", "csc", "coo", "lil", "dok", "bsr", "dia"])
    twice = len(rows) and form in ("csr", "csc", "coo") and rnd.random() < 0.5
    if twice:
        more = [rnd.randrange(len(rows)) for _ in range(rnd.randint(1, 5))]
        rows, cols = np.concatenate([rows, rows[more]]), np.concatenate([cols, cols[more]])
        data = np.concatenate([data, [rnd.choice([1.0, 3, 40]) for _ in more]])
    order = np.array(rnd.sample(range(len(rows)), len(rows)), int)
    rows, cols, data = rows[order], cols[order], data[order]
    data = data.astype(rnd.choice([t for t in dtypes(data) if t not in ("O", "g", ">f8")] if len(data) else ["f8"]))
    kind = rnd.choice(["array", "matrix"])
    if form in ("csr", "csc"):  # neither sorted nor added up
        main, other = (rows, cols) if form == "csr" else (cols, rows)
        at = np.argsort(main, kind="stable")
        index = rnd.choice([np.int32, np.int64])
        indptr = np.concatenate([[0], np.cumsum(np.bincount(main, minlength=n))]).astype(index)
        graph = getattr(sp, f"{form}_{kind}")((data[at], other[at].astype(index), indptr), shape=(n, n))
        # SciPy takes the shorter of two in float64, and adds up what it has to convert to that: docs/python.md.
        stored = type(graph)((data[at].astype(float), graph.indices, indptr), shape=(n, n)).tocsr()
    else:
        graph = getattr(sp, f"coo_{kind}")((data, (rows, cols)), shape=(n, n))
        graph = graph if form == "coo" else graph.asformat(form)
        stored = graph.tocsr().astype(float)
    if rnd.random() < 0.05 and form == "csr" and graph.nnz and graph.dtype.kind == "f":
        graph.data[0] = rnd.choice([np.nan, -np.inf])
        said.append(repr(graph.data))
        with pytest.raises(ValueError, match="NaN or -inf"):
            ooc.shortest_path(graph)
        return
    each = stored.tocoo()
    there, least = np.zeros((n, n), bool), np.full((n, n), np.inf)
    there[each.row, each.col] = True
    np.minimum.at(least, (each.row, each.col), each.data)
    said.append((rows.tolist(), cols.tolist(), data.tolist()))
    ask(rnd, said, graph, stored, there, least, out)


# Graphs with labels, against networkx


LABELS = {
    "ascending": lambda k: 10 * k,
    "integers": lambda k: (7 * k + 3) % 29 - 9,
    "numpy": lambda k: np.int64((7 * k + 3) % 29),
    "floats": lambda k: float((7 * k + 3) % 29),
    "texts": lambda k: f"v {(7 * k + 3) % 29}",
    "digits": lambda k: str((7 * k + 3) % 29),
    "tuples": lambda k: ((7 * k + 3) % 29, "x"),
    "mixed": lambda k: k if k % 2 else str(k),
    "huge": lambda k: 2**64 - (7 * k) % 29,
}
STORED = ("ascending", "integers", "numpy", "floats", "texts", "digits")


def edges(rnd):
    """Labels, edges with a length each, and what kind of labels they are."""
    labels, n = rnd.choice(list(LABELS)), rnd.randint(1, 9)
    nodes = [LABELS[labels](k) for k in range(n)]
    draw = rnd.choice(
        [
            lambda: rnd.randint(0, 9),
            lambda: rnd.choice([0.5, 2.25, 0.1]),
            lambda: rnd.randint(-1, 30),
            lambda: np.int64(rnd.randint(1, 9)),
            lambda: rnd.choice([True, 3]),
        ]
    )
    return nodes, [(rnd.choice(nodes), rnd.choice(nodes), draw()) for _ in range(rnd.randint(1, 2 * n + 1))], labels


def networkxs(nodes, arcs, directed, length="length"):
    """networkx's distances of a list of arcs with lengths, as a dictionary of dictionaries."""
    graph = (nx.MultiDiGraph if directed else nx.MultiGraph)()
    graph.add_nodes_from(nodes)
    graph.add_edges_from((u, v, {"length": w}) for u, v, w in arcs)
    try:
        if any(w < 0 for _, _, w in arcs):
            return dict(nx.all_pairs_bellman_ford_path_length(graph, weight=length, backend="networkx"))
        return dict(nx.all_pairs_dijkstra_path_length(graph, weight=length, backend="networkx"))
    except nx.NetworkXUnbounded:
        return ooc.NegativeCycleError


def solved(rnd, said, graph, wanted, labels, out, **arguments):
    """Solves a graph and asks for all distances by labels, also of the store as ooc.open has it."""
    kind = rnd.choice([None, "f64", "i32"])
    said += [type(graph).__name__, kind, arguments]
    if not isinstance(wanted, dict):
        agree(lambda: ooc.solve(graph, out, progress=False, **arguments), wanted)
        return
    sources = rnd.sample(sorted(wanted, key=str), rnd.randint(1, len(wanted))) if rnd.random() < 0.3 else None
    try:
        store = ooc.solve(graph, out, progress=False, kind=kind, sources=sources, **arguments)
    except ooc.InputError as e:
        assert kind == "i32" and "is not an integer" in e.message and "kind=" in e.message and "--" not in e.message
        return
    assert set(store.ids) == set(wanted) and set(store.sources) == set(sources or wanted)
    for there in (store, ooc.open(out)) if labels in STORED else (store,):
        for u, v in itertools.product(sources or wanted, wanted):
            assert math.isclose(there[u, v], wanted[u].get(v, math.inf), rel_tol=1e-12 if kind == "f64" else 1e-6), (u, v)


def table(rnd, said, out):
    nodes, arcs, labels = edges(rnd)
    ends = list(dict.fromkeys(end for u, v, _ in arcs for end in (u, v)))
    frm, to = rnd.choice(
        [("from", "to"), ("source", "target"), ("U", "V"), ("src", "dst"), ("a", "b"), (0, 1), ("oneway from", "oneway to")]
    )
    known = isinstance(frm, str) and len(frm) > 1 and frm in ("from", "source", "src") or frm == "U"
    name = rnd.choice(["weight", "Length", "km", 2])
    table = pd.DataFrame({frm: pd.Series([u for u, _, _ in arcs], dtype=object), to: pd.Series([v for _, v, _ in arcs], dtype=object)})
    if labels in ("ascending", "integers", "numpy", "floats", "texts", "digits") and rnd.random() < 0.7:
        table = table.infer_objects()
    table[name] = [w for _, _, w in arcs]
    columns = [frm, to, name]
    arguments, wanted = {}, None
    if rnd.random() < 0.4:
        arguments["weight"] = rnd.choice([name, name, None, "no such column", len])
        if callable(arguments["weight"]):
            wanted = TypeError
        elif arguments["weight"] not in (None, name):
            wanted = ValueError
    lengths = [(u, v, 1) for u, v, _ in arcs] if arguments.get("weight", name) is None else arcs
    if rnd.random() < 0.15 and "weight" not in arguments:
        columns, lengths = columns[:2], [(u, v, 1) for u, v, _ in arcs]
    if rnd.random() < 0.3 and len(columns) == 3:
        table["lanes"] = 2
        columns.append("lanes")
        if not wanted and (not known or name not in ("weight", "Length")) and arguments.get("weight", name) is not None:
            if "weight" not in arguments or not known:
                wanted = ValueError  # which of two columns is the weight, or which of three are the ends
        if not wanted and not known:
            wanted = ValueError
    if rnd.random() < 0.5:
        if known:
            rnd.shuffle(columns)
        elif name in ("weight", "Length") and len(columns) == 3 and "weight" not in arguments:
            columns = [name, frm, to]
            wanted = wanted or ValueError
    if len(columns) == 2 and rnd.random() < 0.1:
        columns, wanted = columns[:1], ValueError
    directed = rnd.choice([None, None, True, False])
    if columns == list(table.index):  # which is refused, as it may be a matrix
        table.index = range(5, 5 + len(table))
    said += [columns, arcs, directed]
    wanted = wanted or networkxs(ends, lengths, directed is not False)
    if directed is not None:
        arguments["directed"] = directed
    solved(rnd, said, table[columns], wanted, labels, out, **arguments)


def networkx(rnd, said, out):
    nodes, arcs, labels = edges(rnd)
    kind = rnd.choice([nx.Graph, nx.DiGraph, nx.MultiGraph, nx.MultiDiGraph])
    name = rnd.choice(["weight", "km"])
    graph = kind()
    graph.add_nodes_from(nodes)  # some stay alone
    lacking = rnd.random() < 0.3
    for u, v, w in arcs:
        graph.add_edge(u, v, **({} if lacking and rnd.random() < 0.5 else {name: w}))
    asked = rnd.choice(["default", name, name, None, "no such", "function", "hiding", True])
    if asked == "function":
        asked = lambda u, v, data: 2 * sum(d.get(name, 1) for d in (data.values() if graph.is_multigraph() else [data]))  # noqa: E731
    elif asked == "hiding":
        hidden = set(map(str, nodes[::2]))
        asked = lambda u, v, data: None if str(u) in hidden or str(v) in hidden else 3  # noqa: E731
    directed = rnd.choice([None, None, True, False])
    said += [arcs, name, graph.edges(data=True), asked, directed]
    attribute = "weight" if asked == "default" else asked
    if callable(attribute):
        own = [(u, v, attribute(u, v, data)) for u, near in graph.adjacency() for v, data in near.items()]
        own = [(u, v, w) for u, v, w in own if w is not None]
    else:
        own = list(graph.edges(data=attribute, default=1)) if attribute is not None else [(u, v, 1) for u, v in graph.edges()]
    oneway = bool(directed and not graph.is_directed())
    if asked is True or oneway:
        wanted = (TypeError, ValueError)
    elif asked in ("no such", "km") and not any(asked in data for _, _, data in graph.edges(data=True)):
        wanted = ValueError
    else:
        wanted = networkxs(nodes, own, graph.is_directed() and directed is not False)
    arguments = {} if asked == "default" else {"weight": asked}
    if directed is not None:
        arguments["directed"] = directed
    if rnd.random() < 0.3 and not isinstance(nodes[0], tuple):
        named = igraph.Graph(directed=graph.is_directed())
        named.add_vertices(len(nodes), {"name": nodes})
        at = {label: i for i, label in enumerate(nodes)}
        named.add_edges([(at[u], at[v]) for u, v, _ in arcs], {name: [w for _, _, w in arcs]})
        if callable(asked) or asked is True or oneway:
            wanted = (TypeError, ValueError)
        elif asked != "no such" and (asked != "km" or name == "km"):
            own = [(u, v, w if attribute == name else 1) for u, v, w in arcs]
            wanted = networkxs(nodes, own, graph.is_directed() and directed is not False)
        graph = named
    solved(rnd, said, graph, wanted, labels, out, **arguments)
