"""The examples run, and say what is so."""

import re
import shutil
import subprocess
import sys
from pathlib import Path

EXAMPLES = Path(__file__).parents[1] / "examples"


def run(name, *arguments):
    return subprocess.run(
        [sys.executable, EXAMPLES / name, *arguments], check=True, capture_output=True, text=True, encoding="utf-8"
    ).stdout


def test_travel_times():
    shutil.copy(EXAMPLES / "roads.csv", "roads.csv")
    said = run("travel_times.py", "roads.csv")
    assert "From Viterbo to Terracina: 190 minutes, by Viterbo, Roma, Latina, Terracina." in said
    assert "Roma" in said and re.search(r"Subiaco +Roma +85\.0", said)


def test_isomap(long):
    found = re.findall(r"correlation (.+)", run("isomap.py", "20000" if long else "1500"))
    assert len(found) == 2 and all(float(r) > 0.99 for r in found)


def test_large_network(long):
    said = run("large_network.py", "40000" if long else "900")
    center = r"\(10\d, 10\d\)" if long else r"\(1\d, 1\d\)"
    assert re.match(r"(900|40,000) crossings", said) and re.search(rf"The most central crossing is {center}\.", said)
    assert re.search(r"From corner to corner: \d+ minutes over \d+ streets", said)
