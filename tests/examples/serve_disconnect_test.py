# SPDX-License-Identifier: ISC
"""Clients that leave: queued, in prefill, in decode, and two hundred at once of which every fifth leaves in
the middle. Afterwards slots, units, requests and descriptors are back where they were."""

import asyncio
import json
import unittest

from serve_harness import Server, completion, eventually, read_until, run_tests

CLIENTS = 200
MAX_TOKENS = 120
LOOPS = 2
AT_REST = ("serve_kv_slots_in_use", "serve_sequences", "serve_batch_queued", "serve_batch_ready",
           "serve_batch_blocked", "serve_batch_reserved_units", "serve_batch_mt_queued")


def at_rest(server):
    metrics = server.metrics()
    return all(metrics[name] == 0 for name in AT_REST)


class Phases(unittest.TestCase):
    def setUp(self):
        self.server = Server("--max-active", 1, "--fake-step-us", 5000, "--fake-context", 100000)

    def tearDown(self):
        if self.server.process.poll() is None:
            self.assertEqual(self.server.stop(), 0)

    def start(self, **fields):
        connection = self.server.connect()
        connection.sendall(completion(stream=True, **fields))
        read_until(connection, b"\r\n\r\n")
        return connection

    def leave_and_check(self, connection):
        cancelled = self.server.metrics()["serve_batch_cancelled_total"]
        connection.close()
        eventually(lambda: self.server.metrics()["serve_batch_cancelled_total"] == cancelled + 1,
                   "it is cancelled")
        self.assertLessEqual(self.server.metrics()["serve_cancel_steps_max"], 2)

    def test_in_decode(self):
        connection = self.start(prompt="x", max_tokens=90000)
        read_until(connection, b"data: ")
        self.leave_and_check(connection)
        eventually(lambda: at_rest(self.server), "everything is back")

    def test_in_prefill(self):
        connection = self.start(prompt="x" * 60000, max_tokens=1)
        eventually(lambda: self.server.metrics()["serve_kv_slots_in_use"] == 1, "prefill has begun")
        self.leave_and_check(connection)
        eventually(lambda: at_rest(self.server), "everything is back")
        self.assertEqual(self.server.metrics()["serve_generated_tokens_total"], 0)

    def test_queued(self):
        active = self.start(prompt="x", max_tokens=90000)
        eventually(lambda: self.server.metrics()["serve_batch_ready"] == 1, "the first is active")
        queued = self.start(prompt="y", max_tokens=5)
        eventually(lambda: self.server.metrics()["serve_batch_queued"] == 1, "the second waits")
        prompts = self.server.metrics()["serve_prompt_tokens_total"]
        self.leave_and_check(queued)
        self.assertEqual(self.server.metrics()["serve_batch_ready"], 1)  # the first goes on
        self.assertEqual(self.server.metrics()["serve_prompt_tokens_total"], prompts)  # the second never ran
        self.leave_and_check(active)
        eventually(lambda: at_rest(self.server), "everything is back")

    def test_not_streaming(self):
        connection = self.server.connect()
        connection.sendall(completion(prompt="x", max_tokens=90000))
        eventually(lambda: self.server.metrics()["serve_batch_ready"] == 1, "it is active")
        self.leave_and_check(connection)
        eventually(lambda: at_rest(self.server), "everything is back")


async def client(port, number, outcomes):
    reader, writer = await asyncio.open_connection("127.0.0.1", port)
    text = "client %d says hello; " % number
    leaves = number % 5 == 4
    writer.write(completion(prompt="echo:" + text, max_tokens=4000 if leaves else MAX_TOKENS, stream=True))
    data = b""
    while b"[DONE]" not in data and not (leaves and data.count(b"data: ") > 10):
        piece = await reader.read(65536)
        if not piece:
            break
        data += piece
    if b"[DONE]" in data:
        events = [line[6:] for line in data.decode().splitlines() if line.startswith("data: {")]
        got = "".join(json.loads(event)["choices"][0]["text"] for event in events)
        expected = (text * MAX_TOKENS)[:MAX_TOKENS]
        outcomes.append("whole" if got == expected else "wrong")
    else:
        outcomes.append("left" if leaves else "cut")
    writer.transport.abort() if leaves else writer.close()


async def crowd(port):
    outcomes = []
    await asyncio.gather(*(client(port, number, outcomes) for number in range(CLIENTS)))
    return outcomes


class Crowd(unittest.TestCase):
    def test_two_hundred_of_which_every_fifth_leaves(self):
        with Server("--io-loops", LOOPS, "--max-active", 16, "--fake-step-us", 200) as server:
            for _ in range(LOOPS):  # each loop has made what it makes when first used
                self.assertEqual(server.complete(prompt="x", max_tokens=1)[0], 200)
            descriptors = server.descriptors_at_rest()
            for _ in range(2):
                outcomes = asyncio.run(crowd(server.port))
                self.assertEqual(outcomes.count("wrong") + outcomes.count("cut"), 0)
                self.assertEqual(outcomes.count("whole"), CLIENTS * 4 // 5)
                self.assertEqual(outcomes.count("left"), CLIENTS // 5)
                eventually(lambda: at_rest(server), "slots, units and requests are back")
                eventually(lambda: server.metrics()["serve_connections"] == 1, "all connections have ended")
                self.assertEqual(server.descriptors_at_rest(), descriptors)
            metrics = server.metrics()
            self.assertEqual(metrics["serve_batch_completed_total"] + metrics["serve_batch_cancelled_total"],
                             2 * CLIENTS + LOOPS)
            self.assertEqual(metrics["serve_batch_failed_total"], 0)
            self.assertGreater(metrics["serve_batch_max_vector"], 8)
            self.assertLessEqual(metrics["serve_cancel_steps_max"], 2)
            self.assertEqual(server.stop(), 0)


if __name__ == "__main__":
    run_tests()
