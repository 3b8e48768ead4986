#!/bin/sh
# SPDX-License-Identifier: ISC
# Random and damaged model packages for an hour, or for the seconds of NRT_SOAK_SECONDS: each is refused or
# taken for a reason, always the same one, and nothing is read or written where nothing is.
exec "$1/tests/soak/soak-nrt-package" --seconds "${NRT_SOAK_SECONDS-3600}"
