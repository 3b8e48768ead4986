# SPDX-License-Identifier: ISC
"""What the server's tests share: a server of their own on a free port, plain HTTP over sockets, and waiting
for a condition instead of for a time."""

import http.client
import json
import os
import re
import signal
import socket
import subprocess
import sys
import time
import unittest

SERVER = os.environ.get("XTC_SERVE", "build/release/examples/serve/xtc-serve")
PATIENCE_S = 30


def eventually(condition, what):
    """Asks again until condition() is true; the limit only ends a test that has failed."""
    deadline = time.monotonic() + PATIENCE_S
    while True:
        value = condition()
        if value:
            return value
        if time.monotonic() > deadline:
            raise AssertionError("not within %d s: %s" % (PATIENCE_S, what))
        time.sleep(0.01)


class Server:
    def __init__(self, *options):
        self.process = subprocess.Popen([SERVER, "--port", "0", *map(str, options)], text=True,
                                        stdout=subprocess.PIPE)
        line = self.process.stdout.readline()
        found = re.search(r"on port (\d+)", line)
        if not found:
            raise AssertionError("the server did not start: %r, exit %r" % (line, self.process.wait()))
        self.port = int(found.group(1))

    def __enter__(self):
        return self

    def __exit__(self, kind, *_):
        if self.process.poll() is None:
            if kind is not None:
                self.process.kill()
            self.stop()

    def stop(self):
        """SIGTERM; the exit status."""
        self.process.send_signal(signal.SIGTERM)
        return self.wait()

    def wait(self):
        try:
            return self.process.wait(PATIENCE_S)
        except subprocess.TimeoutExpired:
            self.process.kill()
            raise AssertionError("the server did not end")
        finally:
            self.process.stdout.close()

    def request(self, method, path, body=None, headers=None):
        """(status, headers, body) of one request on a connection of its own."""
        connection = http.client.HTTPConnection("127.0.0.1", self.port, timeout=PATIENCE_S)
        try:
            if isinstance(body, (dict, list)):
                body = json.dumps(body)
            connection.request(method, path, body, headers or {})
            response = connection.getresponse()
            return response.status, response.headers, response.read()
        finally:
            connection.close()

    def complete(self, **fields):
        return self.request("POST", "/v1/completions", {"model": "fake", **fields})

    def connect(self):
        return socket.create_connection(("127.0.0.1", self.port), timeout=PATIENCE_S)

    def metrics(self):
        status, _, body = self.request("GET", "/metrics")
        assert status == 200, body
        samples = {}
        for line in body.decode().splitlines():
            if not line.startswith("#"):
                name, value = line.rsplit(" ", 1)
                samples[name] = float(value)
        return samples

    def descriptors(self):
        """What each open descriptor is: sockets, event descriptors, rings and files, sorted."""
        folder = "/proc/%d/fd" % self.process.pid
        kinds = []
        for name in os.listdir(folder):
            try:
                kinds.append(re.sub(r":\[\d+\]", "", os.readlink(os.path.join(folder, name))))
            except FileNotFoundError:
                pass  # closed since the list was made
        return sorted(kinds)

    def descriptors_at_rest(self):
        """Those when no client is connected, which leaves the listening socket."""
        eventually(lambda: self.descriptors().count("socket") == 1, "no client is connected")
        return self.descriptors()


def post(path, fields):
    """The bytes of a POST."""
    body = json.dumps({"model": "fake", **fields}).encode()
    head = "POST %s HTTP/1.1\r\nHost: test\r\nContent-Length: %d\r\n\r\n" % (path, len(body))
    return head.encode() + body


def completion(**fields):
    return post("/v1/completions", fields)


def read_until(connection, mark, limit=1 << 20):
    """What the connection gives, up to and with mark; less when it ends before."""
    data = b""
    while mark not in data and len(data) < limit:
        piece = connection.recv(65536)
        if not piece:
            break
        data += piece
    return data


def read_all(connection):
    data = b""
    while piece := connection.recv(65536):
        data += piece
    return data


class TapResult(unittest.TestResult):
    """One TAP line for each test, so that Meson counts them one by one."""

    def __init__(self):
        super().__init__()
        self.count = 0

    def line(self, test, good, reason=""):
        self.count += 1
        print("%sok %d - %s" % ("" if good else "not ", self.count, test.id().removeprefix("__main__.")))
        for line in reason.splitlines():
            print("# " + line)
        sys.stdout.flush()

    def addSuccess(self, test):
        self.line(test, True)

    def addFailure(self, test, err):
        self.line(test, False, self._exc_info_to_string(err, test))

    def addError(self, test, err):
        self.line(test, False, self._exc_info_to_string(err, test))


def run_tests():
    """Runs the tests of the calling script, all or those named by its arguments."""
    loader = unittest.defaultTestLoader
    main = sys.modules["__main__"]
    names = sys.argv[1:]
    suite = loader.loadTestsFromNames(names, main) if names else loader.loadTestsFromModule(main)
    result = TapResult()
    suite.run(result)
    print("1..%d" % result.count)
