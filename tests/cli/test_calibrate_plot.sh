# SPDX-License-Identifier: GPL-3.0-or-later
# The picture of a calibration shows the means that are printed, with their intervals.
. "$(dirname "${BASH_SOURCE[0]}")/lib.sh"
again && { pass "drawn from what test_calibrate.sh measures"; exit 0; }

run calibrate shm --quick --stages loggp --processes 2 --platform lab --db lab.db --quiet --format csv --plot lab.svg --plot-script lab.gp
if grep -q '^LogGP,[^,]*,[^,]*,[^,]*,[^,]*,[^,]*,[-0-9]' out; then
    check "calibrate shm draws" eval 'exits 0 && grep -q "<svg" lab.svg && has lab.svg "LogGP, lab"'
    awk -F, 'NR == 1 { for (i = 1; i <= NF; i++) at[$i] = i; next }
        $at["table"] == "LogGP" && $at["unit"] == "us" && $at["mean"] != "" { m = $at["mean"]; h = $at["half_width"]; print m + 0, m - h, m + h }' out |
        sort > printed
    awk '/^\$data_0_0 <</ { inside = 1; next } /^END_OF_DATA/ { inside = 0 } inside && !/^#/ { print $2 + 0, $3 + 0, $4 + 0 }' lab.gp |
        sort > drawn
    check "means and intervals as printed" eval '[ -s drawn ] && cmp -s printed drawn'
    check "by their names" has lab.gp '"[a-z]*_[a-z_]*" [0-9]'
    check "message sizes on an axis by factors of two" has lab.gp '^set logscale x 2$'
else # other programs had the processors all the time
    check "nothing to draw" eval 'exits 1 && has err "no picture: all runs are doubtful"'
fi
refuses 2 "expected a name that ends in .svg" calibrate shm --quick --db other.db --plot x.gif
check "before anything is measured" [ ! -e other.db ]

# What documents print beside virtual time, and lines over sizes: as in the CSV.
run calibrate virtual --hardware p3-myrinet --protocol l-sdma --quiet --db virtual.db --format csv --plot virtual.svg --plot-script virtual.gp
check "calibrate virtual draws" eval 'exits 0 && grep -q "<svg" virtual.svg && has virtual.gp "printed in a document"'
drawn() { # drawn SCRIPT SERIES
    awk -v name="\$data_$2 <<" 'index($0, name) == 1 { inside = 1; next } /^END_OF_DATA/ { inside = 0 }
        inside && !/^#/ { print $1 + 0, $2 + 0 }' "$1"
}
in_csv() { # in_csv CONDITION WHAT
    awk -F, "NR == 1 { for (i = 1; i <= NF; i++) at[\$i] = i; next } $1 { print $2 }" out
}
in_csv '$at["unit"] == "us" && $at["document"] != ""' '$at["document"] + 0' > expected
drawn virtual.gp 0_1 | cut -d ' ' -f 2 > found
check "all that a document prints in us" eval '[ "$(wc -l < found)" -gt 5 ] && cmp -s expected found'
in_csv '$at["quantity"] == "transfer_rate" && $at["size_bytes"] != ""' '$at["size_bytes"] + 0, $at["value"] + 0' > expected
drawn virtual.gp 2_0 > found
check "throughput over sizes" eval '[ "$(wc -l < found)" -gt 5 ] && cmp -s expected found'

# On a machine that has other things to do all runs may be doubtful: then there is nothing to draw.
run calibrate multi --quick --runs 2 --parts polls --quiet --db multi.db --format csv --plot multi.svg --plot-script multi.gp
if exits 1 && has err 'no picture: no times were measured'; then
    check "calibrate multi: all runs are doubtful, no picture" [ ! -e multi.svg ]
else
    check "calibrate multi draws" eval 'exits 0 && grep -q "<svg" multi.svg && has multi.gp "Cost of a poll"'
    sed -i 's/"Both, /"Both /; s/"//g' out
    in_csv '$at["row"] == "empty poll" && $at["mean"] != ""' '$at["mean"] + 0' > expected
    drawn multi.gp 0_0 | cut -d ' ' -f 2 > found
    check "each column of a row" eval '[ -s found ] && cmp -s expected found'
fi
