"""Draw docs/terminal.svg: the terminal while a solve runs. Needs Go, and Python with rich and pyte.

    python3 docs/picture.py
"""
import fcntl
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
from rich.text import Text

COLUMNS, ROWS, SHOT = 100, 20, 9.0

root = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
with tempfile.TemporaryDirectory() as work:
    ooc = os.path.join(work, "ooc")
    subprocess.check_call(["go", "build", "-o", ooc, "./cmd/ooc"], cwd=root)
    subprocess.check_call([ooc, "gen", "random", "roads.gr", "-n", "12000", "-m", "40000"], cwd=work)
    command = ["solve", "roads.gr", "--algorithm", "blocked", "--device", "cpu", "--device-memory", "128MiB"]
    pid, terminal = pty.fork()
    if pid == 0:
        os.chdir(work)
        os.environ["TERM"] = "xterm-256color"
        os.execv(ooc, ["ooc"] + command)
    fcntl.ioctl(terminal, termios.TIOCSWINSZ, struct.pack("HHHH", ROWS, COLUMNS, 0, 0))
    screen = pyte.Screen(COLUMNS, ROWS)
    stream = pyte.ByteStream(screen)
    end = time.time() + SHOT
    while time.time() < end:
        if select.select([terminal], [], [], 0.1)[0]:
            stream.feed(os.read(terminal, 65536))
    lines = [line.rstrip() for line in screen.display]
    os.kill(pid, 2)
    os.waitpid(pid, 0)

console = Console(record=True, width=COLUMNS, file=open(os.devnull, "w"))
console.print(Text("$ ooc " + " ".join(command) + "\n" + "\n".join(lines).rstrip()))
svg = console.export_svg(title="ooc")
svg = re.sub(r"@font-face \{.*?\}", "", svg, flags=re.S)  # fonts from elsewhere: any monospace will do
with open(os.path.join(root, "docs", "terminal.svg"), "w") as f:
    f.write(re.sub(r"\n\s*\n+", "\n", svg))
