# SPDX-License-Identifier: ISC
"""Turns results into a table on the terminal, bench/results.json, and the tables of docs/performance.md."""
import datetime
import json
import os
import platform
import re
import subprocess

from . import build
from .catalogue import Ratio

RESULTS = build.BENCH / "results.json"
PAGE = build.REPO / "docs" / "performance.md"


def machine():
    cpu = "unknown CPU"
    with open("/proc/cpuinfo") as info:
        for line in info:
            if line.startswith("model name"):
                cpu = line.split(":", 1)[1].strip()
                break
    commit = subprocess.run(
        ["git", "-C", str(build.REPO), "rev-parse", "--short", "HEAD"], capture_output=True, text=True
    ).stdout.strip()
    return {
        "cpu": cpu,
        "cpus": len(os.sched_getaffinity(0)),
        "kernel": platform.release(),
        "commit": commit or "unknown",
        "date": datetime.date.today().isoformat(),
    }


def verdict(goal, ours, ratio, higher_is_better):
    """True or False, or None when there is nothing to hold it against."""
    if goal is None:
        return None
    figure = ratio if isinstance(goal, Ratio) else ours
    if figure is None:
        return None
    return figure >= goal.bound if higher_is_better else figure <= goal.bound


def rows(benchmark, variant, results):
    """One row for each target: ours, the best peer it names, the ratio, and whether that is enough."""
    out = []
    higher = benchmark.higher_is_better
    for target in benchmark.targets_of(variant):
        ours = results["ours"].median(target.metric)
        there = [p for p in target.peers if results[p].samples]
        best = None
        if there:
            best = (max if higher else min)(there, key=lambda p: results[p].median(target.metric))
        peer = results[best].median(target.metric) if best else None
        ratio = ours / peer if peer else None
        out.append(
            {
                "variant": variant,
                "metric": target.metric,
                "unit": benchmark.unit_of(target.metric),
                "ours": ours,
                "peer": best or ("absent" if target.peers else "none"),
                "peer_figure": peer,
                "ratio": ratio,
                "first": _goal_text(target.first, higher),
                "first_met": verdict(target.first, ours, ratio, higher),
                "aim": _goal_text(target.aim, higher),
                "aim_met": verdict(target.aim, ours, ratio, higher),
            }
        )
    return out


def record(benchmark, by_variant, rounds, quick):
    variants = {}
    for variant, (work, results) in by_variant.items():
        sides = {}
        for name, result in results.items():
            if result.absent:
                sides[name] = {"absent": result.absent}
                continue
            sides[name] = {
                metric: {
                    "median": result.median(metric),
                    "min": result.spread(metric)[0],
                    "max": result.spread(metric)[1],
                    "samples": result.figures(metric),
                }
                for metric in ("value", *benchmark.also)
                if metric == "value" or metric in result.samples[0]["also"]
            }
        variants[variant] = {
            "work": work,
            "checksum": results["ours"].samples[0]["checksum"],
            "sides": sides,
            "rows": rows(benchmark, variant, results),
        }
    return {
        "what": benchmark.what,
        "unit": benchmark.unit,
        "command": f"./run bench {benchmark.name}",
        "rounds": rounds,
        "quick": quick,
        "machine": machine(),
        "variants": variants,
    }


def save(name, entry, path):
    everything = json.loads(path.read_text()) if path.exists() else {}
    everything[name] = entry
    path.write_text(json.dumps(everything, indent=1, sort_keys=True) + "\n")


def text(benchmark, entry):
    lines = [f"{benchmark.name}: {benchmark.what}"]
    table = [["variant", "figure", "ours", "peer", "", "ratio", "first", "met", "aim", "met"]]
    for variant in entry["variants"].values():
        table += [_cells(row) for row in variant["rows"]]
    lines += _columns(table)
    for name, variant in entry["variants"].items():
        for side, figures in variant["sides"].items():
            if "absent" in figures:
                lines.append(f"    {name:>9}  {side}: absent ({figures['absent']})")
                continue
            lines.append(f"    {name:>9}  {side}: {_figures(benchmark, figures)}")
    return "\n".join(lines)


def markdown(benchmark, entry):
    where = entry["machine"]
    lines = [
        f"`{entry['command']}`: {benchmark.what}.",
        f"{where['cpu']}, {where['cpus']} CPUs, Linux {where['kernel']}; "
        f"{entry['rounds']} rounds, interleaved; commit {where['commit']}, {where['date']}.",
        "",
        "| variant | figure | ours | best peer | its figure | ours / peer | target | met | aim | met |",
        "|---|---|---|---|---|---|---|---|---|---|",
    ]
    for variant in entry["variants"].values():
        lines += ["| " + " | ".join(_cells(row)) + " |" for row in variant["rows"]]
    lines += ["", "| variant | side | figures: median (least to most) |", "|---|---|---|"]
    for name, variant in entry["variants"].items():
        for side, figures in variant["sides"].items():
            if "absent" in figures:
                shown = f"absent: {figures['absent']}"
            else:
                shown = _figures(benchmark, figures)
            lines.append(f"| {name} | {side} | {shown} |")
    return "\n".join(lines)


def write_page(benchmark, entry):
    """Replaces what stands between a benchmark's two marks; all other text on the page is somebody's own."""
    begin, end = f"<!-- bench:{benchmark.name} -->", f"<!-- /bench:{benchmark.name} -->"
    page = PAGE.read_text() if PAGE.exists() else "# Performance\n"
    block = f"{begin}\n{markdown(benchmark, entry)}\n{end}"
    if begin in page:
        page = re.sub(re.escape(begin) + ".*?" + re.escape(end), lambda _: block, page, flags=re.S)
    else:
        page += f"\n## {benchmark.name}\n\n{block}\n"
    PAGE.parent.mkdir(exist_ok=True)
    PAGE.write_text(page)


def _goal_text(goal, higher):
    if goal is None:
        return ""
    sign = ">=" if higher else "<="
    return f"{sign} {goal.bound:g}" + (" x" if isinstance(goal, Ratio) else "")


def _cells(row):
    ratio = f"{row['ratio']:.2f}" if row["ratio"] is not None else ""
    peer = _short(row["peer_figure"]) if row["peer_figure"] is not None else ""
    goals = [row["first"], _met(row["first_met"]), row["aim"], _met(row["aim_met"])]
    return [row["variant"], row["unit"], _short(row["ours"]), row["peer"], peer, ratio, *goals]


def _met(value):
    return "" if value is None else "yes" if value else "no"


def _figures(benchmark, figures):
    parts = []
    for metric, figure in figures.items():
        label = benchmark.unit if metric == "value" else benchmark.also[metric]
        parts.append(f"{_span(figure)} {label}")
    return "; ".join(parts)


def _span(figure):
    return f"{_short(figure['median'])} ({_short(figure['min'])} to {_short(figure['max'])})"


def _short(value):
    return f"{value:,.0f}" if abs(value) >= 1000 else f"{value:.3g}"


def _columns(table):
    widths = [max(len(line[i]) for line in table) for i in range(len(table[0]))]
    return ["  " + "  ".join(c.ljust(w) for c, w in zip(line, widths)).rstrip() for line in table]
