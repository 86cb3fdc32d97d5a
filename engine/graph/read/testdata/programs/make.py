"""Writes the small street network of streets.csv as other programs write it: in a folder of its own, then Rscript make.R there.

What is here was written by NumPy 2.4.6, SciPy 1.17.1, pandas 3.1.1, networkx 3.6.1, igraph 1.0.0, OSMnx 2.1.1, GeoPandas 1.2.0,
GDAL 3.6.2, LibreOffice 7.4.7, and R 4.2.2 with igraph 1.3.5. Parts of shapefile and GeoPackage are left out.
"""
import json, os, pickle
import geopandas, igraph, networkx as nx, numpy as np, osmnx as ox, pandas as pd, scipy.sparse
from shapely.geometry import LineString

# Nine corners, streets both ways, and two that are one way.
XY = {i: (i % 3, i // 3) for i in range(9)}
TWO = [(0, 1, 12.5), (1, 2, 20), (0, 3, 7.25), (1, 4, 31), (3, 4, 11), (4, 5, 9.5), (5, 8, 14), (3, 6, 40), (8, 7, 6)]
ONE = [(6, 7, 13), (8, 4, 2.5)]
arcs = sorted([(u, v, w) for u, v, w in TWO] + [(v, u, w) for u, v, w in TWO] + ONE)

table = pd.DataFrame(arcs, columns=["from", "to", "weight"])
table.to_csv("streets.csv", index=False)

table.to_csv("pandas.csv")                                     # numbers the lines
table.to_csv("pandas-comma.csv", index=False, sep=";", decimal=",")
table.rename(columns={"from": "v", "to": "w", "weight": "length"}).to_csv("pandas-vw.csv", index=False)
table.to_excel("pandas.xlsx", index=False)
table.to_parquet("pandas.parquet", compression=None)
table.to_feather("pandas.feather", compression="uncompressed")
table.to_pickle("pandas.pickle")

G = nx.DiGraph()
G.add_weighted_edges_from(arcs)
H = nx.Graph()
H.add_weighted_edges_from(TWO)
nx.write_edgelist(G, "networkx.edgelist")
nx.write_edgelist(G, "networkx-comma.edgelist", delimiter=",")
nx.write_edgelist(G, "networkx-nodata.edgelist", data=False)
nx.write_weighted_edgelist(G, "networkx-weighted.edgelist")
nx.write_weighted_edgelist(H, "networkx-undirected.edgelist")
nx.write_adjlist(G, "networkx.adjlist")
nx.write_multiline_adjlist(G, "networkx-multiline.adjlist")
nx.write_graphml(G, "networkx.graphml")
nx.write_gexf(G, "networkx.gexf")
nx.write_gml(G, "networkx.gml")
nx.write_pajek(G, "networkx.net")
json.dump(nx.node_link_data(G, edges="edges"), open("networkx.json", "w"))
nx.nx_pydot.write_dot(G, "networkx.dot")
pickle.dump(G, open("networkx.pickle", "wb"))
M = nx.to_scipy_sparse_array(G, nodelist=range(9))
scipy.sparse.save_npz("scipy-csr.npz", M)
scipy.sparse.save_npz("scipy-csc.npz", scipy.sparse.csc_matrix(M), compressed=False)
scipy.sparse.save_npz("scipy-coo.npz", M.tocoo())
scipy.sparse.save_npz("scipy-bsr.npz", M.tobsr(blocksize=(3, 3)))
np.savez("numpy.npz", D=nx.to_numpy_array(G))
scipy.io.mmwrite("scipy.mtx", M)
scipy.io.savemat("scipy.mat", {"A": M})

I = igraph.Graph(n=9, edges=[(u, v) for u, v, _ in arcs], directed=True)
I.es["weight"] = [w for _, _, w in arcs]
for f in "edgelist ncol lgl graphml gml dot leda pajek".split():
    I.write("igraph." + f, format=f)
I.write("igraph.dimacs", format="dimacs", source=0, target=8, capacity=[int(4 * w) for w in I.es["weight"]])

S = nx.MultiDiGraph(crs="epsg:3857")
for i, (x, y) in XY.items():
    S.add_node(i, x=float(x), y=float(y), street_count=3)
for k, (u, v, w) in enumerate(arcs):
    S.add_edge(u, v, 0, osmid=900 + k, oneway=(u, v, w) in ONE, reversed=u > v, length=float(w), name="Main, Street")
ox.save_graphml(S, "osmnx.graphml")
edges = ox.graph_to_gdfs(S, nodes=False)
edges.to_csv("osmnx.csv")

streets = geopandas.GeoDataFrame(
    [dict(id=k, fromnode=u, tonode=v, length_m=w, oneway="yes", geometry=LineString([XY[u], XY[v]])) for k, (u, v, w) in enumerate(arcs)],
    crs="epsg:3857")
streets.to_file("qgis.gpkg", layer="streets")
streets.to_file("qgis.geojson")
streets.to_file("qgis.shp")
# As QGIS saves a layer: through GDAL, with its geometry as text.
for name, columns in {"qgis.csv": "id, fromnode, tonode, length_m", "qgis-oneway.csv": "*"}.items():
    os.system(f"ogr2ogr -f CSV -lco GEOMETRY=AS_WKT -lco STRING_QUOTING=ALWAYS {name} qgis.gpkg -dialect SQLITE -sql 'SELECT {columns}, geom FROM streets'")

# As a spreadsheet in a country of decimal commas saves, and one in English.
os.system("soffice --headless --convert-to 'csv:Text - txt - csv (StarCalc):59,34,76' --outdir calc pandas.xlsx >/dev/null && mv calc/pandas.csv calc-semicolon.csv")
os.system("soffice --headless --convert-to 'csv:Text - txt - csv (StarCalc):44,34,76,1,,0,false,true,false,false,false,-1' --outdir calc pandas.xlsx >/dev/null; mv calc/pandas-Sheet1.csv calc.csv")
os.system("soffice --headless --convert-to ods --outdir . pandas.xlsx >/dev/null; mv pandas.ods calc.ods")
os.system("soffice --headless --convert-to xls --outdir . pandas.xlsx >/dev/null; mv pandas.xls calc.xls")
text = open("streets.csv").read()
open("excel.csv", "w", newline="").write("\ufeff" + text.replace(",", ";").replace("\n", "\r\n"))
open("excel-comma.csv", "w", newline="").write("\ufeffsep=;\r\n" + text.replace(",", ";").replace(".", ",").replace("\n", "\r\n"))
open("excel-unicode.txt", "w", newline="", encoding="utf-16").write(text.replace(",", "\t").replace("\n", "\r\n"))

# Published networks, as these collections write them.
m = len(arcs)
pairs = "".join(f"{u}\t{v}\n" for u, v, _ in arcs)
open("snap.txt", "w").write(f"# Directed graph (each unordered pair of nodes is saved once): snap.txt\n# Streets\n# Nodes: 9 Edges: {m}\n# FromNodeId\tToNodeId\n{pairs}")
open("snap-undirected.txt", "w").write(f"# Undirected graph: ../../data/output/snap.ungraph.txt\n# Streets\n# Nodes: 9 Edges: {len(TWO)}\n# FromNodeId\tToNodeId\n" + "".join(f"{u}\t{v}\n" for u, v, _ in TWO))
open("out.konect", "w").write(f"% asym weighted\n% {m} 9 9\n" + "".join(f"{u} {v} {w:g}\n" for u, v, w in arcs))
open("out.konect-sym", "w").write(f"% sym weighted\n% {len(TWO)} 9 9\n" + "".join(f"{u} {v} {w:g} \n" for u, v, w in TWO))
open("out.konect-bip", "w").write("% bip unweighted\n% 2 2 2\n1 1\n2 1\n")
open("out.konect-time", "w").write("% asym unweighted\n" + "".join(f"{u} {v} 1 1082040961\n" for u, v, _ in arcs))
open("dimacs.gr", "w").write(f"c streets\np sp 9 {m}\n" + "".join(f"a {u + 1} {v + 1} {w:g}\n" for u, v, w in arcs))
open("counts.txt", "w").write(f"9 {m}\n" + "".join(f"{u} {v} {w:g}\n" for u, v, w in arcs))
open("counts-unweighted.txt", "w").write(f"9 {m}\n" + pairs)
open("count.txt", "w").write("9\n" + "".join(f"{u} {v} {w:g}\n" for u, v, w in arcs))
