#!/bin/sh
# SPDX-License-Identifier: ISC
# The batch engine against its reference model: twenty million steps.
exec timeout 3600 "$1/tests/soak/soak-property" 20000000
