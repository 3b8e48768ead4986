# SPDX-License-Identifier: ISC
"""A rule that cannot fail checks nothing: each is shown a small tree with one fault in it."""
import json
import tempfile
from pathlib import Path

MARK = "// SPDX-License-Identifier: ISC\n"
PAGE = '.\\" SPDX-License-Identifier: ISC\n'

SOUND = {
    "include/xtc/xtc.h": "/* SPDX-License-Identifier: ISC */\n#ifndef XTC_H\n#define XTC_H\n"
                         "XTC_API int xtc_one(void);\n#endif\n",
    "man/man3/xtc_one.3": PAGE,
    "src/base/env.hpp": MARK + '#pragma once\nEnvVariable{"XTC_KNOWN", "", "", ""},\n',
    "src/base/one.hpp": MARK + "#pragma once\nint one(); // a comment may say getenv() and printf\n",
    "src/base/time.cpp": MARK + "int now() { return clock_gettime(0, 0); }\n",
    "src/loop/uring.cpp": MARK + '#include "base/one.hpp"\n#include <liburing.h>\n',
    "src/loop/plain.cpp": MARK + 'const char* s = "time(0)";\nauto t = driver.time(); int r = x->rand();\n'
                                 'void Bell::sleep(int);\nvoid signal(int);\n'
                                 'auto v = env_get("XTC_KNOWN");\n',
    "sim/world.cpp": MARK + '#include "seam/driver.h"\n#include "base/one.hpp"\n',
}

# (rule, file, text): the file is added to, or stands in for, one of the sound tree.
FAULTS = [
    ("rule_ranks", "src/base/two.hpp", MARK + '#pragma once\n#include "loop/loop.hpp"\n'),
    ("rule_ranks", "src/loop/two.cpp", MARK + '#include "sim/world.hpp"\n'),
    ("rule_ranks", "src/loop/two.cpp", MARK + "#include <xtc_sim.h>\n"),
    ("rule_ranks", "src/loop/two.cpp", MARK + '#include "../base/one.hpp"\n'),
    ("rule_ranks", "src/cellar/two.cpp", MARK),
    ("rule_sim_sides", "sim/two.cpp", MARK + '#include "loop/loop.hpp"\n'),
    ("rule_doors", "src/loop/loop.cpp", MARK + "#include <liburing.h>\n"),
    ("rule_doors", "src/batch/two.cpp", MARK + "#include <boost/context/fiber.hpp>\n"),
    ("rule_banned", "src/loop/two.cpp", MARK + "auto t = std::chrono::steady_clock::now();\n"),
    ("rule_banned", "src/loop/two.cpp", MARK + "auto t = ::time(nullptr);\n"),
    ("rule_banned", "src/loop/two.cpp", MARK + "int r = rand();\n"),
    ("rule_banned", "src/loop/two.cpp", MARK + 'auto e = std::getenv("HOME");\n'),
    ("rule_banned", "src/loop/two.cpp", MARK + "std::thread t(work);\n"),
    ("rule_banned", "src/loop/two.cpp", MARK + "int r = ::sigaction(1, &a, &b);\n"),
    ("rule_banned", "src/loop/two.cpp", MARK + 'int r = std::printf("x");\n'),
    ("rule_banned", "sim/two.cpp", MARK + "std::random_device entropy;\n"),
    ("rule_env_table", "src/loop/two.cpp", MARK + 'auto v = env_get("XTC_SECRET");\n'),
    ("rule_spdx", "src/loop/two.cpp", "int two();\n"),
    ("rule_spdx", "tool", "#!/bin/sh\nexit 0\n"),
    ("rule_spdx", "man/man3/xtc_one.3", ".Dd today\n"),
    ("rule_width", "src/loop/two.cpp", MARK + "//" + "x" * 109 + "\n"),
    ("rule_whitespace", "src/loop/two.cpp", MARK + "\tint two();\n"),
    ("rule_whitespace", "src/loop/two.cpp", MARK + "int two(); \n"),
    ("rule_whitespace", "src/loop/two.cpp", MARK + "int two();"),
    ("rule_leftovers", "src/loop/two.cpp", MARK + "// TO" + "DO: later\n"),
    ("rule_leftovers", "README.md", "FIX" + "ME\n"),
    ("rule_leftovers", "src/loop/two.cpp", MARK + "<" * 7 + " HEAD\n"),
    ("rule_length", "src/loop/two.cpp", MARK + "int x;\n" * 600),
    ("rule_guards", "src/loop/two.hpp", MARK + "int two();\n"),
    ("rule_guards", "include/xtc/two.h", MARK + "int two;\n"),
    ("rule_pages", "include/xtc/two.h", MARK + "#ifndef T\n#define T\nXTC_API int xtc_two(void);\n#endif\n"),
    ("rule_built", "src/loop/orphan.cpp", MARK),
    ("rule_built", "src/loop/orphan_disabled.cpp", MARK),
]


def complaints_of(check, files):
    """{rule name: [complaint]} for a tree made of these files, all of the sound ones built."""
    with tempfile.TemporaryDirectory() as folder:
        root = Path(folder)
        for name, text in files.items():
            (root / name).parent.mkdir(parents=True, exist_ok=True)
            (root / name).write_text(text)
        build = root / "build"
        build.mkdir()
        commands = [{"directory": str(root), "file": name} for name in SOUND if name.endswith(".cpp")]
        (build / "compile_commands.json").write_text(json.dumps(commands))
        return {rule.__name__: said for rule, said in check(root, build)}


def run(check, rules):
    failures = [f"the sound tree: {line}" for said in complaints_of(check, SOUND).values() for line in said]
    for rule, name, text in FAULTS:
        if not complaints_of(check, {**SOUND, name: text})[rule]:
            failures.append(f"{rule} did not see {name}: {text[len(MARK):].strip()!r}")
    failures += [f"{rule.__name__} has no planted fault" for rule in rules
                 if rule.__name__ not in {planted for planted, _, _ in FAULTS}]
    for line in failures:
        print(f"# {line}")
    print(f"{'not ok' if failures else 'ok'} 1 - {len(FAULTS)} planted faults are found\n1..1")
    return 1 if failures else 0
