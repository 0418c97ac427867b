# SPDX-License-Identifier: GPL-3.0-or-later
# Descriptions of nodes: what is shown of them, and what is refused.
. "$(dirname "${BASH_SOURCE[0]}")/lib.sh"
nodes=$TOP/docs/topology real=$TOP/tests/topologies
export LC_ALL=C

run topology "$nodes/eight-nics.xml"
check "a node" eval "exits 0 && has out '^NCCL: 8 GPUs, 8 NICs, 2 NUMA nodes$'"
check "as a tree" has out '^|  `- switch 0000:30:00.0, link 52.97 GB/s$'
check "what is taken for granted" has err 'note: between sockets there is no limit'
check "lines fit" awk 'length > 100 { exit 1 }' out
check "nearest NIC: four do nothing" has out '^nearest  *4  *24.82  *50.0%  *198.5  *50.0% '
check "best" has out '^best  *8  *49.64  *0.0%  *397.1  *0.0% '
run topology "$nodes/eight-nics.xml" --format json --utilization 0.3 --assign 0,0,2,2,4,4,6,6
for name in processors assignments parts format processor_count nic_count notes; do
    check "JSON has $name" has out "\"$name\":"
done
check "times of an assignment" has out '"assignment": "given".*"slowdown": 1.09.*"slowdown_at_once": 1.3[,}]'
check "JSON is well-formed" eval 'command -v python3 > /dev/null || exit 0; python3 -m json.tool out > /dev/null'
check "how many NICs" eval "grep -c '\"left_out\": ' out | grep -qx 7 && has out '\"nics\": 4, \"left_out\": \"mlx5_3\", \"slowest\": 24.8.*\"slowdown_at_once\": 1.3[,}]'"
for unit in 000 000000; do # as some libraries say it: 1e3 bits a second, or bits
    sed "s/speed=\"400000\"/speed=\"200000$unit\"/" "$nodes/eight-nics.xml" > slingshot.xml
    run topology slingshot.xml
    check "a speed in other units" eval "exits 0 && has out 'port 24.82 GB/s' && has err 'speed 200000$unit is taken as 200 Gb/s'"
done
run topology "$nodes/eight-nics.xml" --format csv
check "CSV" eval "[ $(wc -l < out) -eq 9 ] && has out '^processor,socket,alone,inside,best_nic,best,'"
run topology "$nodes/eight-nics.xml" --utilization 0.3
check "the answer is first" eval "has out '^All 8 NICs are worth having: when all send the slowest GPU has 49.64 GB/s' && has out 'takes 30.0%' && has out '^Best: GPU0:mlx5_0, GPU1:mlx5_3'"
run topology "$nodes/two-cards.xml" --format json
check "one port of each card is enough" has out '"enough_nics": 2,'
run topology "$real/24em64t-2n6c2t-pci.xml" --pcie 3x8
check "one NIC" has out "^With its NIC the slowest GPU has"
run topology "$nodes/two-cards.xml"
check "and in words" has out '^2 of 4 NICs are enough: '
run topology "$nodes/two-cards.xml" --nic-speed 100 --assign 0,1,0,1
check "two ports of a card" has out '^given  *2  *3.31  *50.0%  *13.24  *50.0% '
run topology "$nodes/two-cards.xml" --nic-speed 100 --assign 0,2,0,2
check "two cards" has out '^given  *2  *6.205  *6.3%  *24.82  *6.3% '
run topology "$nodes/four-nics.xml" --nic mlx5_0,mlx5_2 --quiet
check "some of the NICs" eval "empty err && has out '4 GPUs, 2 NICs' && has out 'mlx5_1 .*not used'"
run topology "$nodes/four-nics.xml" --nic mlx5_0,mlx5_3
check "two are both" has out '^Both NICs are worth having: '
run topology "$nodes/matrix.txt" --pcie 4x16 --nic-speed 200
check "what nvidia-smi prints" has out '^nvidia-smi: 4 GPUs, 2 NICs, 2 sockets$'
run topology "$nodes/matrix.txt"
check "what it does not say" eval "exits 0 && has err 'no speed for .*--pcie' && has err 'no speed for 2 NICs.*--nic-speed'"
check "nor how many NICs" eval "has out '^How many NICs are worth having is not known' && lacks out 'GB/s'"
check "NICs without speeds are shared out evenly" has out '^Best: GPU0:mlx5_0, GPU1:mlx5_0, GPU2:mlx5_1, GPU3:mlx5_1'
run topology "$real/24em64t-2n6c2t-pci.xml" --cores --between-sockets 1
check "cores of equal bandwidth are one row" has out '^core0 to core5 '
ran='topology - < file'
"$CLUMPMODEL" topology - < "$nodes/four-nics.xml" > out 2> err
status=$?
check "standard input" eval "exits 0 && has out '4 GPUs'"
run topology "$real/aws-p4d-24xl.xml" --through-memory
check "through memory" eval "exits 0 && has out '^best .* 52.97 '"

run topology "$nodes/eight-nics.xml" --picture node.svg
check "a picture" eval "exits 0 && has node.svg '^<svg ' && has node.svg 'prefers-color-scheme: dark' && has node.svg '</svg>'"
check "all parts are in it" [ "$(grep -c '<rect ' node.svg)" -eq 23 ]
check "it is XML" eval 'command -v xmllint > /dev/null || exit 0; xmllint --noout node.svg'

check "all files are imported or refused" eval '"$real/check.sh" "$CLUMPMODEL" "$real" > out'
if ! sanitized; then # plugins of hwloc keep memory to the end
    run topology
    check "this machine, or why not" eval "exits 0 || { exits 1 && has err 'this machine: '; }"
fi

refuses 2 'there is no NIC in it' topology "$real/nvidiaDGX2.xml"
refuses 2 "nothing.xml: cannot open it" topology nothing.xml
refuses 2 'is a directory' topology .
refuses 2 "no NIC 'mlx5_9', expected some of: mlx5_0, mlx5_1" topology "$nodes/four-nics.xml" --nic mlx5_9
refuses 2 '--assign: found 3 numbers, expected one for each of 4 GPUs' topology "$nodes/four-nics.xml" --assign 0,1,2
refuses 2 'given NIC 7, expected 0 to 3' topology "$nodes/four-nics.xml" --assign 0,1,2,7
refuses 2 'such as 4x16' topology "$nodes/four-nics.xml" --pcie 9x16
echo '<!DOCTYPE system [<!ENTITY a SYSTEM "file:///etc/passwd">]><system version="1">&a;</system>' > entity.xml
refuses 2 "'entity.xml': it defines an entity" topology entity.xml
awk 'BEGIN { for (i = 0; i < 100000; i++) print "<system>" }' > deep.xml
refuses 2 'not well-formed' topology deep.xml
printf '\xff\xfe<\0s\0>\0\x30\xd8x\0' > encoding.xml
refuses 2 "'encoding.xml': line 1: not well-formed XML" topology encoding.xml
check "in one line" [ "$(wc -l < err)" -eq 1 ]
mkfifo pipe
if [ -n "${CLUMP_TEST_LONG:-}" ]; then # a minute
    refuses 2 "'pipe': found no description of a node (it is empty, or a pipe to which nobody writes)" topology pipe
fi
(cat "$nodes/four-nics.xml" > pipe) &
run topology pipe
check "a pipe with a name" eval "exits 0 && has out '4 GPUs'"
wait
echo hello > hello.txt
refuses 2 'expected XML of hwloc' topology hello.txt

run predict "$nodes/node.lua" --format json
check "a scenario with a file" eval "exits 0 && near $(key slowdown 4) 1.2623 0.0001"
cat > node.lua <<LUA
local p = platform { topology = "$real/rccl-topo_8p_rome_n2_2.xml" }
assert(p.processors == 8 and p.nics == 2)
return scenario { platform = p, utilization = 0.3 }
LUA
run predict node.lua
check "what the engine does not take is told" eval "exits 0 && has err 'NICs are taken as alike, 24.82 GB/s together, but links and NICs make it 26.48'"
scenario() {
    echo "return scenario { platform = platform { topology = $1 }, utilization = 0.3 }" > wrong.lua
    refuses 2 "$2" predict wrong.lua
}
scenario '"nothing.xml"' "topology: 'nothing.xml': No such file"
scenario '"/dev/zero"' "it is no file"
scenario '7' 'topology is 7, expected the name of a file'
scenario '{ nics = { "mlx5_0" } }' 'expected file'
# Scenarios come from other people, too: nothing of a file is shown that is no description of a node.
echo 'password=hidden7' > private
echo '<hidden7 key="hidden7">hidden7</hidden7>' > private.xml
echo '<hidden7 hidden7="hidden7"><hidden8></hidden7>' > broken.xml
printf '<hidden7 hidden7>&hidden7;\n' > worse.xml
for private in private private.xml broken.xml worse.xml; do
    case $private in private) says='found no description' ;; private.xml) says='expected <topology>' ;; *) says='line [12]: not well-formed XML' ;; esac
    scenario "\"$private\"" "topology: '$private': .*$says"
    check "not what it holds: $private" eval 'lacks err hidden && lacks out hidden'
done
scenario "{ file = \"$nodes/four-nics.xml\", nics = { \"eth0\" } }" "there is no NIC 'eth0'"
scenario "\"$real/nvidiaDGX2.xml\"" 'there is no NIC in it'
run topology "$nodes/two-cards.xml" --format json --assign 0,1,0,1
check "range by packets: 128 of 152 and 512 of 536 bytes in PCIe" eval 'has out "\"given\".*\"total_low\": 12.19.*\"total_high\": 13.83"'
run topology "$nodes/two-cards.xml" --nic-speed 100 --max-payload 256 --packet 4096
check "none if they are given" eval 'exits 0 && lacks out Range'
run topology "$nodes/two-cards.xml" --nic-speed 100 --picture two-cards.svg
check "a NIC is drawn as full if it is" eval "lacks two-cards.svg 'nic full' && [ $(grep -c '6.62 of 12' two-cards.svg) -ge 4 ]"
run topology "$nodes/eight-nics.xml" --picture eight.svg
check "and where it is full it is drawn so" eval "[ $(grep -c 'nic full' eight.svg) -eq 8 ]"
check "docs/figures/two-cards.svg is what 'make figures' draws" cmp -s two-cards.svg "$TOP/docs/figures/two-cards.svg"
sed 's/mlx5_0/m\&#x9b;31mX/; s/mlx5_1/n\&#x202e;gnp/' "$TOP/docs/topology/four-nics.xml" > hostile.xml
for format in table csv json; do # also where they go to a pager
    run topology hostile.xml --format $format
    check "names of a file are printable: $format" eval 'exits 0 && has out "m??31mX" && has out "n???gnp" && [ -z "$(LC_ALL=C tr -d "\n -~" < out)" ]'
done

# eight GPUs and 16 NICs of many speeds behind four switches: more assignments than are tried
widths=(8 8 4 8 16 4 4 16) speeds=(50 50 90 90 90 130 90 130 50 130 50 50 90 50 100 70)
{
    echo '<system version="1"><cpu numaid="0" arch="x86_64" vendor="GenuineIntel">'
    for switch in 0 1 2 3; do
        pci='link_speed="16 GT/s" link_width'
        echo "<pci busid=\"0000:1$switch:00.0\" class=\"0x060400\" $pci=\"16\">"
        for k in 0 1; do
            n=$((2 * switch + k))
            echo "<pci busid=\"0000:1$switch:0$((k + 1)).0\" class=\"0x030200\" $pci=\"${widths[n]}\"><gpu dev=\"$n\" sm=\"80\" rank=\"$n\" gdr=\"1\"/></pci>"
        done
        for k in 0 1 2 3; do
            n=$((4 * switch + k))
            echo "<pci busid=\"0000:1$switch:1$k.0\" class=\"0x020700\" $pci=\"16\"><nic><net name=\"mlx5_$n\" dev=\"$n\" speed=\"${speeds[n]}000\" port=\"1\" gdr=\"1\"/></nic></pci>"
        done
        echo '</pci>'
    done
    echo '</cpu></system>'
} > many.xml
run topology many.xml --format json
eval "$(python3 -c '
import json
best = json.load(open("out"))["assignments"][0]
print("total=%r at_most=%r" % (best["total"], best["total_at_most"]))')"
check "what is not proven is bounded" python3 -c "import sys; sys.exit(not 0 < $total < $at_most < 1.1 * $total)"
run topology many.xml
check "and told" has out '^Not all assignments were tried: with as fast a slowest one all may have up to [0-9.]* together (+[0-9.]*%)'
run topology "$nodes/eight-nics.xml"
check "nothing is told where it is proven" eval 'exits 0 && lacks out "Not all assignments"'
