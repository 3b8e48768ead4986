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
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("names", nargs="*", metavar="NAME", help="one of: " + ", ".join(names))
    parser.add_argument("--rounds", type=int, help="samples of each side (5, or 2 with --quick)")
    parser.add_argument("--quick", action="store_true", help="less work, fewer rounds, docs left alone")
    parser.add_argument("--smoke", action="store_true", help="our sides only, tiny; prints checksums")
    parser.add_argument("--variant", action="append", help="only this variant (may be repeated); docs left alone")
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
            sample = samples.one(benchmark, benchmark.ours, name, variant.smoke, extra, programs)
            print(f"{benchmark.name}/{name}: work {sample['work']}, checksum {sample['checksum']}", flush=True)


def say_if_terminal(line):
    if sys.stderr.isatty():
        print(f"\r\033[K{line}", end="", file=sys.stderr, flush=True)


def measure(chosen, programs, args):
    absent = {"peer-tokio": build.tokio(programs), "xtc_peer.beam": build.erlang(programs)}
    if os.getloadavg()[0] > 0.5:
        print(f"note: the machine is not quiet (load {os.getloadavg()[0]:.2f}); trust ratios, not figures")
    for benchmark in chosen:
        by_variant = {}
        for name, variant in benchmark.variants.items():
            if args.variant and name not in args.variant:
                continue
            work = variant.quick if args.quick else variant.work
            by_variant[name] = (
                work,
                samples.run_variant(benchmark, name, work, args.rounds, programs, absent, say_if_terminal),
            )
        if not by_variant:
            continue
        say_if_terminal("")
        entry = report.record(benchmark, by_variant, args.rounds, args.quick)
        print(report.text(benchmark, entry) + "\n", flush=True)
        report.save(benchmark.name, entry)
        if not (args.quick or args.no_docs or args.variant):
            report.write_page(benchmark, entry)


def main():
    args = parse_arguments()
    chosen = [b for b in catalogue.BENCHMARKS if not args.names or b.name in args.names]
    try:
        programs = args.build.resolve() if args.build else build.meson(build.REPO / "build-bench")
        if args.smoke:
            smoke(chosen, programs)
        else:
            measure(chosen, programs, args)
    except (build.BuildError, samples.SampleError) as error:
        print(f"bench: {error}", file=sys.stderr)
        return 1
    return 0


if __name__ == "__main__":
    sys.exit(main())
