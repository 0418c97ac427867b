#!/bin/bash
# Run every command that the documents show, and compare what they print with what is shown.
#
# usage: run.sh CLUMPMODEL [DOCUMENT...]
#
# In README.md, MODEL.md and docs/*.md a block that starts with ```console holds lines "$ command"
# and the output that follows each of them; a line "..." stands for any number of lines, and blank
# lines at the end do not count. In the man pages the commands are the lines between .EX and .EE
# that start with "clumpmodel"; only their exit status counts. `make check` and `sudo` lines are not
# run here: the first runs this. Files, folders and links that documents name have to exist.
# With names of documents only their commands are run.
set -uo pipefail
program=$(realpath "$1")
shift
chosen=" $* "
top=$(cd "$(dirname "$0")/../.." && pwd)
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
export PATH=$(dirname "$program"):$PATH
export COLUMNS=100 LC_ALL=C.UTF-8
passed=0 failed=0 homes=0
mkdir "$work/tree" # what examples write does not land in the sources
for entry in "$top"/*; do ln -s "$entry" "$work/tree/"; done

move_in() { # a user of one's own for each document
    homes=$((homes + 1))
    export HOME=$work/home-$homes XDG_DATA_HOME=$work/home-$homes/data
    mkdir -p "$HOME"
}

complain() { # where, what
    echo "docs: $1: $2"
    failed=$((failed + 1))
}

without_blank_end() { # file
    awk '{ line[NR] = $0 } /[^ ]/ { last = NR } END { for (i = 1; i <= last; i++) print line[i] }' "$1" >"$work/cut" &&
        mv "$work/cut" "$1"
}

matches() { # expected file, actual file: equal, "..." lines being any run of lines
    awk 'NR == FNR { want[n = FNR] = $0; next } { have[m = FNR] = $0 }
         function ok(i, j,   k) {
             if (i > n) return j > m
             if (want[i] == "...") {
                 for (k = j; k <= m + 1; k++) if (ok(i + 1, k)) return 1
                 return 0
             }
             return j <= m && want[i] == have[j] && ok(i + 1, j + 1)
         }
         END { exit !ok(1, 1) }' "$1" "$2"
}

run_one() { # where, command, file with expected output
    local status
    (cd "$work/tree" && timeout 100 bash -c "$2") >"$work/out" 2>"$work/err" </dev/null
    status=$?
    # A message that the document shows is of a mistake: it may exit with 2.
    if [ $status -ne 0 ] && ! { [ $status -eq 2 ] && [ -s "$work/err" ] && [ -s "$3" ]; }; then
        complain "$1" "'$2' exits with $status: $(tail -n 3 "$work/err")"
        return
    fi
    [ $status -eq 2 ] && cp "$work/err" "$work/out"
    without_blank_end "$work/out"
    without_blank_end "$3"
    if [ -s "$3" ] && ! matches "$3" "$work/out"; then
        complain "$1" "'$2' prints something else:"
        diff "$3" "$work/out" | head -n 20
        return
    fi
    passed=$((passed + 1))
}

run_document() { # file
    local number=0 line command= where= inside=0
    move_in
    : >"$work/expected"
    while IFS= read -r line || [ -n "$line" ]; do
        number=$((number + 1))
        case $inside:$line in
        '0:```console') inside=1 ;;
        1:'```') inside=0 ;;
        1:'$ '*) ;;
        1:*) [ -n "$command" ] && printf '%s\n' "$line" >>"$work/expected"; continue ;;
        *) continue ;;
        esac
        if [ -n "$command" ]; then
            run_one "$where" "$command" "$work/expected"
            command=
        fi
        : >"$work/expected"
        case $inside:$line in
        1:'$ make check'* | 1:'$ sudo '* | 1:'$ git clone '* | 1:'$ cd '* | 1:'$ make bench'*) ;;
        1:'$ '*) command=${line#'$ '} where=${1#"$top"/}:$number ;;
        esac
    done <"$1"
}

run_man_page() { # file
    move_in
    : >"$work/expected"
    while IFS= read -r line; do
        run_one "${1##*/}" "$line" "$work/expected"
    done < <(sed -n '/^\.EX/,/^\.EE/p' "$1" | grep '^clumpmodel' | sed 's/\\-/-/g; s/\\e/\\/g; s/\\(aq/'"'"'/g')
}

is_chosen() { # file
    [ "$chosen" = "  " ] || [[ $chosen == *" ${1#"$top"/} "* ]]
}

# What a document names: source files anywhere in its text, folders in backquotes, and links.
check_names() { # file
    local name known=0
    while IFS= read -r name; do
        case $name in
        */*) compgen -G "$top/$name" >/dev/null && continue ;;
        *) grep -qx -- "${name//\*/.*}" "$work/names" && continue ;;
        esac
        complain "${1#"$top"/}" "names $name, which does not exist"
        known=1
    done < <({
        awk '/^```/ { code = !code } !code' "$1" | sed 's/\\-/-/g; s/\\\*/*/g' >"$work/text"
        grep -oE '[A-Za-z0-9_*-][A-Za-z0-9_*/.-]*\.(c|h|sh|py|pml)\b' "$work/text"
        grep -oE '\bdocs/[a-z/-]*\.md' "$work/text"
        grep -oE '`[a-z_]+/([a-z_/-]+/)?`' "$work/text" | tr -d '`'
    } | sed 's|^\(\.\./\)*||' | sort -u)
    case $1 in *.md) ;; *) return ;; esac
    while IFS= read -r name; do
        [ -e "$(dirname "$1")/$name" ] && continue
        complain "${1#"$top"/}" "links to $name, which does not exist"
        known=1
    done < <(grep -oE '\]\([^)#: ]+' "$work/text" | sed 's/^](//' | sort -u)
    [ $known -eq 0 ] && passed=$((passed + 1))
}

(cd "$top" && find . -type f -not -path './build*' -not -path './.git/*' | sed 's|.*/||' | sort -u) >"$work/names"
for document in "$top"/*.md "$top"/docs/*.md "$top"/docs/man/*.[1-9]; do
    check_names "$document"
done
for document in "$top"/README.md "$top"/MODEL.md "$top"/docs/*.md; do
    is_chosen "$document" && run_document "$document"
done
for page in "$top"/docs/man/*.[1-9]; do
    is_chosen "$page" && run_man_page "$page"
done
echo "docs: $passed passed, $failed failed"
[ $failed -eq 0 ] && [ $passed -gt 0 ]
