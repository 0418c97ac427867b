#!/bin/bash
# SPDX-License-Identifier: GPL-3.0-or-later
# run-unit.sh PROGRAM...: runs unit tests, one a processor.
[ $# -gt 0 ] || { echo "usage: run-unit.sh PROGRAM..." >&2; exit 2; }
. "$(dirname "$0")/jobs.sh"
job() { "$1"; }
run_jobs "${CLUMP_TEST_LABEL:-unit}" "$@"
