#!/usr/bin/env python3
# SPDX-License-Identifier: ISC
"""Each public header, alone and included twice, compiles in C11, C17, C++17 and C++20 without a warning.

One TAP line per header and compiler. --self-test shows that a header that needs another one, or leaks a
warning, is found.
"""
import shutil
import subprocess
import sys
import tempfile
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
INCLUDE = ROOT / "include"
COMPILERS = {"gcc": ("gcc", "g++"), "clang-19": ("clang-19", "clang++-19")}
LANGUAGES = [("c11", 0, "c"), ("c17", 0, "c"), ("c++17", 1, "c++"), ("c++20", 1, "c++")]
STRICT = ["-Wall", "-Wextra", "-Wpedantic", "-Werror", "-fsyntax-only"]


def complaint(include_folder, name, compilers):
    """What the compilers say about a header, '' when nothing."""
    for standard, which, language in LANGUAGES:
        source = f"#include <{name}>\n#include <{name}>\nint main(void) {{ return 0; }}\n"
        command = [compilers[which], f"-std={standard}", "-x", language, *STRICT,
                   f"-I{include_folder}", f"-I{include_folder / 'xtc'}", "-"]
        done = subprocess.run(command, input=source, capture_output=True, text=True)
        if done.returncode != 0 or done.stderr:
            return f"{' '.join(command)}\n{done.stderr}"
    return ""


def self_test():
    planted = {"needy.h": "void f(size_t n);\n",
               "warns.h": "static int unused(void) { return 1; }\n",
               "no_guard.h": "struct once { int x; };\n",
               "c_only.h": "#ifndef A\n#define A\nstruct a { int class; };\n#endif\n",
               "pedantic.h": "#ifndef B\n#define B\nstruct b { int n; int tail[0]; };\n#endif\n"}
    sound = "#ifndef S\n#define S\n#include <stddef.h>\nvoid s(size_t n);\n#endif\n"
    with tempfile.TemporaryDirectory() as folder:
        for name, text in {**planted, "sound.h": sound}.items():
            Path(folder, name).write_text(text)
        for compilers in COMPILERS.values():
            if shutil.which(compilers[0]) is None:
                continue
            assert complaint(Path(folder), "sound.h", compilers) == ""
            for name in planted:
                assert complaint(Path(folder), name, compilers), f"{name} passed with {compilers[0]}"
    print(f"ok 1 - {len(planted)} planted faults are found\n1..1")


def main():
    if sys.argv[1:] == ["--self-test"]:
        return self_test()
    headers = sorted(path.relative_to(INCLUDE).as_posix() for path in INCLUDE.rglob("*.h"))
    cases = [(header, compiler) for header in headers for compiler in COMPILERS]

    def judge(case):
        header, compiler = case
        if shutil.which(COMPILERS[compiler][0]) is None:
            return None
        return complaint(INCLUDE, header, COMPILERS[compiler])

    failed = 0
    with ThreadPoolExecutor(max_workers=2) as pool:
        for number, ((header, compiler), said) in enumerate(zip(cases, pool.map(judge, cases)), 1):
            if said:
                failed += 1
                print("\n".join("# " + line for line in said.splitlines()))
            skip = " # SKIP not installed" if said is None else ""
            print(f"{'not ok' if said else 'ok'} {number} - {header} alone with {compiler}{skip}", flush=True)
    print(f"1..{len(cases)}")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
