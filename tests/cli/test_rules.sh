# SPDX-License-Identifier: GPL-3.0-or-later
# What validate knows of a run a scenario knows as well: a NOW with a network of its own, the NIC with most to do, computation that was
# measured, traffic that was counted on other nodes; predicted, compared with another platform, and simulated.
. "$(dirname "${BASH_SOURCE[0]}")/lib.sh"

loggp() { # loggp PLATFORM TRANSPORT L O G GB: of both overheads
    for pair in "latency $4 us" "send_overhead $5 us" "receive_overhead $5 us" "gap $6 us" "gap_per_byte $7 nsec/B"; do
        read -r quantity value unit <<< "$pair"
        echo "$1,,$3,$quantity,mean,$value,,$unit,benchmarks,$shape"
    done
}
{
    echo "platform,application,transport,quantity,statistic,value,half_width,unit,source,platform_nodes,platform_processors,platform_nics,platform_mapping,platform_counterpart,application_style"
    shape="64,1,1,,,"
    loggp flat . network 8 2 5 3
    echo "flat,,,l2_miss_memory_cycles,mean,40,,cycles,hardware,$shape"
    echo "flat,,,clock,single,200,,MHz,hardware,$shape"
    echo "flat,solver,,execution_time,mean,12.5,,s,now runs,64,1,1,,,streaming"
    echo "flat,waiter,,execution_time,mean,12.5,,s,now runs,64,1,1,,,blocking"
    for platform in "fat 4 5 1 2 1" "wide 8 3 0.5 1 0.5"; do
        read -r name nics L o g G <<< "$platform"
        shape="4,16,$nics,static,flat,"
        loggp $name . network $L $o $g $G
        loggp $name . shared-memory 0.1 0.2 0.5 0.2
        echo "$name,,,l2_miss_memory_cycles,mean,60,,cycles,hardware,$shape"
        echo "$name,,,clock,single,200,,MHz,hardware,$shape"
        for application in "solver streaming 900000" "waiter blocking 200000"; do
            read -r program style local <<< "$application"
            echo "$name,$program,network,short_messages,mean,600000,,count,traces,$shape$style"
            echo "$name,$program,network,short_messages,min,400000,,count,traces,$shape$style"
            echo "$name,$program,network,short_messages,max,800000,,count,traces,$shape$style"
            echo "$name,$program,shared-memory,short_messages,mean,$local,,count,traces,$shape$style"
            echo "$name,$program,,computation_time,mean,2.5,,s,traces,$shape$style"
        done
    done
    # Half of the processors: traffic follows from that of all.
    shape="4,8,4,static,flat,"
    for application in "solver streaming" "waiter blocking"; do
        read -r program style <<< "$application"
        echo "fat,$program,,traffic_from,single,1,,count,traces,4,16,4,static,flat,$style"
        echo "half,$program,,computation_time,mean,2.5,,s,traces,$shape$style"
    done
    echo ",solver,,all_to_all_exchange,single,1,,count,traces,,,,,,streaming"
} > lab.csv
sed -i '1s/$/,platform_part_of/; 2,$s/$/,/; s/^\(half,.*\),$/\1,fat/' lab.csv
run import clumpmodel lab.csv --db lab.db --quiet
check "import" exits 0
run validate --freeze before --db lab.db --format json
check "validate predicts" exits 0
cp out frozen
of() { # of FILE PLATFORM APPLICATION KEY
    grep '^    {' "$1" | grep "\"platform\": \"$2\"" | grep "\"application\": \"$3\"" | grep -o "\"$4\": [-0-9.e]*" | cut -d' ' -f2
}
echo 'return scenario { application = { application "solver", application "waiter" }, platform = { platform "fat", platform "wide", platform "half" }, demand = "correlated" }' > both.lua
run predict both.lua --db lab.db --format json
cp out predicted
run predict both.lua --db lab.db
for platform in fat wide half; do
    for program in solver waiter; do
        expected=$(of frozen $platform $program predicted_time_s)
        check "$program on $platform as in validate" near "$(of predicted $platform $program predicted_time_s)" "$expected" "$(compute 'p * 1e-9' p="$expected")"
        check "$program on $platform: against that NOW" near "$(of predicted $platform $program slowest_slowdown)" \
            "$(compute 'p / 12.5' p="$expected")" 1e-9
        check "$program on $platform: whose time it is" near "$(of predicted $platform $program now_time_s)" 12.5 1e-9
    done
done
# By hand: the NOW's messages take 5 us each for the solver, 12 for the waiter (half of 2 (2 + 8 + 2)).
check "utilization on that NOW" near "$(of predicted fat solver utilization)" "$(compute '1.5 * 5 / 12.5')" 1e-9
check "and if messages are waited for" near "$(of predicted fat waiter utilization)" "$(compute '0.8 * 12 / 12.5')" 1e-9

# Of 64 with least and greatest 200,000 from the mean, the last of 16 groups of 4, and of 32 pairs, by tables of the greatest of as many normal numbers.
# What the slowest does not communicate on the NOW, 4 s, is the same on both.
hand() { compute '12.5 - 1.7 * 5 + 0.9 * 0.5 + g * (n * 0.6 + sqrt(n) * 0.2 / 2.34373 * e)' g="$1" n="$2" e="$3"; }
check "the slowest of four" near "$(of predicted fat solver predicted_time_s)" "$(hand 2 4 1.76599)" 0.01
check "the slowest of two" near "$(of predicted wide solver predicted_time_s)" "$(hand 1 2 2.06967)" 0.01

# ---- two of them: the ratio of both predictions
echo 'return scenario { application = { application "solver", application "waiter" }, platform = platform "wide", compare_with = platform "fat", demand = "correlated" }' > compared.lua
run predict compared.lua --db lab.db --format json
cp out compared
for program in solver waiter; do
    check "$program: ratio" near "$(of compared wide $program ratio)" \
        "$(compute 'w / f' w="$(of frozen wide $program predicted_time_s)" f="$(of frozen fat $program predicted_time_s)")" 1e-9
done

# ---- simulated: processors of the mean, within its interval
echo 'return scenario { application = { application "solver", application "waiter" }, platform = platform "fat", demand = "correlated" }' > simulated.lua
run simulate simulated.lua --db lab.db --precision 1% --seed 4 --threads 2 --format json
cp out simulated
for program in solver waiter; do
    check "$program simulated" near "$(compute 's / p' s="$(of simulated fat $program slowdown)" p="$(of predicted fat $program slowdown)")" 1 0.01
done

# ---- of a script: 20,000 messages of 10 us there, 30 us on the NOW, which took 1 s; two to a NIC
cat > own.lua <<'END'
return scenario { demand = "correlated", application = application { name = "a", now_time = 1, remote_traffic = { short_messages = 20000 } },
  platform = platform { name = "p", processors = 2, nics = 1, network = { L = 5, o_s = 2, o_r = 2, g = 10, G = 0 },
    now_network = { L = 5, o_s = 2, o_r = 2, g = 30, G = 0 }, shared_memory = { L = 1, o_s = 1, o_r = 1, g = 1, G = 0 } } }
END
run predict own.lua --format json
check "now_network: time" near "$(key predicted_time_s)" 0.8 1e-12
check "now_network: slowdown" near "$(key slowdown)" 0.8 1e-12
check "now_network: utilization" near "$(key utilization)" 0.6 1e-12
sed 's/now_time = 1,/now_time = 0.5,/' own.lua > short.lua
refuses 2 'takes 0.6 s on the NOW .* more than the 0.5 s' predict short.lua
