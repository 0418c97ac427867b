# SPDX-License-Identifier: GPL-3.0-or-later
# Help is asked for: stdout, exit 0, examples that run.
. "$(dirname "${BASH_SOURCE[0]}")/lib.sh"

helps() { # helps REGEX ARGUMENTS...
    local message=$1
    shift
    run "$@"
    if exits 0 && empty err && has out "$message"; then pass "helps: $*"; else fail "helps: $*"; fi
}
helps '^Usage: clumpmodel ' --help
helps '^Usage: clumpmodel ' -h
helps '^Usage: clumpmodel ' help
for command in slowdown recommend explore predict import data completion help 'fit loggp' 'data list' 'data show' 'data export' 'data check'; do
    for way in "$command --help" "$command -h" "--help $command" "help $command"; do
        helps "^Usage: clumpmodel $command" $way
    done
    check "$command: two or three examples" \
        awk '/^Examples:/ { e = 1; next } e && /^  clumpmodel / { n++ } END { exit !(n == 2 || n == 3) }' out
    check "$command: lines fit" awk 'length > 100 { exit 1 }' out
    check "$command is in the help of the program" eval "'$CLUMPMODEL' help ${command% *} | grep -q '${command##* }'"
done
helps "clumpmodel predict nics-per-node" help slowdown
helps '^clumpmodel [0-9]*\.[0-9]' --version

# The examples that need no files of the user.
"$CLUMPMODEL" help slowdown | sed -n 's/^  clumpmodel //p' > examples
while read -r line; do
    run $line
    check "example runs: $line" exits 0
done < examples
