"""What the command says of a format that it does not read, followed to the letter, gives the right graph."""

import gzip
import io
import json
import pickle
import re
import subprocess
import tarfile
import zipfile
from pathlib import Path
from shutil import which

import networkx as nx
import numpy as np
import pandas as pd
import pytest
import scipy.io
import scipy.sparse as sp

import ooc
from ooc.program import program

READ = Path(__file__).parents[4] / "engine" / "graph" / "read"
PROGRAMS = READ / "testdata" / "programs"
SEEN = set()  # the formats that the tests below have met
pytestmark = pytest.mark.filterwarnings("ignore::ooc.InputWarning")


def refused(file):
    """What the command says of a file that it does not read."""
    said = subprocess.run([program(), "solve", str(file), "--out", "S.ooc"], capture_output=True, text=True)
    assert said.returncode == 3, said.stderr
    (message,) = [line for line in said.stderr.splitlines() if line.startswith("ooc: ")]
    SEEN.add(message.partition(": it is ")[2].partition(", which is not read; ")[0])
    return message


def follow(message, file, **names):
    """Runs the last remedy of a message, or another, and returns the file that it makes."""
    in_python, words = max((message.rfind(words), words) for words in ("in Python: ", "in the shell: ", "unpack it: ", "convert it: "))
    how = message[in_python + len(words) :].removesuffix("; then do what is said of NEW.json")
    for name, value in {"FILE": str(file), **names}.items():
        how = re.sub(rf"\b{name}\b", value, how)
    if words == "in Python: ":
        exec(how, {})
    else:
        subprocess.run(["sh", "-c", how], check=True)
    (made,) = set(Path().glob("NEW.*")) - {Path("NEW.osm")}
    return made


def solved(file, **arguments):
    """The distances of a graph, of pairs that have a path."""
    store = ooc.solve(file, out="ANSWER.ooc", progress=False, **arguments)
    ids = list(map(str, store.ids))
    return {(u, v): d for u, row in zip(ids, store.to_numpy().tolist()) for v, d in zip(ids, row) if np.isfinite(d)}


def distances(text):
    """Those of the graph "a>b=2; b-c=3; i", with an arc, an edge both ways, and a vertex that has neither."""
    graph = nx.DiGraph()
    for part in text.split("; "):
        u, way, v, w = re.fullmatch(r"([^>-]+)(?:([>-])(.+)=([\d.]+))?", part).groups()
        graph.add_node(u)
        if way:
            graph.add_weighted_edges_from([(u, v, float(w)), (v, u, float(w))][: 1 if way == ">" else 2])
    return {(u, v): d for u, row in nx.all_pairs_dijkstra_path_length(graph) for v, d in row.items()}


def written(write, graph):
    file = io.BytesIO()
    write(graph, file)
    return file.getvalue().decode()


GRAPHML = """<?xml version="1.0" encoding="utf-8"?>
<graphml xmlns="http://graphml.graphdrawing.org/xmlns"><key id="d0" for="edge" attr.name="{name}" attr.type="{type}"/>
<graph edgedefault="{way}"><node id="a"/><node id="b"/><node id="c"/><node id="i"/>
<edge source="a" target="b"><data key="d0">2</data></edge><edge source="b" target="c"><data key="d0">3</data></edge></graph></graphml>"""
GEXF = """<?xml version="1.0" encoding="UTF-8"?>
<gexf xmlns="http://gexf.net/1.3" version="1.3"><graph defaultedgetype="{way}"><nodes><node id="a" label="A"/><node id="b"/>
<node id="c"/><node id="i"/></nodes><edges><edge id="0" source="a" target="b" weight="2"/>
<edge id="1" source="b" target="c"/></edges></graph></gexf>"""
NODES = '"nodes": [{"id": "a"}, {"id": "b"}, {"id": "c"}, {"id": "i"}]'
LINKS = '[{"source": "a", "target": "b", "weight": 2}, {"source": "b", "target": "c", "weight": 3}]'
ARCS = "a>b=2; b>c=3"
EDGES = "a-b=2; b-c=3"

# Texts, and the graphs that they are.
TEXTS = {
    "GraphML": (GRAPHML.format(way="undirected", name="weight", type="long"), EDGES + "; i"),
    "GraphML, arcs": (GRAPHML.format(way="directed", name="weight", type="double"), ARCS + "; i"),
    "GraphML, another name": (GRAPHML.format(way="directed", name="length", type="string"), ARCS + "; i"),
    "GraphML, none": (re.sub("<data.*?</data>", "", GRAPHML.format(way="directed", name="x", type="int")), "a>b=1; b>c=1; i"),
    "GraphML of igraph": (
        GRAPHML.format(way="directed", name="weight", type="double")
        .replace("<graph ", '<key id="n" for="node" attr.name="name" attr.type="string"/><graph ', 1)
        .replace('"a"/>', '"a"><data key="n">b</data></node>', 1)
        .replace('"b"/>', '"b"><data key="n">New York</data></node>', 1)
        .replace('"c"/>', '"c"><data key="n">a</data></node>', 1)
        .replace('"i"/>', '"i"><data key="n">c</data></node>', 1),
        "b>New York=2; New York>a=3; c",
    ),
    "GraphML, names twice": (
        GRAPHML.format(way="directed", name="weight", type="double")
        .replace("<graph ", '<key id="n" for="node" attr.name="name" attr.type="string"/><graph ', 1)
        .replace('"a"/>', '"a"><data key="n">x</data></node>', 1),
        ARCS + "; i",
    ),
    "GEXF": (GEXF.format(way="undirected"), "a-b=2; b-c=1; i"),
    "GEXF, arcs": (GEXF.format(way="directed"), "a>b=2; b>c=1; i"),
    "GML": (
        'Creator "x"\ngraph\n[\n directed 0\n node [ id 0 label "a" ]\n node [ id 1 label "é" ]\n node [ id 2 label "i" ]\n'
        " edge [ source 0 target 1 value 2 ]\n edge [ source 0 target 1 value 3 ]\n]\n".replace("value", "weight"),
        "a-é=2; i",
    ),
    "GML, names": ('graph [ directed 1 node [ id 3 name "a" ] node [ id 4 name "b" ] edge [ source 3 target 4 weight 2 ] ]', "a>b=2"),
    "GML, numbers": ("graph [ directed 1 multigraph 1 node [ id 3 ] node [ id 4 ] edge [ source 3 target 4 ] ]", "3>4=1"),
    "GML, labels that are alike": (
        'graph [ node [ id 0 label "a" ] node [ id 1 label "a" ] node [ id 2 label "b" ] edge [ source 0 target 2 weight 3 ] ]',
        "0-2=3; 1",
    ),
    "Pajek": ('*Vertices 4\n1 "a x" 0.1 0.2\n2 b\n3 c\n4 "i"\n*Arcs\n1 2 5\n*Edges\n2 3 7\n', "a x>b=5; b-c=7; i"),
    "Pajek, lists": ('*Network n\r\n*Vertices 3\r\n1 "a"\r\n2 "b"\r\n3 "c"\r\n*Arcslist\r\n1 2 3\r\n', "a>b=1; a>c=1"),
    "Pajek, lists of edges": ("*vertices 3\n*edgeslist\n1 2 3\n", "1-2=1; 1-3=1"),
    "Pajek, matrix": ('*Vertices 3\n1 "a"\n2 "b"\n3 "c"\n*Matrix\n0 1 2\n1 0 0\n0 0 0\n', "a>b=1; a>c=2; b>a=1"),
    "Pajek, no list of vertices": ("% x\n*vertices 4\n*edges\n1 2\n2 3 4\n", "1-2=1; 2-3=4; 4"),
    "Pajek, names twice": ('*Vertices 3\n1 "a"\n2 "a"\n3 "b"\n*Arcs :1 "r"\n1 2 1 l "x"\n2 3 2\n', "a>2=1; 2>b=2"),
    "DL": ("DL\nN=4\nFORMAT = edgelist1\nLABELS:\na\nb\nc\ni\nDATA:\n1 2 2\n2 3 3\n", ARCS + "; i"),
    "DL, embedded": ("dl n=3 format=edgelist1\nlabels embedded:\ndata:\na b 2\nb c 3\n", ARCS),
    "DL, lists": ("dl n = 3, format = nodelist1\nlabels:\na,b,c\ndata:\n1 2 3\n", "a>b=1; a>c=1"),
    "DL, matrix": ("dl n=3 format = fullmatrix\nlabels: a b c\ndata:\n0 1 2\n1 0 0\n0 0 0\n", "a>b=1; a>c=2; b>a=1"),
    "DL, a lower half": ("dl n=3 format=lowerhalf diagonal=absent\nlabels:\na,b,c\ndata:\n3\n9 4\n", "a-b=3; a-c=9; b-c=4"),
    "DL, a lower half, diagonal": ("dl n=3, format=lowerhalf\nlabels:\na,b,c\ndata:\n0\n3 0\n9 4 0\n", "a-b=3; a-c=9; b-c=4"),
    "DL, an upper half": ("dl n=3 format=upperhalf diagonal = absent\ndata:\n3 9\n4\n", "1-2=3; 1-3=9; 2-3=4"),
    "DL, an upper half, diagonal": ("dl n=3 format=upperhalf\ndata:\n0 3 9\n0 4\n0\n", "1-2=3; 1-3=9; 2-3=4"),
    "DL, no diagonal": ("dl n=3 diagonal=absent\ndata:\n1 2\n1 0\n0 5\n", "1>2=1; 1>3=2; 2>1=1; 3>2=5"),
    "DL, a matrix, embedded": (
        'dl n=3 format=fullmatrix\nlabels embedded\ndata:\n    "New York" b c\n"New York" 0 1.5 2\nb 1 0 0.0\nc 0 0 0\n',
        "New York>b=1.5; New York>c=2; b>New York=1",
    ),
    "DL, quotes": ('dl n=3 format=edgelist1\nlabels:\n"New York",LA\n"n=9"\ndata:\n1 2 4\n2 3\n', "New York>LA=4; LA>n=9=1"),
    "DL, embedded quotes": ('dl n=3 format=edgelist1\nlabels embedded:\ndata:\n"New York" LA 4\nLA c 3\n', "New York>LA=4; LA>c=3"),
    "DL, long rows": ("dl n=3\ndata:\n0 1\n2 1 0 0\n0 0 0\n", "1>2=1; 1>3=2; 2>1=1"),
    "DOT": ('graph "x y" { node [shape=box]; a -- "b c" [weight=2]; "b c" -- d [weight="3"]; i; }', "a-b c=2; b c-d=3; i"),
    "DOT, arcs": ("digraph {\n a -> b [weight=2];\n b -> c [weight=3];\n}\n", ARCS),
    "LEDA": ("LEDA.GRAPH\nstring\nint\n-1\n3\n|{a}|\n|{b}|\n|{i}|\n1\n1 2 0 |{4}|\n", "a>b=4; i"),
    "LGL": ("# a\nb 5\nc 6\n# b\nc 1\n# i\n", "a>b=5; a>c=6; b>c=1; i"),
    "adjacency list": ("#x.py\n# GMT Mon Nov 23 00:00:00 2026\n# \na b c\nb\nc\ni\n", "a-b=1; a-c=1; i"),
    "multiline adjacency list": ("#x.py\n# GMT Mon Nov 23 00:00:00 2026\n# \na 1\nb {'weight': 3}\nb 0\ni 0\n", "a-b=3; i"),
    "adjacency list of networkx": (written(nx.write_adjlist, nx.path_graph(4)), "0-1=1; 1-2=1; 2-3=1"),
    "adjacency list, a count": (written(nx.write_adjlist, nx.Graph([(0, 1)])), "0-1=1"),
    "adjacency list of tuples": (
        written(nx.write_adjlist, nx.grid_2d_graph(2, 2)),
        "(0, 0)-(1, 0)=1; (0, 0)-(0, 1)=1; (1, 0)-(1, 1)=1; (0, 1)-(1, 1)=1",
    ),
    "adjacency list of a tuple": (written(nx.write_adjlist, nx.empty_graph([(0, 1)])), "(0, 1)"),
    "adjacency list of tuples in tuples": (
        written(nx.write_adjlist, nx.Graph([(((0, 0), 1), (("a", (0, 2)), 1))])),
        "((0, 0), 1)-(('a', (0, 2)), 1)=1",
    ),
    "multiline adjacency list, no edges": (written(nx.write_multiline_adjlist, nx.empty_graph(["a", "b"])), "a; b"),
    "multiline adjacency list, first none": (
        written(nx.write_multiline_adjlist, nx.Graph({"i": {}, "a": {"b": {"weight": 3}}})),
        "i; a-b=3",
    ),
    "multiline adjacency list of tuples": (
        written(nx.write_multiline_adjlist, nx.Graph([((0, 1), (1, 1), {"weight": 2, "at": (1, 2)})])),
        "(0, 1)-(1, 1)=2",
    ),
    "psql": (" a | b | w \n---+-----+---\n x | New York | 3\n New York | z |   4\n(2 rows)\n\n", "x>New York=3; New York>z=4"),
    "MySQL": ("+---+---+---+\n| a | b | w |\n+---+---+---+\n| x | y | 3 |\n+---+---+---+\n", "x>y=3"),
    "Markdown": ("| from | to | weight |\r\n|:---|---|---:|\r\n| a | New York | 3 |\r\n", "a>New York=3"),
    "PHYLIP": ("3\nA 0 4 9\nB 4 0 2.5\nC 9 2.5 0\n", "A-B=4; A-C=9; B-C=2.5"),
    "PHYLIP, long rows": ("   3\nA  0.000 4\n  9\nB 4 0\n 2\nC 9 2 0\n".replace("4\n  9", "4 9"), "A-B=4; A-C=9; B-C=2"),
    "tuples": ("(0, 0) (1, 0) 2\n(0, 0) (0, 1) 3\n", "(0, 0)>(1, 0)=2; (0, 0)>(0, 1)=3"),
    "tuples, data": ("(0, 1) (1, 1) {'weight': 2, 'at': (1, 2)}\n", "(0, 1)>(1, 1)=2"),
    "tuples, commas": ("(0, 1),('a', 1),2\n", "(0, 1)>('a', 1)=2"),
    "tuples in tuples": ("((0, 0), 1) ((0, 1), 1) 2\n", "((0, 0), 1)>((0, 1), 1)=2"),
    "a tuple": ("0 (1, 2) {'weight': 3}\n", "0>(1, 2)=3"),
    "tuples, no weights": ("# x\n(0, 1) (1, 1) {}\n", "(0, 1)>(1, 1)=1"),
    "graph6": (">>graph6<<Bg\n", "0-1=1; 1-2=1"),
    "sparse6": (nx.to_sparse6_bytes(nx.path_graph(3)).decode(), "0-1=1; 1-2=1"),
    "TSPLIB": (
        "NAME: x\nTYPE: ATSP\nDIMENSION: 3\nEDGE_WEIGHT_TYPE: EXPLICIT\nEDGE_WEIGHT_FORMAT: FULL_MATRIX\nEDGE_WEIGHT_SECTION\n"
        "0 1 2\n5 0 3\n2 3 0\nEOF\n",
        "0>1=1; 0>2=2; 1>0=5; 1>2=3; 2>0=2; 2>1=3",
    ),
    "TSPLIB, a half": (
        "NAME : x\nTYPE : TSP\nDIMENSION : 3\nEDGE_WEIGHT_TYPE : EXPLICIT\nEDGE_WEIGHT_FORMAT : UPPER_ROW \nEDGE_WEIGHT_SECTION\n"
        "1 2\n3\nEOF\n",
        "0-1=1; 0-2=2; 1-2=3",
    ),
    "TSPLIB, a half with zeros": (
        "NAME : x\nTYPE : TSP\nDIMENSION : 3\nEDGE_WEIGHT_TYPE : EXPLICIT\nEDGE_WEIGHT_FORMAT : LOWER_DIAG_ROW \nEDGE_WEIGHT_SECTION\n"
        "0 1 0\n2 3 0\nEOF\n",
        "0-1=1; 0-2=2; 1-2=3",
    ),
    "Ligra": ("AdjacencyGraph\n3\n4\n0\n2\n3\n1\n2\n0\n0\n", "0>1=1; 0>2=1; 1>0=1; 2>0=1"),
    "Ligra, weights": ("WeightedAdjacencyGraph\n3\n2\n0\n2\n2\n1\n2\n5\n7\n", "0>1=5; 0>2=7"),
    "SteinLib": (
        "33D32945 STP File, STP Format Version 1.0\n\nSECTION Graph\nNodes 4\nEdges 2\nE 1 2 5\nA 2 3 4\nEND\n\nEOF\n",
        "1-2=5; 2>3=4; 4",
    ),
    "DIMACS, colours": ("c x\np edge 4 2\ne 1 2\ne 2 3\n", "1-2=1; 2-3=1; 4"),
    "PACE": ("c x\np tw 4 2\n1 2\n2 3\n", "1-2=1; 2-3=1; 4"),
    "JSON": (f'{{"directed": false, "multigraph": false, "graph": {{}}, {NODES}, "links": {LINKS}}}', EDGES + "; i"),
    "JSON, arcs": (f'{{"directed": true, "multigraph": true, "graph": {{}}, {NODES}, "edges": {LINKS}}}', ARCS + "; i"),
    "JSON of D3": (f'{{{NODES}, "links": {LINKS.replace("weight", "value")}}}', EDGES + "; i"),
    "JSON, tuples": (json.dumps(nx.node_link_data(nx.grid_2d_graph(1, 2), edges="links")), "(0, 0)-(0, 1)=1"),
    "JSON of Cytoscape": (
        json.dumps(nx.cytoscape_data(nx.DiGraph([("a", "b", {"weight": 2})]))),
        "a>b=2",
    ),
    "JSON of cytoscape.js": (
        '{"elements": {"nodes": [{"data": {"id": "a"}}, {"data": {"id": "i"}}, {"data": {"id": "b"}}],'
        ' "edges": [{"data": {"id": "e", "source": "a", "target": "b", "weight": 2}}]}}',
        "a-b=2; i",
    ),
    "JSON of Graphology": (
        '{"options": {"type": "undirected", "multi": false}, "nodes": [{"key": "a"}, {"key": "b"}, {"key": "i"}],'
        ' "edges": [{"key": "e", "source": "a", "target": "b", "attributes": {"weight": 2}}]}',
        "a-b=2; i",
    ),
    "JSON Graph Format": (
        '{"graph": {"directed": true, "nodes": {"a": {"label": "A"}, "b": {}, "i": {}},'
        ' "edges": [{"source": "a", "target": "b", "metadata": {"weight": 2}}]}}',
        "a>b=2; i",
    ),
    "JSON of vis.js": ('{"nodes": [{"id": 1}, {"id": 2}, {"id": 3}], "edges": [{"from": 1, "to": 2, "length": 2}]}', "1-2=2; 3"),
    "JSON of adjacency": (json.dumps(nx.adjacency_data(nx.DiGraph([("a", "b", {"weight": 2})]))), "a>b=2"),
    "JSON lines": ('{"source":"a","target":"b","weight":2}\n{"source":"b","target":"c","weight":3}\n', ARCS),
    "JSON, one line": ('{"source":"a","target":"b","weight":2}', "a>b=2"),
    "JSON lines of arrays": ('["a","b",2]\n["b","c",3]\n', ARCS),
    "JSON of arrays": ('{"nodes": ["a", "b", "i"], "edges": [["a", "b", 3]]}', "a-b=3; i"),
    "JSON of arrays alone": ('{"edges": [[0, 1, 3], [1, 2, 4], [2, 0, 1]]}', "0>1=3; 1>2=4; 2>0=1"),
    "JSON records, null": ('[{"source":1,"target":2,"weight":2,"via":null},{"source":2,"target":3,"weight":3,"via":7}]', "1>2=2; 2>3=3"),
    "JSON records": (LINKS, ARCS),
    "JSON records, a mark of UTF-8": ("\ufeff" + LINKS, ARCS),
    "JSON records, other order": ('[{"weight": 2, "dst": "b", "src": "a"}, {"weight": 3, "dst": "c", "src": "b"}]', ARCS),
    "JSON arrays": ('[["a", "b", 2], ["b", "c", 3]]', ARCS),
    "JSON arrays of numbers": ("[[1, 2, 5], [2, 3, 4]]", "1>2=5; 2>3=4"),
    "JSON split": ('{"columns":["source","target","weight"],"index":[0,1],"data":[["a","b",2],["b","c",3]]}', ARCS),
    "JSON schema": (
        '{"schema":{"fields":[{"name":"index","type":"integer"}]},"data":[{"index":0,"source":"a","target":"b","weight":2}]}',
        "a>b=2",
    ),
    "JSON columns": ('{"source":{"0":"a","1":"b"},"target":{"0":"b","1":"c"},"weight":{"0":2,"1":3}}', ARCS),
    "JSON columns, names": ('{"start station":{"0":"a","1":"b"},"end station":{"0":"b","1":"c"},"km":{"0":2,"1":3}}', ARCS),
    "JSON columns of arrays": ('{"weight": [2, 3], "source": ["a", "b"], "target": ["b", "c"]}', ARCS),
    "JSON by rows": ('{"0":{"source":"a","target":"b","weight":2},"1":{"source":"b","target":"c","weight":3}}', ARCS),
    "JSON records inside": (f'{{"count": 2, "roads": {LINKS}}}', ARCS),
    "JSON matrix": (
        '{"code":"Ok","sources":[{"name":"x"}],"durations":[[0,60,null],[70,0,0],[1.5,null,0]]}',
        "0>1=60; 1>0=70; 1>2=0; 2>0=1.5",
    ),
    "JSON neighbours": ('{"i": {}, "a": {"b": 2}, "b": {"c": 3}}', ARCS + "; i"),
    "JSON neighbours with data": ('{"a": {"b": {"weight": 2}}, "b": {"c": {"weight": 3}}, "c": {}}', ARCS),
    "JSON pairs": ('{"a": [["b", 2]], "b": [["c", 3]], "i": []}', ARCS + "; i"),
    "JSON lists": ('{"a": ["b"], "b": ["c"], "c": [], "i": []}', "a>b=1; b>c=1; i"),
    "JSON lists of numbers": ('{"0": [1], "1": [2], "2": []}', "0>1=1; 1>2=1"),
    "GeoJSON": (
        '{"type":"FeatureCollection","features":[{"type":"Feature","properties":{"source":"a","target":"b","weight":2},'
        '"geometry":{"type":"LineString","coordinates":[[0,0],[1,1]]}}]}',
        "a>b=2",
    ),
}


@pytest.mark.parametrize("name", TEXTS)
def test_texts(name):
    text, arcs = TEXTS[name]
    Path("input").write_text(text, encoding="utf-8", newline="")
    assert solved(follow(refused("input"), "input")) == distances(arcs)


def test_packed():
    with gzip.open("input.gz", "wt") as file:
        file.write(TEXTS["JSON"][0])
    message = refused("input.gz")
    assert "; with FILE unpacked: in Python: " in message
    Path("input").write_bytes(gzip.decompress(Path("input.gz").read_bytes()))
    assert solved(follow(message, "input")) == distances(TEXTS["JSON"][1])


@pytest.mark.parametrize(
    "text",
    [
        "a:\n  b: 3\nb:\n  c: 4\n",
        "%YAML 1.1\n---\n- [a, b, 3]\n- [b, c, 4]\n",
        "- from: a\n  to: b\n  weight: 3\n- {from: b, to: c, weight: 4}\n",
    ],
)
def test_yaml(text):
    Path("input").write_text(text)
    message = refused("input")
    follow(message, "input").rename("input.json")
    assert solved(follow(refused("input.json"), "input.json")) == distances("a>b=3; b>c=4")


def test_phylip_with_blanks_in_names():
    Path("input").write_text("3\nA 0 4 9\nB b 4 0 2\nC 9 2 0\n")
    with pytest.raises(subprocess.CalledProcessError):
        follow(refused("input"), "input")


@pytest.mark.parametrize(
    ("text", "says"),
    [
        ("dl nr=2 nc=3 format=fullmatrix\ndata:\n0 1 2\n1 0 0\n", "export its table of edges"),
        ("dl n=3 format=edgelist2\ndata:\n1 2\n", "export its table of edges"),
        ("c x\np aux sp co 3\nv 1 2 3\n", "it holds no arcs: give the graph"),
        ("p aux sp p2p 3\nq 1 2\n", "it holds no arcs: give the graph"),
        ('<roads><road from="a" to="b"/></roads>\n', "export its table of edges"),
    ],
)
def test_no_command(text, says):
    Path("input").write_text(text)
    assert says in refused("input")


def test_json_matrix_without_a_name():
    Path("input").write_text("[[0, 5, null], [1, 0, 2], [7, 3, 0]]")
    message = refused("input")
    made = follow(message.partition("; if its rows")[0], "input")
    assert solved(made) == distances("0>1=5; 1>0=1; 1>2=2; 2>0=7; 2>1=3")


OSM = """<?xml version="1.0"?><osm version="0.6">
<node id="1" lat="0" lon="0"/><node id="2" lat="0" lon="0.001"/><node id="3" lat="1" lon="0"/><node id="4" lat="1" lon="0.001"/>
<way id="7"><nd ref="1"/><nd ref="2"/><tag k="highway" v="residential"/></way>
<way id="8"><nd ref="3"/><nd ref="4"/><tag k="highway" v="residential"/><tag k="oneway" v="yes"/></way></osm>"""


def of_overpass():
    Path("NEW.osm").write_text(OSM)
    Path("input").write_text('{"elements": [{"type": "node", "id": 1, "lat": 0, "lon": 0}]}')
    return "input"


@pytest.mark.parametrize("way", ["xml", "json", "pbf"])
def test_openstreetmap(way):
    Path("input").write_text(OSM)
    file = {"xml": lambda: "input", "json": of_overpass, "pbf": of_pbf}[way]()
    message = refused(file)
    assert ("[out:xml], NEW.osm" in message) == (way == "json")
    found = solved(follow(message, file), columns="from=u,to=v,weight=length", directed=True)
    assert {pair for pair, d in found.items() if 110 < d < 112} == {("1", "2"), ("2", "1"), ("3", "4")} and len(found) == 7


TABLE = pd.DataFrame({"weight": [2, 3], "source": ["a", "b"], "target": ["b", "c"]})
MATRIX = np.array([[0, 2.0, 0], [0, 0, 3], [0, 0, 0]])
NAMED = {"a": "0", "b": "1", "c": "2"}


def of_matlab_7(dense):
    """As MATLAB writes: HDF5 after 512 bytes, with columns where HDF5 has rows."""
    import h5py

    with h5py.File("input", "w", userblock_size=512) as file:
        if dense:
            file["roads"] = MATRIX.T
        else:
            csc = sp.csc_array(MATRIX)
            file["roads/data"], file["roads/ir"], file["roads/jc"] = csc.data, csc.indices, csc.indptr
    with open("input", "r+b") as file:
        file.write(b"MATLAB 7.3 MAT-file, Platform: GLNXA64")


def of_hdf5():
    import h5py

    with h5py.File("input", "w") as file:
        file["roads"] = np.where(MATRIX > 0, MATRIX, np.inf)


def of_pbf():
    import osmium

    Path("osm.osm").write_text(OSM)
    with osmium.SimpleWriter("input.pbf") as file:
        for thing in osmium.FileProcessor("osm.osm"):
            file.add(thing)
    return "input.pbf"


def of_sqlite():
    import sqlite3

    TABLE.to_sql("roads", sqlite3.connect("input"), index=False)


def of_zip():
    Path("roads.csv").write_text(TABLE.to_csv(index=False))
    with zipfile.ZipFile("input", "w") as file:
        file.write("roads.csv")


def of_tar():
    Path("roads.csv").write_text(TABLE.to_csv(index=False))
    with tarfile.open("input", "w") as file:
        file.add("roads.csv")


def packed_by(*command):
    def pack():
        if not which(command[0]):
            pytest.skip(f"no {command[0]} here")
        with open("input", "wb") as file:
            subprocess.run(command, input=TABLE.to_csv(index=False).encode(), stdout=file, check=True)

    return pack


def pickled(graph):
    def write():
        Path("input").write_bytes(pickle.dumps(graph))

    return write


def shapes(driver, suffix):
    def write():
        import geopandas as gpd
        import shapely

        line = shapely.LineString([(0, 0), (1, 1)])
        gpd.GeoDataFrame(TABLE, geometry=[line, line]).to_file(f"input{suffix}", driver=driver)
        return f"input{suffix}"

    return write


# Files that Python writes, and the graphs that they are.
FILES = {
    "Parquet": (lambda: TABLE.to_parquet("input"), ARCS),
    "Parquet, ends in the index": (lambda: TABLE.set_index(["source", "target"]).to_parquet("input"), ARCS),
    "Feather": (lambda: TABLE.to_feather("input"), ARCS),
    "Excel": (lambda: TABLE.to_excel("input", index=False, engine="openpyxl"), ARCS),
    "OpenDocument": (lambda: TABLE.to_excel("input", index=False, engine="odf"), ARCS),
    "pickle of a table": (lambda: TABLE.to_pickle("input"), ARCS),
    "pickle of a graph": (pickled(nx.Graph({"a": {"b": {"weight": 2}}, "i": {}})), "a-b=2; i"),
    "pickle of tuples": (pickled(nx.grid_2d_graph(1, 2, create_using=nx.DiGraph)), "(0, 0)-(0, 1)=1"),
    "pickle of a multigraph": (
        pickled(nx.MultiDiGraph([("a", "b", {"weight": 5}), ("a", "b", {"weight": 2}), ("c", "a", {"weight": 1})])),
        "a>b=2; c>a=1",
    ),
    "MATLAB": (lambda: scipy.io.savemat("input", {"roads": MATRIX}, appendmat=False), ARCS),
    "MATLAB, sparse": (lambda: scipy.io.savemat("input", {"roads": sp.csc_array(MATRIX)}, appendmat=False), ARCS),
    "MATLAB 7.3": (lambda: of_matlab_7(True), ARCS),
    "MATLAB 7.3, sparse": (lambda: of_matlab_7(False), ARCS),
    "HDF5": (of_hdf5, ARCS),
    "SQLite": (of_sqlite, ARCS),
    "GeoPackage": (shapes("GPKG", ""), ARCS),
    "shapefile": (shapes("ESRI Shapefile", ".shp"), ARCS),
    "zip": (of_zip, ARCS),
    "tar": (of_tar, ARCS),
    "xz": (packed_by("xz"), ARCS),
    "bzip2": (packed_by("bzip2"), ARCS),
    "lz4": (packed_by("lz4"), ARCS),
    "lzip": (packed_by("lzip"), ARCS),
    "compress": (packed_by("compress"), ARCS),
}


@pytest.mark.parametrize("name", FILES)
def test_files(name):
    write, arcs = FILES[name]
    file = write() or "input"
    message = refused(file)
    if name.startswith("pickle of a table"):
        message = message.partition("; for a graph")[0]
    made = follow(message, file, NAME="roads", TABLE="roads")
    if made.is_dir():
        made = made / "roads.csv"
    found = solved(made)
    if made.suffix in (".npy", ".npz"):
        arcs = "".join(NAMED.get(c, c) for c in arcs)
    assert found == distances(arcs)


# Of the files that programs have written of one network (TestPrograms, in Go), those that are not read, but R's.
WRITTEN = [
    file
    for file in sorted(PROGRAMS.iterdir())
    if file.name.endswith((".graphml", ".gexf", ".gml", ".net", ".pajek", ".dot", ".leda", ".lgl", ".json", ".pickle", ".mat", ".adjlist"))
    or file.name.endswith((".geojson", ".ods", ".xls", ".xlsx", ".parquet", ".feather"))
]


@pytest.mark.parametrize("file", WRITTEN, ids=lambda file: file.name)
def test_programs(file):
    message, columns = refused(file), None
    if file.name == "pandas.pickle":
        message = message.partition("; for a graph")[0]
    if "with create_using=nx.DiGraph" in message:
        message = message.replace('("FILE")', '("FILE", create_using=nx.DiGraph)')
    if file.name.startswith("qgis"):
        columns = "from=fromnode,to=tonode,weight=length_m"
    streets = ooc.solve(PROGRAMS / "streets.csv", "STREETS.ooc", columns="from=1,to=2" if file.name == "networkx.adjlist" else None)
    made = follow(message, file, NAME="A")
    assert sorted(solved(made, columns=columns, directed=True).values()) == sorted(streets.to_numpy().ravel().tolist())


@pytest.mark.parametrize("encoding", ["utf-16", "utf-16-le", "utf-16-be"])
def test_utf_16(encoding):
    file = Path("FILE.csv")
    file.write_text("a,b,2\nb,c,3\n", encoding=encoding)
    assert solved(follow(refused(file), file), directed=True) == distances(ARCS)


# What they say is for a person to do, or for a program that is not here.
NOT_RUN = {"a web page", "XML", "a pointer of Git LFS", "binary data", "a 7z archive", "lzip data", "data of compress (.Z)"}
NOT_RUN |= {"a table or graph of R (.rds)", "a file of R (.RData)"}


def test_every_format(request):
    if request.config.option.keyword or any("::" in arg for arg in request.config.args):
        pytest.skip("after all tests of this file")
    lines = (READ / "internal" / "foreign" / "formats.txt").read_text(encoding="utf-8").splitlines()
    assert {line for line in lines if line and line[0] not in "#@\t"} == SEEN | NOT_RUN
