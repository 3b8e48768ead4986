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

    def ours(self, variant):
        return next(s for s in self.sides_of(variant) if s.name == "ours")

    def sides_of(self, variant):
        return [s for s in self.sides if not s.variants or variant in s.variants]

    def targets_of(self, variant):
        return [t for t in self.targets if not t.variants or variant in t.variants]

    def unit_of(self, metric):
        return self.unit if metric == "value" else self.also[metric]


def our_program(name):
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
            our_program("switch"),
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
            our_program("spawn"),
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
        sides=(our_program("park-memory"), Side("boost-fiber", "peer_park_memory_fiber")),
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
            our_program("cross-loop"),
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
            our_program("echo"),
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
        sides=(our_program("fences"), Side("bare-uring", "peer_fences_uring")),
        targets=(Target(("bare-uring",), first=Ratio(1.3), aim=Ratio(1.1)),),
    ),
    Benchmark(
        name="idle",
        what="CPU that 8 idle loops with 10,000 parked processes use, in per cent of a core; the floor is 0",
        unit="% of a core",
        pinned=False,
        variants={"8-loops": Variant(10_000, 10_000, 80, ("--ms", "2000"), ("--ms", "50"))},
        sides=(our_program("idle"),),
        targets=(
            Target((), first=Limit(0.5)),
            Target((), aim=Limit(0), metric="wakes"),
        ),
        also={"wakes": "wakes"},
    ),
    Benchmark(
        name="batch-iteration",
        what="an iteration, for each of 1 to 256 members that continue; the floor is the callback in a loop",
        unit="ns",
        variants={n: Variant(20_000_000, 4_000_000, 20_480) for n in ("1", "8", "64", "256")},
        sides=(our_program("batch-iteration"),),
        targets=(
            Target((), first=Limit(10), aim=Limit(3), metric="above_floor", variants=("256",)),
            Target((), metric="above_floor", variants=("1", "8", "64")),
        ),
        also={"above_floor": "ns above the floor", "floor": "ns of floor"},
    ),
    Benchmark(
        name="batch-life",
        what="a request from submit to complete, one step, the group of 1,024 slots kept full",
        unit="ns",
        pinned=False,
        variants={
            "owner": Variant(3_000_000, 500_000, 5_000),
            "mt-1": Variant(1_000_000, 200_000, 5_000),
            "mt-2": Variant(1_000_000, 200_000, 5_000),
            "mt-8": Variant(1_000_000, 200_000, 5_000),
        },
        sides=(
            our_program("batch-life"),
            Side("mutex", "peer_batch_life_mutex"),
            Side("boost-fiber", "peer_batch_life_fiber"),
        ),
        targets=(
            Target((), first=Limit(200), aim=Limit(80), variants=("owner",)),
            Target(("mutex",), first=Ratio(1 / 5), variants=("owner",)),
            Target(("mutex",), first=Ratio(1 / 3), aim=Ratio(1 / 10), variants=("mt-1", "mt-2")),
            Target(("mutex",), variants=("mt-8",)),
            Target(("boost-fiber",)),
        ),
        also={"vector": "requests a step"},
    ),
    Benchmark(
        name="batch-wake",
        what="from submit_mt on another thread to an idle group until its step runs, one way, median",
        unit="us",
        pinned=False,
        variants={"parked": Variant(20_000, 5_000, 50), "spinning": Variant(200_000, 50_000, 50)},
        sides=(our_program("batch-wake"), Side("raw", "peer_batch_wake_raw")),
        targets=(Target(("raw",), first=Ratio(1.3), aim=Ratio(1.1)),),
        also={"p99_us": "us p99"},
    ),
    Benchmark(
        name="batch-scale",
        what="a life among 65,536 slots and among 16; 16 ready members beside 65,536 blocked ones and alone",
        unit="ns",
        variants={"owner": Variant(3_000_000, 500_000, 5_000), "16": Variant(10_000_000, 2_000_000, 20_480)},
        sides=(
            Side("ours", "ours_batch_life", ("--slots", "65536"), ("owner",)),
            Side("16-slots", "ours_batch_life", ("--slots", "16"), ("owner",)),
            Side("ours", "ours_batch_iteration", ("--blocked", "65536"), ("16",)),
            Side("alone", "ours_batch_iteration", (), ("16",)),
        ),
        targets=(
            Target(("16-slots",), first=Ratio(1.5), aim=Ratio(1.1), variants=("owner",)),
            Target(("alone",), first=Ratio(1.5), aim=Ratio(1.1), variants=("16",)),
        ),
    ),
    Benchmark(
        name="batch-alloc",
        what="system calls, allocations and locks for each request in steady state, counted",
        unit="system calls",
        variants={"owner": Variant(1_000_000, 200_000, 5_000), "mt": Variant(1_000_000, 200_000, 5_000)},
        sides=(our_program("batch-alloc"),),
        targets=(
            Target((), first=Limit(0.1), aim=Limit(0)),
            Target((), first=Limit(0), metric="allocations"),
            Target((), first=Limit(0), metric="locks"),
        ),
        also={"allocations": "allocations", "locks": "locks"},
    ),
    Benchmark(
        name="occupancy",
        what="the demo server of 16 slots under 16 to 64 clients, with batching on, off, and at 16 clients",
        unit="tokens/s",
        higher_is_better=True,
        pinned=False,
        variants={n: Variant(128, 64, 32) for n in ("16", "32", "48", "64")},
        sides=(
            Side("ours", "occupancy.py"),
            Side("batching-off", "occupancy.py", ("--active", "1")),
            Side("at-the-limit", "occupancy.py", ("--clients", "16"), ("32", "48", "64")),
        ),
        targets=(
            Target(("batching-off",), first=Ratio(1.0)),
            Target(("at-the-limit",), first=Ratio(0.95), variants=("32", "48", "64")),
        ),
        also={
            "first_p50_ms": "ms to the first token p50",
            "first_p99_ms": "ms p99",
            "vector": "requests a step",
        },
    ),
)


def named(name):
    for benchmark in BENCHMARKS:
        if benchmark.name == name:
            return benchmark
    raise KeyError(name)
