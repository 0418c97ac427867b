#!/bin/bash
# SPDX-License-Identifier: GPL-3.0-or-later
# A recording as a schedule, exported, and drawn. It was made by a real program; nothing here needs MPI.
. "$(dirname "$0")/../lib.sh"

tar -xzf "$TOP/tests/recordings/workers.tar.gz"
cat > node.lua << 'LUA'
return scenario {
  platform = platform { name = "node", nodes = 4, processors = 2, nics = 2,
    network = { L = 20, o_s = 3, o_r = 3, g = 5, G = 0.008 },
    shared_memory = { L = 0.5, o_s = 0.2, o_r = 0.2, g = 0.4, G = 0.0002 } },
  application = application { name = "any", now_time = 1, utilization = 0.5 },
  nics = { 1, 2 },
}
LUA

# ---- a schedule, directly and through GOAL

refuses 2 'found no file rank-NNNNNN' simulate node.lua --schedule .
run simulate node.lua --schedule workers --format csv --quiet
check "a recording is simulated" exits 0
cp out direct
run record --export goal workers -o workers.goal
check "it is exported as GOAL" exits 0
check "GOAL has the ranks" has workers.goal '^num_ranks 4$'
run simulate node.lua --schedule workers.goal --format csv --nic-choice openmpi --window 20K --rendezvous 1M --quiet
sed 's/workers\.goal/workers/g' out > again
run simulate node.lua --schedule workers --format csv --rendezvous 1M --quiet # a size in place of the library's steps
check "GOAL gives the same simulation" cmp -s out again
run record --quiet --export=goal workers
check "GOAL goes to standard output, too" cmp -s out workers.goal
seconds() { awk -F, 'NR == 1 { for (i = 1; i <= NF; i++) if ($i == "predicted_time_s") at = i } NR == 2 { print $at }' "$1"; }
run simulate node.lua --schedule workers --gaps wall --format csv --quiet
check "whole gaps take longer" awk -v a="$(seconds out)" -v b="$(seconds direct)" 'BEGIN { exit !(a > b) }'
run simulate node.lua --schedule workers --collectives mpich --format csv --quiet
check "the messages of another library" exits 0

# ---- what is wrong with it

refuses 2 'gaps: it is about schedules' simulate node.lua --gaps wall
cp -r workers broken
printf 'x' | dd of=broken/rank-000001.clumprec bs=1 seek=3 conv=notrunc 2> /dev/null
refuses 2 'rank-000001' simulate node.lua --schedule broken --quiet
refuses 2 'rank-000001' record --quiet --export perfetto broken
mkdir nothing
refuses 2 'nothing' simulate node.lua --schedule nothing --quiet
cp -r workers cut
size=$(stat -c %s cut/rank-000002.clumprec)
truncate -s $((size - 40)) cut/rank-000002.clumprec
run simulate node.lua --schedule cut
check "a recording that was cut off is simulated as far as it goes" exits 0
check "and says so" has err 'its calls are those of the first'
cp -r workers missing
rm missing/rank-000003.clumprec
run simulate node.lua --schedule missing
check "without one rank, too" exits 0
check "and says what is left out" has err 'operations are left out that wait'

# ---- for other programs

run record --export perfetto workers -o workers.json
check "a trace for Perfetto" exits 0
check "with slices" has workers.json '"ph":"X"'
check "and flows" has workers.json '"ph":"f"'
refuses 2 'expected the folder of a recording' record --export goal

# ---- pictures

run record --report workers --plot workers.gp
check "a script of it" exits 0
check "with boxes" has workers.gp 'boxxyerror.* title "waiting for a late partner"'
if command -v gnuplot > gnuplot.txt; then
    run record --report workers --plot workers.svg
    check "a picture" has workers.svg '</svg>'
fi
refuses 2 'found without --report' record --plot workers.svg
