# SPDX-License-Identifier: GPL-3.0-or-later
# Every option of every command refuses what its table says that it does not take: the parser's part of all commands. Tests
# of a command try what only that command knows.
. "$(dirname "${BASH_SOURCE[0]}")/lib.sh"
again && { pass "options by their tables, once; with sanitizers in make check-sanitize-all"; exit 0; }
words() { "$CLUMPMODEL" completion words -- "$@" '' | cut -f 1; }

# A line for each option: command, name, argument ("-": none), whether it is required, whether it may be repeated, and what
# it takes if that is a number, as the manual page has them.
least=200 # options of all commands; 120 of the product alone
for command in $(words); do
    can_start "$command" >&2 || { least=120; continue; }
    case $command in fit | calibrate | data) words "$command" | sed "s/^/$command /" ;; *) echo "$command" ;; esac
done > commands
while read -r command; do
    "$CLUMPMODEL" help man $command | sed 's/\\f[BIP]//g; s/\\-/-/g; s/\\[:&]//g' | awk -v command="$command" '
        function tell() { if (name != "") print command "\t" name "\t" argument "\t" required "\t" repeated "\t" takes }
        /^\.TP/ { tell(); getline; sub(/^-[A-Za-z], /, ""); name = substr($1, 3); argument = NF > 1 ? $2 : "-"; required = repeated = "no"; takes = "-" }
        /^Takes / { takes = $0; sub(/^Takes /, "", takes); sub(/\.$/, "", takes) }
        /^Required\./ { required = "yes" }
        tolower($0) ~ /may be repeated/ { repeated = "yes" }
        END { tell() }'
done < commands > options
check "options of all commands" [ "$(wc -l < options)" -ge $least ]

usable() { # the rest of a command line that is complete but for option $2 of command $1
    awk -F '\t' -v command="$1" -v but="$2" '$1 == command && $4 == "yes" && $2 != but { print "--" $2 "=" ($2 == "protocol" ? "l-sdma" : 1) }' options
    case $1 in import) echo auto file ;; 'data remove') echo name ;; 'data rename') echo name other ;; emulate | record) echo program ;; esac
}
outside() { # numbers that are not: just below and just above of "from A to B", not zero where it is to be above
    sed -n 's/.*from \([-0-9.e+]*[0-9]\) to \([-0-9.e+]*[0-9]\).*/\1 \2/p' <<< "$1" | awk '{ if ($2 < 1e15) printf "%.15g\n%.15g\n", $1 - 1, $2 + 1 }'
    case $1 in *'above 0'*) echo 0 ;; esac
}
tried=0
while IFS=$'\t' read -r -u 3 command name argument required repeated takes; do
    rest=$(usable "$command" "$name")
    wrong=
    try() { # try WORDS MESSAGE: of the option
        run $command "$1" $rest
        tried=$((tried + 1))
        exits 2 && empty out && grep -qF -- "--$name: $2" err || wrong="$wrong '$1'"
    }
    if [ "$argument" = - ]; then
        try "--$name=yes" 'found a value, expected none'
    else
        run $command "--$name"
        exits 2 && grep -qF -- "--$name: found nothing after it, expected" err || wrong="$wrong nothing"
    fi
    [ "$repeated" = yes ] || { run $command --$name$([ "$argument" = - ] || echo =1) --$name$([ "$argument" = - ] || echo =1) $rest
        exits 2 && grep -qF -- "--$name: found twice" err || wrong="$wrong twice"; }
    if [ "$required" = yes ]; then
        run $command $rest
        exits 2 && grep -qF -- "--$name is missing" err || wrong="$wrong missing"
    fi
    case $takes in
    -) ;;
    *)
        for bad in '' x nan inf 0x1 1x $(outside "$takes"); do
            try "--$name=$bad" "found '$bad', expected $takes"
        done
        ;;
    esac
    [[ $argument$takes == *'|'*- && $argument != *[A-Z]* ]] && try "--$name=no-such-word" "found 'no-such-word', expected"
    ran="$command --$name"
    check "$command --$name refuses what it does not take$wrong" [ -z "$wrong" ]
done 3< options
check "$tried values are refused" [ "$tried" -ge 400 ]
