#!/bin/bash
# SPDX-License-Identifier: GPL-3.0-or-later
# A hostile database: every column of every table is set to what no program of ours writes, its checks switched off, and what reads it
# is asked. No sanitizer complains, results have no infinite numbers, and nothing commands the terminal.
# usage: database_cells.sh CLUMPMODEL [TABLE...]
set -u
program=$(cd "$(dirname "$1")" && pwd)/$(basename "$1") top=$(cd "$(dirname "$0")/../.." && pwd)
shift
command -v python3 > /dev/null || { echo "skip - hostile databases: needs python3"; exit 0; }
work=$(mktemp -d) && cd "$work" || exit 1
trap 'rm -rf "$work"' EXIT
export HOME=$work CLUMPMODEL_SCENARIOS=$top/scenarios LC_ALL=C
store() { "$program" import csv - --db rich.db --quiet "$@" > /dev/null || exit 1; }
head=value,unit,quantity,statistic
printf "$head\n1,s,execution_time,mean\n" | store --platform flat --application prog --nodes 64 --processors 1 --nics 1 --style streaming
printf "$head\n1.5,s,execution_time,mean\n" | store --platform lab --application prog --nodes 4 --processors 16 --nics 4 --mapping pooled --counterpart flat
printf "$head\n5,us,latency,mean\n1,us,send_overhead,mean\n1,us,receive_overhead,mean\n2,us,gap,mean\n1,nsec/B,gap_per_byte,mean\n" | store --platform lab --transport network
printf "$head\n.1,us,latency,mean\n.2,us,send_overhead,mean\n.2,us,receive_overhead,mean\n.5,us,gap,mean\n.2,nsec/B,gap_per_byte,mean\n" | store --platform lab --transport shared-memory
for application in prog later; do
    printf "$head\n100000,count,short_messages,mean\n" | store --platform lab --application $application --transport network
    printf "$head\n50000,count,short_messages,mean\n" | store --platform lab --application $application --transport shared-memory
done
printf "$head\n2,s,execution_time,mean\n" | store --platform flat --application later
printf 'processors,nics,time\n1,1,1\n2,1,1.2\n4,1,1.7\n8,1,3\n4,2,1.3\n8,2,1.9\n' > runs.csv
{
    "$program" import recording "$top/docs/recording/halo" --name halo --db rich.db --quiet &&
        "$program" validate --freeze kept --db rich.db && "$program" fit slowdown --file runs.csv --name fitted --db rich.db
} > /dev/null 2>&1 || exit 1
echo 'return scenario { platform = platform "lab", application = { application "prog", application "later" } }' > programs.lua
echo 'return scenario { platform = platform "lab", application = application "halo", nics = { 1, 2 }, processors = 4 }' > recorded.lua
echo 'return scenario { application = application "fitted", nics = { 1, 2 }, processors = 4 }' > fitted.lua
cat > commands << 'END'
predict programs.lua
predict programs.lua --format json
predict recorded.lua
predict fitted.lua --format json
explore programs.lua
recommend --recording halo --platform lab -P 4
recommend --application prog --platform lab
validate
validate --frozen kept
data list
data show lab
data show halo
data show prog
data show fitted
data check
data export lab
END
python3 "$top/tests/fuzz/database_cells.py" "$program" rich.db commands "$@"
