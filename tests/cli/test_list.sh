# SPDX-License-Identifier: GPL-3.0-or-later
# What there is: the scenarios that ship, where a command is given none; everything by name.
. "$(dirname "${BASH_SOURCE[0]}")/lib.sh"

(cd "$TOP/scenarios" && ls -- *.lua | sed 's/\.lua$//') > shipped
check "there are scenarios" [ "$(wc -l < shipped)" -ge 13 ]
for command in predict $(again || echo explore simulate); do
    run $command
    check "$command alone ends well" exits 0
    sed -n '2,/^$/p' out | sed '/^$/d; s/ .*//' > listed
    check "$command alone lists the scenarios that ship" cmp -s shipped listed
    check "$command alone: each with its title" awk 'NR > 1 && /^$/ { exit } NR > 1 && NF < 2 { exit 1 }' out
    check "$command alone: lines fit" awk 'length > 80 { exit 1 }' out
done
run predict
check "a title that the script computes" has out '^figure-8.2 *Slowdown of 8 processors that share 4 NICs$'
run predict --format json
check "JSON of it" has out '"name": "gpu-node", "title": "How many NICs for 8 accelerators?"'
mkdir none
ran='predict, without scenarios'
CLUMPMODEL_SCENARIOS=$PWD/none "$CLUMPMODEL" predict > out 2> err < /dev/null
status=$?
check "no scenarios where they should be" eval "exits 2 && empty out && has err \"found no scenarios in '$PWD/none'\""
mkdir some
echo 'return scenario { title = "Mine", processors = 2, nics = 1, utilization = 0.5 }' > some/good.lua
echo 'while true do end' > some/bad.lua
CLUMPMODEL_SCENARIOS=$PWD/some "$CLUMPMODEL" predict > out 2> err < /dev/null
status=$?
check "a script that does not run has no title" eval "exits 0 && has out '^good *Mine$' && has out '^bad *-$'"

run list
check "list ends well" eval "exits 0 && empty err"
check "lines fit" awk 'length > 80 { exit 1 }' out
for name in gpu-node e5000-clump 'EM3D/naive' thesis-table-5.1; do
    check "list has $name" has out "[ ]$name\\(,\\|\$\)"
done
run list --format csv
cut -d , -f 1,2 out | tr -d '"' > by_kind
check "its header" has out '^kind,name,title,reference$'
check "all scenarios" [ "$(grep -c ^scenario, by_kind)" = "$(wc -l < shipped)" ]
for kind in platform application source; do
    "$CLUMPMODEL" data list ${kind}s --format csv | tail -n +2 | grep -c . > wanted
    check "as many of $kind as in data list" [ "$(grep -c "^$kind," by_kind)" = "$(cat wanted)" ]
done
