# SPDX-License-Identifier: ISC
"""The server's HTTP: routes, limits, errors, keep-alive, streaming; from outside, over sockets."""

import json
import threading
import time
import unittest

from serve_harness import Server, completion, eventually, read_all, read_until, run_tests


class Http(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.server = Server("--fake-step-us", 0, "--request-s", 1, "--io-loops", 2)

    @classmethod
    def tearDownClass(cls):
        assert cls.server.stop() == 0, "the server did not end well"

    def error_of(self, status, method, path, body=None):
        got, headers, text = self.server.request(method, path, body)
        self.assertEqual(got, status, text)
        self.assertEqual(headers["Content-Type"], "application/json")
        error = json.loads(text)["error"]
        self.assertEqual(set(error), {"message", "type", "param", "code"})
        self.assertTrue(error["message"].endswith("."), error)
        return error

    def raw(self, data):
        with self.server.connect() as connection:
            connection.sendall(data)
            return read_all(connection)

    def events(self, path, **fields):
        """The events of a streamed answer, checked for their end."""
        _, headers, body = self.server.request("POST", path, {"model": "fake", "stream": True, **fields})
        self.assertEqual(headers["Content-Type"], "text/event-stream")
        blocks = body.decode().split("\n\n")
        self.assertEqual(blocks.pop(), "")
        self.assertTrue(all(block.startswith("data: ") for block in blocks))
        self.assertEqual(blocks.pop(), "data: [DONE]")
        return [json.loads(block[6:]) for block in blocks]

    def test_health_and_models(self):
        self.assertEqual(self.server.request("GET", "/healthz")[0], 200)
        _, _, body = self.server.request("GET", "/v1/models?limit=1")
        models = json.loads(body)
        self.assertEqual(models["object"], "list")
        self.assertEqual(models["data"][0]["id"], "fake")

    def test_metrics_count_what_happened(self):
        before = self.server.metrics()
        self.server.complete(prompt="echo:abc", max_tokens=9)
        after = self.server.metrics()
        self.assertEqual(after["serve_generated_tokens_total"] - before["serve_generated_tokens_total"], 9)
        self.assertEqual(after["serve_prompt_tokens_total"] - before["serve_prompt_tokens_total"], 8)
        self.assertEqual(after["serve_batch_completed_total"] - before["serve_batch_completed_total"], 1)
        self.assertEqual(after["serve_kv_slots_in_use"], 0)

    def test_whole_completion(self):
        status, _, body = self.server.complete(prompt="echo:hello ", max_tokens=11)
        answer = json.loads(body)
        self.assertEqual(status, 200)
        self.assertEqual(answer["object"], "text_completion")
        self.assertEqual(answer["choices"][0]["text"], "hello hello")
        self.assertEqual(answer["choices"][0]["finish_reason"], "length")
        self.assertEqual(answer["usage"], {"prompt_tokens": 11, "completion_tokens": 11, "total_tokens": 22})

    def test_whole_chat(self):
        _, _, body = self.server.request("POST", "/v1/chat/completions", {
            "model": "fake", "messages": [{"role": "user", "content": "echo:one two."}], "stop": "."})
        answer = json.loads(body)
        self.assertEqual(answer["object"], "chat.completion")
        self.assertEqual(answer["choices"][0]["message"], {"role": "assistant", "content": "one two"})
        self.assertEqual(answer["choices"][0]["finish_reason"], "stop")

    def test_streamed_completion(self):
        events = self.events("/v1/completions", prompt="echo:abc", max_tokens=7,
                             stream_options={"include_usage": True})
        self.assertEqual(events.pop()["usage"]["completion_tokens"], 7)
        self.assertEqual("".join(event["choices"][0]["text"] for event in events), "abcabca")
        self.assertEqual([event["choices"][0]["finish_reason"] for event in events][-1], "length")
        self.assertTrue(all(event["usage"] is None for event in events))
        self.assertEqual(len({event["id"] for event in events}), 1)

    def test_streamed_chat_begins_with_the_role(self):
        events = self.events("/v1/chat/completions", stop=["!"],
                             messages=[{"role": "user", "content": "echo:ab!"}])
        self.assertEqual(events[0]["choices"][0]["delta"], {"role": "assistant", "content": ""})
        self.assertEqual("".join(event["choices"][0]["delta"].get("content", "") for event in events), "ab")
        self.assertEqual(events[-1]["choices"][0]["finish_reason"], "stop")

    def test_characters_are_never_cut(self):
        text = "狐と🦊 η αλεπού"
        events = self.events("/v1/completions", prompt="echo:" + text, max_tokens=len(text.encode()))
        pieces = [event["choices"][0]["text"] for event in events]
        self.assertEqual("".join(pieces), text)
        self.assertNotIn("\ufffd", "".join(pieces))

    def test_an_unfinished_character_at_the_end_is_replaced(self):
        _, _, body = self.server.complete(prompt="echo:🦊", max_tokens=3)
        self.assertEqual(json.loads(body)["choices"][0]["text"], "\ufffd")

    def test_a_long_prompt_is_taken_in_chunks(self):
        before = self.server.metrics()
        self.server.complete(prompt="x" * 1000 + "echo:y", max_tokens=1)
        after = self.server.metrics()
        steps = after["serve_batch_iterations_total"] - before["serve_batch_iterations_total"]
        self.assertEqual(steps, (1006 + 63) // 64)

    def test_bad_requests_are_400_with_a_sentence(self):
        def error_of(status, fields, path="/v1/completions"):
            return self.error_of(status, "POST", path, fields)

        self.assertEqual(error_of(400, "{not json")["type"], "invalid_request_error")
        self.assertEqual(error_of(400, {"model": "fake"})["param"], "prompt")
        self.assertEqual(error_of(400, {"model": "fake"}, "/v1/chat/completions")["param"], "messages")
        too_long = error_of(400, {"model": "fake", "prompt": "x", "max_tokens": 5000})
        self.assertEqual(too_long["code"], "context_length_exceeded")
        self.assertEqual(error_of(404, {"model": "gpt", "prompt": "x"})["code"], "model_not_found")

    def test_unknown_paths_and_methods(self):
        self.error_of(404, "GET", "/v2/models")
        self.error_of(405, "GET", "/v1/completions")
        status, headers, _ = self.server.request("DELETE", "/v1/models")
        self.assertEqual((status, headers["Allow"]), (405, "GET"))

    def test_a_header_over_16k_is_431_and_a_body_over_1m_is_413(self):
        self.assertTrue(self.raw(b"GET /healthz HTTP/1.1\r\nX: " + b"x" * 17000).startswith(b"HTTP/1.1 431"))
        long = b"POST /v1/completions HTTP/1.1\r\nContent-Length: 1048577\r\n\r\n"
        self.assertTrue(self.raw(long).startswith(b"HTTP/1.1 413"))
        chunked = b"POST /v1/completions HTTP/1.1\r\nTransfer-Encoding: chunked\r\n\r\n" + 17 * (
            b"10000\r\n" + b"x" * 0x10000 + b"\r\n")
        self.assertTrue(self.raw(chunked).startswith(b"HTTP/1.1 413"))

    def test_what_is_not_http_is_400(self):
        answer = self.raw(b"hello\r\n\r\n")
        self.assertTrue(answer.startswith(b"HTTP/1.1 400"), answer)
        self.assertIn(b"Connection: close", answer)

    def test_a_request_that_does_not_arrive_is_408(self):
        self.assertTrue(self.raw(b"GET /healthz HT").startswith(b"HTTP/1.1 408"))
        self.assertTrue(self.raw(b"POST /v1/completions HTTP/1.1\r\nContent-Length: 5\r\n\r\n{").startswith(
            b"HTTP/1.1 408"))

    def test_a_connection_is_kept_and_requests_sent_ahead_are_answered_in_order(self):
        with self.server.connect() as connection:
            first = completion(prompt="echo:a", max_tokens=2)
            second = completion(prompt="echo:b", max_tokens=2, stream=True)
            connection.sendall(first + second + b"GET /healthz HTTP/1.1\r\nConnection: close\r\n\r\n")
            answers = read_all(connection)
        a, done, health = answers.find(b'"aa"'), answers.find(b"[DONE]"), answers.find(b'{"status":"ok"}')
        self.assertTrue(0 < a < done < health, answers)

    def test_a_request_may_come_byte_by_byte_and_in_chunks(self):
        body = json.dumps({"model": "fake", "prompt": "echo:q", "max_tokens": 2}).encode()
        head = b"POST /v1/completions HTTP/1.1\r\nTransfer-Encoding: chunked\r\nConnection: close\r\n\r\n"
        chunks = b"".join(b"1\r\n" + body[i:i + 1] + b"\r\n" for i in range(len(body))) + b"0\r\n\r\n"
        with self.server.connect() as connection:
            for byte in head + chunks:
                connection.sendall(bytes([byte]))
            self.assertIn(b'"qq"', read_all(connection))

    def test_a_client_that_asks_first_is_told_to_continue(self):
        body = json.dumps({"model": "fake", "prompt": "echo:q", "max_tokens": 2}).encode()
        with self.server.connect() as connection:
            connection.sendall(b"POST /v1/completions HTTP/1.1\r\nExpect: 100-continue\r\n"
                               b"Connection: close\r\nContent-Length: %d\r\n\r\n" % len(body))
            self.assertTrue(read_until(connection, b"\r\n\r\n").startswith(b"HTTP/1.1 100 "))
            connection.sendall(body)
            self.assertIn(b'"qq"', read_all(connection))

    def test_http_1_0_gets_a_stream_that_the_end_of_the_connection_ends(self):
        request = completion(prompt="echo:ab", max_tokens=4, stream=True)
        answer = self.raw(request.replace(b"HTTP/1.1", b"HTTP/1.0"))
        self.assertNotIn(b"chunked", answer)
        self.assertTrue(answer.endswith(b"data: [DONE]\n\n"), answer)

    def test_the_same_seed_gives_the_same_answer_and_answers_have_their_own_ids(self):
        answers = [json.loads(self.server.complete(prompt="x", seed=7, max_tokens=8)[2]) for _ in range(2)]
        self.assertEqual(answers[0]["choices"], answers[1]["choices"])
        self.assertNotEqual(answers[0]["id"], answers[1]["id"])


class Overload(unittest.TestCase):
    def test_requests_over_the_limit_are_429_at_once(self):
        with Server("--max-active", 1, "--max-queued", 1, "--fake-step-us", 20000) as server:
            holders = []
            for queued in range(2):  # one computes, one waits
                connection = server.connect()
                connection.sendall(completion(prompt="x", max_tokens=1000, stream=True))
                read_until(connection, b"\r\n\r\n")
                holders.append(connection)
                eventually(lambda: server.metrics()["serve_batch_ready"] == 1, "the first is active")
            began = time.monotonic()
            status, headers, body = server.complete(prompt="x", max_tokens=1)
            self.assertEqual(status, 429)
            self.assertLess(time.monotonic() - began, 5)
            self.assertEqual(headers["Retry-After"], "1")
            self.assertEqual(json.loads(body)["error"]["type"], "rate_limit_error")
            for connection in holders:
                connection.close()
            eventually(lambda: server.complete(prompt="x", max_tokens=1)[0] == 200, "there is room again")
            self.assertEqual(server.stop(), 0)

    def test_connections_over_the_limit_are_503(self):
        with Server("--max-connections", 2) as server:
            kept = [server.connect() for _ in range(2)]
            for connection in kept:
                connection.sendall(b"GET /healthz HTTP/1.1\r\n\r\n")
                read_until(connection, b"}")
            with server.connect() as refused:
                self.assertTrue(read_all(refused).startswith(b"HTTP/1.1 503"))
            for connection in kept:
                connection.close()
            eventually(lambda: server.request("GET", "/healthz")[0] == 200, "there is room again")
            self.assertEqual(server.stop(), 0)

    def test_the_kv_budget_lets_in_what_fits_in_order_of_arrival(self):
        with Server("--max-active", 4, "--kv-tokens", 1000, "--fake-step-us", 2000) as server:
            connections = []
            # The second does not fit beside the first, the third waits behind it.
            for max_tokens in (590, 590, 90):
                connection = server.connect()
                connection.sendall(completion(prompt="0123456789", max_tokens=max_tokens, stream=True))
                read_until(connection, b"\r\n\r\n")
                connections.append(connection)
            eventually(lambda: server.metrics()["serve_batch_queued"] == 2, "two wait")
            self.assertEqual(server.metrics()["serve_batch_reserved_units"], 600)
            for connection in connections:
                self.assertTrue(read_until(connection, b"[DONE]").endswith(b"[DONE]\n\n\r\n0\r\n\r\n"))
                connection.close()
            self.assertEqual(server.metrics()["serve_batch_reserved_units"], 0)
            status, _, body = server.complete(prompt="x", max_tokens=1000)
            self.assertEqual(status, 400)
            self.assertEqual(json.loads(body)["error"]["code"], "context_length_exceeded")


class SlowReader(unittest.TestCase):
    def test_a_client_that_does_not_read_holds_up_nobody(self):
        with Server("--fake-step-us", 0, "--fake-context", 3000000, "--write-s", 2) as server:
            with server.connect() as slow:
                slow.sendall(completion(prompt="x", max_tokens=2000000, stream=True))
                read_until(slow, b"\r\n\r\n")
                for _ in range(20):
                    self.assertEqual(server.complete(prompt="echo:a", max_tokens=50)[0], 200)
                # What it does not take in time ends its request.
                eventually(lambda: server.metrics()["serve_disconnects_total"] == 1,
                           "the slow client is given up")
                eventually(lambda: server.metrics()["serve_batch_ready"] == 0, "its request has ended")
            self.assertEqual(server.stop(), 0)


if __name__ == "__main__":
    run_tests()
