# SPDX-License-Identifier: ISC
"""The transformer twice: in the server, and as a package of the Neuron runtime's CPU device that xtc-model
runs. Both write the same text."""

import json
import os
import subprocess
import unittest

from serve_harness import Server, run_tests

XTC_MODEL = os.environ["XTC_MODEL"]
PACKAGE = os.environ["MODEL_PACKAGE"]
WEIGHTS = os.environ["MODEL_WEIGHTS"]
TOKENS = 128  # what the package writes; a token is a byte


def by_package(prompt):
    # A length of 0: the prompt ends at its first zero byte.
    command = [XTC_MODEL, "run", "--pad", "--fill", "zeros", "--in", "prompt=-", "--out", "text=-", PACKAGE]
    run = subprocess.run(command, input=prompt.encode(), capture_output=True, timeout=60)
    assert run.returncode == 0, run.stderr
    return run.stdout


class Package(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.server = Server("--model", WEIGHTS)
        cls.model = json.loads(cls.server.request("GET", "/v1/models")[2])["data"][0]["id"]

    @classmethod
    def tearDownClass(cls):
        assert cls.server.stop() == 0, "the server did not end well"

    def by_server(self, prompt):
        status, _, body = self.server.complete(model=self.model, prompt=prompt, max_tokens=TOKENS,
                                               temperature=0)
        self.assertEqual(status, 200, body)
        return json.loads(body)["choices"][0]["text"].encode()

    def test_the_package_writes_the_tokens_of_the_server(self):
        for prompt in ("In the beginning", "And it came to pass, ", "a" * 400 + " a prompt of many steps"):
            text = by_package(prompt)
            self.assertEqual(len(text), TOKENS)
            self.assertEqual(self.by_server(prompt), text, prompt)


if __name__ == "__main__":
    run_tests()
