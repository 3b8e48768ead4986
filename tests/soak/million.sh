#!/bin/sh
# SPDX-License-Identifier: ISC
exec timeout 600 "$1/tests/soak/soak-million"
