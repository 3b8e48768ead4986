#!/bin/sh
# SPDX-License-Identifier: ISC
# Batch groups under a hundred thousand seeds: every way to hand in, cancel, resume and close, kills, timeouts
# and late promises; each accepted request completes once.
exec "$1/sim/xtc-sim" --workload batch --seeds 1..100000
