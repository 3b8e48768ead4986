# SPDX-License-Identifier: ISC
"""What is measured, against whom, and which figure is good enough."""
from dataclasses import dataclass, field


@dataclass(frozen=True)
class Side:
    """One program that does the work: ours or a peer's."""

    name: str
    program: str
    args: tuple = ()
    variants: tuple = ()  # empty: takes part in all of them


@dataclass(frozen=True)
class Variant:
    work: int
    quick: int
    smoke: int
    args: tuple = ()
    smoke_args: tuple = ()


@dataclass(frozen=True)
class Ratio:
    """A bound on ours divided by the best of the peers."""

    bound: float


@dataclass(frozen=True)
class Limit:
    """A bound on our figure itself."""

    bound: float


@dataclass(frozen=True)
class Target:
    peers: tuple
    first: object = None
    aim: object = None
    metric: str = "value"
    variants: tuple = ()


@dataclass(frozen=True)
class Benchmark:
    name: str
    what: str
    unit: str
    variants: dict
    sides: tuple
    targets: tuple
    higher_is_better: bool = False
    pinned: bool = True
    via_load: bool = False
    also: dict = field(default_factory=dict)  # further figures of a sample: key -> unit

    @property
    def ours(self):
        return self.sides[0]

    def sides_of(self, variant):
        return [s for s in self.sides if not s.variants or variant in s.variants]

    def targets_of(self, variant):
        return [t for t in self.targets if not t.variants or variant in t.variants]

    def unit_of(self, metric):
        return self.unit if metric == "value" else self.also[metric]


def ours(name):
    return Side("ours", "ours_" + name.replace("-", "_"))


BARE_ECHO = ("bare-epoll", "bare-uring-multishot", "bare-uring-speculative", "bare-uring-poll")

BENCHMARKS = (
    Benchmark(
        name="switch",
        what="a yield from one fiber to the next through the scheduler, per switch, among 2 and among 1,000",
        unit="ns",
        variants={
            "two": Variant(10_000_000, 2_000_000, 2_000),
            "thousand": Variant(10_000_000, 2_000_000, 10_000),
        },
        sides=(
            ours("switch"),
            Side("boost-context", "peer_switch_context"),
            Side("boost-fiber", "peer_switch_fiber"),
        ),
        targets=(
            Target(("boost-context",), first=Ratio(4), aim=Ratio(2)),
            Target(("boost-fiber",), first=Ratio(0.3), aim=Ratio(0.12)),
        ),
    ),
    Benchmark(
        name="spawn",
        what="a process spawned, run and gone: one at a time, and 10,000 at a time",
        unit="ns",
        variants={"one": Variant(1_000_000, 200_000, 2_000), "many": Variant(1_000_000, 200_000, 20_000)},
        sides=(
            ours("spawn"),
            Side("boost-context", "peer_spawn_context"),
            Side("boost-fiber", "peer_spawn_fiber"),
            Side("tokio", "peer-tokio", ("spawn",)),
            Side("erlang", "xtc_peer.beam", ("spawn",)),
        ),
        targets=(
            Target(("boost-fiber",), first=Ratio(0.5)),
            Target(("boost-context",), aim=Ratio(2)),
        ),
    ),
    Benchmark(
        name="park-memory",
        what="resident bytes a parked process: ours on 64 KiB guarded stacks, the peer on 16 KiB bare ones",
        unit="bytes",
        variants={"100k": Variant(100_000, 20_000, 1_000)},
        sides=(ours("park-memory"), Side("boost-fiber", "peer_park_memory_fiber")),
        targets=(Target(("boost-fiber",), first=Ratio(0.55), aim=Limit(4096 + 512)),),
        also={"page_table_bytes": "bytes of page tables"},
    ),
    Benchmark(
        name="cross-loop",
        what="a message to another loop on another core and back, round trip, sleeping between or spinning",
        unit="us",
        pinned=False,
        variants={"parked": Variant(20_000, 5_000, 200), "spinning": Variant(300_000, 50_000, 200)},
        sides=(
            ours("cross-loop"),
            Side("uring-eventfd", "peer_cross_loop_uring", ("--by", "eventfd"), ("parked",)),
            Side("uring-msg-ring", "peer_cross_loop_uring", ("--by", "msg-ring"), ("parked",)),
            Side("uring-futex", "peer_cross_loop_uring", ("--by", "futex"), ("parked",)),
            Side("futex", "peer_cross_loop_futex", (), ("parked",)),
            Side("eventfd-spin", "peer_cross_loop_eventfd", (), ("spinning",)),
        ),
        targets=(
            Target(
                ("uring-eventfd", "uring-msg-ring", "uring-futex", "futex"),
                first=Ratio(1.3),
                aim=Ratio(1.1),
                variants=("parked",),
            ),
            Target(("eventfd-spin",), first=Ratio(2.0), aim=Ratio(1.3), variants=("spinning",)),
        ),
    ),
    Benchmark(
        name="echo",
        what="TCP echo of 64 bytes over loopback at 1, 64 and 1,000 connections, the server on one core",
        unit="requests/s",
        higher_is_better=True,
        pinned=False,
        via_load=True,
        variants={
            "1": Variant(40_000, 10_000, 500),
            "64": Variant(250_000, 60_000, 2_000),
            "1000": Variant(250_000, 60_000, 2_000),
        },
        sides=(
            ours("echo"),
            Side("bare-epoll", "peer_echo_epoll"),
            Side("bare-uring-multishot", "peer_echo_uring", ("--mode", "multishot")),
            Side("bare-uring-speculative", "peer_echo_uring", ("--mode", "speculative")),
            Side("bare-uring-poll", "peer_echo_uring", ("--mode", "poll")),
            Side("libuv", "peer_echo_libuv"),
            Side("asio", "peer_echo_asio"),
            Side("tokio", "peer-tokio", ("echo",)),
        ),
        targets=(
            Target(BARE_ECHO, first=Ratio(0.90), aim=Ratio(0.98)),
            Target(("libuv", "asio", "tokio"), first=Ratio(1.0)),
        ),
        also={"p50_us": "us p50", "p99_us": "us p99", "server_cpu_us": "us of server CPU a request"},
    ),
    Benchmark(
        name="fences",
        what="10,000 parked fences: one fires and sets off the next, or all fire at once; per wait",
        unit="ns",
        variants={
            "one": Variant(300_000, 50_000, 500, ("--fences", "10000"), ("--fences", "100")),
            "all": Variant(400_000, 50_000, 500, ("--fences", "10000"), ("--fences", "100")),
        },
        sides=(ours("fences"), Side("bare-uring", "peer_fences_uring")),
        targets=(Target(("bare-uring",), first=Ratio(1.3), aim=Ratio(1.1)),),
    ),
    Benchmark(
        name="idle",
        what="CPU that 8 idle loops with 10,000 parked processes use, in per cent of a core; the floor is 0",
        unit="% of a core",
        pinned=False,
        variants={"8-loops": Variant(10_000, 10_000, 80, ("--ms", "2000"), ("--ms", "50"))},
        sides=(ours("idle"),),
        targets=(
            Target((), first=Limit(0.5)),
            Target((), aim=Limit(0), metric="wakes"),
        ),
        also={"wakes": "wakes"},
    ),
)


def named(name):
    for benchmark in BENCHMARKS:
        if benchmark.name == name:
            return benchmark
    raise KeyError(name)
