"""Write random edge lists and say what Python reads from them: lists.py SEED FILES.

For i below FILES it writes i.csv by the csv module, and i.txt with columns between blanks. i.csv.arcs and i.txt.arcs
have a line of JSON, [from, to, weight], for each line of these. Where networkx or igraph is there, it must read the
same from i.txt.
"""
import csv
import json
import random
import sys

NAMES = ["paris", "New York", 'the "Loop"', "a,b", "São Paulo", "東京", "x;y", "n17", "O'Hare", "#1", "//", "3rd", "-"]


def arcs(rng, names):
    found = [[rng.choice(names), rng.choice(names), weight(rng)] for _ in range(rng.randint(1, 300))]
    return [a for a in found if a[0] != a[1]] or [[names[0], names[1], 1.0]]


def weight(rng):
    return rng.choice([float(rng.randint(0, 1000)), rng.random() * 1000, round(rng.random(), 3), rng.random() * 1e-9])


def write_csv(rng, name, found):
    with open(name, "w", newline="", encoding="utf-8-sig" if rng.random() < 0.3 else "utf-8") as f:
        out = csv.writer(f, delimiter=rng.choice(",;"), quoting=rng.choice([csv.QUOTE_ALL, csv.QUOTE_NONNUMERIC]),
                         lineterminator=rng.choice(["\n", "\r\n"]))
        out.writerow(["from", "to", "weight"])
        out.writerows(found)


def write_plain(rng, name, found):
    gap = rng.choice([" ", "\t", "   "])
    with open(name, "w", encoding="utf-8") as f:
        for u, v, w in found:
            if rng.random() < 0.1:
                f.write("# a comment\n")
            f.write(f"{u}{gap}{v}{gap}{w!r}\n")


def least(found):
    best = {}
    for u, v, w in found:
        best[u, v] = min(w, best.get((u, v), w))
    return best


def judge(name, found):
    """Return which libraries agree."""
    judges = []
    try:
        import networkx
        g = networkx.read_weighted_edgelist(name, create_using=networkx.MultiDiGraph)
        assert least((u, v, d["weight"]) for u, v, d in g.edges(data=True)) == least(found), name
        judges.append("networkx")
    except ImportError:
        pass
    return judges


def judge_igraph(name, found):
    try:
        import igraph
    except ImportError:
        return []
    plain = name + ".ncol"  # which knows no comments
    with open(plain, "w", encoding="utf-8") as f:
        f.writelines(line for line in open(name, encoding="utf-8") if not line.startswith("#"))
    g = igraph.Graph.Read_Ncol(plain, names=True, weights=True, directed=True)
    names = g.vs["name"]
    assert least((names[e.source], names[e.target], e["weight"]) for e in g.es) == least(found), name
    return ["igraph"]


def main(seed, files):
    rng = random.Random(seed)
    judges = []
    for i in range(files):
        named = arcs(rng, NAMES + [str(rng.randint(-9, 10**12)) for _ in range(9)])
        write_csv(rng, f"{i}.csv", named)
        numbers = arcs(rng, [str(rng.randint(0, 10 ** rng.randint(1, 17))) for _ in range(30)] + ["v1", "vertex_2"] * rng.randint(0, 1))
        write_plain(rng, f"{i}.txt", numbers)
        judges = judge(f"{i}.txt", numbers) + judge_igraph(f"{i}.txt", numbers)
        for name, found in (f"{i}.csv", named), (f"{i}.txt", numbers):
            with open(name + ".arcs", "w", encoding="utf-8") as f:
                f.writelines(json.dumps(a) + "\n" for a in found)
    print(files, "lists of each kind;", " and ".join(judges) or "neither networkx nor igraph", "asked")


main(int(sys.argv[1]), int(sys.argv[2]))
