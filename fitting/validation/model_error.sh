#!/bin/sh
# SPDX-License-Identifier: GPL-3.0-or-later
# model_error.sh PROGRAM: what validate finds over the data that ship with the program, and over programs
# behind other NICs in docs/clusters/, as the table of model/model_error.c.
# tests/unit/fitting/test_model_error.c says when model/model_error_table.h is older.
set -eu
program=$1
XDG_DATA_HOME=$(mktemp -d)
export XDG_DATA_HOME
trap 'rm -rf "$XDG_DATA_HOME"' EXIT
cat << 'END'
/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef CLUMP_MODEL_MODEL_ERROR_TABLE_H
#define CLUMP_MODEL_MODEL_ERROR_TABLE_H

/* Made by `make model-error` from what `clumpmodel validate` finds. For model_error.c alone. */

static const clump_model_error model_error_table[CLUMP_CHANGE_COUNT] = {
END
db=$XDG_DATA_HOME/clusters.db
"$program" import clumpmodel docs/clusters/alaska-both-ways.csv docs/clusters/alaska-gromacs.csv \
    docs/clusters/alaska-cp2k.csv docs/clusters/um6p-gromacs.csv docs/clusters/mlperf-r750xa.csv --db "$db" --quiet > "$XDG_DATA_HOME/imported"
"$program" validate --db "$db" --format json | awk '
    function value(name) { match($0, "\"" name "\": [^,}]*"); text = substr($0, RSTART, RLENGTH); sub(/^[^:]*: /, "", text); return text }
    BEGIN {
        kind["one-node"] = "CLUMP_CHANGE_ONE_NODE"; kind["shared-nics"] = "CLUMP_CHANGE_SHARED_NICS"
        kind["nic-each"] = "CLUMP_CHANGE_NIC_EACH"; kind["other-nic"] = "CLUMP_CHANGE_OTHER_NIC"
        basis["this kind"] = "CLUMP_ERROR_OWN"; basis["clusters"] = "CLUMP_ERROR_CLUSTERS"; basis["all kinds"] = "CLUMP_ERROR_ALL"
    }
    /"constant": "memory"/ { miss_share = value("value") }
    /"freedom":/ {
        change = value("change"); from = value("basis"); gsub(/"/, "", change); gsub(/"/, "", from)
        printf "[%s] = {.basis = %s,\n", kind[change], basis[from]
        printf "    .datasets = %d, .rows = %d,\n", value("datasets"), value("rows")
        printf "    .scale = %.5g, .freedom = %.5g},\n", value("scale"), value("freedom")
    }
    END { printf "};\n\nstatic const double model_error_miss_share = %.9g;\n", miss_share }'
cat << 'END'

#endif
END
