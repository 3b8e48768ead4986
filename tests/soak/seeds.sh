#!/bin/sh
# SPDX-License-Identifier: ISC
# A hundred thousand seeds of both workloads.
exec "$1/sim/xtc-sim" --seeds 1..100000
