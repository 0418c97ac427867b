# SPDX-License-Identifier: GPL-3.0-or-later
# clumpmodel validate --freeze and --frozen: predictions that are kept before the times are there.
. "$(dirname "${BASH_SOURCE[0]}")/lib.sh"
again && { pass "predicted once"; exit 0; }

store() { "$CLUMPMODEL" import csv - --db own.db --quiet "$@" > /dev/null 2> err || fail "import $*: $(cat err)"; }
time_of() { printf 'value,unit,quantity,statistic\n%s,s,execution_time,mean\n' "$1"; }
loggp() { printf 'value,unit,quantity,statistic\n5,us,latency,mean\n1,us,send_overhead,mean\n1,us,receive_overhead,mean\n2,us,gap,mean\n1,nsec/B,gap_per_byte,mean\n'; }
refuses 2 'does not exist\|No such file\|no database\|not there' validate --freeze early --db own.db
time_of 1 | store --platform flat --application solver --nodes 64 --style streaming
time_of 1 | store --platform flat --application heavy # the same file is another application's time, too
loggp | store --platform fat --transport network --nodes 4 --processors 16 --nics 4 --mapping pooled --counterpart flat
refuses 2 "nothing can be predicted; 'heavy' on 'fat': no traffic of 'heavy'\|nothing can be predicted; 'solver' on 'fat': no traffic" validate --freeze early --db own.db
run data list frozen --db own.db
check "nothing is kept then" has out 'No frozen predictions'
loggp | store --platform fat --transport shared-memory
printf 'value,unit,quantity,statistic\n100000,count,short_messages,mean\n' | store --platform fat --application solver --transport network
printf 'value,unit,quantity,statistic\n1000000,count,short_messages,mean\n' | store --platform fat --application heavy --transport network
run validate --freeze early --db own.db
check "--freeze" exits 0
cp own.db kept.db
run validate --freeze early --db own.db
check "twice under a name is refused" eval 'exits 2 && has err "frozen predictions .early. already"'
check "and changes nothing" cmp -s own.db kept.db
run validate --freeze second --db own.db --format json
check "another name, as JSON" exits 0
# 0.2 of the second communicates, 16 on 4 NICs at once
check "the prediction" near "$(key predicted_time_s 1)" 1.6 1e-9
check "its digest" has out '"inputs": "[0-9a-f]\{64\}"'
low=$(key low_s 1) high=$(key high_s 1)
check "an interval around it" awk -v l="$low" -v h="$high" 'BEGIN { exit !(l < 1.6 && 1.6 < h) }'

run validate --frozen early --max-error 50 --db own.db
check "no limit is kept by nothing" eval 'exits 1 && has err "nothing that was kept is measured"'
refuses 2 "data set 'nope', expected one of: thesis-table-6.5" validate --dataset nope --db own.db
run validate --frozen early --db own.db
check "nothing to judge by so far" has out 'Not judged because'
refuses 2 "there are no frozen predictions 'late'" validate --frozen late --db own.db

time_of 2 | store --platform fat --application solver
run validate --frozen early --db own.db --format json
check "--frozen" exits 0
check "measured" [ "$(key measured_time_s 1)" = 2.0 ]
check "error" near "$(key error 1)" -0.2 1e-9
check "the same interval" [ "$(key low_s 1) $(key high_s 1)" = "$low $high" ]
check "nothing has changed" has out '"changed": "nothing"'
run validate --frozen early --db own.db
check "the table sums up" has out 'Mean |error| of 1 prediction: 20.0%, greatest 20.0%, bias -20.0%'
run validate --frozen early --max-error 19.9 --db own.db
check "--max-error" eval 'exits 1 && has err "off by 20%, more than the 19.9% of --max-error"'
run validate --frozen early --max-mean-error 19 --db own.db
check "--max-mean-error" eval 'exits 1 && has err "mean absolute error 20%, more than the 19% of --max-mean-error"'
run validate --frozen early --max-error 20 --max-mean-error 20 --db own.db
check "within the limits" exits 0
refuses 2 "nothing can be predicted; 'heavy' on 'fat': the traffic takes 2 s" validate --freeze third --db own.db
# The rules: a constant that is fitted. The inputs: another network.
run validate --frozen early --fit memory --db own.db
check "the rules may be the same with a fitted constant" has out 'nothing\|rules'
if command -v sqlite3 > /dev/null; then # a program that predicted something else from the same
    cp own.db forged.db
    sqlite3 forged.db 'update frozen_prediction set predicted = 1.0000001 * predicted'
    run validate --frozen early --db forged.db
    check "another answer is told" has out ' answer$'
fi
run validate --frozen early --fit local --db own.db
check "other rules are told" has out ' rules'
printf 'value,unit,quantity,statistic\n1,us,gap,mean\n5,us,latency,mean\n1,us,send_overhead,mean\n1,us,receive_overhead,mean\n1,nsec/B,gap_per_byte,mean\n' |
    store --platform flat --transport network
run validate --frozen early --db own.db --format json
check "other inputs are told" has out '"changed": "inputs"'
check "and the prediction stays" near "$(key predicted_time_s 1)" 1.6 1e-9

# ---- as data ----
run data list frozen --db own.db
check "data list frozen" eval 'has out "early" && has out second'
"$CLUMPMODEL" data merge own.db --db other.db --quiet > /dev/null
run validate --frozen early --db own.db
cp out before
run validate --frozen early --db other.db
check "they are merged" cmp -s out before
run data merge own.db --db other.db
check "once only" eval 'exits 0 && has out "already there"'
if command -v sqlite3 > /dev/null; then
    cp own.db forged.db
    sqlite3 forged.db 'update frozen_prediction set predicted = 1.9'
    refuses 2 "'forged.db' has another frozen 'early' than the database" data merge forged.db --db other.db
fi
"$CLUMPMODEL" data rename application solver solver2 --db other.db --quiet > /dev/null 2>&1 ||
    "$CLUMPMODEL" data rename solver solver2 --db other.db --quiet > /dev/null
run validate --frozen early --db other.db --format json
check "a new name follows" [ "$(key application 1)" = solver2 ]
run data remove early --db other.db
check "data remove" exits 0
refuses 2 "no frozen predictions 'early'" validate --frozen early --db other.db
run data check --db other.db
check "nothing is left behind" exits 0

refuses 2 'expected one of them' validate --freeze a --frozen b --db own.db
refuses 2 'found --freeze with --dataset' validate --freeze a --dataset 7.8 --db own.db
