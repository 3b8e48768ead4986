#!/usr/bin/env python3
# SPDX-License-Identifier: ISC
"""Holds each SENTENCES.md below this folder against what the tests did: every row names tests, and they ran.

    sentences_check.py JUNIT...     check the tables against Meson's junit files
    sentences_check.py --self-test  plant one fault of each kind in a small table and see it found

A row is `| id | how the sentence begins | shown by |`. Shown by is `test case` or `program: test case` in
back-ticks, several joined by <br>, or "prose: why nothing can be tested". Ids increase within a section.
"""
import argparse
import re
import sys
import tempfile
import xml.etree.ElementTree as ElementTree
from pathlib import Path

HERE = Path(__file__).resolve().parent
TABLES = sorted(HERE.rglob("SENTENCES.md"))


class Results:
    """Which test cases ran, by their name and by "program: name"."""

    def __init__(self, files):
        self.ran, self.skipped = set(), set()
        for file in files:
            for suite in ElementTree.parse(file).getroot().iter("testsuite"):
                program = suite.get("name", "").split(" / ")[-1]
                for case in suite.iter("testcase"):
                    name = re.sub(r"^\d+ (- )?", "", case.get("name", "")).strip()
                    skipped = case.find("skipped") is not None
                    into = self.skipped if skipped else self.ran
                    into.update((name, f"{program}: {name}"))

    def complaint(self, name):
        if name in self.ran:
            return None
        return "was skipped" if name in self.skipped else "did not run, or there is no such test"


def order_of(identity):
    """P2.10 comes after P2.9, q after b."""
    return [int(part) if part.isdigit() else part for part in re.findall(r"\d+|[A-Za-z]+", identity)]


def cells_of(line):
    return [cell.strip() for cell in line.strip().strip("|").split(" | ")]


def complaints_about(text, results, table="SENTENCES.md"):
    """How many rows the table has, and every fault of it."""
    rows, found = 0, []
    last, begun, section = None, {}, None
    for number, line in enumerate(text.splitlines(), 1):
        def complain(what):
            found.append(f"{table}:{number}: {what}")
        if line.startswith("## "):
            last, section = None, line[3:]
        if not line.startswith("|") or set(line) <= set("|- ") or line.startswith("| id |"):
            continue
        rows += 1
        cells = cells_of(line)
        if section is None or len(cells) != 3 or not all(cells[:2]):
            complain("a row has an id, the beginning of a sentence, and what shows it, in a section")
            continue
        identity, begins, shown = cells
        if last is not None and order_of(identity) <= order_of(last):
            complain(f"{identity} comes after {last}")
        last = identity
        if begins.lower() in begun:
            complain(f"{identity} begins like {begun[begins.lower()]}: {begins}")
        begun[begins.lower()] = identity
        if re.match(r"prose: \S+", shown):
            continue
        names = re.findall(r"`([^`]+)`", shown)
        if not names or "<br>".join(f"`{name}`" for name in names) != shown:
            complain(f"{identity} names no test, and does not say that it is prose and why")
        for name in names:
            if complaint := results.complaint(name):
                complain(f"{identity}: '{name}' {complaint}")
    if rows == 0:
        found.append(f"{table}: there is no table")
    return rows, found


JUNIT = """<testsuites><testsuite name="xtc.xtc:batch / batch">
<testcase name="1 - one"/><testcase name="2 - two"/>
<testcase name="3 - three"><skipped/></testcase></testsuite>
<testsuite name="xtc.xtc:check / tidy"><testcase name="1 clock"/></testsuite></testsuites>"""
GOOD = """# T
## The page
| id | sentence begins | shown by |
|---|---|---|
| P1.9 | A group owns | `one` |
| P1.10 | A group is | `one`<br>`tidy: clock` |
| P2.1 | To stop is | prose: nothing to see |
## Traps
| id | trap | shown by |
|---|---|---|
| a | race | `batch: two` |
"""
FAULTS = {
    "a test that is not there": ("`one` |\n| P1.10", "`oen` |\n| P1.10"),
    "a test that was skipped": ("`batch: two`", "`three`"),
    "a test of another program": ("`batch: two`", "`tidy: two`"),
    "a row without a test": ("`one` |\n| P1.10", "|\n| P1.10"),
    "words instead of a test": ("`one` |\n| P1.10", "see `one` |\n| P1.10"),
    "prose without a reason": ("prose: nothing to see", "prose"),
    "a row out of order": ("P1.10", "P1.8"),
    "an id twice": ("P1.10", "P1.9"),
    "a sentence twice": ("A group is", "a group owns"),
    "a row without a sentence": ("| A group is |", "|  |"),
    "a cell too few": ("| A group is |", "|"),
    "no table": (GOOD, "# T\n"),
}


def self_test():
    with tempfile.TemporaryDirectory() as folder:
        junit = Path(folder) / "junit.xml"
        junit.write_text(JUNIT)
        results = Results([junit])
    checks = {"a good table": complaints_about(GOOD, results)[1] == []}
    for name, (old, new) in FAULTS.items():
        assert old in GOOD, name
        checks[name] = complaints_about(GOOD.replace(old, new), results)[1] != []
    print(f"1..{len(checks)}")
    for number, (name, good) in enumerate(checks.items(), 1):
        print(f"{'ok' if good else 'not ok'} {number} - sentences-self-test: {name}")
    return all(checks.values())


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--self-test", action="store_true")
    parser.add_argument("junit", nargs="*")
    options = parser.parse_args()
    if options.self_test:
        return self_test()
    missing = [file for file in options.junit if not Path(file).is_file()]
    if missing or not options.junit:
        print(f"no results of tests in {', '.join(missing) or 'the arguments'}: run those stages first")
        return False
    results, good = Results(options.junit), bool(TABLES)
    for table in TABLES:
        name = table.relative_to(HERE.parent)
        rows, found = complaints_about(table.read_text(), results, name)
        print("\n".join(found) or f"{name}: {rows} rows, each shown by tests that ran or said to be prose")
        good = good and not found
    return good


if __name__ == "__main__":
    sys.exit(0 if main() else 1)
