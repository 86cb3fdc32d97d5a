"""The program ooc that an installation puts beside Python: it starts the command in the package. It loads no NumPy, so that this takes no time."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path


def main() -> int:
    name = "ooc.exe" if sys.platform == "win32" else "ooc"
    own = Path(__file__).parent / "ooc" / "bin" / name
    if not own.is_file():
        print(f"ooc: the command is not in {own.parent}: pip install ./cmd/ooc/python in a clone of ooc", file=sys.stderr)
        return 1
    if sys.platform != "win32":
        os.execv(own, ["ooc", *sys.argv[1:]])
    child = subprocess.Popen([own, *sys.argv[1:]])
    while True:
        try:
            return child.wait()
        except KeyboardInterrupt:  # the console has sent it to the command, too
            continue


if __name__ == "__main__":
    sys.exit(main())
