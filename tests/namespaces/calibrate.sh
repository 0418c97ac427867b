#!/bin/bash
# SPDX-License-Identifier: GPL-3.0-or-later
# clumpmodel calibrate udp between two network namespaces that a veth pair joins: as it is, with
# losses that it has to find again, and unplugged in the middle. Needs root and iproute2; losses are
# made by netem, or by iptables where the kernel has no netem.
# usage: calibrate.sh PATH-TO-CLUMPMODEL
set -u
program=$(realpath "$1") a=clump-c-$$ b=clump-d-$$ failed=0 server= platform=veth patience=20
if [ "$(id -u)" != 0 ] || ! command -v ip > /dev/null; then
    echo "namespaces, calibrate: not run: needs root and ip (package iproute2)"
    exit 0
fi
work=$(mktemp -d)
remove() {
    [ -n "$server" ] && kill "$server" 2> /dev/null
    ip netns del "$a" 2> /dev/null
    ip netns del "$b" 2> /dev/null
    rm -rf "$work"
}
trap remove EXIT
ip netns add "$a" && ip netns add "$b" &&
    ip link add clump2 netns "$a" type veth peer name clump3 netns "$b" &&
    ip -n "$a" addr add 10.77.1.1/30 dev clump2 && ip -n "$b" addr add 10.77.1.2/30 dev clump3 &&
    ip -n "$a" link set clump2 up && ip -n "$b" link set clump3 up &&
    ip -n "$a" link set lo up && ip -n "$b" link set lo up || {
    echo "namespaces, calibrate: not run: the system does not let them be made"
    exit 0
}
cd "$work" || exit 1

check() { # check NAME COMMAND...
    local name=$1
    shift
    if "$@" > /dev/null; then
        echo "namespaces, calibrate: $name: passed"
    else
        echo "namespaces, calibrate: $name: failed"
        head -c 500 out err
        failed=1
    fi
}
calibrate() { # calibrate ARGUMENTS...: $status, out, err
    ip netns exec "$a" "$program" calibrate udp --peer 10.77.1.2:5000 --quick --stages loggp --db own.db \
        --platform "$platform" --patience $patience --format json "$@" > out 2> err
    status=$?
}
field() { sed -n "s/.*\"$1\": \([0-9]*\).*/\1/p" out; }
# Whether so many of so many were lost, if each is with a probability: within 5 standard deviations, and
# five datagrams more for what was on its way when they were counted.
likely() { # likely LOST OF PROBABILITY
    awk -v k="$1" -v n="$2" -v p="$3" 'BEGIN {
        d = k - n * p
        if (d < 0) d = -d
        exit !(n > 1000 && d <= 5 * sqrt(n * p * (1 - p)) + 5) }'
}
lose() { # lose NAMESPACE DEVICE PROBABILITY, of what arrives there
    local other=$a device=clump2
    [ "$1" = "$a" ] && other=$b device=clump3
    ip netns exec "$other" tc qdisc add dev "$device" root netem loss "$(awk -v p="$3" 'BEGIN { print 100 * p }')%" 2> /dev/null ||
        ip netns exec "$1" iptables -A INPUT -p udp -m statistic --mode random --probability "$3" -j DROP 2> /dev/null
}

ip netns exec "$b" "$program" calibrate udp --listen 10.77.1.2:5000 2> server.err &
server=$!
for _ in $(seq 100); do
    grep -q listening server.err && break
    sleep 0.05
done
check 'says what it listens on' grep -q 'listening on 10.77.1.2:5000' server.err
calibrate --runs 3
check 'exit code' [ $status -eq 0 ]
check 'no loss where there is none' likely "$(field datagrams_sent_lost)" "$(field datagrams_sent)" 0
check 'the platform has two machines' eval '"$program" data list platforms --db own.db --format json | grep "\"veth\"" | grep -q "\"nodes\": 2"'

if lose "$b" clump3 0.02 && lose "$a" clump2 0.005; then
    for protocol in am2 l-hrx ssam; do
        calibrate --runs 3 --protocol $protocol
        check "$protocol, losses: exit code" [ $status -eq 0 ]
        check "$protocol, 2% to the server" likely "$(field datagrams_sent_lost)" "$(field datagrams_sent)" 0.02
        check "$protocol, 0.5% back" likely "$(field datagrams_back_lost)" "$(field datagrams_back)" 0.005
        check "$protocol, losses: sent again" [ "$(field packets_resent)" -gt 0 ]
        check "$protocol, losses: a warning" grep -q 'of the datagrams were lost' err
    done
else
    echo "namespaces, calibrate: losses not run: needs netem or iptables"
fi

# Unplugged: what was measured is kept.
platform=unplugged patience=1
calibrate --runs 1000 &
client=$!
for _ in $(seq 600); do
    "$program" data show unplugged --db own.db > /dev/null 2>&1 && break
    sleep 0.1
done
ip -n "$b" link del clump3
wait $client
calibrate_status=$(grep -c 'is gone: it ended, or the way to it is cut; [0-9]* of 1000 runs are complete' err)
check 'unplugged: says so, and what is kept' [ "$calibrate_status" -eq 1 ]
check 'unplugged: what is stored passes the check' "$program" data check --db own.db
check 'unplugged: prints it' grep -q '"quantity": "half_round_trip"' out
kill -INT $server
wait $server
status=$?
server=
check 'server ends in order' [ $status -eq 0 ]
exit $failed
