#!/bin/sh
# SPDX-License-Identifier: GPL-3.0-or-later
# shipped_errors.sh PROGRAM: what nine tenths of the errors of validate --kind over docs/clusters/ stay within, for
# fitting/clusters/shipped_errors.h: the interval of predictions that stand alone in a database.
set -eu
export LC_ALL=C
program=$1 facts=docs/clusters
XDG_DATA_HOME=$(mktemp -d)
export XDG_DATA_HOME
trap 'rm -rf "$XDG_DATA_HOME"' EXIT
db=$XDG_DATA_HOME/clusters.db
# reach KIND FILE...: with the options in $options.
reach() {
    kind=$1
    shift
    rm -f "$db"
    "$program" import csv "$@" --db "$db" --quiet > "$XDG_DATA_HOME/said"
    # shellcheck disable=SC2086
    "$program" validate --kind "$kind" $options --db "$db" --format json |
        sed -n 's/.*"predicted": \([^,]*\),.*"measured": \([^,]*\),.*"error":.*/\1 \2/p' |
        awk '$1 > 0 { e = log($1 / $2); print e < 0 ? -e : e }' | sort -g |
        awk '{ e[NR] = $1 } END { k = int(0.9 * (NR + 1)); if (k < 0.9 * (NR + 1)) k++; printf "%.4g", e[k] }'
}
cat << 'END'
/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef CLUMP_FITTING_CLUSTERS_SHIPPED_ERRORS_H
#define CLUMP_FITTING_CLUSTERS_SHIPPED_ERRORS_H

#include "fitting/clusters/clusters.h"

#include <math.h>

/* Made by `make model-error` (shipped_errors.sh). For clusters_judge.c alone. */

/** Of |log(predicted/measured)| over docs/clusters/; NAN: too few machines to say. */
static const double shipped_reach[CLUMP_CLUSTER_KINDS] = {
END
options=
echo "    [CLUMP_CLUSTER_PAIRS] = $(reach pairs $facts/alaska-pairs.csv $facts/alaska-imb.csv $facts/alaska-both-ways.csv \
    $facts/abci-pairs.csv $facts/abci-collectives.csv),"
echo "    [CLUMP_CLUSTER_NICS] = NAN,"
echo "    [CLUMP_CLUSTER_STEPS] = NAN,"
echo "    [CLUMP_CLUSTER_TRAINING] = NAN,"
options="--transport openmpi-gpu --topology $facts/abci-node.xml"
echo "    [CLUMP_CLUSTER_COLLECTIVES] = $(reach collectives $facts/alaska-collectives.csv $facts/alaska-pairs.csv \
    $facts/alaska-both-ways.csv $facts/abci-collectives.csv $facts/abci-pairs.csv),"
options=
echo "    [CLUMP_CLUSTER_COLLECTIVES_OTHER_NICS] = $(reach collectives-other-nics $facts/alaska-collectives.csv \
    $facts/alaska-pairs.csv $facts/alaska-both-ways.csv),"
cat << 'END'
};

#endif
END
