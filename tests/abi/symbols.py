#!/usr/bin/env python3
# SPDX-License-Identifier: ISC
"""What the headers declare, what the maps list and what the libraries export must be the same names.

    symbols.py --build DIR            check, one TAP line per statement
    symbols.py --build DIR --write    rewrite src/xtc.map from what is declared and defined, and
                                      src/nrt/nrt.map
    symbols.py --self-test            show that each statement can fail

A function that is declared but not written yet stands in src/xtc.pending; the list only shrinks, and an
empty one is deleted.
"""
import argparse
import re
import subprocess
import sys

from declared import ROOT, nrt_functions, public_functions, seam_functions, simulator_functions

MAP = ROOT / "src" / "xtc.map"
PENDING = ROOT / "src" / "xtc.pending"
PUBLIC_NODE = "XTC_0.1"
PRIVATE_NODE = "XTC_PRIVATE"
SIM_NODE = "XTC_SIM_0.1"
NRT_MAP = ROOT / "src" / "nrt" / "nrt.map"
# Each with its parent: a loader that finds NRT_3.0.0 knows that all of NRT_2.0.0 is there.
NRT_NODES = {"NRT_2.0.0": "", "NRT_3.0.0": " NRT_2.0.0", "NRT_XTC_1.0": " NRT_3.0.0"}


def read_map(text):
    """{node: set of names}; wildcards other than `local: *` are an error."""
    text = re.sub(r"/\*.*?\*/", " ", text, flags=re.S)
    nodes = {}
    for node, body in re.findall(r"([\w.]+)\s*\{(.*?)\}[^;]*;", text, flags=re.S):
        body = re.sub(r"local:\s*\*;", "", body).replace("global:", "")
        nodes[node] = {name.strip() for name in body.split(";") if name.strip()}
    return nodes


def run(*command):
    return subprocess.run(command, check=True, capture_output=True, text=True).stdout


def exported(library):
    """{node: set of names} from the dynamic symbol table."""
    nodes = {}
    for line in run("nm", "-D", "--defined-only", "--with-symbol-versions", str(library)).splitlines():
        kind, name = line.split()[-2:]
        if kind == "A":  # the node itself
            continue
        name, _, node = name.replace("@@", "@").partition("@")
        nodes.setdefault(node, set()).add(name)
    return nodes


def defined(archive):
    lines = run("nm", "--defined-only", "--extern-only", str(archive)).splitlines()
    return {line.split()[2] for line in lines if len(line.split()) == 3 and line.split()[1] in "TtWwBDRV"}


def read_pending():
    if not PENDING.exists():
        return set()
    return {line.strip() for line in PENDING.read_text().splitlines() if line.strip() and line[0] != "#"}


def problems(public, private, mapped, exports, pending):
    """Every way in which the three lists differ, as {statement: [sentence]}."""
    found = {
        "every declared public function is in the map": sorted(
            public - pending - mapped.get(PUBLIC_NODE, set())),
        "every name in the public node is declared": sorted(mapped.get(PUBLIC_NODE, set()) - public),
        "every declared seam function is in the private node": sorted(
            private - pending - mapped.get(PRIVATE_NODE, set())),
        "every name in the private node is declared": sorted(mapped.get(PRIVATE_NODE, set()) - private),
        "every name in the map is exported at its node": sorted(
            f"{name}@{node}" for node, names in mapped.items() for name in names - exports.get(node, set())),
        "every exported name is in the map": sorted(
            f"{name}@{node}" for node, names in exports.items() for name in names - mapped.get(node, set())),
        "what is pending is declared and not exported": sorted(
            (pending - public - private) | (pending & set().union(*exports.values(), set()))),
    }
    return found


def nrt_node(name):
    """The node that clients link a function of libnrt at."""
    if name.startswith("nrta_"):
        return "NRT_3.0.0"
    return "NRT_XTC_1.0" if name.startswith("nrt_xtc_") else "NRT_2.0.0"


def nrt_problems(declared, mapped, exports):
    """The same statements about libnrt, whose functions are all written."""
    wanted = {node: {name for name in declared if nrt_node(name) == node} for node in NRT_NODES}

    def lacking(whole, part):
        return sorted(f"{name}@{node}" for node, names in whole.items()
                      for name in names - part.get(node, set()))
    return {
        "libnrt: every declared function is in the map at its node": lacking(wanted, mapped),
        "libnrt: every name in the map is declared, at its node": lacking(mapped, wanted),
        "libnrt: every name in the map is exported at its node": lacking(mapped, exports),
        "libnrt: every exported name is in the map": lacking(exports, mapped),
        "libnrt: the nodes are those that clients ask for": sorted(set(NRT_NODES) ^ set(mapped)),
    }


def elf_problems(text):
    """The same of what `readelf -dVW` tells of libnrt."""
    parents = re.findall(r"Name: (NRT_[\w.]+)\n(?:.*Parent 1: (NRT_[\w.]+))?", text)
    wanted = [(node, parent.strip()) for node, parent in NRT_NODES.items()]
    tags = {"the name libnrt.so.1": r"\(SONAME\).*\[libnrt\.so\.1\]",
            "libxtc.so.0": r"\(NEEDED\).*\[libxtc\.so\.0\]", "NODELETE": r"\(FLAGS_1\).*NODELETE"}
    return {
        "libnrt: each node stands on the one before it": [] if parents == wanted else [str(parents)],
        "libnrt: it is libnrt.so.1, needs libxtc.so.0 and stays loaded": [
            f"without {what}" for what, tag in tags.items() if not re.search(tag, text)],
    }


def tap(statements):
    failed = 0
    for number, (statement, names) in enumerate(statements.items(), 1):
        if names:
            failed += 1
            print("\n".join(f"# {name}" for name in names))
        print(f"{'not ok' if names else 'ok'} {number} - {statement}")
    print(f"1..{len(statements)}")
    return failed


def names_of(headers):
    return {name for names in headers.values() for name in names}


def sections(headers, available):
    lines = []
    for header, names in headers.items():
        present = sorted(set(names) & available)
        if present:
            lines.append(f"    /* {header} */")
            lines += [f"    {name};" for name in present]
    return lines


def write(public, private, available):
    lines = ["/* SPDX-License-Identifier: ISC */",
             "/* Written by tests/abi/symbols.py --write: what is declared and defined. */",
             f"{PUBLIC_NODE} {{", "global:", *sections(public, available), "local:", "    *;", "};"]
    if names_of(private) & available:
        lines += ["", "/* For libxtc-sim and libnrt of the same build: no promise to anyone else. */",
                  f"{PRIVATE_NODE} {{", "global:", *sections(private, available), "};"]
    MAP.write_text("\n".join(lines) + "\n")
    missing = sorted((names_of(public) | names_of(private)) - available)
    if missing:
        head = ["# SPDX-License-Identifier: ISC",
                "# Declared, not written yet. Only shrinks; see tests/abi/symbols.py."]
        PENDING.write_text("\n".join(head + missing) + "\n")
    elif PENDING.exists():
        PENDING.unlink()
    present = (names_of(public) | names_of(private)) & available
    print(f"{len(present)} names in {MAP.name}, {len(missing)} pending")


def write_nrt(headers):
    lines = ["/* SPDX-License-Identifier: ISC */",
             "/* Written by tests/abi/symbols.py --write. The nodes are those of the vendor's library. */"]
    for node, parent in NRT_NODES.items():
        here = {header: [name for name in names if nrt_node(name) == node]
                for header, names in headers.items()}
        names = sections(here, names_of(here))
        lines += [f"{node} {{", *(["global:", *names] if names else [])]
        lines += ["local:", "    *;"] if not parent else []
        lines += [f"}}{parent};", ""]
    NRT_MAP.write_text("\n".join(lines[:-1]) + "\n")
    print(f"{len(names_of(headers))} names in {NRT_MAP.name}")


def elf_self_test():
    good = """
 (NEEDED) Shared library: [libxtc.so.0]
 (SONAME) Library soname: [libnrt.so.1]
 (FLAGS_1) Flags: NODELETE
  0x1: Rev: 1  Flags: none  Index: 2  Cnt: 1  Name: NRT_2.0.0
  0x2: Rev: 1  Flags: none  Index: 3  Cnt: 2  Name: NRT_3.0.0
  0x3: Parent 1: NRT_2.0.0
  0x4: Rev: 1  Flags: none  Index: 4  Cnt: 2  Name: NRT_XTC_1.0
  0x5: Parent 1: NRT_3.0.0
"""
    assert not any(elf_problems(good).values()), elf_problems(good)
    for line in good.splitlines()[1:]:
        assert any(elf_problems(good.replace(line + "\n", "")).values()), f"not missed: {line}"


def nrt_self_test():
    name, base = "nrt_a", {"NRT_2.0.0": {"nrt_a"}, "NRT_3.0.0": {"nrta_b"}, "NRT_XTC_1.0": {"nrt_xtc_c"}}
    declared = {"nrt_a", "nrta_b", "nrt_xtc_c"}
    assert not any(nrt_problems(declared, base, base).values())
    moved = {**base, "NRT_2.0.0": {name, "nrta_b"}, "NRT_3.0.0": set()}
    without = {**base, "NRT_2.0.0": set()}
    for statement, found in zip(nrt_problems(declared, base, base), [
            nrt_problems(declared | {"nrt_d"}, base, base), nrt_problems(declared, moved, base),
            nrt_problems(declared, base, without), nrt_problems(declared, without, base),
            nrt_problems(declared, {**base, "NRT_4.0.0": set()}, base)]):
        assert found[statement], f"cannot fail: {statement}"


def self_test():
    nrt_self_test()
    elf_self_test()
    base = dict(public={"xtc_a"}, private={"xtc_seam_b"}, pending=set(),
                mapped={PUBLIC_NODE: {"xtc_a"}, PRIVATE_NODE: {"xtc_seam_b"}},
                exports={PUBLIC_NODE: {"xtc_a"}, PRIVATE_NODE: {"xtc_seam_b"}})
    assert not any(problems(**base).values())
    planted = [
        ("every declared public function is in the map", dict(public={"xtc_a", "xtc_c"})),
        ("every name in the public node is declared", dict(public=set())),
        ("every declared seam function is in the private node", dict(private={"xtc_seam_b", "xtc_seam_c"})),
        ("every name in the private node is declared", dict(private=set())),
        ("every name in the map is exported at its node", dict(exports={PUBLIC_NODE: {"xtc_a"}})),
        ("every exported name is in the map", dict(exports={PUBLIC_NODE: {"xtc_a", "leak"},
                                                            PRIVATE_NODE: {"xtc_seam_b"}})),
        ("what is pending is declared and not exported", dict(pending={"xtc_a"})),
    ]
    assert [statement for statement, _ in planted] == list(problems(**base))
    for statement, change in planted:
        assert problems(**{**base, **change})[statement], f"cannot fail: {statement}"
    print(f"ok 1 - each of {len(planted)} statements can fail\n1..1")


def main():
    parser = argparse.ArgumentParser(description=__doc__,
                                     formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--build", help="the build folder whose library is looked at")
    parser.add_argument("--write", action="store_true")
    parser.add_argument("--self-test", action="store_true")
    args = parser.parse_args()
    if args.self_test:
        return self_test()
    public, private = public_functions(), seam_functions()
    if args.write:
        write(public, private, defined(f"{args.build}/src/libxtc.a"))
        return write_nrt(nrt_functions())
    exports = exported(f"{args.build}/src/libxtc.so.0")
    mapped = read_map(MAP.read_text())
    statements = problems(names_of(public), names_of(private), mapped, exports, read_pending())
    sim = ROOT.joinpath(args.build, "sim", "libxtc-sim.so.0")
    if sim.exists():
        exports = exported(sim)
        declared = set(simulator_functions())
        statements["the simulator exports what xtc_sim.h declares and nothing else"] = sorted(
            declared ^ exports.pop(SIM_NODE, set())) + sorted(
            f"{name}@{node}" for node, names in exports.items() for name in names)
    nrt = ROOT.joinpath(args.build, "src", "nrt", "libnrt.so.1")
    if nrt.exists():
        mapped = read_map(NRT_MAP.read_text())
        statements.update(nrt_problems(names_of(nrt_functions()), mapped, exported(nrt)))
        statements.update(elf_problems(run("readelf", "-dVW", str(nrt))))
    return 1 if tap(statements) else 0


if __name__ == "__main__":
    sys.exit(main())
