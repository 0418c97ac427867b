# SPDX-License-Identifier: GPL-3.0-or-later
# clumpmodel fit slowdown: runs from three places, what is refused, and its use in scenarios.
. "$(dirname "${BASH_SOURCE[0]}")/lib.sh"

# Correlated demand is X = 1 + (P-N)/N U (8.9): T = 10, 22 on 8 processors and 2 NICs give U = 0.4.
run fit slowdown --run 1,1,10 --run 8,2,22 --demand correlated --format json
check "two times, by algebra" eval 'exits 0 && near "$(key estimate)" 0.4 1e-8'
check "no interval without spread" eval 'lacks out "\"low\"" && has err "there are no intervals"'
run fit slowdown --run 1,1,10 --run 8,2,22 --free computation,communication --demand correlated --format csv
check "the parts" eval 'has out "^computation,6\(\.0*\|,\)\|^computation,5.99999" && has out "^communication,4\|^communication,3.99999"'

# Scheduled it is 1 - U (N-1)/N, and U P/N where the NICs are full: 0.8 at U = 4/15 and 0.4, and both are said.
run fit slowdown --run 1,1,10 --run 8,4,8 --demand scheduled --format json
check "both roots" eval 'exits 0 && { has out "\"other_estimates\": \"U = 0.4\"" || has out "\"other_estimates\": \"U = 0.2667\""; } && has err "other values fit as well within the errors: U = 0\."'

# The same from a file, in milliseconds, with a comment, in another order; twice the same is one run.
cat > runs.csv << 'END'
# made up
time,unit,nics,processors
10000,ms,1,1
22000,ms,2,8
END
run fit slowdown --file runs.csv --demand correlated --format json
check "from a file" eval 'exits 0 && near "$(key estimate)" 0.4 1e-8'
run fit slowdown --file - --demand correlated --format json
check "an empty standard input" eval 'exits 2 && has err "stdin:.*found no line of names"'
# Times that were repeated thousands of times: 4,000 of two configurations, 2 unknowns.
awk 'BEGIN { print "processors,nics,time"; for (i = 0; i < 2000; i++) printf "1,1,%.2f\n8,2,%.2f\n", 9.9 + i % 21 / 100, 15.5 + i % 21 / 100 }' > repeated.csv
run fit slowdown --file repeated.csv --format json
check "thousands of repeated times" eval 'exits 0 && has out "\"low\": 0\.38"'

printf 'processors,nics,slowdown\n8,2,2.2\n8,4,1.4\n' > ratios.csv
run fit slowdown --file ratios.csv --demand correlated --format json
check "slowdowns instead of times" eval 'exits 0 && near "$(key estimate)" 0.4 1e-6'
run fit slowdown --file ratios.csv --name x --db x.db
check "slowdowns have no seconds to store" eval 'exits 2 && [ ! -e x.db ]'

# Repetitions give the spread.
run fit slowdown --run 1,1,10 --run 1,1,10.2 --run 1,1,9.9 --run 8,2,22 --run 8,2,22.5 --run 8,2,21.7 \
    --demand correlated --format json
check "repetitions are merged" eval 'exits 0 && has out "\"times\": 3" && has out "\"low\""'

refuses 2 'found no runs' fit slowdown
for run in 8,2 8,2,-1 100000000,2,1 8,2,1,f=2; do
    refuses 2 "'$run', expected P,N,SECONDS" fit slowdown --run $run
done
refuses 2 "found 'x', expected a list of U, s" fit slowdown --run 1,1,1 --free U,x
refuses 2 "it is free as well" fit slowdown --run 1,1,1 --free s --fix s=2
refuses 2 "expected a number from 0 to 1" fit slowdown --run 1,1,1 --fix f=2
refuses 2 'independent, correlated or scheduled' fit slowdown --run 1,1,1 --demand gang:2
refuses 2 '3 unknowns (U, s and the time on the NOW) but 2 configurations: measure 1 more' \
    fit slowdown --run 1,1,10 --run 8,4,11 --free U,s
refuses 2 's cannot be told' \
    fit slowdown --run 1,1,10 --run 4,4,11,static --run 8,8,12,static --free s --fix U=0.3
printf 'processors,nics,time\n0,1,3\n' > bad.csv
refuses 2 "bad.csv:2: found '0'" fit slowdown --file bad.csv
printf 'processors,nics,time\n1,1,nan\n' > bad.csv
refuses 2 "bad.csv:2: found 'nan', expected a number above 0" fit slowdown --file bad.csv
printf 'processors,nics,seconds,colour\n1,1,3,red\n' > bad.csv
refuses 2 "bad.csv:1: found 'colour'" fit slowdown --file bad.csv
refuses 2 "nowhere.csv: cannot open it" fit slowdown --file nowhere.csv
refuses 2 "'SAMPEL'" fit slowdown --application SAMPEL
refuses 2 "no time of it on platform 'nowhere'" fit slowdown --application SAMPLE --platform nowhere
refuses 2 "U on platform 'e5000-clump-4x4' is neither free nor known" fit slowdown --application SAMPLE --free s,penalty
# Each thing that may be wrong is told as what it is.
store() { "$CLUMPMODEL" import csv - --db own.db --quiet "$@" > /dev/null 2> err || fail "import $*: $(cat err)"; }
printf 'value,unit,quantity,statistic\n1,s,execution_time,mean\n' | store --platform flat --application solver
printf 'value,unit,quantity,statistic\n3,s,execution_time,mean\n' |
    store --platform fat --application solver --processors 16 --nics 4 --mapping pooled --counterpart flat
refuses 2 "neither free nor known; its traffic is not in the database" fit slowdown --db own.db --application solver --free penalty
printf 'value,unit,quantity,statistic\n1000000,count,short_messages,mean\n' |
    store --platform fat --application solver --transport network
refuses 2 "LogGP parameters of the network are not in the database" fit slowdown --db own.db --application solver --free penalty
for transport in network shared-memory; do
    printf 'value,unit,quantity,statistic\n5,us,latency,mean\n1,us,send_overhead,mean\n1,us,receive_overhead,mean\n2,us,gap,mean\n1,nsec/B,gap_per_byte,mean\n' |
        store --platform fat --transport $transport
done
refuses 2 "the traffic takes 2 s on the NOW by its LogGP parameters, more than the 1 s" fit slowdown --db own.db --application solver --free penalty
rm own.db

# A memory penalty of 1.2 that is not looked for: (1-U) 1.2 + X_c of U = 0.4, correlated.
run fit slowdown --run 1,1,10,sd=.05 --run 8,8,11.2,sd=.05,static --run 8,4,15.2,sd=.05 --run 8,2,23.2,sd=.05 \
    --run 8,1,39.2,sd=.1 --demand correlated --quiet --format json
check "quiet is quiet" empty err
run fit slowdown --run 1,1,10,sd=.05 --run 8,8,11.2,sd=.05,static --run 8,4,15.2,sd=.05 --run 8,2,23.2,sd=.05 \
    --run 8,1,39.2,sd=.1 --demand correlated
check "what the model misses is told, and what would help" eval \
    'has err "misses the times by more than their errors" && has err "with penalty free, too"'
run fit slowdown --run 1,1,10,sd=.05 --run 8,8,11.2,sd=.05,static --run 8,4,15.2,sd=.05 --run 8,2,23.2,sd=.05 \
    --run 8,1,39.2,sd=.1 --demand correlated --free U,penalty --format csv
check "and then it is found" eval 'grep -q "^penalty,1\.\(2\|19999\|20000\)" out && empty err'

# The reference data, stored under a name, and used: predict gives what was fitted.
run fit slowdown --application SAMPLE --platform e5000-clump --platform e5000-smp \
    --free s,penalty --name SAMPLE/fitted --db fit.db --format json
check "from the store" eval 'exits 0 && has out "\"platform\": \"e5000-smp\"" && has out "\"parameter\": \"time ultra170-now\""'
fitted=$(grep '"platform": "e5000-clump"' out | sed 's/.*"fitted_s": \([^,]*\),.*/\1/')
echo 'return scenario { application = application "SAMPLE/fitted", platform = platform "e5000-clump" }' > s.lua
run predict s.lua --db fit.db --format json
check "predict gives what was fitted" near "$(key predicted_time_s)" "$fitted" 1e-12
check "nothing is outside" lacks err 'outside'
run data check --db fit.db
check "the database is in order" exits 0
run data show fit-SAMPLE/fitted --db fit.db
check "the source tells the command" has out 'Command *clumpmodel fit slowdown --application SAMPLE'
refuses 2 "is an application 'SAMPLE/fitted' already" \
    fit slowdown --application SAMPLE --platform e5000-clump --free s --name SAMPLE/fitted --db fit.db
refuses 2 "is an application 'SAMPLE' already" \
    fit slowdown --application SAMPLE --platform e5000-clump --free s --name SAMPLE --db fit.db
refuses 2 'cannot' fit slowdown --application SAMPLE --platform e5000-clump --free s --db missing.db

# One of the command line, without platform; rows beyond the fit are told.
run fit slowdown --run 1,1,10,sd=.2 --run 8,4,10.5,sd=.2 --run 8,2,15.9,sd=.3 --run 4,1,17,sd=.3 \
    --run 8,1,30,sd=.6 --free U,e --name mine --db fit.db --format json
check "kept, too" exits 0
cp out mine.json
run data show mine --db fit.db
cp out fits.txt
run data merge fit.db --db again.db --quiet
run data show mine --db again.db
check "a merge has the fits" eval 'exits 0 && has out "^penalty " && cmp -s out fits.txt'
cp mine.json out
check "the command line" exits 0
fitted=$(grep '"processors": 8, "nics": 2' out | sed 's/.*"fitted_s": \([^,]*\),.*/\1/')
echo 'return scenario { application = application "mine", processors = { 8, 16 }, nics = 2 }' > s.lua
run predict s.lua --db fit.db --format json
check "its prediction" near "$(key predicted_time_s)" "$fitted" 1e-12
check "what is outside is told" has err '"mine" was fitted to 1 to 8 processors and 1 to 4 NICs, pooled; 1 row is outside'
run predict s.lua --db fit.db --format json --quiet
check "quiet" empty err

run fit slowdown --run 1,1,10 --run 8,2,200
check "times beyond the model are told" eval 'exits 0 && has err "does not explain these times"'

# A file is kept with its digest.
mkdir -p folder && cp runs.csv folder/
run fit slowdown --file folder/runs.csv --demand correlated --name filed --db fit.db --quiet
run data show fit-filed --db fit.db
check "file and digest" eval 'has out "^File  *runs.csv$" && has out "$(sha256sum runs.csv | cut -c1-64)"'
run data show filed --db fit.db
check "data show of a fit" eval 'has out "^Parameter " && has out "^Processors "'

# U, f and V from traffic are those of predict, which reads the store on its own.
for application in SAMPLE '3-D FFT' CON/comm EM3D/good; do
    run fit slowdown --application "$application" --platform e5000-clump --free none --quiet --format json
    grep '"platform": "e5000-clump"' out > row
    echo "return scenario { application = application '$application', platform = platform 'e5000-clump', memory_penalty = 1 }" > s.lua
    run predict s.lua --format json
    for pair in utilization:utilization remote_fraction:remote_fraction slowdown:slowdown; do
        fitted=$(sed "s/.*\"${pair%:*}\": \([^,}]*\).*/\1/" row)
        check "${pair%:*} of $application as in predict" near "$(key "${pair#*:}")" "$fitted" 1e-9
    done
done
