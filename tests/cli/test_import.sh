# SPDX-License-Identifier: GPL-3.0-or-later
# clumpmodel import: every format, errors, twice, two at once, killed at any moment.
. "$(dirname "${BASH_SOURCE[0]}")/lib.sh"
logs=$TOP/tests/logs

samples() { "$CLUMPMODEL" data export "${2:-lab}" --db "$1" 2> /dev/null | tail -n +2 | wc -l; }

# What Intel's library tells before the program begins, on more lines than a log's title may be down.
{
    echo '[0] MPI startup(): Intel(R) MPI Library, Version 2019 Update 8  Build 20200624, value 4'
    for i in $(seq 250); do echo "[0] MPI startup(): $i       514$i    node-1        {0,1,2,3}"; done
} > startup.txt

# Each log is recognized, and is of its own format only.
while read -r file format count; do
    run import auto "$logs/$file" --platform lab --transport t --window 64 --db all.db --format csv
    check "auto: $file" eval 'exits 0 && has out "/$file,$format,.*,$count,imported$"'
    # The rest goes through the same code for all: with sanitizers for one.
    again && [ "$file" != osu_latency_v74_tcp_r1.txt ] && continue
    sed 's/^/[1,0]<stdout>:/' "$logs/$file" > marked.txt
    run import auto marked.txt --platform lab --window 64 --db marked.db --format csv
    check "marked by mpirun: $file" eval 'exits 0 && has out "marked.txt,$format,.*,$count,imported$"'
    cat startup.txt "$logs/$file" > started.txt
    run import auto started.txt --platform lab --window 64 --db started.db --format csv
    check "behind lines of MPI's start: $file" eval 'exits 0 && has out "started.txt,$format,.*,$count,imported$"'
    run import "$format" "$logs/$file" --platform lab --db "own-$format.db" --quiet
    check "$format: $file" eval 'exits 0 && empty err'
    "$CLUMPMODEL" data export lab --db "own-$format.db" > out.csv
    run import auto out.csv --db "copy-$format.db" --quiet
    "$CLUMPMODEL" data export lab --db "copy-$format.db" > again.csv
    check "out and in again: $file" eval 'exits 0 && has out "^out.csv *clumpmodel" && cmp -s out.csv again.csv'
    other=osu
    [ "$format" = osu ] && other=imb
    refuses 2 "expected" import $other "$logs/$file" --platform lab --db never.db
done << 'END'
osu_latency_v74_tcp_r1.txt osu 21
osu_latency_v53_shm_r1.txt osu 24
osu_mbw_mr_vary.txt osu 272
osu_alltoall_full.txt osu 51
fi_pingpong_tcp_rdm_r1.txt fi-pingpong 6
tag_lat_posix_8B_r1.txt ucx-perftest 2
ucp_am_bw_posix_1048576B_r2.txt ucx-perftest 9
loggp_tcp_64k.out netgauge 446
one_one_shm.txt netgauge 32
logp_test_tcp.out logp-mpi 151
NPtcp_lo_r1.txt netpipe 106
NPtcp_lo.np.out netpipe 106
NP5mpi_shm.np.out netpipe 55
nccl_all_reduce_8.txt nccl-tests 12
fft3d-concise.mpiP mpip 109
nxnlatbw_4.txt nxnlatbw 24
stream_1_2_threads.txt stream 8
mpi_bench_small.txt mpi-bench 192
gromacs_61k_2_nodes.log gromacs 54
cp2k_h2o256_16_nodes.txt cp2k 136
mlperf_resnet_4_nodes.txt mlperf 3
mlperf_system_4_nodes.json mlperf 2
openfoam_2_nodes.txt run-times 3
wrf_56.txt run-times 7
castep_56.txt run-times 7
END
check "nothing was made for refused logs" [ ! -e never.db ]
run data check --db all.db
check "the database is in order" exits 0

# Standard input, the user's own database, and its directory.
status=0
"$CLUMPMODEL" import csv - --platform lab --note 'by hand' > out 2> err << 'END' || status=$?
size,value,unit,quantity
8,1.5,us,half_round_trip
16,1.75,us,half_round_trip
END
ran="import csv -"
check "standard input" exits 0
check "the user's database is made" [ -s "$HOME/.local/share/clumpmodel/clumpmodel.db" ]
check "tells that the platform is new" has err "platform 'lab' is new"
run data show lab --format json
check "what was stored" has out '"quantity": "half_round_trip".*"size_bytes": 16.*"value": 1.75, "unit": "us"'
run data list sources --format csv
check "with its note" has out '^standard input [0-9a-f]*,log,.*by hand'

# What a log does not say.
run import auto "$logs/osu_barrier_full.txt" --platform barrier --processes 48 --db barrier.db
check "processes are told" eval 'exits 0 && ! has err "how many processes"'
run data show barrier --db barrier.db
check "and kept" has out 'Processes: 48'
run import osu "$logs/osu_alltoall_full.txt" --platform barrier --db barrier.db
check "or asked for" has err 'osu_alltoall does not say how many processes there were: give it with --processes'

# Twice: reported, nothing changes.
cp all.db before.db
run import auto "$logs/fi_pingpong_tcp_rdm_r1.txt" --platform lab --transport t --db all.db
check "twice is no error" exits 0
check "twice is reported" eval 'has err "is there already" && has out "already there"'
check "twice changes nothing" cmp -s all.db before.db
run import auto "$logs/fi_pingpong_tcp_rdm_r1.txt" "$logs/fi_pingpong_tcp_rdm_r1.txt" --platform two --db two.db --format csv
check "twice in one command" [ "$(samples two.db two)" -eq 6 ]

# Errors: the file, the line, nothing stored, no file of two.
printf '# OSU MPI Latency Test v5.3\n# Size          Latency (us)\n0  0.13\n8  0,16\n' > comma.txt
refuses 2 "comma.txt:4: found '0,16' with a decimal comma" import auto comma.txt --platform lab --db all.db
refuses 2 "comma.txt:4" import auto "$logs/one_one_shm.txt" comma.txt --platform other --db all.db --all-or-nothing
refuses 2 "NP5mpi_shm_truncated_timeout.txt:84: .*truncated" import netpipe "$logs/NP5mpi_shm_truncated_timeout.txt" --platform lab --db all.db
refuses 2 "No such file" import auto missing.txt --platform lab --db all.db
refuses 2 "directory" import auto . --platform lab --db all.db
refuses 2 "did you mean 'osu'" import ous comma.txt --platform lab
refuses 2 "platform" import osu comma.txt
refuses 2 "processors: found 3, expected 1" import auto "$logs/osu_bw_W16.txt" --platform lab --processors 3 --db all.db
printf 'value,unit\n1,us\n' > speed.csv
refuses 2 "no quantity is called 'speed'" import csv speed.csv --platform lab --db all.db --quantity speed
printf 'modules loaded, the default value of all\n1,2\n' > sentence.txt
refuses 2 "found nothing that is known" import auto sentence.txt --platform lab --db all.db
sed '1i srun: job 4711 queued, and waiting for a value\nMPI: libfabric 1.10, verbs' "$logs/nxnlatbw_4.txt" > queued.txt
run import auto queued.txt --platform lab --db queued.db --format csv
check "nxnlatbw behind what others say" eval 'exits 0 && has out "queued.txt,nxnlatbw,.*,24,imported$"'
head -c 200000 "$CLUMPMODEL" > binary
refuses 2 "binary" import auto binary --platform lab --db all.db
gzip -c "$logs/one_one_shm.txt" > shm.txt.gz
head -c 400 shm.txt.gz > cut.txt.gz
refuses 2 "cut.txt.gz: found compressed data that are damaged or cut off" import auto cut.txt.gz --platform lab --db all.db
head -c 80000000 /dev/zero | gzip > bomb.gz
again || refuses 2 "bomb.gz: out of memory: more than the 33554432 bytes of --budget" import auto bomb.gz --platform lab --db all.db --budget memory=32M
mkfifo nobody
refuses 2 "longer than the 1 seconds of --budget" import csv nobody --platform lab --db all.db --budget seconds=1
check "errors change nothing" cmp -s all.db before.db

# One bad file of several: what is good is taken, what is not is named. Compressed or not, a log is the same.
printf 'size,value,unit,quantity\n8,1,us,wall_time\n' > other.csv
run import auto missing.txt shm.txt.gz comma.txt "$logs/one_one_shm.txt" other.csv "$logs/fft3d-concise.mpiP" --platform some --db some.db --format csv
check "the good ones" eval 'exits 2 && has out "^shm.txt.gz,netgauge,.*,one_one_shm\|^shm.txt.gz,.*,32,imported$" && has out "fft3d-concise.mpiP,.*,109,imported$"'
check "one of them in another form" has out "/one_one_shm.txt,.*,already there$"
check "and the bad ones" eval 'has out "^missing.txt,.*,refused$" && has out "^comma.txt,.*,refused$" && has err "missing.txt: cannot open" && has err "comma.txt:4: found"'
check "are stored, and nothing else" [ "$(samples some.db some)" -eq $((32 + 109 + $(grep -c '^other.csv.*imported$' out))) ]
run data check --db some.db
check "the database is in order then, too" exits 0
"$CLUMPMODEL" data export lab --db all.db > all.csv 2> /dev/null
sed '2s/^lab,/other,/; 2s/[0-9.e-]*,us,/nan,us,/' all.csv > torn.csv
run import auto torn.csv shm.txt.gz --platform torn --db torn.db --format csv
check "a damaged export beside a log" eval 'exits 2 && has out "^torn.csv,.*,refused$" && has out "^shm.txt.gz,.*,imported$"'

# Two at once: both succeed. Killed, below, there must be enough to do.
awk 'BEGIN { print "size,value,unit,quantity,run"; for (r = 1; r <= 40; r++) for (s = 0; s < 1000; s++)
    print s "," s / 7 + r ",us,half_round_trip," r }' > many.csv
head -n 10001 many.csv > some.csv
sed 's/,us,/,ns,/' some.csv > more.csv
for i in 1 2 3; do
    rm -f both.db
    "$CLUMPMODEL" import csv some.csv --platform lab --db both.db > out1 2>&1 &
    first=$!
    "$CLUMPMODEL" import csv more.csv --platform lab --db both.db > out2 2>&1
    second=$?
    wait $first
    check "two at once, $i" [ "$?$second$(samples both.db)" = 0020000 ]
done

# Killed at any moment: all or nothing, and the database can be read. Sanitizers make nothing of kill -9: four suffice there.
all=0 nothing=0 broken=0
i=0 most=24
again && most=4
while [ $((i += 1)) -le $most ] || { [ $nothing -eq 0 ] && [ $i -le 500 ]; }; do
    rm -f killed.db killed.db-journal
    "$CLUMPMODEL" import auto "$logs/one_one_shm.txt" --platform lab --db killed.db > out 2>&1
    "$CLUMPMODEL" import csv many.csv --platform lab --db killed.db > out 2>&1 &
    victim=$!
    sleep "0.$(printf '%03d' $((i * (24 / most) % 24 * 5)))"
    kill -9 $victim 2> /dev/null
    wait $victim 2> /dev/null
    case $(samples killed.db) in
    32) nothing=$((nothing + 1)) ;;
    40032) all=$((all + 1)) ;;
    *) broken=$((broken + 1)) && "$CLUMPMODEL" data export lab --db killed.db 2>&1 | head -n 2 > broken.out ;;
    esac
    "$CLUMPMODEL" data check --db killed.db > out 2> err || { broken=$((broken + 1)) && cat out err > broken.out; }
done
ran="import, killed: all $all, nothing $nothing, broken $broken"
[ $broken -eq 0 ] || cp broken.out out
check "killed: all or nothing" [ $broken -eq 0 ]
check "killed: before the end at least once" [ $nothing -gt 0 ]

# Our own format: what `data export` writes goes in again, byte for byte, and only once.
run import auto "$logs/osu_mbw_mr_vary.txt" --platform there --transport tcp --nodes 2 --processors 8 \
    --nics 2 --note 'a "note", with commas' --db first.db --quiet
run import mpip "$logs/fft3d-concise.mpiP" --platform single --db first.db --quiet
run import auto "$logs/osu_latency_v74_tcp_r1.txt" --platform elsewhere --processors 4 --mapping static \
    --counterpart single --db first.db --quiet
check "a platform with its NOW" exits 0
"$CLUMPMODEL" data export --db first.db > exported.csv
run import auto exported.csv --db second.db
check "an export is recognized" eval 'exits 0 && has out "^exported.csv  clumpmodel .*imported" && has err "reference data"'
"$CLUMPMODEL" data export --db second.db > again.csv
check "the same comes out" cmp exported.csv again.csv
run import csv exported.csv --db second.db
check "as CSV too, and once only" eval 'exits 0 && has out "already there"'
"$CLUMPMODEL" data export --db second.db > again.csv
check "nothing was added" cmp exported.csv again.csv
run data show elsewhere --db second.db
check "its NOW and mapping" eval 'has out "Mapping *static" && has out "Compare with *single"'
grep '^platform,\|^elsewhere,' exported.csv > alone.csv
run import auto alone.csv --db alone.db
check "a NOW that is not there is told" eval 'exits 0 && has err "compared with .single., which is neither"'
run data check --db second.db
check "the database is in order" exits 0
head -n 1 exported.csv > one.csv
grep '^there,' exported.csv | head -n 5 >> one.csv
run import clumpmodel one.csv --platform renamed --db third.db --quiet
check "one platform can be renamed" eval 'exits 0 && [ "$(samples third.db renamed)" = 5 ]'
refuses 2 'found samples of 3 platforms' import clumpmodel exported.csv --platform x --db third.db
refuses 2 '--platform is missing' import auto "$logs/osu_bw_W16.txt" --db third.db
refuses 2 '--platform is missing' import osu nowhere.txt --db third.db
sed '3s/,us,/,parsecs,/;3s/,B\/us,/,parsecs,/;3s/,1\/us,/,parsecs,/' one.csv > bad.csv
refuses 2 "bad.csv:3: found unit 'parsecs'" import auto bad.csv --db third.db
sed '4s/^there,/there,"/' one.csv > bad.csv
refuses 2 'bad.csv:4: ' import auto bad.csv --db third.db
head -c -3 one.csv > bad.csv
refuses 2 'bad.csv:6: ' import auto bad.csv --db third.db
"$CLUMPMODEL" data export SAMPLE > reference.csv
refuses 2 'reference data only' import auto reference.csv --db third.db
printf 'platform,application,transport,quantity,value,unit,source,note\nlab,,net,gap,1.5,us,mine,by hand\n' > short.csv
run import auto short.csv --db third.db --quiet
check "by hand, with the least" eval 'exits 0 && [ "$(samples third.db lab)" = 1 ]'

# Text that was changed on the way.
printf 'size,value,unit\r\n8,1,us\r\n' > crlf.csv
run import csv crlf.csv --platform crlf --nodes 2 --quantity half_round_trip --db crlf.db --quiet
check "a table with ends of lines as spreadsheets write them" eval 'exits 0 && [ "$(samples crlf.db crlf)" = 1 ]'
printf 'value,unit\n8,s\n' > exchange.csv
run import csv exchange.csv --platform crlf --quantity execution_time --application swap --style exchange --db crlf.db --quiet
check "--style exchange" exits 0
run data export swap --db crlf.db
check "waits for answers, and answers" eval 'has out "^,swap,,,mutual_exchange,single,.*,1,.*,blocking," && has out "^crlf,swap,.*execution_time"'
run import csv exchange.csv --platform crlf --quantity execution_time --application swap --style exchange --db crlf.db --quiet
check "again" exits 0

# Times of one's own, as single samples, are what validate and predict compare with: U = 100,000 x 3 us
# of 10 s (the mean of 9, 10 and 11), 16 processors on 4 NICs at once: 0.97 + 0.03 x 4 = 1.09; 14 s measured.
printf 'value,unit,run\n9,s,1\n10,s,2\n11,s,3\n' > now.csv
printf 'value,unit\n14,s\n' > time.csv
printf 'quantity,value,unit\nshort_messages,100000,count\nbulk_messages,0,count\n' > sent.csv
printf 'quantity,value,unit\nlatency,5,us\nsend_overhead,1,us\nreceive_overhead,1,us\ngap,3,us\ngap_per_byte,0.01,us/B\n' > loggp.csv
run import csv now.csv --platform flat --application solver --quantity execution_time --nodes 64 --style streaming --db own.db --quiet
run import csv time.csv --platform fat --application solver --quantity execution_time --nodes 4 --processors 16 --nics 4 \
    --mapping pooled --counterpart flat --db own.db --quiet
run import csv sent.csv --platform fat --application solver --transport network --db own.db --quiet
run import csv loggp.csv --platform fat --transport network --db own.db --quiet
sed 's/latency,5/latency,1/' loggp.csv > local.csv
run import csv local.csv --platform fat --transport shared-memory --db own.db --quiet
echo 'return scenario { application = application "solver", platform = platform "fat", demand = "correlated" }' > own.lua
run predict own.lua --db own.db --format json
check "single times are predicted from" eval 'exits 0 && has out "\"slowdown\": 1\.09[,0]" && has out "\"measured_slowdown\": 1\.4[,}0]"'

# What is true of a program everywhere needs no platform: here that local traffic saves nothing. The same times
# follow, since all traffic is remote.
printf 'quantity,value,unit\nlockstep_exchange,1,count\n' > steps.csv
run import csv steps.csv --application solver --db own.db --quiet
check "of an application alone" exits 0
run import csv steps.csv --application solver --db own.db
check "once" eval 'exits 0 && has err "is there already"'
run data export solver --db own.db
check "it is of no platform" has out '^,solver,,,lockstep_exchange,'
# Files of one data set are judged together.
for size in 1 2; do
    printf 'value,unit\n%s,s\n' $((13 + size)) > "time$size.csv"
    run import csv time$size.csv --platform fat$size --application solver --quantity execution_time --nodes 4 --processors 16 \
        --nics 4 --mapping pooled --counterpart flat --dataset 'my solver' --db own.db --quiet
    run import csv sent.csv --platform fat$size --application solver --transport network --db own.db --quiet
    run import csv loggp.csv --platform fat$size --transport network --db own.db --quiet
    run import csv local.csv --platform fat$size --transport shared-memory --db own.db --quiet
done
run validate --dataset 'my solver' --db own.db
check "two files, one data set" eval 'exits 0 && has out "^Data set: my solver" && has out "^full  *2  *24\.7%"'

# The largest size there is has none after it.
printf '# OSU MPI Latency Test v7.4\n# Size          Latency (us)\n1 0.5\n9223372036854775807 0.6\n2 0.7\n' > largest.txt
refuses 2 'largest.txt:5: found size 2 after size 9223372036854775807' import osu largest.txt \
    --platform largest --db largest.db

refuses 2 "no directory 'mistyped/folder'" import osu "$logs/osu_bw_W16.txt" --platform lab --db mistyped/folder/lab.db
check "and none is made" [ ! -e mistyped ]

# What is refused leaves no new database, and no note of one; and says where.
printf 'value,unit,quantity\n12,us,gap\n13,us,gapp\n' > misspelt.csv
refuses 2 "misspelt.csv:3: no quantity is called 'gapp'; did you mean 'gap'?" \
    import csv misspelt.csv --platform lab --db new.db
check "no database is left" eval '[ ! -e new.db ] && [ ! -e new.db-journal ] && lacks err "database is new"'
: > there.db
refuses 2 'misspelt.csv:3:' import csv misspelt.csv --platform lab --db there.db
check "one that was there stays" [ -e there.db ]
