#!/usr/bin/env python3
# SPDX-License-Identifier: ISC
"""What `meson install` leaves is enough for a stranger: C and C++ programs build and run from a moved copy.

    install_test.py --build DIR
"""
import argparse
import os
import shutil
import struct
import subprocess
import sys
import tempfile
from pathlib import Path

from readme_test import expected_output, program

ROOT = Path(__file__).resolve().parents[1]
STRICT = ["-Wall", "-Wextra", "-Wpedantic", "-Werror"]

C_PROGRAM = r"""
#include <stdio.h>
#include <xtc.h>
#include "xtc/xtc.h"
int main(void) { return printf("%s %s\n", xtc_version_string(), xtc_strerror(XTC_E_AGAIN)) < 0; }
"""
CXX_PROGRAM = r"""
#include <cstdio>
#include <xtc.h>
int main() {
    int major = 0, minor = 0, patch = 0;
    return xtc_version_components(&major, &minor, &patch) != XTC_OK ||
           std::printf("%s %s\n", xtc_version_string(), xtc_strerror(XTC_E_AGAIN)) < 0;
}
"""
SIM_PROGRAM = r"""
#include <stdio.h>
#include <xtc_sim.h>
static int once(xtc_task_t *self, void *count) {
    (void)self;
    ++*(int *)count;
    return XTC_TASK_DONE;
}
int main(void) {
    xtc_exec_t *exec;
    int count = 0;
    if (xtc_exec_init(&exec, 2) != XTC_OK) return 1;
    if (xtc_exec_spawn(exec, once, &count, NULL) != XTC_OK) return 2;
    if (xtc_sim_exec_run(exec, 7, 0) != XTC_OK || count != 1) return 3;
    if (xtc_sim_trace_hash(exec) == 0 || xtc_exec_fini(exec) != XTC_OK) return 4;
    return puts("simulated") < 0;
}
"""
MODEL_PROGRAM = r"""
#include "nrt/nrt_xtc_model.h"
__attribute__((visibility("default"))) int twice(const nrt_xtc_model_call_t *call) {
    const float *x = call->in[0].data;
    float *y = call->out[0].data;
    for (size_t i = 0; i < call->out[0].bytes / sizeof(float); ++i) y[i] = 2 * x[i];
    return 0;
}
"""
MODEL_JSON = """
{"format": 1, "name": "twice", "runner": "native", "library": "twice.so", "entry": "twice",
 "inputs": [{"name": "x", "dtype": "float32", "shape": [4]}],
 "outputs": [{"name": "y", "dtype": "float32", "shape": [4]}]}
"""
CMAKE = """
cmake_minimum_required(VERSION 3.13)
project(stranger C CXX)
find_package(xtc 0.1 CONFIG REQUIRED)
foreach(kind xtc xtc-static)
  add_executable(c-${kind} main.c)
  target_link_libraries(c-${kind} PRIVATE xtc::${kind})
  add_executable(cxx-${kind} main.cpp)
  target_link_libraries(cxx-${kind} PRIVATE xtc::${kind})
endforeach()
"""
NRT_CMAKE = """
add_executable(neuron neuron.c)
target_link_libraries(neuron PRIVATE xtc::nrt)
"""
SIM_CMAKE = """
add_executable(sim sim.c)
target_link_libraries(sim PRIVATE xtc::xtc-sim)
"""


class Failed(Exception):
    pass


def run(*command, **options):
    command = [str(part) for part in command]
    done = subprocess.run(command, capture_output=True, text=True, timeout=300, **options)
    if done.returncode != 0:
        raise Failed(f"{' '.join(command)}\nstatus {done.returncode}\n{done.stdout}{done.stderr}")
    return done.stdout


class Installed:
    """A tree installed by `meson install` and then moved, with small programs beside it."""

    def __init__(self, build, folder):
        run("meson", "install", "-C", build, "--no-rebuild", "--destdir", folder / "stage")
        config = next((folder / "stage").rglob("xtc.pc"))
        prefix = next(parent for parent in config.parents if (parent / "include").is_dir())
        self.prefix = folder / "moved"
        prefix.rename(self.prefix)
        self.pkgconfig = next(self.prefix.rglob("xtc.pc")).parent
        self.libdir = self.pkgconfig.parent
        self.work = folder / "work"
        self.work.mkdir()
        (self.work / "main.c").write_text(C_PROGRAM)
        (self.work / "main.cpp").write_text(CXX_PROGRAM)
        (self.work / "sim.c").write_text(SIM_PROGRAM)
        (self.work / "hello.c").write_text(program())
        shutil.copy(ROOT / "tests/nrt/client/client.c", self.work / "neuron.c")
        self.has_simulator = (self.libdir / "libxtc-sim.so").exists()
        self.has_neuron = (self.libdir / "libnrt.so.1").exists()
        self.environment = {**os.environ, "PKG_CONFIG_PATH": str(self.pkgconfig),
                            "LD_LIBRARY_PATH": str(self.libdir)}
        version = run("pkg-config", "--modversion", "xtc", env=self.environment).strip()
        self.expected = f"{version} resource temporarily unavailable\n"

    def flags(self, *what, package="xtc"):
        return run("pkg-config", *what, package, env=self.environment).split()

    def try_program(self, binary, expected=None, library_path=True):
        environment = self.environment if library_path else {**os.environ, "LD_LIBRARY_PATH": ""}
        printed = run(binary, env=environment)
        expected = expected or self.expected
        if printed != expected:
            raise Failed(f"{binary} printed {printed!r}, not {expected!r}")

    def build_and_run(self, compiler, source, link, expected=None, library_path=True):
        binary = self.work / "program"
        run(compiler, *STRICT, self.work / source, "-o", binary, *self.flags("--cflags"), *link)
        self.try_program(binary, expected, library_path)


def shared(tree):
    """pkg-config, shared: C and C++"""
    tree.build_and_run("gcc", "main.c", tree.flags("--libs"))
    tree.build_and_run("g++", "main.cpp", tree.flags("--libs"))


def static_twin(tree):
    """pkg-config, libxtc.a with shared system libraries"""
    link = ["-Wl,-Bstatic" if flag == "-lxtc" else flag for flag in tree.flags("--static", "--libs")]
    at = link.index("-Wl,-Bstatic")
    link[at + 1:at + 1] = ["-lxtc", "-Wl,-Bdynamic"]
    tree.build_and_run("gcc", "main.c", link, library_path=False)
    tree.build_and_run("g++", "main.cpp", link, library_path=False)
    tree.build_and_run("gcc", "hello.c", link, expected_output(), library_path=False)


def fully_static(tree):
    """pkg-config --static, a program with no shared library at all"""
    link = ["-static", *tree.flags("--static", "--libs")]
    tree.build_and_run("gcc", "main.c", link, library_path=False)
    tree.build_and_run("gcc", "hello.c", link, expected_output(), library_path=False)


def cmake(tree):
    """CMake find_package: shared and static, C and C++"""
    text = CMAKE + SIM_CMAKE * tree.has_simulator + NRT_CMAKE * tree.has_neuron
    (tree.work / "CMakeLists.txt").write_text(text)
    run("cmake", "-S", tree.work, "-B", tree.work / "out", f"-DCMAKE_PREFIX_PATH={tree.prefix}")
    run("cmake", "--build", tree.work / "out", "-j2")
    for name in ["c-xtc", "cxx-xtc", "c-xtc-static", "cxx-xtc-static"]:
        tree.try_program(tree.work / "out" / name)
    if tree.has_simulator:
        tree.try_program(tree.work / "out" / "sim", "simulated\n")
    if tree.has_neuron:
        tree.try_program(tree.work / "out" / "neuron", NEURON_PRINTS)


def simulator(tree):
    """pkg-config xtc-sim: a seeded run of an installed program"""
    if not tree.has_simulator:
        return "SKIP built without the simulator"
    tree.build_and_run("gcc", "sim.c", tree.flags("--libs", package="xtc-sim"), "simulated\n")


NEURON_PRINTS = "libnrt version 2.31.24.0: carried to the device and back\n"


def neuron(tree):
    """pkg-config nrt: a Neuron client, which needs no newer node than NRT_2.0.0 and finds libxtc by itself"""
    if not tree.has_neuron:
        return "SKIP built without the Neuron facade"
    tree.build_and_run("gcc", "neuron.c", tree.flags("--cflags", "--libs", package="nrt"), NEURON_PRINTS)
    needs = run("readelf", "-V", "--wide", tree.work / "program")
    if "NRT_2.0.0" not in needs or "NRT_3" in needs or "NRT_XTC" in needs:
        raise Failed(f"it needs other nodes:\n{needs}")


def neuron_prefix(tree):
    """the script behind -Dneuron_prefix: libraries that work from a folder of their own"""
    if not tree.has_neuron:
        return "SKIP built without the Neuron facade"
    libdir = tree.libdir.relative_to(tree.prefix)
    run(sys.executable, ROOT / "src/nrt/install_neuron_prefix.py", libdir, "/opt/aws/neuron",
        env={**os.environ, "DESTDIR": str(tree.work / "root"), "MESON_INSTALL_PREFIX": "/usr",
             "MESON_INSTALL_DESTDIR_PREFIX": str(tree.prefix)})
    neuron_lib = tree.work / "root/opt/aws/neuron/lib"
    binary = tree.work / "vendor-like"
    run("gcc", tree.work / "neuron.c", "-o", binary, f"-I{tree.prefix / 'include' / 'xtc'}",
        f"-L{neuron_lib}", "-lnrt", f"-Wl,-rpath,{neuron_lib}")
    tree.try_program(binary, NEURON_PRINTS, library_path=False)


def readme_program(tree):
    """the program in README.md, built by its own command line"""
    run("gcc", tree.work / "hello.c", "-o", tree.work / "hello", *tree.flags("--cflags", "--libs"))
    tree.try_program(tree.work / "hello", expected_output())


def commands(tree):
    """the installed commands run, and find their libraries by themselves"""
    alone = {**os.environ, "LD_LIBRARY_PATH": ""}
    if tree.expected.split()[0] not in run(tree.prefix / "bin" / "xtc-info", env=alone):
        raise Failed("xtc-info does not tell the version")
    sim = tree.prefix / "bin" / "xtc-sim"
    if sim.exists():
        run(sim, "--help", env=alone)


def model_package(tree):
    """a model package, from a C function to its result"""
    tool = tree.prefix / "bin" / "xtc-model"
    if not tool.exists():
        return "SKIP built without model packages"
    folder, package = tree.work / "twice", tree.work / "twice.tar"
    folder.mkdir()
    (folder / "model.json").write_text(MODEL_JSON)
    (tree.work / "twice.c").write_text(MODEL_PROGRAM)
    run("gcc", *STRICT, "-std=c11", "-shared", "-fPIC", "-fvisibility=hidden", tree.work / "twice.c",
        "-o", folder / "twice.so", *tree.flags("--cflags"))
    run(tool, "pack", folder, package)
    (tree.work / "x").write_bytes(struct.pack("4f", 1.5, -4, 0, 7))
    printed = run(tool, "run", package, "--in", f"x={tree.work / 'x'}")
    if printed != "y float32 [4]: 3 -8 0 14\n":
        raise Failed(f"the model gave {printed!r}")


def neuron_sample(tree):
    """a Neuron client from load to unload, in C against the installed headers"""
    package = tree.work / "twice.tar"
    if not tree.has_neuron or not package.exists():
        return "SKIP built without the Neuron facade or model packages"
    run("gcc", *STRICT, "-std=c11", ROOT / "tests/nrt/client/sample.c", "-o", tree.work / "sample",
        *tree.flags("--cflags", "--libs", package="nrt"))
    for runs in ["1", "20"]:
        done = subprocess.run([tree.work / "sample", package, runs], env=tree.environment, timeout=60,
                              input=struct.pack("4f", 1.5, -4, 0, 7), capture_output=True, check=False)
        if done.returncode != 0 or done.stdout != struct.pack("4f", 3, -8, 0, 14):
            raise Failed(f"status {done.returncode}, {done.stdout!r}, {done.stderr!r}")


def neuron_by_hand(tree):
    """a Neuron client with prototypes of its own, which opens the installed library by name"""
    package = tree.work / "twice.tar"
    if not tree.has_neuron or not package.exists():
        return "SKIP built without the Neuron facade or model packages"
    run("gcc", "-Wall", "-Wextra", "-Werror", "-std=c11", ROOT / "tests/nrt/client/by_hand.c", "-o",
        tree.work / "by_hand", "-ldl")
    printed = run(tree.work / "by_hand", package, env=tree.environment)
    if printed != "2 -4 1 80\n":
        raise Failed(f"it printed {printed!r}")


def nothing_extra(tree):
    """no build path is left in the installed text files"""
    for path in [*tree.pkgconfig.glob("*.pc"), *tree.libdir.glob("cmake/xtc/*")]:
        if str(ROOT) in path.read_text():
            raise Failed(f"{path.name} names the source folder")
    if (tree.prefix / "include" / "xtc" / "xtc.h").read_text() != (ROOT / "include/xtc/xtc.h").read_text():
        raise Failed("the installed xtc.h is another one")


def main():
    parser = argparse.ArgumentParser(description=__doc__,
                                     formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--build", required=True)
    build = Path(parser.parse_args().build).resolve()
    tests = [shared, static_twin, fully_static, cmake, readme_program, simulator, neuron, neuron_prefix,
             commands, model_package, neuron_sample, neuron_by_hand, nothing_extra]
    failed = 0
    folder = Path(tempfile.mkdtemp(prefix="xtc-install-"))
    try:
        tree = Installed(build, folder)
        for number, test in enumerate(tests, 1):
            result, note = "ok", ""
            try:
                note = test(tree) or ""
            except (Failed, subprocess.TimeoutExpired) as problem:
                failed += 1
                result = "not ok"
                print("".join(f"# {line}\n" for line in str(problem).splitlines()), end="")
            note = f" # {note}" if note else ""
            print(f"{result} {number} - installed tree: {test.__doc__}{note}", flush=True)
        print(f"1..{len(tests)}")
    finally:
        shutil.rmtree(folder)
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
