# SPDX-License-Identifier: ISC
"""Builds our sides and every peer that this machine has the parts for."""
import os
import shutil
import subprocess
from pathlib import Path

BENCH = Path(__file__).resolve().parent.parent
REPO = BENCH.parent


class BuildError(Exception):
    pass


def meson(build):
    """Configures and builds an optimised tree; returns the folder of the benchmark programs."""
    env = dict(os.environ)
    if shutil.which("ccache"):
        env.setdefault("CC", "ccache gcc")
        env.setdefault("CXX", "ccache g++")
    if not (build / "build.ninja").exists():
        options = ["-Dbench=true", "-Dtests=false", "-Dman=false", "-Dsim=false"]
        _run(["meson", "setup", str(build), str(REPO), "--buildtype=release", *options], env)
    _run(["ninja", "-C", str(build)], env)
    return build / "bench"


def tokio(programs):
    """Debian's cargo with Debian's crates, offline. Returns why the peer is absent, or None."""
    if not Path("/usr/bin/cargo").exists():
        return "no /usr/bin/cargo"
    if not list(Path("/usr/share/cargo/registry").glob("tokio-1*")):
        return "librust-tokio-dev is not installed"
    source = programs / "tokio-source"
    shutil.copytree(BENCH / "peers" / "tokio", source, dirs_exist_ok=True)
    # Another toolchain found first on PATH could not build what Debian's crates were packaged for.
    env = dict(os.environ, PATH="/usr/bin:/bin", CARGO_TARGET_DIR=str(programs / "tokio"))
    return _peer(["cargo", "build", "--release", "--offline", "--quiet"], env, source)


def erlang(programs):
    if not shutil.which("erlc"):
        return "erlang-base is not installed"
    source = BENCH / "peers" / "erlang" / "xtc_peer.erl"
    return _peer(["erlc", "-o", str(programs), str(source)], None, programs)


def command_of(side, programs):
    """The command line of a side, or None and why it cannot run."""
    if side.program == "peer-tokio":
        path = programs / "tokio" / "release" / "peer-tokio"
        return [str(path), *side.args] if path.exists() else None
    if side.program.endswith(".beam"):
        module = side.program.removesuffix(".beam")
        if not (programs / side.program).exists() or not shutil.which("erl"):
            return None
        return ["erl", "-noshell", "+S", "1:1", "-pa", str(programs), "-run", module, "main", *side.args]
    if side.program.endswith(".py"):
        there = (programs.parent / "examples" / "serve" / "xtc-serve").exists()
        script = [str(BENCH / "ours" / side.program), "--build", str(programs.parent), *side.args]
        return script if there else None
    path = programs / side.program
    return [str(path), *side.args] if path.exists() else None


def _captured(command, env, folder):
    return subprocess.run(
        command, env=env, cwd=folder, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True
    )


def _run(command, env):
    done = _captured(command, env, REPO)
    if done.returncode != 0:
        raise BuildError(f"{' '.join(command)}\n{done.stdout[-4000:]}")


def _peer(command, env, folder):
    done = _captured(command, env, folder)
    if done.returncode == 0:
        return None
    lines = [line for line in done.stdout.splitlines() if line.strip()]
    return f"{command[0]} failed: {lines[-1] if lines else done.returncode}"
