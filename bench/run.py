#!/usr/bin/env python3
# SPDX-License-Identifier: ISC
"""Runs the benchmarks of the catalogue, ours and the peers' in turns, and says which targets are met.

    bench/run.py                 everything
    bench/run.py switch echo     some of it
    bench/run.py --smoke         our side of each, tiny, no peers: does it still run, does it do its work
"""
import argparse
import os
import sys
from pathlib import Path

from harness import build, catalogue, report, samples


def parse_arguments():
    names = [b.name for b in catalogue.BENCHMARKS]
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("names", nargs="*", metavar="NAME", help="one of: " + ", ".join(names))
    parser.add_argument("--rounds", type=int, help="samples of each side (5, or 2 with --quick)")
    parser.add_argument("--quick", action="store_true", help="less work, fewer rounds, docs left alone")
    parser.add_argument("--smoke", action="store_true", help="our sides only, tiny; prints checksums")
    parser.add_argument("--variant", action="append", help="only this variant (may be repeated)")
    parser.add_argument("--build", type=Path, help="folder of programs already built (default: build them)")
    parser.add_argument("--no-docs", action="store_true", help="leave docs/performance.md alone")
    args = parser.parse_args()
    unknown = [n for n in args.names if n not in names]
    if unknown:
        parser.error(f"no benchmark named {', '.join(unknown)}; there are: {', '.join(names)}")
    args.rounds = args.rounds or (2 if args.quick else 5)
    return args


def smoke(chosen, programs):
    for benchmark in chosen:
        for name, variant in benchmark.variants.items():
            extra = variant.smoke_args or variant.args
            sample = samples.one(benchmark, benchmark.ours(name), name, variant.smoke, extra, programs)
            done = f"work {sample['work']}, checksum {sample['checksum']}"
            print(f"{benchmark.name}/{name}: {done}", flush=True)


def say_if_terminal(line):
    if sys.stderr.isatty():
        print(f"\r\033[K{line}", end="", file=sys.stderr, flush=True)


def measure_one(benchmark, programs, absent, args):
    by_variant = {}
    for name, variant in benchmark.variants.items():
        if args.variant and name not in args.variant:
            continue
        work = variant.quick if args.quick else variant.work
        results = samples.run_variant(benchmark, name, work, args.rounds, programs, absent, say_if_terminal)
        by_variant[name] = (work, results)
    if not by_variant:
        return
    say_if_terminal("")
    entry = report.record(benchmark, by_variant, args.rounds, args.quick)
    print(report.text(benchmark, entry) + "\n", flush=True)
    whole = not (args.quick or args.variant)
    report.save(benchmark.name, entry, report.RESULTS if whole else programs / "results-partial.json")
    if whole and not args.no_docs:
        report.write_page(benchmark, entry)


def measure(chosen, programs, args):
    absent = {"peer-tokio": build.tokio(programs), "xtc_peer.beam": build.erlang(programs)}
    if os.getloadavg()[0] > 0.5:
        print(f"note: the machine is not quiet (load {os.getloadavg()[0]:.2f}); trust ratios, not figures")
    failures = 0
    for benchmark in chosen:
        try:
            measure_one(benchmark, programs, absent, args)
        except samples.SampleError as error:
            print(f"bench: {benchmark.name}: {error}", file=sys.stderr)
            failures += 1
    return 1 if failures else 0


def main():
    args = parse_arguments()
    chosen = [b for b in catalogue.BENCHMARKS if not args.names or b.name in args.names]
    try:
        programs = args.build.resolve() if args.build else build.meson(build.REPO / "build-bench")
        if args.smoke:
            smoke(chosen, programs)
            return 0
        return measure(chosen, programs, args)
    except (build.BuildError, samples.SampleError) as error:
        print(f"bench: {error}", file=sys.stderr)
        return 1


if __name__ == "__main__":
    sys.exit(main())
