#!/bin/bash
# SPDX-License-Identifier: GPL-3.0-or-later
# Two machines on one: the suite of test_protocol_both with the two processes in network namespaces
# that a veth pair joins, as it is, and with packets lost and repeated. Needs root and iproute2.
# usage: run.sh PATH-TO-TEST
set -u
test=$1 a=clump-a-$$ b=clump-b-$$ failed=0
if [ "$(id -u)" != 0 ] || ! command -v ip > /dev/null; then
    echo "namespaces: not run: needs root and ip (package iproute2)"
    exit 0
fi
remove() {
    ip netns del "$a" 2> /dev/null
    ip netns del "$b" 2> /dev/null
}
trap remove EXIT
ip netns add "$a" && ip netns add "$b" &&
    ip link add clump0 netns "$a" type veth peer name clump1 netns "$b" &&
    ip -n "$a" addr add 10.77.0.1/30 dev clump0 && ip -n "$b" addr add 10.77.0.2/30 dev clump1 &&
    ip -n "$a" link set clump0 up && ip -n "$b" link set clump1 up &&
    ip -n "$a" link set lo up && ip -n "$b" link set lo up || {
    echo "namespaces: not run: the system does not let them be made"
    exit 0
}
suite() { # what
    if CLUMP_TEST_CLIENT=10.77.0.1:0 CLUMP_TEST_SERVER=10.77.0.2:0 CLUMP_TEST_NAMESPACE=/run/netns/$b \
        ip netns exec "$a" "$test" > "$test.namespaces.log" 2>&1; then
        echo "namespaces: $1: passed"
    else
        echo "namespaces: $1: failed"
        grep -v '^\[ RUN\|^\[       OK' "$test.namespaces.log" | tail -n 20
        failed=1
    fi
}
suite "veth pair"
if command -v iptables > /dev/null &&
    ip netns exec "$b" iptables -A INPUT -p udp -m statistic --mode random --probability 0.03 -j DROP 2> /dev/null &&
    ip netns exec "$a" iptables -A INPUT -p udp -m statistic --mode random --probability 0.03 -j DROP 2> /dev/null; then
    suite "veth pair that loses 3%"
else
    echo "namespaces: loss not run: needs iptables"
fi
ip netns exec "$a" iptables -F INPUT 2> /dev/null
ip netns exec "$b" iptables -F INPUT 2> /dev/null
CLUMP_TEST_UNPLUG="ip link set clump0 down" suite "veth pair that is unplugged"
exit $failed
