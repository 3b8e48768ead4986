#!/usr/bin/env python3
# SPDX-License-Identifier: ISC
"""Plants one fault at a time in a copy of the tree and shows which test finds it.

    run.py [--list | --fits] [--only WORDS] [--all]

The faults are tests/mutants/mutants.toml. The copy and its build are build/mutants; the tree itself is only
read. Ends with 1 when a fault survives, with 2 when the table does not fit the tree.
"""
import argparse
import os
import re
import shutil
import signal
import subprocess
import sys
import time
import tomllib
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
WORK = ROOT / "build/mutants"
TREE = WORK / "tree"
BUILD = WORK / "build"
PARTS = ["meson.build", "meson_options.txt", "include", "src", "sim", "tests", "packaging",
         "README.md", "CHANGELOG.md", "LICENSE", "docs"]
TARGETS = ["tests/test-batch", "sim/xtc-sim"]
PATIENCE = 60  # seconds: what takes longer hangs
PROPERTY = "batch: the engine does what the reference model*"

# Quickest first; a name and a command line in the build folder.
SUITES = [
    ("model", ["tests/test-batch", "-r", "tapcases", PROPERTY]),
    ("batch", ["tests/test-batch", "-r", "tapcases", "~[threads]~" + PROPERTY]),
    ("batch-threads", ["tests/test-batch", "-r", "tapcases", "[threads]"]),
    ("sim", ["sim/xtc-sim", "--seeds", "1..200"]),
]


class Misfit(Exception):
    """The table does not fit the tree."""


def copy_tree():
    """What did not change keeps its time, so that a second run builds little."""
    wanted = set()
    for part in PARTS:
        source = ROOT / part
        files = [source] if source.is_file() else [path for path in source.rglob("*") if path.is_file()]
        for path in files:
            if "__pycache__" in path.parts:
                continue
            target = TREE / path.relative_to(ROOT)
            wanted.add(target)
            if target.exists() and target.read_bytes() == path.read_bytes():
                continue
            target.parent.mkdir(parents=True, exist_ok=True)
            shutil.copy(path, target)
    for path in [path for path in TREE.rglob("*") if path.is_file() and path not in wanted]:
        path.unlink()


def call(command, log, env=None):
    """The exit status; None: it took too long."""
    with open(log, "w") as out:
        process = subprocess.Popen(command, cwd=BUILD if BUILD.exists() else TREE, stdout=out,
                                   stderr=subprocess.STDOUT, env=env, start_new_session=True)
        try:
            return process.wait(timeout=3600 if command[0] == "ninja" else PATIENCE)
        except subprocess.TimeoutExpired:
            os.killpg(process.pid, signal.SIGKILL)  # the session made above
            process.wait()
            return None
        except BaseException:
            os.killpg(process.pid, signal.SIGKILL)
            raise


def configure():
    if (BUILD / "build.ninja").exists():
        return
    shutil.rmtree(BUILD, ignore_errors=True)
    env = dict(os.environ, CCACHE_NOHASHDIR="true")
    for variable, compiler in (("CC", "gcc"), ("CXX", "g++")):
        env[variable] = f"ccache {compiler}" if shutil.which("ccache") else compiler
    setup = ["meson", "setup", str(BUILD), str(TREE), "-Dwerror=false", "-Dexamples=false",
             "-Dbench=false", "-Dman=false"]
    if call(setup, WORK / "setup.log", env) != 0:
        raise Misfit(f"no build folder: {WORK / 'setup.log'}")


def build():
    env = dict(os.environ, CCACHE_NOHASHDIR="true")
    return call(["ninja", "-j2", *TARGETS], WORK / "build.log", env) == 0


def mutated(mutant, root):
    """The text of its file with the fault in it."""
    path = root / mutant["file"]
    if not path.exists():
        raise Misfit(f"{mutant['name']}: there is no {mutant['file']}")
    text = path.read_text()
    for old, new in mutant.get("edits") or [[mutant["old"], mutant["new"]]]:
        if text.count(old) != 1:
            raise Misfit(f"{mutant['name']}: its text stands {text.count(old)} times in {mutant['file']}")
        text = text.replace(old, new)
    return text


def first_failure(name, status, log):
    """What found it, in a few words."""
    text = log.read_text(errors="replace")
    differs = re.search(r"/\* seed \d+: (.*?) \*/", text)
    if name == "model" and differs:
        return f"{name}: {differs[1]}"
    found = re.search(r"^not ok \d+ - (.*)$", text, re.M)
    if status is None:
        return f"{name}: hangs"
    if found:
        return f"{name}: {found[1]}"
    crash = re.search(r"^.*(assert|XTC_ASSERT|AddressSanitizer|free\(\)|double free).*$", text, re.M | re.I)
    return f"{name}: ends with {status}" + (f" ({crash[0].strip()[:70]})" if crash else "")


def killers(all_of_them):
    found = []
    for name, command in SUITES:
        log = WORK / f"{name}.log"
        status = call([str(BUILD / command[0]), *command[1:]], log)
        if status != 0:
            found.append(first_failure(name, status, log))
            if not all_of_them:
                break
    return found


def main():
    parser = argparse.ArgumentParser(description=__doc__,
                                     formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--list", action="store_true", help="only name the faults")
    parser.add_argument("--fits", action="store_true",
                        help="only see whether every fault can be planted (TAP)")
    parser.add_argument("--only", metavar="WORDS", help="those whose name has these words in it")
    parser.add_argument("--all", action="store_true",
                        help="every suite for every fault, not only the first that finds it")
    args = parser.parse_args()
    with open(Path(__file__).with_name("mutants.toml"), "rb") as table:
        mutants = tomllib.load(table)["mutant"]
    if args.only:
        mutants = [mutant for mutant in mutants if args.only in mutant["name"]]
    if args.fits:
        return fits(mutants)
    try:
        for mutant in mutants:
            mutated(mutant, ROOT)
        if args.list:
            for mutant in mutants:
                print(f"{mutant['name']:<60} {mutant['file']}")
            return 0
        return run(mutants, args.all)
    except Misfit as misfit:
        print(f"mutants: {misfit}", file=sys.stderr)
        return 2


def fits(mutants):
    """The engine moves on: a fault that no longer has its text in it would be missed for long."""
    failed = False
    for number, mutant in enumerate(mutants, 1):
        try:
            mutated(mutant, ROOT)
            print(f"ok {number} - {mutant['name']} can be planted")
        except Misfit as misfit:
            failed = True
            print(f"# {misfit}\nnot ok {number} - {mutant['name']} can be planted")
    print(f"1..{len(mutants)}")
    return 1 if failed else 0


def run(mutants, all_of_them):
    WORK.mkdir(parents=True, exist_ok=True)
    copy_tree()
    configure()
    if not build():
        raise Misfit(f"the tree does not build: {WORK / 'build.log'}")
    healthy = killers(False)
    if healthy:
        raise Misfit(f"the tree fails without any fault: {healthy[0]}")
    survivors, unusable = [], []
    print(f"{'fault':<58} {'s':>4}  killed by", flush=True)
    for mutant in mutants:
        began = time.monotonic()
        target = TREE / mutant["file"]
        healthy_text = target.read_text()
        target.write_text(mutated(mutant, TREE))
        try:
            is_built = build()
            found = killers(all_of_them) if is_built else ["DOES NOT COMPILE"]
        finally:
            target.write_text(healthy_text)
        if not is_built:
            unusable.append(mutant["name"])
        if not found:
            survivors.append(mutant["name"])
        seconds = time.monotonic() - began
        print(f"{mutant['name']:<58} {seconds:4.0f}  {found[0] if found else 'SURVIVES'}")
        print(f"    \"{mutant['breaks']}\"")
        for other in found[1:]:
            print(f"{'':<65}{other}")
        sys.stdout.flush()
    print(f"{len(mutants) - len(survivors) - len(unusable)} of {len(mutants)} killed")
    return 2 if unusable else 1 if survivors else 0


if __name__ == "__main__":
    sys.exit(main())
