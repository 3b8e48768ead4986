#!/usr/bin/env python3
# SPDX-License-Identifier: ISC
"""The demo: a server whose requests are batched continuously, a load of streaming clients against it, the
same load with batching off, and the batch code under the seeded simulator."""

import argparse
import json
import os
import re
import signal
import subprocess
import sys
import time
import urllib.request

HERE = os.path.dirname(os.path.abspath(__file__))
BATCH = 16


def fail(sentence):
    print("demo: " + sentence, file=sys.stderr)
    sys.exit(1)


class Server:
    def __init__(self, build, log, *options):
        self.log = log
        with open(log, "w") as output:
            self.process = subprocess.Popen([os.path.join(build, "examples", "serve", "xtc-serve"), *options],
                                            stdin=subprocess.DEVNULL, stdout=output, stderr=subprocess.STDOUT,
                                            start_new_session=True)
        self.port = self.wait_for_port()
        self.wait_for_health()

    def said(self):
        with open(self.log) as output:
            return output.read()

    def wait_for(self, look, what):
        deadline = time.monotonic() + 30
        while time.monotonic() < deadline and self.process.poll() is None:
            found = look()
            if found:
                return found
            time.sleep(0.02)
        self.process.kill()
        fail("the server %s; it said:\n%s" % (what, self.said()))

    def wait_for_port(self):
        return int(self.wait_for(lambda: re.search(r" on port (\d+)", self.said()), "did not start").group(1))

    def wait_for_health(self):
        def healthy():
            try:
                with urllib.request.urlopen("http://127.0.0.1:%d/healthz" % self.port, timeout=5) as answer:
                    return answer.status == 200
            except OSError:
                return False
        self.wait_for(healthy, "did not become healthy")

    def first_line(self):
        return self.said().splitlines()[0]

    def stop(self):
        self.process.send_signal(signal.SIGTERM)
        try:
            status = self.process.wait(30)
        except subprocess.TimeoutExpired:
            self.process.kill()
            fail("the server did not stop on SIGTERM")
        if status != 0:
            fail("the server ended with %d; it said:\n%s" % (status, self.said()))


def run_load(build, port, variables, *options):
    status = subprocess.run([os.path.join(build, "examples", "serve", "xtc-serve-load"), "--port", str(port),
                             "--variables", variables, *options]).returncode
    if status != 0:
        fail("the load failed (exit %d)" % status)
    with open(variables) as lines:
        return {name: float(value) for name, value in (line.rstrip().split("=") for line in lines)}


def compare(on, off):
    rows = [("tokens/s", "tokens_per_s", "%.0f"), ("requests in a step", "mean_vector", "%.1f"),
            ("first token, p50, ms", "first_p50_ms", "%.1f"),
            ("first token, p99, ms", "first_p99_ms", "%.1f"),
            ("inter-token, p50, ms", "inter_p50_ms", "%.2f"),
            ("inter-token, p99, ms", "inter_p99_ms", "%.2f")]
    print("\n%-24s %12s %12s" % ("", "batching on", "off"))
    for title, name, form in rows:
        print("  %-22s %12s %12s" % (title, form % on[name], form % off[name]))
    gain = on["tokens_per_s"] / max(off["tokens_per_s"], 1)
    print("  batching on serves %.1f times the tokens of off" % gain)


def simulate(build):
    simulator = os.path.join(build, "sim", "xtc-sim")
    if not os.path.exists(simulator):
        return
    print("\nThe same batch code under the simulator, seed 7:")
    if subprocess.run([simulator, "--seed", "7", "--workload", "batch"]).returncode != 0:
        fail("the simulator found a fault")


def model_options():
    weights = os.path.join(HERE, "model", "weights.bin")
    return ["--model", weights] if os.path.exists(weights) else ["--model", "fake", "--fake-step-us", "2000"]


def serve(build, options):
    server = Server(build, os.path.join(build, "serve.log"), *options)
    print("\nThe server stays: process %d, log %s" % (server.process.pid, server.log))
    print("Try it, and end it:\n")
    model = re.search(r"model (\S+)", server.first_line()).group(1)
    request = {"model": model, "prompt": "In the beginning ", "max_tokens": 100, "stream": True}
    print("  curl -N http://127.0.0.1:%d/v1/completions -H 'Content-Type: application/json' \\\n"
          "    -d '%s'\n  kill %d" % (server.port, json.dumps(request), server.process.pid))


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--build", default="build/release", help="the build folder (build/release)")
    parser.add_argument("--serve", action="store_true", help="leave a server running and print a curl line")
    parser.add_argument("--requests", type=int, default=192,
                        help="with batching on; a quarter of them with off (192)")
    parser.add_argument("--max-tokens", type=int, default=96, help="of each answer (96)")
    arguments = parser.parse_args()
    build = os.path.abspath(arguments.build)
    if not os.path.exists(os.path.join(build, "examples", "serve", "xtc-serve")):
        fail("there is no xtc-serve in %s: it needs libboost-dev and nlohmann-json3-dev" % build)
    os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")  # before OpenBLAS makes a thread for each processor
    load = ["--clients", str(2 * BATCH), "--max-tokens", str(arguments.max_tokens)]
    common = [*model_options(), "--port", "0"]
    variables = os.path.join(build, "serve-load.txt")

    results = {}
    runs = [("Batching on: up to %d requests in a step. Every tenth client leaves in the middle." % BATCH,
             BATCH, ["--requests", str(arguments.requests), "--leave-every", "10"]),
            ("Batching off: one request at a time.", 1, ["--requests", str(arguments.requests // 4)])]
    for title, active, extra in runs:
        server = Server(build, os.path.join(build, "serve.log"), *common, "--max-active", str(active))
        print("\n%s\n%s" % (title, server.first_line()), flush=True)
        results[active] = run_load(build, server.port, variables, *load, *extra)
        server.stop()
        print("  stopped on SIGTERM with exit 0", flush=True)
    compare(results[BATCH], results[1])
    sys.stdout.flush()
    simulate(build)
    if arguments.serve:
        serve(build, [*model_options(), "--port", "0", "--max-active", str(BATCH)])


if __name__ == "__main__":
    main()
