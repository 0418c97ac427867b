# SPDX-License-Identifier: GPL-3.0-or-later
# What the tests of the command line share. Each check prints one line, "ok ..." or "not ok ...".
# After `run ARGUMENTS...`: $status, and the files out and err.

# A signal that the caller ignores (nohup) the program would ignore, too.
if [ -z "${CLUMP_TEST_SIGNALS:-}" ] && env --default-signal true 2> /dev/null; then
    CLUMP_TEST_SIGNALS=usual exec env --default-signal bash "$0" "$@"
fi

# The program starts once for a script, where run.sh has made what that takes: a start with sanitizers costs more than most
# of what it is started for. Its calls are processes of their own (serve.c).
served_calls= served_answers=
start_served() {
    coproc { LD_PRELOAD=$CLUMP_TEST_SERVE exec "$CLUMPMODEL"; }
    exec {served_answers}<&"${COPROC[0]}" {served_calls}>&"${COPROC[1]}"
    disown # nobody waits for it
}

run() {
    ran=$*
    # Pipes of this shell are not open in a process that it has not started.
    if [ -z "${CLUMP_TEST_SERVE:-}" ] || [[ $* == */dev/fd/* ]]; then
        "$CLUMPMODEL" "$@" > out 2> err < /dev/null
        status=$?
        return
    fi
    local exported=() variables=() variable
    [ -n "$served_calls" ] || start_served
    compgen -e > "$CLUMP_TEST_VARIABLES"
    mapfile -t exported < "$CLUMP_TEST_VARIABLES"
    for variable in "${exported[@]}"; do variables+=("$variable=${!variable-}"); done
    printf '%s\0' "$PWD" ${#variables[@]} "${variables[@]}" $# "$@" >&$served_calls
    read -r status <&$served_answers
}

# can_start COMMAND: it is the product's, or the program of its component was built.
can_start() {
    "$CLUMPMODEL" help "$@" 2>&1 > /dev/null | grep -q 'which cannot be started' || return 0
    echo "skip - clumpmodel $*: the program that has it was not built"
    return 1
}

pass() { echo "ok - $1"; }
fail() {
    echo "not ok - $1"
    printf '    ran: clumpmodel %s\n    status: %s\n' "$ran" "$status"
    head -c 600 out | sed 's/^/    out: /' | cat -v
    echo
    head -c 600 err | sed 's/^/    err: /' | cat -v
    echo
}
check() { # check NAME COMMAND...
    local name=$1
    shift
    if "$@"; then pass "$name"; else fail "$name"; fi
}

has() { grep -q -- "$2" "$1"; }         # has FILE BASIC-REGEX
lacks() { ! grep -q -- "$2" "$1"; }
empty() { [ ! -s "$1" ]; }
exits() { [ "$status" -eq "$1" ]; }

# refuses CODE REGEX ARGUMENTS...: that exit code, nothing on stdout, a short message that matches.
refuses() {
    local code=$1 message=$2 lines
    shift 2
    run "$@"
    mapfile -t lines < err
    if exits "$code" && empty out && has err "$message" && [ ${#lines[@]} -le 2 ] &&
        [[ ${lines[0]-} == clumpmodel* || ${lines[1]-} == clumpmodel* ]]; then
        pass "refuses: $*"
    else
        fail "refuses with $code and '$message': $*"
    fi
}

# With sanitizers the command line is tested a second time: what does not depend on how the program
# was built, or only measures at length, is not repeated.
again() { [ -n "${CLUMP_TEST_AGAIN:-}" ]; }
# What cannot hold with sanitizers, however the test is run.
sanitized() { grep -q __asan_init "$CLUMPMODEL"; }

# key NAME [ROW]: value of a key in the ROW-th result of the JSON in out.
key() {
    sed -n '/^    {/{
        x; s/^/x/; /^x\{'"${2:-1}"'\}$/!{ x; d; }
        x; /[{ ]"'"$1"'": /!q; s/.*[{ ]"'"$1"'": \("[^"]*"\|[^,}]*\).*/\1/; s/"//g; p; q
    }' out
}

# near FOUND EXPECTED TOLERANCE: absolute.
near() {
    [ -n "$1" ] && awk -v a="$1" -v b="$2" -v t="$3" \
        'BEGIN { d = a - b; if (d < 0) d = -d; exit !(d <= t) }'
}

# compute 'a / b - 1' a=1.5 b=3: with all digits that a real has. (gawk keeps `or` and `and` to itself.)
compute() {
    local expression=$1 assignments=()
    shift
    for assignment in "$@"; do assignments+=(-v "$assignment"); done
    awk "${assignments[@]}" "BEGIN { printf \"%.17g\", ($expression) }"
}

# is_latency L RTT O_S O_R: L = RTT/2 - o_s - o_r (section 5.3.1) of what was measured, whatever that is.
is_latency() {
    near "$1" "$(compute 'rtt / 2 - os - o_r' rtt="$2" os="$3" o_r="$4")" \
        "$(compute '1e-9 * (rtt + os + o_r)' rtt="$2" os="$3" o_r="$4")"
}

# doubt FILE VALUE...: a value is missing, and the JSON in the file tells of doubtful samples: other programs had the
# processors, so that a calibration says nothing there. What it says is tested where nobody disturbs it.
doubt() {
    local file=$1 value
    shift
    for value; do
        [ -n "$value" ] || { [ "$(sed -n 's/.*"doubtful_samples": \([0-9]*\).*/\1/p' "$file")" -gt 0 ] && return; }
    done
    return 1
}

# await COMMAND...: until it succeeds, at most ten minutes. How soon it does is for nobody to say.
await() {
    local end=$((SECONDS + 600))
    until "$@"; do
        [ $SECONDS -lt $end ] || return 1
        sleep 0.05
    done
}

ended() { ! kill -0 "$1" 2> /dev/null; } # ended PROCESS
