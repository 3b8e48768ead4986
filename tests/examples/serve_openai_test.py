# SPDX-License-Identifier: ISC
"""Runs the OpenAI client's tests against a server: two active, one waiting, the next one too many."""

import os
import shutil
import subprocess
import sys

from serve_harness import Server

CLIENT = os.path.join(os.path.dirname(os.path.abspath(__file__)), "openai")
SKIPPED = 77


def install():
    if os.path.isdir(os.path.join(CLIENT, "node_modules", "openai")):
        return
    subprocess.run(["npm", "ci", "--ignore-scripts", "--no-audit", "--no-fund"], cwd=CLIENT, check=True)


def main():
    if not shutil.which("node") or not shutil.which("npm"):
        print("node and npm are not installed")
        return SKIPPED
    install()
    with Server("--max-active", 2, "--max-queued", 1, "--fake-step-us", 1000) as server:
        test = subprocess.run(["node", "--test", "--test-reporter=spec", "client_test.mjs"], cwd=CLIENT,
                              env={**os.environ, "SERVE_URL": "http://127.0.0.1:%d" % server.port})
        return test.returncode or server.stop()


if __name__ == "__main__":
    sys.exit(main())
