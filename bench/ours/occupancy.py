#!/usr/bin/env python3
# SPDX-License-Identifier: ISC
"""`occupancy`: tokens a second of the demo server while more and more clients want its slots.

Starts the server, puts the demo's load on it, and prints one sample. The variant is the number of clients.
Needs a build with the examples (BUILD/examples/serve)."""
import argparse
import json
import os
import re
import signal
import subprocess
import sys
import tempfile
import time
from pathlib import Path

WEIGHTS = Path(__file__).resolve().parent.parent.parent / "examples" / "serve" / "model" / "weights.bin"


def start(serve, log, slots):
    options = ["--model", str(WEIGHTS), "--max-active", str(slots), "--port", "0"]
    server = subprocess.Popen([serve, *options], stdin=subprocess.DEVNULL, stdout=log, stderr=log)
    deadline = time.monotonic() + 30
    while time.monotonic() < deadline and server.poll() is None:
        found = re.search(r" on port (\d+)", Path(log.name).read_text())
        if found:
            return server, int(found.group(1))
        time.sleep(0.02)
    server.kill()
    sys.exit("occupancy: the server did not start: " + Path(log.name).read_text())


def main():
    raw = argparse.RawDescriptionHelpFormatter
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=raw)
    parser.add_argument("--build", type=Path, required=True)
    parser.add_argument("--variant", required=True)
    parser.add_argument("--work", type=int, required=True, help="requests")
    parser.add_argument("--side", default="ours")
    parser.add_argument("--active", type=int, default=16, help="requests in a step at most; 1: batching off")
    parser.add_argument("--clients", type=int, help="instead of the variant's number")
    args = parser.parse_args()
    programs = args.build / "examples" / "serve"
    os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")
    with tempfile.NamedTemporaryFile("w") as log, tempfile.NamedTemporaryFile("r") as figures:
        server, port = start(programs / "xtc-serve", log, args.active)
        load = subprocess.run(
            [programs / "xtc-serve-load", "--port", str(port), "--clients", str(args.clients or args.variant),
             "--requests", str(args.work), "--max-tokens", "96", "--variables", figures.name],
            stdout=subprocess.DEVNULL, check=False)
        server.send_signal(signal.SIGTERM)
        if load.returncode != 0 or server.wait(30) != 0:
            sys.exit("occupancy: the load or the server failed")
        seen = dict(line.rstrip().split("=") for line in figures)
    print(json.dumps({
        "name": "occupancy", "side": args.side, "variant": args.variant, "value": float(seen["tokens_per_s"]),
        "unit": "tokens/s", "work": int(seen["answered"]), "checksum": seen["answered"],
        "also": {"first_p50_ms": float(seen["first_p50_ms"]), "first_p99_ms": float(seen["first_p99_ms"]),
                 "vector": float(seen["mean_vector"])},
    }))


if __name__ == "__main__":
    main()
