#!/usr/bin/env python3
# SPDX-License-Identifier: ISC
"""Rules about the text of the tree: ranks, doors, seams, form, and nothing left lying about.

    tidy.py [--build DIR]   check the tree; with DIR also that every source is built by some target
    tidy.py --self-test     plant one fault per rule in a copy of a small tree and see it found

One TAP line per rule.
"""
import argparse
import json
import re
import subprocess
import sys
import tempfile
from pathlib import Path

HERE = Path(__file__).resolve()
sys.path.insert(0, str(HERE.parents[1] / "abi"))
from declared import functions_of, without_comments  # noqa: E402

ROOMS = ["base", "seam", "loop", "sync", "accel", "batch", "nrt", "tools"]  # lowest rank first
DOORS = {
    "liburing": ["src/loop/uring.cpp"],
    "linux/io_uring": ["src/loop/uring.cpp"],
    "boost/": ["src/loop/context.cpp", "sim/model/strand.cpp"],
    "rdma/": ["src/nrt/fabric_ofi.cpp"],
    "cblas": [],  # OpenBLAS is loaded, src/nrt/package/blas.cpp, and its header not needed
    "archive": ["src/nrt/package/archive.cpp"],
    "nlohmann/": ["src/nrt/package/manifest_json.cpp"],
}
# What only a seam may call, and the seam.
BANNED = {
    "the clock": (r"\b(clock_gettime|clock_nanosleep|gettimeofday|nanosleep|usleep|timespec_get|steady_clock|"
                  r"system_clock|high_resolution_clock|sleep_for|sleep_until)\b|"
                  r"\btime\s*\(\s*(NULL|nullptr|0|&)|(?<!\w)::(time|sleep)\s*\(|std::time\s*\(",
                  ["src/base/time.cpp"]),
    "randomness": (r"\b(random_device|mt19937\w*|getrandom|getentropy|drand48|arc4random\w*)\b|"
                   r"(?<![\w.>])(::|std::)?s?rand(om)?\s*\(", ["src/base/rand.cpp"]),
    "the environment": (r"\b(getenv|secure_getenv|setenv|putenv|unsetenv|environ)\b", ["src/base/env.cpp"]),
    "thread creation": (r"\b(pthread_create|thrd_create|std::thread|std::jthread|std::async)\b",
                        ["src/base/thread.cpp"]),
    "signal handlers": (r"\b(sigaction|sigaltstack|std::signal)\s*\(|(?<!\w)::signal\s*\(",
                        ["src/loop/stack_report.cpp"]),
    "stdio output": (r"\b(printf|puts|putchar|fputs|std::cout|std::cerr|std::clog|perror)\b", ["src/tools/"]),
}
TEXT = {".c", ".h", ".cpp", ".hpp", ".py", ".sh", ".map", ".build", ".txt", ".in", ".mjs", ".js", ".pending"}
CODE = {".c", ".h", ".cpp", ".hpp"}
MAN = re.compile(r"\.[1-9]$")
MAX_WIDTH = 110
MAX_LINES = 600
LEFTOVER = re.compile(r"\b(TODO|FIXME|XXX|HACK)\b|^(<{7}|={7}|>{7})( |$)")


class Tree:
    """The files of a checkout that are ours to judge."""

    def __init__(self, root):
        self.root = Path(root)
        self.files = [path for path in self._listed() if path.is_file() and not path.is_symlink()]
        self._texts = {}

    def _listed(self):
        listing = subprocess.run(["git", "-C", str(self.root), "ls-files", "-co", "--exclude-standard"],
                                 capture_output=True, text=True)
        if listing.returncode == 0 and (self.root / ".git").exists():
            return [self.root / name for name in sorted(set(listing.stdout.splitlines()))]
        return sorted(path for path in self.root.rglob("*")
                      if path.relative_to(self.root).parts[0] != "build")

    def name(self, path):
        return path.relative_to(self.root).as_posix()

    def text(self, path):
        if path not in self._texts:
            self._texts[path] = path.read_text(errors="replace")
        return self._texts[path]

    def code(self, *folders):
        return [path for path in self.files
                if path.suffix in CODE and self.name(path).split("/")[0] in folders]

    def texts(self):
        """Sources and scripts, not prose or data."""
        return [path for path in self.files
                if path.suffix in TEXT or self.text(path).startswith("#!") and path.suffix == ""]


def bare(text):
    """Code without comments and string contents, lines kept in place."""
    def blank(found):
        piece = found[0]
        return '""' if piece[0] == '"' else "\n" * piece.count("\n") + " "
    pattern = r'"(?:\\.|[^"\\\n])*"|//[^\n]*|/\*.*?\*/'
    return re.sub(pattern, blank, text, flags=re.S)


def includes(text):
    for number, line in enumerate(text.splitlines(), 1):
        found = re.match(r'\s*#\s*include\s*["<]([^">]+)', line)
        if found:
            yield number, found[1]


def rule_ranks(tree):
    """src/ rooms include their own room or a lower one, and never the simulator"""
    for path in tree.code("src"):
        room = tree.name(path).split("/")[1]
        if room not in ROOMS:
            yield f"{tree.name(path)}: {room} is no room; the ranks are {' < '.join(ROOMS)}"
            continue
        for number, included in includes(tree.text(path)):
            head = included.split("/")[0]
            if head == "sim" or included.startswith(("xtc_sim.h", "xtc/xtc_sim.h")):
                yield f"{tree.name(path)}:{number}: src never includes the simulator"
            elif ".." in included.split("/"):
                yield f"{tree.name(path)}:{number}: include from src/, not relative to the file"
            elif head in ROOMS and ROOMS.index(head) > ROOMS.index(room):
                yield f"{tree.name(path)}:{number}: {room} may not include {head}, which is above it"


def rule_sim_sides(tree):
    """sim/ includes public headers, src/seam and src/base only"""
    for path in tree.code("sim"):
        for number, included in includes(tree.text(path)):
            head = included.split("/")[0]
            if head in ROOMS and head not in ("base", "seam"):
                yield f"{tree.name(path)}:{number}: the simulator sees {head} through its seam tables only"


def rule_doors(tree):
    """each outside library is included by its one file"""
    for path in tree.code("src", "sim"):
        for number, included in includes(tree.text(path)):
            for library, doors in DOORS.items():
                if included.startswith(library) and tree.name(path) not in doors:
                    place = f"{doors[0]} alone" if doors else "no file"
                    yield f"{tree.name(path)}:{number}: <{included}> belongs in {place}"


def rule_banned(tree):
    """clock, randomness, environment, threads, signals and output only behind their seam"""
    for path in tree.code("src", "sim"):
        name = tree.name(path)
        lines = bare(tree.text(path)).splitlines()
        for what, (pattern, seams) in BANNED.items():
            if any(name.startswith(seam.removesuffix(".cpp")) for seam in seams):
                continue
            if what == "stdio output" and name.startswith("sim/"):
                continue  # its command prints
            for number, line in enumerate(lines, 1):
                found = re.search(pattern, line)
                if found and not line.lstrip().startswith("#"):
                    yield f"{name}:{number}: {found[0].strip()}: {what} only in {seams[0]}"


def rule_env_table(tree):
    """every variable read is listed in src/base/env.hpp"""
    table = tree.root / "src/base/env.hpp"
    listed = set(re.findall(r'EnvVariable\{"(XTC_\w+)"', tree.text(table))) if table.exists() else set()
    for path in tree.code("src", "sim"):
        for number, line in enumerate(tree.text(path).splitlines(), 1):
            for read in re.findall(r'env_get\(\s*"(\w+)"', line):
                if read not in listed:
                    yield f"{tree.name(path)}:{number}: {read} is not in the table of src/base/env.hpp"


def rule_spdx(tree):
    """the first line (second under #!) names the licence"""
    pages = [path for path in tree.files if MAN.search(path.name) and not tree.text(path).startswith(".so ")]
    for path in tree.texts() + pages:
        if re.fullmatch(r"\.so man\d/\S+\n", tree.text(path)):
            continue  # a link to the page that has the text
        lines = tree.text(path).splitlines()[:2]
        if lines and lines[0].startswith("#!"):
            lines = lines[1:]
        if not lines or "SPDX-License-Identifier: ISC" not in lines[0]:
            yield f"{tree.name(path)}:1: no 'SPDX-License-Identifier: ISC'"


def rule_width(tree):
    """no line is wider than 110 columns"""
    for path in tree.texts():
        for number, line in enumerate(tree.text(path).splitlines(), 1):
            if len(line) > MAX_WIDTH:
                yield f"{tree.name(path)}:{number}: {len(line)} columns"


def rule_whitespace(tree):
    """no tab, no blank at a line's end, a newline at the file's end"""
    for path in tree.texts():
        text = tree.text(path)
        for number, line in enumerate(text.splitlines(), 1):
            if "\t" in line or line != line.rstrip():
                yield f"{tree.name(path)}:{number}: {'a tab' if chr(9) in line else 'blanks at the end'}"
        if text and not text.endswith("\n"):
            yield f"{tree.name(path)}: no newline at the end"


def rule_leftovers(tree):
    """nothing is left to do in a comment, and no merge was left half done"""
    for path in tree.files:
        if path.suffix in TEXT | {".md", ""} and path.resolve() != HERE:
            for number, line in enumerate(tree.text(path).splitlines(), 1):
                found = LEFTOVER.search(line)
                if found:
                    yield f"{tree.name(path)}:{number}: {found[0]}"


def rule_length(tree):
    """no source has more than 600 lines"""
    for path in tree.texts():
        count = tree.text(path).count("\n")
        if count > MAX_LINES:
            yield f"{tree.name(path)}: {count} lines; a noun inside it wants its own file"


def rule_guards(tree):
    """C++ headers say #pragma once, C headers have a guard"""
    for path in tree.code("src", "sim", "tests", "include"):
        if path.suffix == ".hpp" and "#pragma once" not in tree.text(path):
            yield f"{tree.name(path)}: no #pragma once"
        if path.suffix == ".h" and not re.search(r"#ifndef \w+\n#define \w+", tree.text(path)):
            yield f"{tree.name(path)}: no include guard"


def rule_pages(tree):
    """every public function has a manual page"""
    man = tree.root / "man"
    if not (man / "man3").is_dir():
        return
    pages = {path.name.removesuffix(".3") for path in tree.files if path.suffix == ".3"}
    for header in tree.code("include"):
        for function in functions_of(header):
            if function not in pages:
                yield f"{tree.name(header)}: {function} has no page man/man3/{function}.3"


def rule_built(tree, build):
    """every .cpp and .c under src, sim and tests is built by a target"""
    built = {(Path(entry["directory"]) / entry["file"]).resolve()
             for entry in json.loads((Path(build) / "compile_commands.json").read_text())}
    for path in tree.code("src", "sim", "tests"):
        if path.suffix not in (".cpp", ".c") or path.resolve() in built or "data" in path.parts:
            continue
        # What stands in for a room that is switched off is built by another configuration (tests/all.sh).
        list_beside = path.parent / "meson.build"
        is_stand_in = re.search(r"_disabled(_test)?$", path.stem)
        if is_stand_in and list_beside.exists() and path.name in tree.text(list_beside):
            continue
        yield f"{tree.name(path)}: no target builds it; add it to the meson.build beside it"


RULES = [rule_ranks, rule_sim_sides, rule_doors, rule_banned, rule_env_table, rule_spdx, rule_width,
         rule_whitespace, rule_leftovers, rule_length, rule_guards, rule_pages]


def check(root, build=None):
    """[(rule, [complaint])]"""
    tree = Tree(root)
    found = [(rule, list(rule(tree))) for rule in RULES]
    if build:
        found.append((rule_built, list(rule_built(tree, build))))
    return found


def main():
    parser = argparse.ArgumentParser(description=__doc__,
                                     formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--build", help="a build folder with everything switched on")
    parser.add_argument("--root", default=str(HERE.parents[2]))
    parser.add_argument("--self-test", action="store_true")
    args = parser.parse_args()
    if args.self_test:
        from self_test import run
        return run(check, RULES + [rule_built])
    found = check(args.root, args.build)
    for number, (rule, complaints) in enumerate(found, 1):
        for line in complaints:
            print(f"# {line}")
        print(f"{'not ok' if complaints else 'ok'} {number} - {rule.__doc__}")
    print(f"1..{len(found)}")
    return 1 if any(complaints for _, complaints in found) else 0


if __name__ == "__main__":
    sys.exit(main())
