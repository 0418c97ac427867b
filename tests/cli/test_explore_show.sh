# SPDX-License-Identifier: GPL-3.0-or-later
# Pictures and pages of explore: the numbers of its CSV, bands, the Pareto set, what tells cases apart.
. "$(dirname "${BASH_SOURCE[0]}")/lib.sh"

points() { # points FILE SERIES COLUMNS: of the data of a series
    awk -v name="\$data_$2 <<" -v last="$3" 'index($0, name) == 1 { inside = 1; next } /^END_OF_DATA/ { inside = 0 }
        inside && !/^#/ { line = $1 + 0; for (i = 2; i <= last; i++) line = line " " $i + 0; print line }' "$1"
}
columns() { # columns NAME...: of the CSV in out, by the names of columns
    awk -F, -v names="$*" 'NR == 1 { for (i = 1; i <= NF; i++) at[$i] = i; n = split(names, want, " "); next }
        { line = $at[want[1]] + 0; for (i = 2; i <= n; i++) line = line " " $at[want[i]] + 0; print line }' out
}

sweep='explore figure-8.2 -s N=1:8 --uncertain U=0.40:0.55 --draws 200'
run $sweep --where 'demand == "independent"' --format csv --plot sweep.svg --plot sweep.gp
check "a sweep with uncertain utilization" eval 'exits 0 && empty err && grep -q "<svg" sweep.svg'
columns nics slowdown low high > expected
points sweep.gp 0_0 4 > found
check "the curve and its band are those of the CSV" eval 'cmp -s expected found && [ "$(wc -l < found)" -eq 8 ]'
check "the band is named" has sweep.gp 'where 90. of the draws lie\|where 90\\045 of the draws lie'

run explore figure-8.2 -s N=1:8 -s U=0:1/51 --format csv --plot heat.svg --plot-kind heat --plot heat.gp
check "three heat maps, one for each demand" eval 'exits 0 && [ "$(grep -c "^set palette" heat.gp)" -eq 3 ]'
check "of 8 times 51 values each" [ "$(points heat.gp 0_0 2 | wc -l)" -eq 408 ]

run explore figure-8.2 -s N=1:8 -s U=0.3 --nic-price 1500 --node-price 20000 --format csv --plot price.gp --html price.html
check "with prices" exits 0
columns price slowdown | sort > expected
points price.gp 0_0 2 | sort > found
check "slowdown over price, all rows" eval 'cmp -s expected found && [ "$(wc -l < found)" -eq 24 ]'
points price.gp 0_1 2 > front
check "the Pareto set, those that the CSV marks" [ "$(wc -l < front)" -eq "$(grep -c ',\(yes\|true\)$' out)" ]
check "it falls with the price" awk 'NR > 1 && ($1 < x || $2 > y) { exit 1 } { x = $1; y = $2 }' front
check "a page with both pictures" eval '[ "$(grep -c "id=\"picture-" price.html)" -eq 2 ] && has price.html "What each price buys"'
check "its table has all rows" [ "$(sed -n '/<tbody>/,/<\/tbody>/p' price.html | grep -c '^<tr>')" -eq 24 ]
check "and 24 rows to start from" [ "$(grep -o '"P":' price.html | wc -l)" -eq 24 ]

cat > named.lua <<'EOF'
load = load_factor or 1
return scenario { title = "load " .. load, processors = 8, nics = { 2, 4, 8 }, utilization = 0.1 * load }
EOF
run explore named.lua -s load_factor=1,2,3 --plot named.gp --format csv
check "cases are told by their variables" eval 'exits 0 && has named.gp "load_factor = 2"'
run explore named.lua -s load_factor=1,2,3 --by slowdown --best 6 --plot best.gp --format csv
check "what was sorted is drawn in order" eval 'exits 0 && ! points best.gp 0_0 1 | sort -nc 2>&1 | grep -q .'

refuses 2 "break-even: found --plot or --html beside it" explore figure-8.2 --break-even mapping=pooled,static --plot x.svg
run explore figure-8.2 -s N=4 --where 'slowdown < 0' --plot none.svg
check "no rows, no picture" eval 'exits 2 && has err "no picture: found 0 rows" && [ ! -e none.svg ]'
