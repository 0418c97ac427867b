#!/bin/bash
# SPDX-License-Identifier: GPL-3.0-or-later
# run.sh PATH-TO-CLUMPMODEL [PATTERN...]: runs every test_*.sh (whose name contains one of PATTERN) and the
# check of rooms; those of the other components are in folders of their own, and are left out with CLUMP_TEST_PRODUCT=1.
# Nothing of the user's is read or written.
set -u
if [ $# -lt 1 ] || [ ! -x "$1" ]; then
    echo "usage: run.sh PATH-TO-CLUMPMODEL [PATTERN...]" >&2
    exit 2
fi
here=$(cd "$(dirname "$0")" && pwd)
export CLUMPMODEL=$(cd "$(dirname "$1")" && pwd)/$(basename "$1")
export TOP=$(cd "$here/../.." && pwd)
export CLUMPMODEL_SCENARIOS=$TOP/scenarios
. "$here/../jobs.sh"
${CC:-gcc} -std=c11 -D_GNU_SOURCE -O1 -shared -fPIC "$here/serve.c" -ldl -o "$work/serve.so" && export CLUMP_TEST_SERVE=$work/serve.so

job() { # one test file, in a home and folder of its own
    mkdir -p "$work/$1/home" && cd "$work/$1" &&
        env -u XDG_DATA_HOME -u NO_COLOR HOME="$work/$1/home" LC_ALL=C CLUMP_TEST_VARIABLES="$work/$1.variables" bash "$here/$1.sh"
}
tests=() patterns=("${@:2}")
[ $# -gt 1 ] || patterns=('')
for test in "$here"/test_*.sh "$here"/rooms.sh "$here"/*/test_*.sh; do
    test=${test#"$here/"} test=${test%.sh}
    case $test in */*) [ -z "${CLUMP_TEST_PRODUCT:-}" ] || continue ;; esac
    for pattern in "${patterns[@]}"; do
        case $test in *"$pattern"*) tests+=("$test"); break ;; esac
    done
done
run_jobs "${CLUMP_TEST_LABEL:-cli}" "${tests[@]}"
