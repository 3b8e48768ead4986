#!/bin/sh
# SPDX-License-Identifier: ISC
# Random and damaged model packages for an hour (./run soak nrt --seconds N for less): each is refused or
# taken for a reason, always the same one, and nothing is read or written where nothing is.
build=$1
shift
exec "$build/tests/soak/soak-nrt-package" "$@"
