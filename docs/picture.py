"""Draw docs/terminal.svg, the terminal while a solve runs, and docs/watch.svg, the screen of ooc watch beside it.
Needs Go, and Python with rich and pyte.

    python3 docs/picture.py
"""
import fcntl
import itertools
import os
import pty
import re
import select
import struct
import subprocess
import tempfile
import termios
import time

import pyte
from rich.console import Console
from rich.style import Style
from rich.text import Text

ROOT = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
STORE = "roads.ooc"
SOLVE = ["solve", "roads.gr", "--algorithm", "blocked", "--device", "cpu", "--device-memory", "128MiB", "--tile", "512",
         "--checkpoint", "2s"]
WATCH = ["watch", STORE]
LEAST = 0.2  # of the solve's progress, when the pictures are taken


class Terminal:
    """A command on a terminal of its own."""

    def __init__(self, ooc, folder, command, columns, rows):
        self.command, self.columns = command, columns
        self.screen = pyte.Screen(columns, rows)
        self.stream = pyte.ByteStream(self.screen)
        self.pid, self.fd = pty.fork()
        if self.pid == 0:
            os.chdir(folder)
            os.environ.update(TERM="vt220-256color", COLORTERM="")  # pyte does not know all that an xterm does
            os.environ.pop("NO_COLOR", None)
            time.sleep(0.2)  # until the size is set
            os.execv(ooc, ["ooc"] + command)
        fcntl.ioctl(self.fd, termios.TIOCSWINSZ, struct.pack("HHHH", rows, columns, 0, 0))

    def feed(self, seconds):
        end = time.time() + seconds
        while time.time() < end:
            if select.select([self.fd], [], [], 0.05)[0]:
                self.stream.feed(os.read(self.fd, 65536))

    def quit(self):
        os.write(self.fd, b"q")
        os.waitpid(self.pid, 0)

    def text(self):
        """What is on the screen, with its colours, without empty rows at the end."""
        rows = []
        for y in range(self.screen.lines):
            row = Text()
            cells = [self.screen.buffer[y][x] for x in range(self.columns)]
            for (fg, bg), run in itertools.groupby(cells, lambda c: (c.fg, c.bg)):
                row.append("".join(c.data for c in run), Style(color=colour(fg), bgcolor=colour(bg)))
            row.rstrip()
            rows.append(row)
        while rows and not rows[-1].plain:
            rows.pop()
        return rows

    def picture(self, name):
        console = Console(record=True, width=self.columns, file=open(os.devnull, "w"), force_terminal=True, color_system="truecolor")
        console.print(Text("$ ooc " + " ".join(self.command)))
        for row in self.text():
            console.print(row)
        svg = console.export_svg(title="ooc", unique_id=name)
        svg = re.sub(r"@font-face \{.*?\}", "", svg, flags=re.S)  # fonts from elsewhere: any monospace will do
        with open(os.path.join(ROOT, "docs", name + ".svg"), "w") as f:
            f.write(re.sub(r"\n\s*\n+", "\n", svg))


def colour(name):
    """A colour of pyte as one of rich."""
    return None if name == "default" else "#" + name if re.fullmatch("[0-9a-f]{6}", name) else name


def share(terminal, pattern):
    """A percentage on the screen, as a share."""
    found = re.findall(pattern, "\n".join(line.rstrip() for line in terminal.screen.display), flags=re.M)
    return float(found[-1]) / 100 if found else 0


def main():
    with tempfile.TemporaryDirectory() as work:
        ooc = os.path.join(work, "ooc")
        subprocess.check_call(["go", "build", "-o", ooc, "./cmd/ooc"], cwd=ROOT)
        subprocess.check_call([ooc, "gen", "random", "roads.gr", "-n", "12000", "-m", "40000"], cwd=work)
        solve = Terminal(ooc, work, SOLVE, 114, 22)
        while not os.path.exists(os.path.join(work, STORE, "store.json")):
            solve.feed(0.2)
        watch = Terminal(ooc, work, WATCH, 130, 30)
        asked = False
        while share(solve, r"([0-9.]+) %$") < LEAST or share(solve, r"^restore +([0-9.]+) %") == 0:
            if not asked and share(solve, r"([0-9.]+) %$") > LEAST / 2:
                asked = os.write(solve.fd, b"c")  # so that there is a restore point on a slow machine too
            solve.feed(0.3)
            watch.feed(0.3)
        solve.picture("terminal")
        watch.picture("watch")
        watch.quit()
        solve.quit()


main()
