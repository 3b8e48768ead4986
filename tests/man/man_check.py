#!/usr/bin/env python3
# SPDX-License-Identifier: ISC
"""Holds the manual and the public headers to each other. One TAP line per rule.

--write-links makes man3/NAME.3 for every name a page documents. --self-test shows that each rule finds what
it is for, in a copy of the tree that is broken on purpose.
"""
import argparse
import os
import re
import subprocess
import sys
from pathlib import Path

RULES = {
    "page": "every public call has a page, and every link leads to one",
    "section": "every page has its sections, in order",
    "lint": "mandoc has nothing to warn about",
    "synopsis": "every prototype compiles against the headers",
    "parameter": "every parameter is explained",
    "example": "every example compiles without a warning",
    "error": "pages and headers name the same errors",
    "xref": "every reference to a page of ours leads to one",
    "environment": "xtc(7) and nrt(7) list the variables that the code reads",
}
SECTIONS = ["NAME", "SYNOPSIS", "DESCRIPTION", "RETURN VALUES", "EXAMPLES", "ERRORS", "THREADS", "LIFETIME",
            "SEE ALSO"]
LINK = re.compile(r"\.so man3/(\w+)\.3\n\Z")
STATUS = re.compile(r"^ +(NRT_\w+) = (\d+)", re.M)
STATUS_HEADER = "include/nrt/nrt_status.h"
STATUSES = {name for name, number in
            STATUS.findall(Path(__file__).resolve().parents[2].joinpath(STATUS_HEADER).read_text())
            if number != "0"}
ERROR_CODE = re.compile(r"\b(?:XTC_E_[A-Z]+|" + "|".join(sorted(STATUSES)) + r")\b")
# What nrt_status.h says of calls whose comment has the word.
GATED = re.compile(r"\bGated\b")
GATE_STATUSES = {"NRT_UNINITIALIZED", "NRT_CLOSED", "NRT_FAILURE"}
PUBLIC_NAME = r"(?:xtc|nrta?)_\w+"
# The page that lists a library's variables, and how its sources name them.
VARIABLES = {
    "xtc": (("src", "sim"), r'(?:env_get\(|EnvVariable\{)\s*"(\w+)"'),
    "nrt": (("src/nrt",), r'^ +\{"((?:NEURON_RT|XTC_NRT)_\w+)",'),
}


def run_tool(command, text):
    """What the tool says against `text`, which it reads from its standard input; None when nothing."""
    done = subprocess.run(command, input=text, capture_output=True, text=True, check=False,
                          env={**os.environ, "LC_ALL": "C"})
    complaint = (done.stdout + done.stderr).strip()
    return complaint or (f"{command[0]} failed" if done.returncode != 0 else None)


def without_escapes(line):
    for escape, text in (("\\&", ""), ("\\(aq", "'"), ("\\-", "-"), ("\\e", "\\")):
        line = line.replace(escape, text)
    return line


class Function:
    def __init__(self, name, header, is_inline, comment):
        self.name, self.header, self.is_inline = name, header, is_inline
        self.errors = set(ERROR_CODE.findall(comment))
        if GATED.search(comment):
            self.errors |= GATE_STATUSES


def short_name(header):
    return f"{header.parent.name}/{header.name}"


def header_functions(path):
    """The public functions of a header, each with the comment above it or above its group."""
    text = path.read_text()
    token = re.compile(r"/\*(?P<comment>.*?)\*/|(?:XTC|NRT)_API(?P<api>[^;{]*);|"
                       r"static inline(?P<inline>[^{]*)\{|[;}#]", re.S)
    comment, found = "", []
    for match in token.finditer(text):
        if match["comment"] is not None:
            comment = match["comment"]
        elif match["api"] or match["inline"]:
            name = re.search(rf"\b({PUBLIC_NAME})\s*\(", match["api"] or match["inline"])
            if name:
                found.append(Function(name[1], short_name(path), match["inline"] is not None, comment))
        else:
            comment = ""
    return found


class Page:
    """One mdoc page: its lines by section, its prototypes, its examples."""

    def __init__(self, path, root):
        self.path, self.stem = path, path.stem
        self.where = str(path.relative_to(root))
        self.lines = path.read_text().split("\n")
        self.sections = {}
        current = None
        for number, line in enumerate(self.lines, 1):
            if line.startswith(".Sh "):
                current = self.sections.setdefault(line[4:].strip(), [])
            elif current is not None and line:
                current.append((number, line))

    def section(self, name):
        return self.sections.get(name, [])

    def names(self):
        return [line.split()[1] for _, line in self.section("NAME") if line.startswith(".Nm ")]

    def includes(self):
        return [line.split()[1] for _, line in self.section("SYNOPSIS") if line.startswith(".In ")]

    def prototypes(self):
        """(line, return type, name, parameters) for each function of the SYNOPSIS; macros have no type."""
        result, returns, name, parameters, start = [], None, None, [], 0
        for number, line in self.section("SYNOPSIS"):
            words = [quoted or bare for quoted, bare in re.findall(r'"([^"]*)"|(\S+)', line)]
            if words[0] == ".Ft":
                returns = " ".join(words[1:])
            elif words[0] == ".Fo":
                name, parameters, start = words[1], [], number
            elif words[0] == ".Fa" and name:
                parameters += words[1:]
            elif words[0] == ".Fc":
                result.append((start, returns, name, parameters))
                name, returns = None, None
            elif words[0] == ".Fn":
                result.append((number, returns, words[1], words[2:] or ["void"]))
                returns = None
        return [entry for entry in result if re.match(PUBLIC_NAME, entry[2])]

    def examples(self):
        """(first line, text) of each literal display in EXAMPLES, with roff's escapes undone."""
        result, text, start = [], None, 0
        for number, line in self.literal_lines("EXAMPLES"):
            if line.startswith(".Bd -literal"):
                text, start = [], number + 1
            elif line == ".Ed" and text is not None:
                result.append((start, "\n".join(text) + "\n"))
                text = None
            elif text is not None:
                text.append(without_escapes(line))
        return result

    def literal_lines(self, name):
        """A section with its empty lines, which the display keeps."""
        numbers = [number for number, _ in self.section(name)]
        if not numbers:
            return []
        return [(n, self.lines[n - 1]) for n in range(numbers[0], numbers[-1] + 1)]

    def errors(self):
        listed = {}
        for number, line in self.section("ERRORS"):
            if line.startswith(".It Bq Er "):
                listed.update((code, number) for code in ERROR_CODE.findall(line))
        return listed


class Check:
    def __init__(self, root, compiler):
        self.root, self.compiler = root, compiler
        self.problems = {rule: [] for rule in RULES}
        self.headers = sorted((root / "include").glob("*/*.h"))
        self.functions = {f.name: f for header in self.headers for f in header_functions(header)}
        self.links, self.pages = {}, {}
        for path in sorted((root / "man").glob("man[37]/*.[37]")):
            link = LINK.match(path.read_text())
            if link and path.suffix == ".3":
                self.links[path.stem] = link[1]
            else:
                self.pages[(path.stem, path.suffix[1:])] = Page(path, root)

    def problem(self, rule, where, what):
        self.problems[rule].append(f"{where}: {what}")

    def object_pages(self):
        return [page for (_, section), page in self.pages.items() if section == "3"]

    def page_of(self, name):
        return self.pages.get((self.links.get(name, name), "3"))

    def run(self):
        self.check_pages()
        self.check_lint()
        for page in self.object_pages():
            self.check_sections(page)
            self.check_synopsis(page)
            self.check_parameters(page)
            self.check_errors(page)
        for page in self.pages.values():
            self.check_examples(page)
        self.check_error_table()
        self.check_cross_references()
        self.check_environment()
        return self.problems

    def check_pages(self):
        for header in self.headers:
            marked = len(re.findall(r"^(?:XTC|NRT)_API\b", header.read_text(), re.M))
            here = [f for f in self.functions.values() if f.header == short_name(header)]
            understood = sum(not f.is_inline for f in here)
            if marked != understood:
                self.problem("page", f"include/{short_name(header)}",
                             f"{marked} lines begin with an export mark, {understood} functions understood")
        for name, function in self.functions.items():
            page = self.page_of(name)
            if page is None:
                self.problem("page", f"include/{function.header}",
                             f"{name} has no page man/man3/{name}.3")
                continue
            if name not in page.names():
                self.problem("page", page.where, f"NAME does not have {name}")
            if name not in [entry[2] for entry in page.prototypes()]:
                self.problem("page", page.where, f"SYNOPSIS does not have {name}")
        for name, target in self.links.items():
            if name not in self.functions:
                self.problem("page", f"man/man3/{name}.3", "no public function has this name")
            if (target, "3") not in self.pages:
                self.problem("page", f"man/man3/{name}.3", f"leads to man3/{target}.3, which is not there")

    def check_lint(self):
        for page in self.pages.values():
            complaint = run_tool(["mandoc", "-Tlint", "-W", "warning"], "\n".join(page.lines))
            if complaint:
                self.problem("lint", page.where, complaint)

    def check_sections(self, page):
        present = [name for name in page.sections if name in SECTIONS]
        for name in SECTIONS:
            if not page.section(name):
                self.problem("section", page.where, f"{name} is missing or empty")
        if present != [name for name in SECTIONS if name in present]:
            self.problem("section", page.where, "the order should be " + ", ".join(SECTIONS))

    def compile(self, text, flags):
        folders = [f"-I{self.root / folder}" for folder in ("include", "include/xtc")]
        return run_tool([*self.compiler.split(), "-std=gnu11", "-fsyntax-only", *folders, *flags,
                         "-x", "c", "-"], text)

    def check_synopsis(self, page):
        lines = [f"#include <{header}>" for header in page.includes()]
        for index, (number, returns, name, parameters) in enumerate(page.prototypes()):
            if returns is None:
                self.problem("synopsis", f"{page.where}:{number}", f"{name} has no .Ft")
                continue
            lines += [f'#line {number} "{page.where}"',
                      f"{returns} (*chk{index})({', '.join(parameters)}) = {name};"]
        failure = self.compile("\n".join(lines) + "\n", ["-Werror=incompatible-pointer-types", "-Werror"])
        if failure:
            self.problem("synopsis", page.where, failure)

    def check_parameters(self, page):
        explained = set()
        for section, lines in page.sections.items():
            if section != "SYNOPSIS":
                for _, line in lines:
                    explained.update(re.findall(r"\bFa ([\w]+)", line))
        for number, _, name, parameters in page.prototypes():
            for parameter in parameters:
                called = re.search(r"\(\*(\w+)\)|(\w+)(?:\[\d*\])?$", parameter)
                called = called and (called[1] or called[2])
                if called and called != "void" and called not in explained:
                    self.problem("parameter", f"{page.where}:{number}",
                                 f"{called} of {name} is not explained")

    def check_examples(self, page):
        examples = page.examples()
        if not examples and page.path.suffix == ".3":
            self.problem("example", page.where, "EXAMPLES has no literal display")
        for number, text in examples:
            text = f'#line {number} "{page.where}"\n{text}'
            failure = self.compile(text, ["-Wall", "-Wextra", "-Werror"])
            if failure:
                self.problem("example", f"{page.where}:{number}", failure)

    def check_errors(self, page):
        promised = {}
        for name, function in self.functions.items():
            if self.page_of(name) is page:
                for code in function.errors:
                    promised.setdefault(code, []).append(name)
        listed = page.errors()
        for code in sorted(set(promised) - set(listed)):
            self.problem("error", page.where,
                         f"ERRORS lacks {code}, which the header gives {promised[code][0]}")
        for code in sorted(set(listed) - set(promised)):
            self.problem("error", f"{page.where}:{listed[code]}", f"no header comment names {code}")

    def check_error_table(self):
        table = self.pages.get(("xtc_errors", "7"))
        lines = "\n".join(table.lines) if table else ""
        header = (self.root / "include/xtc/xtc.h").read_text()
        listed = dict(re.findall(r"^\.It Er (\w+) No \\-(\d+)", lines, re.M))
        defined = dict(re.findall(r"\b(XTC_E_\w+) = -(\d+)", header))
        for code in sorted(set(listed) | set(defined)):
            if listed.get(code) != defined.get(code):
                here, there = listed.get(code, "missing"), defined.get(code, "missing")
                self.problem("error", "man/man7/xtc_errors.7", f"{code} is {here}, in xtc.h {there}")
        table = self.pages.get(("nrt", "7"))
        lines = "\n".join(table.lines) if table else ""
        listed = dict(re.findall(r"^\.It Er (NRT_\w+) No (\d+)", lines, re.M))
        defined = dict(STATUS.findall((self.root / STATUS_HEADER).read_text()))
        for code in sorted(set(listed.items()) ^ set(defined.items())):
            self.problem("error", "man/man7/nrt.7", f"{code[0]} {code[1]} is only here or in nrt_status.h")

    def check_cross_references(self):
        for page in self.pages.values():
            for number, line in enumerate(page.lines, 1):
                for name, section in re.findall(r"\bXr ((?:xtc|nrt)\w*) (\d)", line):
                    if (name, section) not in self.pages and not (section == "3" and name in self.links):
                        self.problem("xref", f"{page.where}:{number}", f"there is no {name}({section})")

    def check_environment(self):
        everywhere = set()
        for stem, (folders, pattern) in VARIABLES.items():
            table = self.pages.get((stem, "7"))
            listed = set(re.findall(r"^\.It Ev (\w+)", "\n".join(table.lines) if table else "", re.M))
            everywhere |= listed
            known = {}
            for folder in folders:
                for path in sorted((self.root / folder).rglob("*.[ch]pp")):
                    for name in re.findall(pattern, path.read_text(), re.M):
                        known[name] = path.relative_to(self.root)
            for name in sorted(set(known) - listed):
                self.problem("environment", known[name], f"{stem}(7) does not list {name}")
            for name in sorted(listed - set(known)):
                self.problem("environment", f"man/man7/{stem}.7", f"no code knows {name}")
        for page in self.pages.values():
            for number, line in enumerate(page.lines, 1):
                for name in re.findall(r"\bEv ((?:XTC|NEURON)_\w+)", line):
                    if name not in everywhere:
                        self.problem("environment", f"{page.where}:{number}", f"no table lists {name}")


def write_links(check):
    wanted = {name: page.stem for page in check.object_pages() for name in page.names()
              if name != page.stem}
    folder = check.root / "man/man3"
    for stale in set(check.links) - set(wanted):
        (folder / f"{stale}.3").unlink()
    for name, target in wanted.items():
        (folder / f"{name}.3").write_text(f".so man3/{target}.3\n")
    print(f"{len(wanted)} links")
    return 0


def main():
    parser = argparse.ArgumentParser(description=__doc__,
                                     formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--root", type=Path, default=Path(__file__).resolve().parents[2])
    parser.add_argument("--cc", default=os.environ.get("CC", "cc"))
    parser.add_argument("--write-links", action="store_true")
    parser.add_argument("--self-test", action="store_true")
    options = parser.parse_args()
    if options.self_test:
        from self_test import run
        return run()
    check = Check(options.root.resolve(), options.cc)
    if options.write_links:
        return write_links(check)
    problems = check.run()
    for number, (rule, sentence) in enumerate(RULES.items(), 1):
        for problem in problems[rule]:
            print("\n".join(f"# {line}" for line in problem.splitlines()))
        print(f"{'not ok' if problems[rule] else 'ok'} {number} - {sentence}")
    print(f"1..{len(RULES)}")
    return 1 if any(problems.values()) else 0


if __name__ == "__main__":
    sys.exit(main())
