#!/usr/bin/env python3
# SPDX-License-Identifier: ISC
"""The program in README.md compiles as C11 without a warning, runs, and prints what the README says; the code
in docs/batch.md compiles.

    readme_test.py --build DIR      with the library of a build folder
"""
import argparse
import os
import re
import subprocess
import sys
import tempfile
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
MAX_LINES = 20


def first_block(page, language):
    found = re.search(rf"^```{language}\n(.*?)^```$", (ROOT / page).read_text(), flags=re.S | re.M)
    if found is None:
        raise SystemExit(f"{page} has no ```{language} block")
    return found[1]


def program():
    return first_block("README.md", "c")


def expected_output():
    return first_block("README.md", "text")


def complaints_about_batch_md():
    headers = "#include <xtc_batch.h>\n#include <xtc_proc.h>\n"
    built = subprocess.run(["gcc", "-std=c11", "-Wall", "-Wextra", "-Wpedantic", "-Werror",
                            "-Wno-unused-function", f"-I{ROOT}/include/xtc", "-fsyntax-only", "-x", "c", "-"],
                           input=headers + first_block("docs/batch.md", "c"), capture_output=True, text=True)
    return built.stderr


def main():
    parser = argparse.ArgumentParser(description=__doc__,
                                     formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--build", required=True)
    build = Path(parser.parse_args().build).resolve()
    name = "the program in README.md prints what it says"
    code_lines = [line for line in program().splitlines() if line.strip() and not line.startswith("#include")]
    with tempfile.TemporaryDirectory() as folder:
        source, binary = Path(folder, "hello.c"), Path(folder, "hello")
        source.write_text(program())
        command = ["gcc", "-std=c11", "-Wall", "-Wextra", "-Wpedantic", "-Werror",
                   str(source), "-o", str(binary), f"-I{ROOT}/include", f"-I{ROOT}/include/xtc",
                   f"-L{build}/src", "-lxtc"]
        built = subprocess.run(command, capture_output=True, text=True)
        said = built.stderr
        if built.returncode == 0:
            run = subprocess.run([str(binary)], capture_output=True, text=True, timeout=60,
                                 env={**os.environ, "LD_LIBRARY_PATH": f"{build}/src"})
            said = run.stderr
            if run.returncode != 0 or run.stdout != expected_output():
                said += f"status {run.returncode}, printed {run.stdout!r}"
    if len(code_lines) > MAX_LINES:
        said += f"the program has {len(code_lines)} lines"
    found = {name: said, "the code in docs/batch.md compiles": complaints_about_batch_md()}
    for number, (name, said) in enumerate(found.items(), 1):
        print("".join(f"# {line}\n" for line in said.splitlines()), end="")
        print(f"{'not ok' if said else 'ok'} {number} - {name}")
    print(f"1..{len(found)}")
    return 1 if any(found.values()) else 0


if __name__ == "__main__":
    sys.exit(main())
