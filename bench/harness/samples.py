# SPDX-License-Identifier: ISC
"""Runs one program once, or all sides of a benchmark in turns, and checks that the work was really done."""
import json
import os
import subprocess
from dataclasses import dataclass, field
from statistics import median

from . import build

SAMPLE_TIMEOUT_S = 120


class SampleError(Exception):
    pass


@dataclass
class SideResult:
    samples: list = field(default_factory=list)
    absent: str = ""

    def figures(self, metric):
        return [s["value"] if metric == "value" else s["also"][metric] for s in self.samples]

    def median(self, metric):
        return median(self.figures(metric))

    def spread(self, metric):
        return min(self.figures(metric)), max(self.figures(metric))


def run_variant(benchmark, variant, work, rounds, programs, absent, say):
    """A B A B ...: every round runs each side once, and starts one side further on than the round before."""
    results = {}
    for side in benchmark.sides_of(variant):
        reason = absent.get(side.program) or ("" if build.command_of(side, programs) else "was not built")
        results[side.name] = SideResult(absent=reason)
    if results["ours"].absent:
        raise SampleError(f"our side of {benchmark.name} {results['ours'].absent}")
    sides = [s for s in benchmark.sides_of(variant) if not results[s.name].absent]
    extra = benchmark.variants[variant].args
    for turn in range(rounds):
        for side in sides[turn % len(sides):] + sides[: turn % len(sides)]:
            result = results[side.name]
            if result.absent:
                continue
            try:
                result.samples.append(one(benchmark, side, variant, work, extra, programs))
            except SampleError as error:
                if side.name == "ours":
                    raise
                result.absent, result.samples = str(error), []
            say(f"{benchmark.name}/{variant} round {turn + 1}/{rounds}: {side.name}")
    agree(benchmark, variant, results)
    return results


def one(benchmark, side, variant, work, extra, programs):
    command = build.command_of(side, programs)
    if benchmark.via_load:
        load = [str(programs / "echo_load"), "--server", "|".join(command), "--side", side.name]
        command = load + ["--variant", variant, "--work", str(work), *extra]
    elif side.program.endswith(".beam"):
        command = command + [variant, str(work)]
    else:
        command = command + ["--variant", variant, "--work", str(work), *extra]
    if benchmark.pinned:
        command = ["taskset", "-c", str(max(os.sched_getaffinity(0))), *command]
    sample = _parse(command)
    if sample["work"] != work:
        raise SampleError(f"{side.name} did {sample['work']} of {work} of {benchmark.name}/{variant}")
    return sample


def agree(benchmark, variant, results):
    """Every side must have done the same work: same checksum."""
    seen = {s["checksum"]: name for name, r in results.items() for s in r.samples}
    if len(seen) > 1:
        raise SampleError(f"{benchmark.name}/{variant}: checksums differ: {seen}")


def _parse(command):
    env = dict(os.environ, ERL_CRASH_DUMP_BYTES="0")
    try:
        done = subprocess.run(command, capture_output=True, text=True, timeout=SAMPLE_TIMEOUT_S, env=env)
    except subprocess.TimeoutExpired:
        raise SampleError(f"no result after {SAMPLE_TIMEOUT_S} s: {' '.join(command)}") from None
    lines = [line for line in done.stdout.splitlines() if line.startswith("{")]
    if done.returncode != 0 or not lines:
        why = (done.stderr or done.stdout).strip().splitlines()
        raise SampleError(f"exit {done.returncode}: {why[-1] if why else 'no output'} ({' '.join(command)})")
    return json.loads(lines[-1])
