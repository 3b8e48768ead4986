# SPDX-License-Identifier: ISC
"""The functions that the headers of libxtc and libnrt declare, for tests that compare them with something."""
import re
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
PUBLIC = ROOT / "include" / "xtc"
NRT = ROOT / "include" / "nrt"
SEAM = ROOT / "src" / "seam"

DECLARATION = re.compile(r"\b(?:XTC|NRT)_API\b([^;{}]*?)\b((?:xtc|nrta?)_\w+)\s*\(")


def without_comments(text):
    return re.sub(r"/\*.*?\*/|//[^\n]*", " ", text, flags=re.S)


def functions_of(header):
    """Names declared XTC_API or NRT_API in one header, in order."""
    text = "\n".join(line for line in without_comments(header.read_text()).splitlines()
                     if not line.lstrip().startswith("#"))
    names = [found[2] for found in DECLARATION.finditer(text)]
    marks = len(re.findall(r"\b(?:XTC|NRT)_API\b", text))
    if marks != len(names):
        raise SystemExit(f"{header}: {marks} declarations are exported, but {len(names)} names understood")
    return names


def headers_of_library():
    return [path for path in sorted(PUBLIC.glob("*.h")) if path.name != "xtc_sim.h"]


def public_functions():
    """{header name: [function, ...]} of libxtc, the simulator's header left out."""
    return {path.name: functions_of(path) for path in headers_of_library()}


def simulator_functions():
    path = PUBLIC / "xtc_sim.h"
    return functions_of(path) if path.exists() else []


def nrt_functions():
    """{header name: [function, ...]} of libnrt."""
    return {path.name: functions_of(path) for path in sorted(NRT.glob("*.h"))}


def seam_functions():
    return {path.name: functions_of(path) for path in sorted(SEAM.glob("*.h"))}
