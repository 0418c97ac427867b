# SPDX-License-Identifier: GPL-3.0-or-later
# clumpmodel validate --kind: clusters of today, against the same formulas in awk, on the facts of docs/clusters/.
. "$(dirname "${BASH_SOURCE[0]}")/lib.sh"
again && { pass "computed once; test_clusters.c has its memory"; exit 0; }
facts=$(realpath "${BASH_SOURCE[0]}"); facts=${facts%/tests/*}/docs/clusters

# sum SET PART KEY: of the table of errors in the JSON in out.
sum() {
    grep -o '{"set": "'"$1"'", "part": "'"$2"'"[^}]*' out | grep -o "\"$3\": [-0-9.e+]*" | cut -d' ' -f2
}

# cells NAME...: those columns of the CSV in out; commas of the set, which comes first, are not counted.
cells() {
    awk -F, -v wanted="$*" 'NR == 1 { for (i = 1; i <= NF; i++) at[$i] = i; n = split(wanted, w, " "); all = NF; next }
        { line = $(at[w[1]] + NF - all); for (k = 2; k <= n; k++) line = line "," $(at[w[k]] + NF - all); print line }' out
}

# ---- pairs ----
run import csv "$facts"/alaska-pairs.csv "$facts"/abci-pairs.csv --db pairs.db --quiet
check "the facts of pairs" exits 0
run validate --kind pairs --db pairs.db --format json
check "pairs" exits 0
check "nothing on stderr" empty err
# Platform, transport, and its mean error; "#" lines and the heading have no number of processes.
cat "$facts"/alaska-pairs.csv "$facts"/abci-pairs.csv | awk -F, '$8 ~ /^[0-9]+$/ {
        p = $1 ", " $3 ", " $6; k = $8 / 2; rate[p, k, $9] = $10; sizes[$9]; names[p]; pairs[k]
        if (k > most[p]) most[p] = k
        if (k == 1 && $10 > best[$1]) best[$1] = $10
        platform[p] = $1
    }
    END {
        for (p in names) {
            m = most[p]; L = 1048576; a8 = 8 / rate[p, m, 8]; a128 = 128 / rate[p, m, 128]; aL = L / rate[p, m, L]; n = sum = 0
            for (k in pairs) for (s in sizes) {
                s += 0
                if (k == 1 || !((p, k, s) in rate) || (k == m && (s == 8 || s == 128 || s == L))) continue
                t = s <= 8 ? a8 : s <= 128 ? a8 + (s - 8) / 120 * (a128 - a8) : s <= L ? a128 + (s - 128) / (L - 128) * (aL - a128) : aL * s / L
                a = k * rate[p, 1, s]; b = s / t; x = a < b ? a : b
                e = x / rate[p, k, s] - 1; sum += e < 0 ? -e : e; n++
            }
            printf("%s|%d|%.9f\n", p, n, sum / n)
        }
    }' > expected
check "five sets" [ "$(wc -l < expected)" = 5 ]
while IFS='|' read -r set count mean; do
    check "$set: rows" [ "$(grep -o '{"set": "'"$set"'"[^}]*' out | grep '"count": '"$count"',' |
        grep -c '"mean_absolute_error"')" -ge 1 ]
    found=$(grep -o '{"set": "'"$set"'"[^}]*' out | grep '"count": '"$count"',' | tail -1 |
        grep -o '"mean_absolute_error": [0-9.e-]*' | cut -d' ' -f2)
    check "$set: mean error as in awk" near "$found" "$mean" 1e-6
    check "$set: within a tenth" near 0 "$found" 0.1
done < expected
covered=$(grep -o '{"set": "all"[^}]*' out | grep -o '"covered": [0-9.]*' | cut -d' ' -f2)
check "90% intervals hold 85 to 95%" near "$covered" 0.9 0.05
run validate --kind pairs --db pairs.db --format csv
reach=$(cells platform error | awk -F, '$1 != "abci-v" { e = log(1 + $2); print e < 0 ? -e : e }' | sort -g |
    awk '{ e[NR] = $1 } END { k = int(0.9 * (NR + 1)); if (k < 0.9 * (NR + 1)) k++; print e[k] }')
check "an interval is as wide as nine tenths of the errors elsewhere" near "$reach" \
    "$(cells platform predicted low | awk -F, '$1 == "abci-v" { print log($2 / $3); exit }')" 1e-5
run validate --kind pairs --db pairs.db --platform abci-v --format csv
check "two pairs were not measured, and are predicted" [ "$(grep -c ',2 pairs,' out)" = 23 ]
check "what it is predicted from is not judged" lacks out '4 pairs,.*,8,NIC'
run validate --kind pairs --db pairs.db --platform abci-v --rows
check "--rows lists what is predicted" has out '^2 pairs .* processes '
run validate --kind pairs --db pairs.db --platform abci-v
check "without it only the errors stand there" lacks out '^2 pairs .* processes '
run validate --kind pairs --db pairs.db --max-mean-error 5
check "a limit on the mean error" exits 1
check "names the set" has err "set 'abci-v, openmpi, osu_mbw_mr': mean absolute error 5.2"
run validate --kind pairs --db pairs.db --max-error 73
check "a limit that is kept" exits 0
run validate --kind pairs --db pairs.db --max-error 70
check "a limit on single errors" has err "osu_mbw_mr' (16 pairs) is off by 71.*more than the 70%"
run import csv "$facts"/alaska-imb.csv "$facts"/alaska-both-ways.csv --db imb.db --quiet
check "the facts of IMB" exits 0
run validate --kind pairs --db imb.db
# What docs/clusters.md says of IMB: where it is bad, too.
while read -r set mean; do
    check "IMB: $set" has out "^alaska-${set//_/ } *all  *135  *$mean%"
done << 'END'
ib,_impi,_IMB_Biband 72.1
ib,_impi,_IMB_Uniband 12.1
ib,_openmpi,_IMB_Biband 15.2
ib,_openmpi,_IMB_Uniband 11.8
roce,_impi,_IMB_Biband 19.3
roce,_impi,_IMB_Uniband 6.0
roce,_openmpi,_IMB_Biband 8.7
roce,_openmpi,_IMB_Uniband 6.0
END
refuses 2 'found no rates of one pair' validate --kind pairs
refuses 2 "no platform.*'abcd'" validate --kind pairs --db pairs.db --platform abcd
# Options of the other kinds.
for option in dataset=7.8 variant=full engine=exact plot=x.gp fit=none freeze=x frozen=x; do
    refuses 2 "${option%=*}: found it with --kind pairs" validate --kind pairs --db pairs.db --$option
done
for option in platform=abci-v from=abci-v transport=impi topology=node.xml rows; do
    refuses 2 "${option%=*}: found it with --kind slowdown" validate --$option
done
for kind in pairs collectives; do
    refuses 2 "from: found it with --kind $kind" validate --kind $kind --from alaska-ib --db pairs.db
done
refuses 2 'transport: found it with --kind pairs' validate --kind pairs --transport impi --db pairs.db
refuses 2 'topology: found it with --kind training' validate --kind training --topology node.xml --db pairs.db
for option in platform from; do
    refuses 2 "$option: found '', expected the name of a platform" validate --kind nics --db pairs.db --$option ''
done
refuses 2 "found 'alaska-ib' in both" validate --kind nics --db pairs.db --from alaska-ib --platform alaska-ib

# ---- the same programs behind other NICs ----
for program in gromacs cp2k; do
    run import csv "$facts"/alaska-both-ways.csv "$facts/alaska-$program.csv" --db $program.db --quiet
    check "the facts of $program" exits 0
done
run import csv "$facts"/um6p-gromacs.csv --db um6p.db --quiet
check "the facts of UM6P" exits 0
golden=${facts%/docs/clusters}/tests/golden/clusters.csv
while read -r program number rows; do
    run validate --kind nics --db "$program.db" --format csv
    check "$program" exits 0
    # Rows of the same time measured: predicted there and here. The set has commas.
    awk -F, -v program="$number" '
        FNR == NR { if (/^[0-9]/ && $2 == program) want[sprintf("%.9g", $5)] = $6; next }
        FNR == 1 { for (i = 1; i <= NF; i++) at[$i] = i - NF }
        FNR > 1 && !/OpenFOAM/ { m = sprintf("%.9g", $(NF + at["measured"])); p = $(NF + at["predicted"]); n++
            if (!(m in want) || (e = p / want[m] - 1) > 1e-6 || e < -1e-6) print m, p, want[m] }
        END { print n + 0, "rows" }' "$golden" out > differ
    check "$program: as tests/golden/clusters.py" [ "$(cat differ)" = "$rows rows" ]
done << 'END'
gromacs 0 24
cp2k 1 8
um6p 2 32
END
# Of OpenFOAM nothing but times is known: on one node 36.41 and on two 19.2 s over RoCE, of which 0.995 are not half of that;
# one pair reaches 24601.6 and 11567.02 B/us both ways.
run validate --kind nics --db um6p.db --platform um6p-ib --format csv
check "times alone" near "$(cells subject predicted | sed -n 's/^OpenFOAM simpleFoam,//p')" 18.6728226 1e-6
# Runs that divided their work alike, each way, and those that did not.
while read -r limit set; do
    run validate --kind nics --db um6p.db --max-mean-error "$limit" --platform "${set%% *}"
    check "UM6P, $set: over $limit%" eval 'exits 1 && ! has err "set .GROMACS, $set.: "'
done << 'END'
5 um6p-roce from um6p-ib
5 um6p-ib from um6p-roce
END
run validate --kind nics --db gromacs.db --platform alaska-roce --from alaska-ib --max-mean-error 3
check "GROMACS: 3%" exits 0
run validate --kind nics --db gromacs.db --platform alaska-roce --from alaska-ib --format json
check "another grid is said" has out '"note": "other grid: [-+0-9.]*% points'
check "those runs are judged by themselves" has out 'alaska-ib, work divided otherwise", .*"note": "other grid'
check "so is what noise hides" has out '"note": ".*within the noise"'
run validate --kind nics --db cp2k.db --platform alaska-roce --from alaska-ib --max-mean-error 8
check "CP2K: 8%" exits 0
for program in gromacs cp2k; do
    run validate --kind nics --db $program.db --platform alaska-roce --from alaska-ib --format json
    for rival in 1 2; do
        check "$program: better than rival $rival" awk -v all="$(grep -o '{"set": "[^"]*", "part": "all"[^}]*\|{"set": "CP2K[^}]*mean_abs[^}]*' out | tail -1)" \
            -v rival=$rival 'BEGIN { match(all, /"mean_absolute_error": [0-9.]*/); a = substr(all, RSTART + 23, RLENGTH - 23)
                match(all, "\"rival_" rival "_mean_absolute_error\": [0-9.]*"); b = substr(all, RSTART + 31, RLENGTH - 31)
                exit !(a > 0 && a < b) }'
    done
done
run validate --kind nics --db gromacs.db --format json
check "both directions" [ "$(grep -c '"predicted": [0-9]' out)" = 24 ]
# An interval is from other programs on other machines.
run import csv "$facts"/alaska-both-ways.csv "$facts"/alaska-gromacs.csv "$facts"/alaska-cp2k.csv --db programs.db --quiet
run validate --kind nics --db programs.db --format json
check "of one machine's runs there is none" lacks out '"low": [0-9]'
run import csv "$facts"/um6p-gromacs.csv --db programs.db --quiet
run validate --kind nics --db programs.db --format json
reach=$(grep -o '"platform": "um6p-[^}]*' out | sed 's/.*"predicted": \([^,]*\),.*"measured": \([^,]*\),.*/\1 \2/' |
    awk '{ e = log($1 / $2); print e < 0 ? -e : e }' | sort -g | awk '{ e[NR] = $1 } END { print e[int(0.9 * (NR + 1) + 0.999)] }')
check "as wide as nine tenths of the errors there" near "$reach" "$(grep -o '"subject": "CP2K[^}]*' out | head -1 |
    sed 's/.*"predicted": \([^,]*\), "low": \([^,]*\),.*/\1 \2/' | awk '{ print log($1 / $2) }')" 1e-5
# Without what was measured there: the same predictions.
run validate --kind nics --db gromacs.db --platform alaska-roce --from alaska-ib --format csv
cells predicted | sort > with
grep -v '^alaska-roce,GROMACS' "$facts"/alaska-gromacs.csv > half.csv
run import csv "$facts"/alaska-both-ways.csv half.csv --db half.db --quiet
run validate --kind nics --db half.db --platform alaska-roce --from alaska-ib --format csv
cells predicted | sort > without
check "what is predicted is not needed" cmp -s with without
# A quantity that a log lacks is no zero.
for quantity in grid_points communicated_atoms; do
    grep -v ",$quantity," "$facts"/alaska-gromacs.csv > lacks.csv
    run import csv "$facts"/alaska-both-ways.csv lacks.csv --db lacks-$quantity.db --quiet
    run validate --kind nics --db lacks-$quantity.db
    check "without $quantity: not predicted" has out 'all  *0$'
    check "and why" has out 'the log has time in .*, but not how'
    run validate --kind nics --db lacks-$quantity.db --max-mean-error 3
    check "no limit is kept by nothing" exits 1
    check "and says so" has err 'found no prediction that can be compared.*--max-mean-error'
done
# A run that was made twice is compared with the mean of both.
awk -F, -v OFS=, '/^#/ || $1 == "platform" { print; next } $1 == "alaska-roce" && $5 == "execution_time" { print; $8 *= 3; $10 = $10 "again"; print }
    $1 == "alaska-ib" { print }' "$facts"/alaska-gromacs.csv > twice.csv
run import csv "$facts"/alaska-both-ways.csv twice.csv --db twice.db --quiet
run validate --kind nics --db twice.db --platform alaska-roce --from alaska-ib --format csv
check "twice: the mean" has out ',1295.27'
grep -v 'Cp2k_H2O_256_1,' "$facts"/alaska-cp2k.csv > parallel.csv
run import csv "$facts"/alaska-both-ways.csv parallel.csv --db parallel.db --quiet
run validate --kind nics --db parallel.db
check "CP2K without a run on one node says so" has out 'no run on one node'
refuses 2 'found no program that ran on several nodes of two platforms' validate --kind nics --db pairs.db
sed 's/,impi,/,other,/' "$facts"/alaska-pairs.csv > pairs.csv
sed 's/,openmpi,/,,/' "$facts"/alaska-gromacs.csv > plain.csv
run import csv pairs.csv plain.csv --db plain.db --quiet
run validate --kind nics --db plain.db --platform alaska-roce --from alaska-ib
check "of which transport?" has out "transports 'openmpi' and 'other'\|transports 'other' and 'openmpi'"
run validate --kind nics --db plain.db --platform alaska-roce --from alaska-ib --transport openmpi
check "--transport says it" has out '+.*%'

# ---- training ----
run import csv "$facts"/abci-resnet50.csv "$facts"/abci-training.csv --db training.db --quiet
check "the facts of training" exits 0
check "25,557,032 parameters of 4 bytes" [ "$(awk -F, '$4 == "reduction_count" { sum += $8 * $9 } END { print sum }' "$facts"/abci-training.csv)" = 102228128 ]
run validate --kind training --db training.db --format csv
check "training" exits 0
cat "$facts"/abci-resnet50.csv "$facts"/abci-training.csv | awk -F, '
    $4 == "execution_time" { time[$6] = $7 }
    $4 == "phase_calls" { steps = $7 }
    $4 == "operation_time" { us[$7, $8] = $9 }
    $4 == "reduction_count" { n[$8] = $9 }
    function one(p, s,   b) { # sizes of the benchmark double
        for (b = 4; 2 * b <= s && b < 33554432; b *= 2);
        return b == 33554432 ? us[p, b] * s / b : exp(log(us[p, b]) + log(s / b) / log(2) * log(us[p, 2 * b] / us[p, b]))
    }
    END {
        for (p = 8; p <= 128; p *= 2) {
            for (s in n) sum[p] += n[s] * (one(p, s + 0) - one(4, s + 0))
            shared = time[4] * 4 / p + steps * 4 / p * sum[p] * 1e-6
            c = squares > 0 && products > 0 ? products / squares : 0
            printf("%d %.9g\n", p, shared + c * (1 - 4 / p)) # c: from runs on fewer nodes
            products += (time[p] - shared) * (1 - 4 / p) / time[p] ^ 2
            squares += (1 - 4 / p) ^ 2 / time[p] ^ 2
        }
    }' > expected
check "five numbers of nodes" [ "$(wc -l < expected)" = 5 ]
while read -r processes seconds; do
    check "$processes GPUs" near "$(cells processes predicted | sed -n "s/^$processes,//p")" "$seconds" 0.01
done < expected
run validate --kind training --db training.db --max-mean-error 3
check "3%" exits 0
refuses 2 'found no program with reduction_count' validate --kind training

# ---- steps of LLM training ----
run import csv "$facts"/vtrain.csv --db steps.db --quiet
check "the facts of steps" exits 0
run validate --kind steps --db steps.db --format json
check "each step is judged once" [ "$(grep -c '"predicted": [0-9]' out)" = 1495 ]
run validate --kind steps --db steps.db --max-mean-error 9
check "9%, on other numbers of nodes than fitted to" exits 0
# What is predicted is not fitted to: other times on several nodes, the same predictions.
run validate --kind steps --db steps.db --format csv
cells nodes predicted | sort > with
awk -F, -v OFS=, '$6 + 0 > 8 { $7 *= 3 } { print }' "$facts"/vtrain.csv > other-steps.csv
run import csv other-steps.csv --db other-steps.db --quiet
run validate --kind steps --db other-steps.db --format csv
cells nodes predicted | sort > without
check "steps on several nodes are not fitted to" cmp -s with without
sed 's/h=1024/h=1024.5x/' "$facts"/vtrain.csv > bad-steps.csv
run import csv bad-steps.csv --db bad-steps.db --quiet
run validate --kind steps --db bad-steps.db
check "sizes that are none are left out" eval 'exits 0 && ! has out " 1495 "'
refuses 2 'found no steps of training' validate --kind steps

# ---- collective operations behind other NICs ----
run import csv "$facts"/alaska-collectives.csv "$facts"/alaska-pairs.csv "$facts"/alaska-both-ways.csv --db collectives.db --quiet
check "the facts of collectives" exits 0
run validate --kind collectives-other-nics --db collectives.db --format csv
check "collectives" exits 0
cells platform transport subject size_bytes predicted > found
awk -F, 'FNR == NR { if (/^[01],/) want[$1 $2 $3 $4] = $5; next }
    { k = ($1 == "alaska-ib") $2 $3 $4; e = k in want ? $5 / want[k] - 1 : 1; n++
        if (e > 1e-6 || e < -1e-6) print k, $5, want[k] }
    END { print n + 0, "rows" }' "${golden%/*}/collectives.csv" found > differ
check "as tests/golden/clusters.py" [ "$(cat differ)" = "244 rows" ]
# 112 processes on two nodes would be faster than their NICs.
sed 's/^\(alaska-[a-z]*,,[a-z]*,operation_time,mean,[a-z_]*\),64,\(.*\),16,32,1,pooled/\1,112,\2,16,56,1,pooled/; s/,16,32,1,pooled/,16,56,1,pooled/' \
    "$facts"/alaska-collectives.csv > many.csv
for part in pairs both-ways; do sed 's/,16,32,1,pooled/,16,56,1,pooled/' "$facts"/alaska-$part.csv > many-$part.csv; done
run import csv many.csv many-pairs.csv many-both-ways.csv --db many.db --quiet
check "times of more processes than there were" exits 0
run validate --kind collectives --db many.db
check "what is impossible is refused, with the bound" has out 'alaska-roce, openmpi *osu_alltoall.*expected at least .* what leaves each of 2 nodes'
run validate --kind collectives-other-nics --db collectives.db --max-mean-error 20
check "each library and direction: 20%" exits 0
check "by operation, not each row" eval 'has out "osu_alltoall  *21" && lacks out "^osu_alltoall"'
run validate --kind collectives-other-nics --db collectives.db --platform alaska-roce --rows
check "--rows lists each" has out '^osu_alltoall  *1048576'
refuses 2 'import --processes' validate --kind collectives-other-nics --db pairs.db

# ---- collective operations, from the others ----
run validate --kind collectives --db collectives.db --format csv
check "collectives" exits 0
check "all are judged" [ "$(wc -l < out)" = 245 ]
cells subject size_bytes predicted measured | grep osu_alltoall > before
mean=$(cells transport error | awk -F, '$1 == "openmpi" { sum += $2 < 0 ? -$2 : $2; n++ } END { print sum / n }')
check "Open MPI: 20%" near 0 "$mean" 0.2
sed '/osu_alltoall,64,/s/\(osu_alltoall,64,[0-9]*\),/\1,9/' "$facts"/alaska-collectives.csv > other.csv
check "other times of alltoall" [ "$(diff "$facts"/alaska-collectives.csv other.csv | grep -c '^>')" = 84 ]
run import csv other.csv "$facts"/alaska-pairs.csv "$facts"/alaska-both-ways.csv --db other.db --quiet
run validate --kind collectives --db other.db --format csv
cells subject size_bytes predicted measured | grep osu_alltoall > after
check "what is predicted is not fitted to" [ "$(cut -d, -f3 before)" = "$(cut -d, -f3 after)" ]
check "but compared with" [ "$(cut -d, -f4 before)" != "$(cut -d, -f4 after)" ]
refuses 2 'import --processes' validate --kind collectives --db pairs.db
# ---- NCCL, from a description of the node
grep -e '^#' -e '^platform,' -e ',nccl,' "$facts"/abci-collectives.csv > nccl.csv
run import csv nccl.csv --db nccl.db --quiet
run validate --kind collectives --topology "$facts"/abci-node.xml --db nccl.db --format csv
check "NCCL without benchmarks of pairs" exits 0
mean=$(cells subject error | awk -F, '$1 == "nccl all_reduce" { sum += $2 < 0 ? -$2 : $2; n++ } END { print sum / n }')
check "NCCL's allreduces: 10%" near 0 "$mean" 0.1
mean=$(cells error | awk -F, '{ sum += $1 < 0 ? -$1 : $1; n++ } END { print sum / n }')
check "NCCL: 20%" near 0 "$mean" 0.2
sed '/dev="3"/s/sm="70"/sm="60"/' "$facts"/abci-node.xml > old.xml
refuses 2 "old.xml': NCCL: found GPUs of compute capability 60" validate --kind collectives --topology old.xml --db nccl.db
sed '/sm=/s/sm="[0-9]*"/sm="80"/' "$facts"/../topology/eight-nics.xml > eight.xml
run validate --kind collectives --topology eight.xml --db nccl.db
check "other nodes than those measured" has out 'found 8 GPUs in the topology, expected 4'
