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
top=$(cd "$(dirname "$0")/../.." && pwd)
. "$top/tests/jobs.sh"
export PATH=$(dirname "$program"):$PATH
export COLUMNS=100 LC_ALL=C.UTF-8

move_in() { # a user of one's own for each document; what examples write does not land in the sources
    mkdir -p "$place/home" "$place/tree"
    ln -s "$top"/* "$place/tree/"
    export HOME=$place/home XDG_DATA_HOME=$place/home/data
}

matches() { # expected file, actual file: equal but for blank lines at the end, "..." lines being any run of lines
    awk 'NR == FNR { want[n = FNR] = $0; next } { have[m = FNR] = $0 }
         function ok(i, j,   k) {
             if (i > n) return j > m
             if (want[i] == "...") {
                 for (k = j; k <= m + 1; k++) if (ok(i + 1, k)) return 1
                 return 0
             }
             return j <= m && want[i] == have[j] && ok(i + 1, j + 1)
         }
         END { while (m > 0 && have[m] !~ /[^ ]/) m--; exit !ok(1, 1) }' "$1" "$2"
}

# Documents do not meet in one database: what one stores under a name of its own goes to its own.
stores_apart() { # command
    case $1 in
    *--db*) ;;
    *'clumpmodel import '* | *'clumpmodel calibrate '*--platform* | *'clumpmodel fit '*--name*) return 1 ;;
    esac
}

run_one() { # where, command, file with expected output
    local status
    stores_apart "$2" || echo "not ok - $1: '$2' stores in the default database, expected --db"
    (cd "$place/tree" && timeout --foreground 1800 bash -c "$2") >"$place/out" 2>"$place/err" </dev/null
    status=$?
    # On a busy machine all that was just measured may be doubtful, and nothing is fitted to it: rightly.
    if [ $status -eq 2 ] && grep -q 'has doubtful times of messages only' "$place/err"; then
        echo "skip - $1: '$2': the machine was busy while it was calibrated"
        return
    fi
    # Network namespaces: in a container without rights nothing can be emulated.
    if [ $status -eq 1 ] && grep -q 'no network namespaces\|no mounts of its own\|install iproute2\|needs veth and HTB' "$place/err"; then
        echo "skip - $1: '$2': $(tail -n 1 "$place/err")"
        return
    fi
    # A message that the document shows is of a mistake: it may exit with 2.
    if [ $status -ne 0 ] && ! { [ $status -eq 2 ] && [ -s "$place/err" ] && [ -s "$3" ]; }; then
        echo "not ok - $1: '$2' exits with $status: $(tail -n 3 "$place/err")"
        return
    fi
    [ $status -eq 2 ] && cp "$place/err" "$place/out"
    if [ -s "$3" ] && ! matches "$3" "$place/out"; then
        echo "not ok - $1: '$2' prints something else:"
        diff "$3" "$place/out" | head -n 20
        return
    fi
    echo "ok - $1: $2"
}

run_document() { # file
    local number=0 line command= where= inside=0 blank=
    : >"$place/expected"
    while IFS= read -r line || [ -n "$line" ]; do
        number=$((number + 1))
        case $inside:$line in
        '0:```console') inside=1 ;;
        1:'```') inside=0 ;;
        1:'$ '*) ;;
        1:*[!\ ]*) [ -n "$command" ] && printf '%s%s\n' "$blank" "$line" >>"$place/expected"; blank=; continue ;;
        1:*) blank=$blank$line$'\n'; continue ;;
        *) continue ;;
        esac
        if [ -n "$command" ]; then
            run_one "$where" "$command" "$place/expected"
            command=
        fi
        : >"$place/expected"
        blank=
        case $inside:$line in
        1:'$ make check'* | 1:'$ sudo '* | 1:'$ git clone '* | 1:'$ cd '* | 1:'$ make bench'*) ;;
        1:'$ '*) command=${line#'$ '} where=${1#"$top"/}:$number ;;
        esac
    done <"$1"
}

run_man_page() { # file
    : >"$place/expected"
    while IFS= read -r line; do
        run_one "${1##*/}" "$line" "$place/expected"
    done < <(sed -n '/^\.EX/,/^\.EE/p' "$1" | grep '^clumpmodel' | sed 's/\\-/-/g; s/\\e/\\/g; s/\\(aq/'"'"'/g')
}

# What a document names: source files anywhere in its text ("NAME" and "*" stand for anything),
# folders in backquotes, and links.
check_names() { # file
    local name missing=0
    while IFS= read -r name; do
        case $name in
        */*) compgen -G "$top/$name" >/dev/null && continue ;;
        *'*'*) grep -qx -- "${name//\*/.*}" "$work/names" && continue ;;
        *) [ -n "${exists[$name]-}" ] && continue ;;
        esac
        echo "not ok - ${1#"$top"/} names $name, which does not exist"
        missing=1
    done < <({
        awk '/^```/ { code = !code } !code' "$1" | sed 's/\\-/-/g; s/\\\*/*/g; s/NAME/*/g' >"$place/text"
        grep -oE '[A-Za-z0-9_*-][A-Za-z0-9_*/.-]*\.(c|h|sh|py|pml)\b' "$place/text"
        grep -oE '\bdocs/[a-z/-]*\.md' "$place/text"
        grep -oE '`[a-z_]+/([a-z_/-]+/)?`' "$place/text" | tr -d '`'
    } | sed 's|^\(\.\./\)*||' | sort -u)
    while IFS= read -r name; do
        case $1 in *.md) [ -e "$(dirname "$1")/$name" ] && continue ;; *) continue ;; esac
        echo "not ok - ${1#"$top"/} links to $name, which does not exist"
        missing=1
    done < <(grep -oE '\]\([^)#: ]+' "$place/text" | sed 's/^](//' | sort -u)
    [ $missing -eq 0 ] && echo "ok - ${1#"$top"/}: what it names exists"
}

# The table of MODEL.md has its sections.
check_sections() {
    if diff <(grep -oE '^## [0-9]+' "$top/MODEL.md" | tr -d '# ') \
        <(sed -n '/^| section/,/^$/p' "$top/MODEL.md" | grep -oE '^\| [0-9]+ \|' | tr -d '| '); then
        echo "ok - the table of sections"
    else
        echo "not ok - MODEL.md: its table of sections has others than its text"
    fi
}

# docs/documents.md has one row for each table and figure of the three documents.
check_documents() {
    local wrong
    wrong=$(awk -F' *\\| *' '
        function one(kind, number) { seen[part " " kind " " number]++ }
        function ends(kind, chapter, last,   i) { for (i = 1; i <= last; i++) all[part " " kind " " (chapter ? chapter "." i : i)] = 1 }
        BEGIN {
            split("I II III IV V VI VII", roman, " ")
            part = "thesis"
            ends("figure", 1, 2); ends("figure", 2, 2); ends("figure", 3, 9); ends("table", 3, 1); ends("table", 4, 1); ends("figure", 5, 8)
            ends("table", 5, 8); ends("figure", 6, 27); ends("table", 6, 6); ends("figure", 7, 7); ends("table", 7, 11); ends("figure", 8, 4)
            ends("figure", 9, 3)
            part = "protocols"; ends("figure", 0, 16)
            for (i = 1; i <= 7; i++) all["protocols table " roman[i]] = 1
            part = "ssam"; ends("figure", 0, 2); ends("table", 0, 6)
        }
        /^## The thesis/ { part = "thesis" } /^## Cluster protocols/ { part = "protocols" } /^## Active Messages/ { part = "ssam" }
        /^\| (tables?|figures?) / { # "figures 3.4, 6.13", "figures 6.1 to 6.5", "figure 6.21, table 6.4", "tables 5, 6"
            n = split($2, word, /[ ,]+/)
            for (i = 1; i <= n; i++) {
                if (word[i] ~ /^(table|figure)s?$/) { kind = word[i]; sub(/s$/, "", kind) }
                else if (word[i] == "to") {
                    chapter = from = word[i - 1]; to = word[++i]
                    if (from ~ /\./) { sub(/\..*/, ".", chapter); sub(/.*\./, "", from); sub(/.*\./, "", to) } else chapter = ""
                    for (k = from + 1; k <= to + 0; k++) one(kind, chapter k)
                } else one(kind, word[i])
            }
        }
        END {
            for (a in all) if (!(a in seen)) print "no row for " a
            for (a in seen) if (!(a in all)) print "a row for " a ", which the document has not"; else if (seen[a] > 1) print "several rows for " a
        }' "$top/docs/documents.md")
    if [ -z "$wrong" ]; then echo "ok - each table and figure of the documents has a row"; else echo "not ok - docs/documents.md: $wrong"; fi
}

job() { # a document, from the top
    place=$work/${1//\//-}
    move_in
    check_names "$top/$1"
    [ "$1" = MODEL.md ] && check_sections
    [ "$1" = docs/documents.md ] && check_documents
    case $1 in
    *.md) run_document "$top/$1" ;;
    *) run_man_page "$top/$1" ;;
    esac
}
cd "$top" || exit 1
find . -type f -not -path './build*' -not -path './.git/*' | sed 's|.*/||' | sort -u >"$work/names"
declare -A exists
while IFS= read -r name; do exists[$name]=yes; done <"$work/names"
[ $# -gt 0 ] || set -- *.md docs/*.md docs/man/*.[1-9]
run_jobs docs "$@"
