# SPDX-License-Identifier: ISC
"""Runs the benchmarks beside their peers: catalogue, build, samples, report."""
