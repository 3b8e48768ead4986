#!/bin/bash
# SPDX-License-Identifier: ISC
# Random and damaged model packages for an hour (./run soak nrt --seconds N for less): each is refused or
# taken for a reason, always the same one, and the address and undefined-behaviour sanitizers see nothing
# read or written where nothing is.
shift # the release build
. tests/configure.sh
# shellcheck disable=SC2086
make_build $ASAN_BUILD >build/asan.log 2>&1 || { tail -n 20 build/asan.log >&2; exit 1; }
export ASAN_OPTIONS=detect_stack_use_after_return=1:strict_string_checks=1:allocator_may_return_null=1
export UBSAN_OPTIONS=halt_on_error=1:print_stacktrace=1
exec build/asan/tests/soak/soak-nrt-package "$@"
