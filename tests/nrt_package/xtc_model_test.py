#!/usr/bin/env python3
# SPDX-License-Identifier: ISC
"""xtc-model from outside. One TAP line per behaviour."""
import gzip
import io
import json
import os
import struct
import subprocess
import sys
import tarfile
import tempfile
from pathlib import Path

TOOL = os.environ["XTC_MODEL"]
NATIVE = Path(os.environ["NATIVE_MODELS"])
GENERATE = os.environ.get("MODEL_GENERATE")  # with examples only
GREEDY = os.environ.get("MODEL_PACKAGE_GREEDY")
MAN = Path(__file__).resolve().parents[2] / "man/man1/xtc-model.1"


def tool(*words, stdin=b""):
    return subprocess.run([TOOL, *map(str, words)], input=stdin, capture_output=True, check=False, timeout=60)


def expect(done, code, out=None, err=None):
    said = f"exit {done.returncode}\n{done.stdout[:500]}\n{done.stderr[:500]}"
    assert done.returncode == code, said
    assert out is None or out in done.stdout.decode(), said
    assert err is None or err in done.stderr.decode(), said
    return done


def tensor(name, dtype="float32", shape=(4,)):
    return {"name": name, "dtype": dtype, "shape": list(shape)}


def manifest(op, attrs=None, dtype="float32", shape=(4,), inputs=("x",)):
    text = {"format": 1, "name": op, "inputs": [tensor(name, dtype, shape) for name in inputs],
            "outputs": [tensor("y", dtype, shape)], "runner": "builtin", "op": op}
    if attrs is not None:
        text["attrs"] = attrs
    return text


class Folder:
    def __init__(self):
        self.temporary = tempfile.TemporaryDirectory()
        self.path = Path(self.temporary.name)

    def model(self, text, name="model", files=None):
        folder = self.path / name
        folder.mkdir()
        (folder / "model.json").write_text(json.dumps(text))
        for file, contents in (files or {}).items():
            (folder / file).parent.mkdir(exist_ok=True)
            (folder / file).write_bytes(contents)
        return folder

    def package(self, text, name="p.tar"):
        package = self.path / name
        expect(tool("pack", self.model(text, name + ".d"), package), 0)
        return package


def floats(*values):
    return struct.pack(f"{len(values)}f", *values)


def test_pack(folder):
    """a folder becomes a package that list describes, and the same folder the same bytes"""
    model = folder.model(manifest("scale", {"factor": 3}), files={"data/w.bin": b"123", "notes": b""})
    (model / "linked").symlink_to("data/w.bin")
    first, second = folder.path / "a.tar", folder.path / "b.tgz"
    expect(tool("pack", model, first), 0)
    expect(tool("pack", model, second), 0)
    listed = expect(tool("list", first), 0, "runner   builtin, scale, factor 3").stdout
    assert b"y  float32   [4], 16 bytes" in listed and b"3  data/w.bin" in listed
    assert expect(tool("list", second), 0).stdout == listed
    assert gzip.decompress(second.read_bytes()) == first.read_bytes()
    assert expect(tool("pack", model, "-"), 0).stdout == first.read_bytes()
    with tarfile.open(first) as tar:
        assert tar.getnames() == ["model.json", "data/w.bin", "linked", "notes"]
        assert tar.extractfile("linked").read() == b"123"
        assert {(entry.mtime, entry.uid, entry.mode) for entry in tar} == {(0, 0, 0o644)}


def test_pack_refuses(folder):
    """pack writes nothing that nrt_load would refuse, and says why"""
    out = folder.path / "p.tar"
    expect(tool("pack", folder.model({"format": 2}, "a"), out), 1, err="NRT_INVALID: model.json: 'format'")
    empty = folder.path / "empty"
    empty.mkdir()
    expect(tool("pack", empty, out), 1, err="no model.json")
    good = folder.model(manifest("copy"), "b")
    (good / "loop").symlink_to(good)
    expect(tool("pack", good, out), 1, err="loop is neither a file nor a folder of files")
    (good / "loop").unlink()
    os.mkfifo(good / "fifo")
    expect(tool("pack", good, out), 1, err="fifo is neither")
    (good / "fifo").unlink()
    expect(tool("pack", "--add", "model.json=/dev/null", good, out), 1, err="is there twice")
    expect(tool("pack", "--add", "../up=/dev/null", good, out), 1, err="leads out of the package")
    expect(tool("pack", folder.path / "nowhere", out), 3, err="cannot read")
    expect(tool("pack", good, folder.path / "nowhere/p.tar"), 3, err="cannot write")
    assert sorted(path.name for path in folder.path.iterdir()) == ["a", "b", "empty"]


def test_foreign_tars(folder):
    """packages that other programs packed are taken: GNU and pax headers, ./ names, folders, gzip"""
    model = folder.model(manifest("copy"), files={"d" * 60 + "/" + "n" * 90: b"x", "m": b"y" * 5000})
    for form in (tarfile.GNU_FORMAT, tarfile.PAX_FORMAT, tarfile.USTAR_FORMAT):
        for mode in ("w", "w:gz"):
            path = folder.path / "foreign.tar"
            with tarfile.open(path, mode, format=form) as tar:
                tar.add(model, arcname=".")
            expect(tool("check", path), 0, "good")
            expect(tool("list", path), 0, "5000  m")
    packed = folder.path / "by_tar.tgz"
    subprocess.run(["tar", "-C", model, "-czf", packed, "."], check=True)
    expect(tool("check", packed), 0, "good")


def test_check(folder):
    """check tells for each package whether it is good, and why not"""
    good = folder.package(manifest("copy"))
    bad = folder.path / "bad.tar"
    bad.write_bytes(good.read_bytes()[:700])
    neff = folder.path / "x.neff"
    neff.write_bytes(struct.pack("<5Q", 1, 1024, 0, 2, 0) + bytes(984))
    link = folder.path / "link.tar"
    with tarfile.open(link, "w") as tar:
        entry = tarfile.TarInfo("model.json")
        entry.type, entry.linkname = tarfile.SYMTYPE, "/etc/passwd"
        tar.addfile(entry, io.BytesIO())
    said = expect(tool("check", good, bad, neff, link), 1).stdout.decode().splitlines()
    expected = ["good", "NRT_INVALID: the package is cut short",
                "NRT_UNSUPPORTED_NEFF_VERSION: this is a NEFF",
                "NRT_INVALID: 'model.json' is a symbolic link"]
    for line, path, begin in zip(said, (good, bad, neff, link), expected):
        assert line.startswith(f"{path}: {begin}"), line
    assert len(said) == len(expected), said
    expect(tool("list", bad), 1, err="cut short")
    expect(tool("run", bad), 1, err="cut short")
    done = expect(tool("check", good, folder.path / "none", bad, good), 3, err="cannot read")
    results = [line.split(": ")[1] for line in done.stdout.decode().splitlines()]
    assert results == ["good", "NRT_INVALID", "good"], results


def test_run_files(folder):
    """inputs come from raw files and standard input, outputs go to raw files and standard output"""
    package = folder.package(manifest("add", inputs=("x", "z")))
    one, two = folder.path / "one", folder.path / "out"
    one.write_bytes(floats(1, 2, 3, 4))
    expect(tool("run", package, "--in", f"x={one}", "--in", "z=-", "--out", f"y={two}",
                stdin=floats(10, 20, 30, 40.5)), 0)
    assert two.read_bytes() == floats(11, 22, 33, 44.5)
    done = expect(tool("run", package, "--in", f"x={one}", "--fill", "zeros", "--out", "y=-"), 0)
    assert done.stdout == one.read_bytes()
    expect(tool("run", package, "--in", f"x={one}", "--in", f"z={one}"), 0, "y float32 [4]: 2 4 6 8\n")
    expect(tool("run", package, "--fill", "zeros", "--print", "2"), 0, "y float32 [4]: 0 0 ...\n")


def test_run_random(folder):
    """random inputs are the seed's, for every type"""
    for dtype in ("uint64", "int8", "uint8", "int16", "uint16", "bfloat16", "float16", "int32", "uint32",
                  "float32", "fp32r", "int64", "fp8_e3", "fp8_e4", "fp8_e5"):
        package = folder.package(manifest("copy", dtype=dtype, shape=(3, 7)), dtype + ".tar")
        words = ["run", package, "--fill", "random", "--print", "all"]
        first = expect(tool(*words, "--seed", "5"), 0).stdout
        assert expect(tool(*words, "--seed", "5"), 0).stdout == first
        assert expect(tool(*words, "--seed", "6"), 0).stdout != first
        assert len(first.split(b": ")[1].split()) == 21
        assert not any(word in first for word in (b"nan", b"inf"))


def test_run_status(folder):
    """a model that does not succeed is named by its status and the exit code"""
    fail = folder.package(manifest("fail", {"status": 1005}), "fail.tar")
    expect(tool("run", fail, "--fill", "zeros"), 1, "", "ended with NRT_EXEC_NC_BUSY (1005)\n")
    nan = folder.package(manifest("nan"), "nan.tar")
    expect(tool("run", nan, "--fill", "zeros"), 1, "y float32 [4]: nan nan nan nan", "NUM_ERR (1003)")
    fatal = folder.package(manifest("fatal"), "fatal.tar")
    expect(tool("run", fatal, "--fill", "zeros"), 1, "", "(1202); a device would need to be initialised")
    sleep = folder.package(manifest("sleep", {"ns": 1000}), "sleep.tar")
    expect(tool("run", sleep, "--fill", "zeros"), 0, "y float32 [4]: 0 0 0 0")


def test_native(folder):
    """a native package is built with --add, loaded by check --load, and refused by --no-native"""
    text = {"format": 1, "name": "n", "inputs": [tensor("x")], "outputs": [tensor("y")],
            "runner": "native", "library": "lib/m.so", "entry": "count_calls"}
    package = folder.path / "n.tar"
    expect(tool("pack", "--add", f"lib/m.so={NATIVE}", folder.model(text), package), 0)
    expect(tool("list", package), 0, "runner   native, count_calls of lib/m.so")
    expect(tool("check", "--load", package), 0, "good")
    expect(tool("run", package, "--fill", "zeros", "--repeat", "3"), 0, "y float32 [4]: 3 0 0 0")
    expect(tool("run", package, "--fill", "zeros", "--no-native"), 1, err="bring code are refused here")
    text["entry"] = "absent"
    absent = folder.path / "absent.tar"
    expect(tool("pack", "--add", f"lib/m.so={NATIVE}", folder.model(text, "m2"), absent), 0)
    expect(tool("check", absent), 0)
    expect(tool("check", "--load", absent), 1, "no function 'absent'")


def test_usage(folder):
    """a command line that makes no sense is explained and runs nothing"""
    package = folder.package(manifest("copy"))
    short = folder.path / "short"
    short.write_bytes(b"123")
    for words, err in [
            (["run", package], "input 'x' needs --in x=FILE, or --fill"),
            (["run", package, "--in", "q=x", "--fill", "zeros"], "the model has no input 'q'"),
            (["run", package, "--out", "q=x", "--fill", "zeros"], "the model has no output 'q'"),
            (["run", package, "--in", f"x={short}"], "input 'x' has 16 bytes, "),
            (["run", package, "--in", "x"], "--in needs NAME=FILE, not 'x'"),
            (["run", package, "--in", "x=a", "--in", "x=b"], "--in names 'x' twice"),
            (["run", package, "--fill", "ones"], "--fill is zeros or random, not 'ones'"),
            (["run", package, "--fill", "zeros", "--print", "-3"], "--print needs a number"),
            (["run", package, "--fill", "zeros", "--repeat", "1e3"], "--repeat needs a number"),
            (["run", package, "--frobnicate"], "there is no option --frobnicate"),
            (["run", package, "--seed"], "--seed needs a value"),
            (["run"], "run needs PACKAGE"), (["list"], "list needs PACKAGE"),
            (["check"], "check needs PACKAGE"), (["pack", "x"], "pack needs FOLDER and PACKAGE"),
            (["dance"], "there is no command 'dance'")]:
        expect(tool(*words), 2, "", "xtc-model: " + err)
    expect(tool(), 2, err="usage: xtc-model COMMAND")
    expect(tool("run", package, "--in", f"x={short}", "--pad"), 0)


def test_help(folder):
    """every command and option that --help names is in the manual page"""
    page = MAN.read_text().replace("\\-", "-")
    expect(tool("--help"), 0, "usage: xtc-model COMMAND")
    for command in ("pack", "list", "check", "run"):
        text = expect(tool(command, "--help"), 0, f"usage: xtc-model {command}").stdout.decode()
        for option in {word.strip("[].,") for word in text.split() if word.strip("[").startswith("--")}:
            assert f"Fl -{option[2:]}" in page, f"{command} {option} is not in {MAN.name}"


def test_same_text_as_the_demo(folder):
    """the transformer's package writes the text the demo's model writes"""
    prompt = "And it came to pass, "
    words = [GENERATE, "--prompt", prompt, "--tokens", "128"]
    text = subprocess.run(words, capture_output=True, check=True).stdout
    done = expect(tool("run", GREEDY, "--in", "prompt=-", "--pad", "--fill", "zeros", "--out", "text=-",
                       stdin=prompt.encode()), 0)
    assert text == prompt.encode() + done.stdout + b"\n", (text, done.stdout)


def main():
    tests = [value for name, value in globals().items() if name.startswith("test_")]
    if GREEDY is None:
        tests.remove(test_same_text_as_the_demo)
    failed = 0
    print(f"1..{len(tests)}")
    for number, test in enumerate(tests, 1):
        try:
            test(Folder())
            print(f"ok {number} - {test.__doc__}")
        except Exception as error:  # pylint: disable=broad-except
            failed += 1
            for line in repr(error).split("\\n"):
                print(f"# {line}")
            print(f"not ok {number} - {test.__doc__}")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
