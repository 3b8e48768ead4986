# SPDX-License-Identifier: ISC
"""SIGTERM: what is there is finished, nothing new is taken, and the exit is 0."""

import signal
import unittest

from serve_harness import Server, completion, eventually, read_all, read_until, run_tests


class Drain(unittest.TestCase):
    def test_answers_in_flight_are_finished_and_new_clients_turned_away(self):
        with Server("--fake-step-us", 2000) as server:
            idle = server.connect()
            idle.sendall(b"GET /healthz HTTP/1.1\r\n\r\n")
            read_until(idle, b"}")
            busy = server.connect()
            busy.sendall(completion(prompt="echo:abcde", max_tokens=300, stream=True))
            read_until(busy, b"data: ")
            server.process.send_signal(signal.SIGTERM)
            self.assertEqual(idle.recv(10), b"")  # closed at once: nothing was under way there
            with self.assertRaises(ConnectionRefusedError):
                server.connect()
            answer = read_all(busy)
            self.assertTrue(answer.endswith(b"data: [DONE]\n\n\r\n0\r\n\r\n"), answer[-200:])
            self.assertIn(b'"finish_reason":"length"', answer)
            self.assertEqual(server.wait(), 0)

    def test_a_limit_cancels_what_does_not_end(self):
        with Server("--fake-step-us", 2000, "--fake-context", 1000000, "--drain-s", 1) as server:
            busy = server.connect()
            busy.sendall(completion(prompt="x", max_tokens=900000, stream=True))
            read_until(busy, b"data: ")
            server.process.send_signal(signal.SIGTERM)
            answer = read_all(busy)
            self.assertIn(b"The server stopped before the answer was complete.", answer)
            self.assertEqual(server.wait(), 0)

    def test_a_second_signal_cancels_at_once(self):
        with Server("--fake-step-us", 2000, "--fake-context", 1000000, "--drain-s", 3600) as server:
            busy = server.connect()
            busy.sendall(completion(prompt="x", max_tokens=900000, stream=True))
            read_until(busy, b"data: ")
            idle = server.connect()
            server.process.send_signal(signal.SIGTERM)
            self.assertEqual(idle.recv(10), b"")  # the first was seen
            server.process.send_signal(signal.SIGINT)
            self.assertIn(b"The server stopped", read_all(busy))
            self.assertEqual(server.wait(), 0)

    def test_an_idle_server_ends(self):
        with Server() as server:
            self.assertEqual(server.stop(), 0)

    def test_a_client_that_does_not_read_does_not_hold_up_the_end(self):
        options = ("--fake-step-us", 0, "--fake-context", 3000000, "--drain-s", 1, "--write-s", 3600)
        with Server(*options) as server:
            slow = server.connect()
            slow.sendall(completion(prompt="x", max_tokens=2000000, stream=True))
            read_until(slow, b"\r\n\r\n")
            eventually(lambda: server.metrics()["serve_batch_ready"] == 1, "it is active")
            self.assertEqual(server.stop(), 0)
            slow.close()


if __name__ == "__main__":
    run_tests()
