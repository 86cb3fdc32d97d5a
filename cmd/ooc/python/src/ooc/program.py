"""Runs the command ooc and reads the JSON lines that it prints."""

from __future__ import annotations

import json
import os
import re
import shutil
import signal
import subprocess
import sys
import tempfile
import warnings
from collections.abc import Callable, Generator, Iterable, Mapping
from pathlib import Path
from typing import Any


class Error(Exception):
    """The command ooc failed. The classes below tell its exit codes apart; this one itself is code 1.

    message is what the command said, exit_code its exit code.
    """

    def __init__(self, message: str, exit_code: int = 1) -> None:
        super().__init__(message)
        self.message = message
        self.exit_code = exit_code


class UsageError(Error, ValueError):
    """An option has a value that it does not take, or does not go with another (exit code 2)."""


class InputError(Error, ValueError):
    """The graph or the store cannot be used (exit code 3)."""


class NegativeCycleError(Error):
    """The graph has a cycle of negative length (exit code 4).

    cycle has its vertices in order, the first not repeated, and cycle_length its length.
    """

    def __init__(self, message: str, exit_code: int = 4, cycle: Iterable[Any] = (), cycle_length: float | None = None) -> None:
        super().__init__(message, exit_code)
        self.cycle = list(cycle)
        self.cycle_length = cycle_length


class NoSpaceError(Error):
    """The disk is full (exit code 5)."""


class LockedError(Error):
    """Another process works on the store (exit code 6)."""


class CorruptError(Error):
    """The store is damaged, or its distances are wrong (exit code 8)."""


class Interrupted(Error):
    """The command was stopped after a checkpoint, by max_hours or a signal (exit code 130). The same call resumes."""


class InputWarning(UserWarning):
    """What was taken for granted of a graph, such as which column is the weight, that arcs are directed, or that weights are rounded."""


def warn(message: str) -> None:
    """Warns whoever has called this package."""
    depth, frame = 1, sys._getframe()
    while frame.f_back and frame.f_globals.get("__name__", "").startswith((f"{__package__}.", "contextlib")):
        depth, frame = depth + 1, frame.f_back
    warnings.warn(message, InputWarning, depth)


# Of what a store was made with and is asked for: a flag that has a value, which may be any text.
_MADE = re.compile(r"((?:made with|asks for)(?: no)?) --(?!restart|predecessors|directed|undirected|unweighted)([a-z-]+) ?")
# Any other flag in a message of the command, with its value if it has one.
_FLAG = re.compile(r"--([a-z][a-z\d-]*)(?:[ =](\d[\w.]*|[ifu]\d\d|inf|nan|[a-z]+=[^\s;,]+(?:,[a-z]+=[^\s;,]+)*|[A-Z]+\b|\S+(?=: )))?")


def _argument(flag: re.Match[str]) -> str:
    name, value = flag[1].replace("-", "_"), flag[2]
    if name.endswith("directed"):
        return f"directed={name == 'directed'}"
    if name in ("restart", "predecessors", "unweighted"):
        return f"{name}=True"
    return f"{name}=" + ("" if value is None else value if value[0].isdigit() or value[0] == '"' or value.isupper() else f'"{value}"')


def in_python(message: str) -> str:
    """A message of the command, with arguments of Python in the place of flags."""
    message = _MADE.sub(lambda flag: f"{flag[1]} {flag[2].replace('-', '_')}=", message.replace("unknown flag: ", "there is no argument "))
    return _FLAG.sub(_argument, message)


_ERRORS: dict[int, type[Error]] = {
    2: UsageError,
    3: InputError,
    4: NegativeCycleError,
    5: NoSpaceError,
    6: LockedError,
    8: CorruptError,
    130: Interrupted,
}


def program() -> str:
    """The path of the command: what OOC_PROGRAM names, or that of this package, or the one on PATH."""
    if named := os.environ.get("OOC_PROGRAM"):
        if not shutil.which(named):
            raise FileNotFoundError(f"the environment variable OOC_PROGRAM names {named}, which is no program")
        return named
    name = "ooc.exe" if sys.platform == "win32" else "ooc"
    own = Path(__file__).parent / "bin" / name
    found = str(own) if own.is_file() else shutil.which(name)
    if not found:
        raise FileNotFoundError(f"the command ooc is neither in {own.parent} nor on PATH: pip install this package from a clone")
    return found


def flags(named: Mapping[str, Any]) -> list[str]:
    """The flags of the command, by their names with _ for -. None and False are none."""
    words = []
    for name, value in named.items():
        if isinstance(value, (list, tuple)):
            value = ",".join(map(str, value))
        if value is not None and value is not False:
            words.append("--" + name.replace("_", "-") + ("=true" if value is True else f"={value}"))
    return words


def run(*words: str | os.PathLike[str], file: str = "") -> list[dict[str, Any]]:
    """Runs the command with these words and --json, and returns what it prints. What it says of the file is warned of."""
    return list(lines(*words, file=file))


def lines(*words: str | os.PathLike[str], file: str = "") -> Generator[dict[str, Any], None, None]:
    """Runs the command with these words and --json, and yields each object as it is printed.

    What the command says of the file, as it reads it, is warned of at the end. Where this stops early, as at Ctrl-C, the command is told to stop too, and its checkpoint is waited for.
    """
    apart: Any = {"start_new_session": True}  # Ctrl-C of a terminal then comes from here alone
    stop = signal.SIGINT
    if sys.platform == "win32":
        apart, stop = {"creationflags": subprocess.CREATE_NEW_PROCESS_GROUP}, signal.CTRL_BREAK_EVENT
    with tempfile.TemporaryFile() as said:
        child = subprocess.Popen(
            [program(), words[0], "--json", *(os.fspath(w) for w in words[1:])],
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=said,
            **apart,
        )
        assert child.stdout is not None
        failure = printed = None
        try:
            for line in child.stdout:
                printed = _object(line)
                if printed["type"] == "error":
                    failure = printed
                else:
                    yield printed
            child.wait()
            if printed is None and not child.returncode:
                _object(b"")
        except BaseException:  # also where the one who reads this needs no more
            _patiently(child, lambda: child.send_signal(stop))
            raise
        finally:
            child.stdout.close()
        if child.returncode:
            raise _error(failure, child.returncode, said)
        said.seek(0)
        for text in said.read().decode(errors="replace").splitlines():
            if file and text.startswith(f"{file}: "):
                warn(in_python(text.removeprefix(f"{file}: ")))


def _object(line: bytes) -> dict[str, Any]:
    """What one line of the command says."""
    try:
        printed = json.loads(line)
    except ValueError:
        printed = None
    if not isinstance(printed, dict) or "type" not in printed:
        start = line[:80].decode(errors="replace").strip()
        raise Error(f"{program()} prints {start!r}, and no JSON: it is not the command ooc, or was asked for a text such as help")
    return printed


def _patiently(child: subprocess.Popen[bytes], stop: Callable[[], None]) -> None:
    """Stops the command and waits for it; another Ctrl-C meanwhile is passed on to it, which then ends at once."""
    assert child.stdout is not None
    while True:
        try:
            if child.poll() is None:
                stop()
            while child.stdout.read(1 << 16):
                pass
            child.wait()
            return
        except KeyboardInterrupt:
            continue


def _error(failure: dict[str, Any] | None, code: int, said: Any) -> Error:
    """The exception for what the command ended with."""
    if failure is None:
        if code == 130:
            return Interrupted("max_hours or a signal stopped the command ooc: the same call goes on from its last checkpoint", code)
        said.seek(0)
        text = said.read().decode(errors="replace").strip()
        return _ERRORS.get(code, Error)(f"the command ooc {_ended(code)}; it had said: {text[-2000:] or 'nothing'}", code)
    message = in_python(failure["message"])
    if failure["cycle"]:
        return NegativeCycleError(message, code, failure["cycle"], failure["cycle_length"])
    return _ERRORS.get(code, Error)(message, code)


def _ended(code: int) -> str:
    if code == -9:
        return "was killed (SIGKILL), maybe because memory ran out: the same call goes on from its last checkpoint"
    return f"ended with code {code}"
