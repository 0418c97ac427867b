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
    check "message sizes on an axis by factors of two" has lab.gp '^set label "Message size (bytes)" at .* center$'
else # other programs had the processors all the time
    check "nothing to draw" eval 'exits 1 && has err "no picture: all runs are doubtful"'
fi
refuses 2 "expected a name that ends in .svg" calibrate shm --quick --db other.db --plot x.gif
check "before anything is measured" [ ! -e other.db ]
