# SPDX-License-Identifier: ISC
"""Shows that every rule of man_check.py can fail: breaks one thing at a time in a copy of the tree."""
import functools
import hashlib
import shutil
import tempfile
from pathlib import Path

import man_check

ROOT = Path(__file__).resolve().parents[2]
LOOP, BATCH, EXEC, LOG = (f"man/man3/xtc_{name}.3" for name in ("loop", "batch", "exec", "log"))
SET = "man/man3/nrt_tensor_set.3"
MISMATCH = "incompatible pointer type"


def replace(old, new):
    def edit(text):
        assert old in text, old
        return text.replace(old, new, 1)
    return edit


def append(more):
    return lambda text: text + more


def swap_sections(first, second):
    """Exchanges two neighbouring sections."""
    def edit(text):
        start, middle = text.index(f".Sh {first}\n"), text.index(f".Sh {second}\n")
        end = text.index(".Sh ", middle + 4)
        return text[:start] + text[middle:end] + text[start:middle] + text[end:]
    return edit


def without_errors(text):
    return text[:text.index(".Sh ERRORS\n") + len(".Sh ERRORS\n")] + text[text.index(".Sh THREADS\n"):]


# (what is broken, file, how, the rule that must say so, words it must use)
BREAKS = [
    ("a function without a page", "include/xtc/xtc_loop.h",
     replace("XTC_END_DECLS", "XTC_API int xtc_new_call(void);\nXTC_END_DECLS"),
     "page", "xtc_new_call has no page"),
    ("a declaration the check does not understand", "include/xtc/xtc_loop.h",
     replace("XTC_END_DECLS", "XTC_API int (*odd(void))(int);\nXTC_END_DECLS"), "page",
     "functions understood"),
    ("a lost link", "man/man3/xtc_loop_run.3",
     None, "page", "xtc_loop_run has no page"),
    ("an inline function without a page", "man/man3/xtc_pid_eq.3",
     None, "page", "xtc_pid_eq has no page"),
    ("a link of no function", "man/man3/xtc_gone.3",
     lambda _: ".so man3/xtc_loop.3\n", "page", "no public function"),
    ("a link to nowhere", "man/man3/xtc_loop_run.3",
     lambda _: ".so man3/xtc_gone.3\n", "page", "is not there"),
    ("a name missing in NAME", LOOP,
     replace(".Nm xtc_loop_run ,\n", ""), "page", "NAME does not have xtc_loop_run"),
    ("a call missing in SYNOPSIS", LOOP,
     replace('.Ft int\n.Fn xtc_loop_run "xtc_loop_t *loop"\n', ""),
     "page", "SYNOPSIS does not have xtc_loop_run"),
    ("a section missing", LOOP,
     replace(".Sh THREADS\n", ".Sh CONCURRENCY\n"), "section", "THREADS is missing"),
    ("an empty section", LOOP,
     without_errors, "section", "ERRORS is missing or empty"),
    ("sections out of order", LOOP,
     swap_sections("THREADS", "LIFETIME"), "section", "the order should be"),
    ("a bad date", LOOP,
     replace(".Dd November", ".Dd Brumaire"), "lint", "date"),
    ("a list left open", LOOP,
     append(".Bl -bullet\n.It\nx\n"), "lint", "Bl"),
    ("a wrong parameter type", LOOP,
     replace('.Fa "int64_t delay_ns"', '.Fa "int delay_ns"'), "synopsis", MISMATCH),
    ("a wrong return type", LOOP,
     replace(".Ft int64_t\n.Fn xtc_loop_next", ".Ft int\n.Fn xtc_loop_next"), "synopsis", MISMATCH),
    ("a lost const", LOOP,
     replace('"const xtc_waker_t *waker"', '"xtc_waker_t *waker"'), "synopsis", MISMATCH),
    ("a parameter too many", LOOP,
     replace('.Fn xtc_loop_run "xtc_loop_t *loop"', '.Fn xtc_loop_run "xtc_loop_t *loop" "int fd"'),
     "synopsis", MISMATCH),
    ("no return type", LOOP,
     replace(".Ft int\n.Fn xtc_loop_run", ".Fn xtc_loop_run"), "synopsis", "has no .Ft"),
    ("a wrong header", BATCH,
     replace(".In xtc_batch.h", ".In xtc_proc.h"), "synopsis", "xtc_batch_t"),
    ("a prototype that changed", "include/xtc/xtc_loop.h",
     replace("xtc_loop_step(xtc_loop_t* loop, int64_t timeout_ns)", "xtc_loop_step(xtc_loop_t* loop)"),
     "synopsis", MISMATCH),
    ("a parameter nobody explains", EXEC,
     replace('"int n_loops"', '"int nloops"'), "parameter", "nloops of"),
    ("a callback nobody explains", "man/man3/xtc_blocking.3",
     replace("int (*fn)(void *)", "int (*call)(void *)"), "parameter", "call of"),
    ("an example with a syntax error", LOG,
     replace("return 0;\n}", "return 0\n}"), "example", "expected"),
    ("an example that warns", LOG,
     replace("        return 0;", "        int unused;\n        return 0;"), "example", "unused"),
    ("an example that calls what is not there", LOG,
     replace("xtc_log_drain(log);\n        xtc", "xtc_log_flush(log);\n        xtc"),
     "example", "xtc_log_flush"),
    ("a page without an example", LOG,
     replace(".Bd -literal -offset indent\n#include", ".Bd -filled\n#include"),
     "example", "no literal display"),
    ("a broken example in section 7", "man/man7/xtc.7",
     replace("xtc_strerror(rc)", "xtc_strerror()"), "example", "xtc_strerror"),
    ("an error the page forgot", LOOP,
     replace(".It Bq Er XTC_E_NOMEM\n", ".It Bq Er XTC_E_NOMEMORY\n"), "error", "ERRORS lacks XTC_E_NOMEM"),
    ("an error new in the header", "include/xtc/xtc_loop.h",
     replace("Errors: XTC_E_AGAIN (nothing ran)", "Errors: XTC_E_IO (x), XTC_E_AGAIN (nothing ran)"),
     "error", "ERRORS lacks XTC_E_IO"),
    ("an error the header does not know", LOOP,
     replace(".It Bq Er XTC_E_NOSYS\n", ".It Bq Er XTC_E_VERSION\n"),
     "error", "no header comment names XTC_E_VERSION"),
    ("a wrong number in the error table", "man/man7/xtc_errors.7",
     replace("XTC_E_IO No \\-12", "XTC_E_IO No \\-13"), "error", "XTC_E_IO is 13, in xtc.h 12"),
    ("a code missing in the error table", "include/xtc/xtc.h",
     replace("XTC_E_IO = -12", "XTC_E_NEW = -13"), "error", "XTC_E_NEW is missing"),
    ("a reference to no page", LOOP,
     replace(".Xr xtc_async 3 ,\n.Xr", ".Xr xtc_nothing 3 ,\n.Xr"), "xref", "xtc_nothing(3)"),
    ("a variable missing in xtc(7)", LOOP,
     replace(".Ev XTC_IO_BACKEND ,", ".Ev XTC_IO_OTHER ,"), "environment", "XTC_IO_OTHER"),
    ("a variable in xtc(7) only", "man/man7/xtc.7",
     append(".It Ev XTC_NOWHERE\nx\n"), "environment", "no code knows XTC_NOWHERE"),
    ("a call of the facade without a page", "include/nrt/nrt_xtc.h",
     replace("NRT_API NRT_STATUS", "NRT_API int nrt_new_call(void);\nNRT_API NRT_STATUS"),
     "page", "nrt_new_call has no page"),
    ("a status of the facade that the page forgot", SET,
     replace(".It Bq Er NRT_FAILURE\n", ".It Bq Er NRT_TIMEOUT\n"), "error", "ERRORS lacks NRT_FAILURE"),
    ("a status that the gate gives", SET,
     replace(".It Bq Er NRT_CLOSED\n", ".It Bq Er NRT_TIMEOUT\n"), "error", "ERRORS lacks NRT_CLOSED"),
    ("a wrong number in the table of statuses", "man/man7/nrt.7",
     replace("NRT_CLOSED No 14", "NRT_CLOSED No 15"), "error", "NRT_CLOSED 14"),
    ("a variable of the facade only in its code", "src/nrt/environment.cpp",
     replace('{"XTC_NRT_VNC_COUNT",', '{"XTC_NRT_SECRET",'), "environment",
     "nrt(7) does not list XTC_NRT_SECRET"),
    ("a variable the code reads", "src/base/other.cpp",
     lambda _: 'auto x = env_get("XTC_SECRET");\n', "environment", "XTC_SECRET"),
]


def cached(run_tool, headers):
    """Most texts are the same from one break to the next: asks each tool once for each text and headers."""
    ask = functools.cache(lambda command, text, _: run_tool(list(command), text))
    return lambda command, text: ask(tuple(command), text, headers())


def broken(root, name, edit):
    """The problems of the tree while one file of it is edited; no edit means no file."""
    path = root / name
    before = path.read_text() if path.exists() else None
    if edit is None:
        path.unlink()
    else:
        path.write_text(edit(before or ""))
    found = man_check.Check(root, "cc").run()
    if before is None:
        path.unlink()
    else:
        path.write_text(before)
    return found


def cases(root):
    """(title, what went wrong or nothing)"""
    yield "the tree as it is has no problem", sum(man_check.Check(root, "cc").run().values(), [])
    for title, name, edit, rule, words in BREAKS:
        found = broken(root, name, edit)[rule]
        seen = any(words in problem for problem in found)
        yield f"{rule}: {title} is found", [] if seen else [f"found only: {found}"]
    yield "every rule has a break", sorted(set(man_check.RULES) - {rule for _, _, _, rule, _ in BREAKS})


def run():
    with tempfile.TemporaryDirectory() as folder:
        root = Path(folder)
        for part in ("include", "man", "src", "sim"):
            shutil.copytree(ROOT / part, root / part)

        def headers():
            texts = [path.read_bytes() for path in sorted((root / "include").glob("*/*.h"))]
            return hashlib.sha256(b"\0".join(texts)).hexdigest()

        man_check.run_tool = cached(man_check.run_tool, headers)
        failed = number = 0
        for number, (title, wrong) in enumerate(cases(root), 1):
            failed += bool(wrong)
            for line in "\n".join(wrong).splitlines():
                print(f"# {line}")
            print(f"{'not ok' if wrong else 'ok'} {number} - {title}", flush=True)
        print(f"1..{number}")
    return 1 if failed else 0
