# SPDX-License-Identifier: GPL-3.0-or-later
# calibrate clump: what it refuses, a small emulated Clump, and that nothing stays behind. How well
# the model predicts is for `make check-clump`.
. "$(dirname "${BASH_SOURCE[0]}")/../lib.sh"

refuses 2 'erlang:K with K stages' calibrate clump --computation-times erlang:0 --db no.db
refuses 2 'found --time and --cycles' calibrate clump --time 3 --cycles 100 --db no.db
refuses 2 'found --mix and --grid' calibrate clump --mix 0.1,0.5 --grid --db no.db
refuses 2 'one whole number' calibrate clump --mix 0.1,0.5 --nics 1,2 --db no.db
refuses 2 'expected one of them' calibrate clump --compute spin --priority real-time --db no.db
check "and nothing is made" [ ! -e no.db ]

# As a process without the right to make namespaces, behind a root where user namespaces are not
# allowed either; and without tc.
if [ "$(id -u)" = 0 ] && unshare -m true 2> no && command -v setpriv > no; then
    cat > alone.sh << 'END'
mount --rbind / "$2" && exec chroot "$2" setpriv --bounding-set -sys_admin --inh-caps -sys_admin "$1" calibrate clump --db "$3/no.db"
END
    cat > without.sh << 'END'
for t in /usr/sbin/tc /sbin/tc /usr/bin/tc /bin/tc; do [ -e "$t" ] && mount --bind /dev/null "$t"; done
exec "$1" calibrate clump --db "$3/no.db"
END
    mkdir -p root
    for what in 'alone:no network namespaces: run it as root, or allow user namespaces' \
        'without:install iproute2'; do
        unshare -m bash "${what%%:*}.sh" "$CLUMPMODEL" "$PWD/root" "$PWD" > out 2> err < /dev/null
        status=$? ran="calibrate clump, ${what%%:*}"
        check "says in one line: ${what#*:}" eval \
            'exits 1 && empty out && [ "$(wc -l < err)" = 1 ] && has err "${what#*:}" && [ ! -e no.db ]'
    done
else
    echo "skip - refusals without namespaces or tc: need root"
fi

"$CLUMPMODEL" calibrate clump -P 2 -N 1 --message 2 --cycles 40 --demand correlated --platform lab \
    --db lab.db --quiet --format json > out 2> err < /dev/null
status=$? ran='calibrate clump'
if exits 1 && grep -q 'no network namespaces\|install iproute2\|needs veth and HTB' err; then
    echo "skip - emulated Clumps: $(cat err)"
    exit 0
fi
check "measures" exits 0
check "a slowdown" [ "$(compute 'x > 0' x="$(key measured)")" = 1 ] # make check-clump compares it with the model
check "the engine's prediction for the NOW's utilization, 1 + U" near "$(key predicted)" "$(compute 1+u u="$(key now_utilization)")" 1e-9
run data show lab --db lab.db --format json
check "ten samples of each machine are stored" eval '[ "$(grep -c "\"quantity\": \"cycle_time\"" out)" = 20 ] && [ "$(grep -c "\"variant\": \"NOW, P=2 N=1 U=0.5 correlated\"" out)" = 10 ]'
run data list sources --db lab.db --format json
check "with where they come from" has out '"command": "clumpmodel calibrate clump --processors 2 --nics 1'
check "and no host name" lacks out "$(uname -n)"
run data check --db lab.db
check "what is stored passes the check" exits 0

children() { # children PROCESS
    cat /proc/[0-9]*/stat 2> no | awk -v of="$1" '{ process = $1; sub(/.*\) /, "") } $2 == of { print process }'
}
gone() { # gone PROCESS...: none of them runs any more
    for process in "$@"; do
        case $(sed 's/.*) //' "/proc/$process/stat" 2> no) in [!ZX]*) return 1 ;; esac
    done
}
working() { # working PROCESS: it has a child, the keeper, with at least four
    keeper=$(children "$1") && processors=$(children "${keeper:-0}") && [ "$(wc -w <<< "$processors")" -ge 4 ]
}

# A network that loses packets for a while: it goes on, and says so.
if [ "$(id -u)" = 0 ] && command -v nsenter > no; then
    "$CLUMPMODEL" calibrate clump -P 2 -N 1 --message 10 --cycles 60 --platform lossy --db lossy.db \
        > out 2> err < /dev/null &
    child=$!
    await eval 'working $child || ended $child' # two NICs are looked at first, by another keeper
    first=$keeper
    await eval 'working $child && [ "$keeper" != "$first" ] || ended $child'
    at_far() { nsenter --target "${processors%% *}" --net "$@" 2> no; }
    packets() { at_far cat /proc/net/dev | awk '$1 == "far0:" { n = $3 } END { print n + 0 }'; }
    processors=${processors//$'\n'/ }
    await eval '[ "$(packets)" -gt 200 ] || ended $child'
    # Networks that a processor holds open: the far one, then that of the Clump's node.
    near=$(cd "/proc/${processors%% *}/fd" && for file in $(printf '%s\n' * | sort -n); do
        [[ $(readlink "$file") != net:* ]] || echo "$file"
    done | sed -n 2p)
    sent() { nsenter --net="/proc/${processors%% *}/fd/$near" cat /proc/net/snmp 2> no | awk '$1 == "Udp:" && $5 ~ /[0-9]/ { n = $5 } END { print n + 0 }'; }
    more() { [ "$(sent)" -gt "$before" ] || ended $child; }
    still() { before=$(sent) && sleep 0.2 && [ "$(sent)" = "$before" ]; }
    at_far ip link set far0 down
    before=$(sent)
    await more # packets on a way that ends,
    await still
    await more # and the end of a message once more, as nobody has seen it
    at_far ip link set far0 up
    wait $child
    status=$? ran='calibrate clump, with a NIC that goes down for a while'
    check "a lost message is sent again" exits 0
    check "and the result is doubtful" has err 'of the packets were lost'
else
    echo "skip - a network that loses packets: needs root and nsenter"
fi

# Ended in the middle, by a signal that it sees and by one that nobody sees.
signals='TERM KILL'
again && signals=TERM
for signal in $signals; do
    "$CLUMPMODEL" calibrate clump -P 3 -N 2 --time 600 --db $signal.db > out 2> err < /dev/null &
    child=$!
    await eval 'working $child || ended $child'
    kill -$signal $child
    wait $child 2> no
    status=$? ran="calibrate clump, killed with $signal"
    check "$signal: there were processes" [ "$(wc -w <<< "$processors")" -ge 4 ]
    check "$signal: none is left" await gone "$keeper" $processors
done
check "no interface is left among the machine's own" eval '! ip -o link 2> no | grep -q " \(nic\|far\)[0-9]"'
run data list sources --db TERM.db
check "TERM: nothing is stored of what was not complete" lacks out 'calibrate clump'
