# SPDX-License-Identifier: GPL-3.0-or-later
# The data commands, on the reference data and on databases that cannot be used.
. "$(dirname "${BASH_SOURCE[0]}")/lib.sh"

for kind in platforms applications quantities sources; do
    for format in table json csv; do
        run data list $kind --format $format
        check "data list $kind, $format" exits 0
    done
    rows=$(($(wc -l < out) - 1))
    check "$kind: there are some" [ "$rows" -gt 0 ]
    check "$kind: unique names" [ "$(tail -n +2 out | cut -d, -f1 | sort -u | wc -l)" -eq "$rows" ]
done
run data list platforms --format json
check "JSON: platforms" has out '^  "platforms": \[$'
check "JSON: names and numbers" has out '{"name": "[^"]*", "nodes": [0-9]*, "processors": [0-9]*, "nics": [0-9]*'
check "JSON: no null" lacks out null
run data list --format json
check "data list: all kinds" eval 'for k in platform application quantity source; do grep -q "\"kind\": \"$k\"" out || exit 1; done'
run data list
check "data list, table" has out '^Kind  *Name'

# Everything that has a name can be shown, and its samples say where they come from.
"$CLUMPMODEL" data list --format csv | tail -n +2 > entries
for kind in platform application quantity source; do
    name=$(sed -n "s/^$kind,\([^,\"]*\),.*/\1/p" entries | head -n 1)
    for format in table json csv; do
        run data show "$name" --format $format
        check "data show $name, $format" exits 0
    done
    check "samples of $name have a source" awk -F, 'NR == 1 { for (i = 1; i <= NF; i++) if ($i == "source") s = i }
        NR > 1 && $0 !~ /"/ && $s == "" { exit 1 }' out
done
run data show e5000-clump
check "table: sources below" has out '^\[1\] [^ ]*: '
run data show e5000-clump --format json
check "JSON: value, unit, source, table" has out '"value": .*"unit": "[^"]*".*"source": "[^"]*".*"source_t'
refuses 2 "did you mean 'e5000-clump'" data show e5000-clmp
refuses 2 "no platform, application, quantity or source 'nosuchthing'" data show nosuchthing
refuses 2 "no platform" data export nosuchthing
refuses 2 "name" data show ''

run data export
check "data export: all" [ "$(wc -l < out)" -gt 100 ]
all=$(wc -l < out)
head -n 1 out > header
run data export e5000-clump --format csv
check "data export: a platform" [ "$(wc -l < out)" -gt 1 ]
check "which is less" [ "$(wc -l < out)" -lt "$all" ]
check "the same header" cmp -s <(head -n 1 out) header
run data check
check "the reference data are in order" exits 0
run data check --format json
check "data check, JSON" has out '"count": 0'
run data check --format csv
check "data check, CSV" has out '^finding'

# No database is created where there is none.
check "nothing is created" [ -z "$(find "$HOME" -type f)" ]

# Databases that are none.
head -c 5000 /dev/urandom > garbage.db
: > empty.db
echo 'not a database at all' > text.db
printf 'SQLite format 3\000' > short.db
printf 'SQLite format 3\000%05000d' 0 > truncated.db
files="garbage.db text.db short.db truncated.db"
if command -v sqlite3 > /dev/null; then
    sqlite3 foreign.db 'create table t(x); insert into t values(1);'
    sqlite3 newer.db 'create table platform(x); pragma user_version = 999999;'
    files="$files foreign.db newer.db"
fi
mkdir -p a-directory
for file in $files; do
    sum=$(cksum < $file)
    for command in "data list" "data list platforms --format json" "data show e5000-clump" "data export" "data check"; do
        refuses 2 "$file" $command --db $file
    done
    check "$file is unchanged" [ "$(cksum < $file)" = "$sum" ]
    check "$file: nothing beside it" [ -z "$(ls $file-* 2> /dev/null)" ]
done
# Databases that open, and turn out to be damaged: exit 2, and nothing on standard output.
if command -v sqlite3 > /dev/null && [ -f "$(dirname "$CLUMPMODEL")/reference.db" ]; then
    reference=$(dirname "$CLUMPMODEL")/reference.db
    alter() { # alter FILE SQL
        rm -f "$1"
        cat "$reference" > "$1"
        sqlite3 "$1" "pragma foreign_keys = 0; pragma ignore_check_constraints = 1; $2" > /dev/null
    }
    alter dangling.db 'delete from source'
    for command in "data list" "data show SAMPLE" "data show e5000-clump" "data export" "predict clump-vs-now"; do
        refuses 2 "points to a source that does not exist" $command --db dangling.db
    done
    alter infinite.db 'update sample set value = 9e999 where series_id = (select max(series_id) from sample)'
    refuses 2 "a number beyond all that is measured" data export --db infinite.db
    alter mapping.db "update platform set mapping = 'foo'"
    refuses 2 "neither pooled nor static" predict clump-vs-now --db mapping.db
    run data check --db mapping.db
    check "data check: constraints" exits 1
    check "data check: which table" has out "a row of table 'platform' has a value that the schema does not allow"
    alter more.db 'create table zzz (a)'
    refuses 2 "another program added the table 'zzz'" data list --db more.db
    alter wal.db 'pragma journal_mode = wal'
    run data list --db wal.db
    check "WAL mode: read" exits 0
    check "WAL mode: nothing beside it" [ -z "$(ls wal.db-* 2> /dev/null)" ]
    alter many.db "insert into platform (name, title, nodes, processors, nics, source_id)
        with recursive r(x) as (select 1 union all select x + 1 from r where x < 20000)
        select 'p' || x, 't', 1, 2, 1, (select min(id) from source) from r"
    run data list platforms --db many.db --format csv # in linear time
    check "many platforms" [ "$(wc -l < out)" -gt 20000 ]
fi
refuses 2 "missing.db" data list --db missing.db
refuses 2 "missing.db" --db missing.db data show e5000-clump
refuses 2 "db: cannot use ''" data list --db ''
check "a missing database is not created" [ ! -e missing.db ]
run data list --db a-directory
check "a directory is no database" [ "$status" -ne 0 ]
check "and prints nothing" empty out

# The user's own directory: used if it is there, by XDG_DATA_HOME or HOME.
mkdir -p xdg/clumpmodel "$HOME/.local/share/clumpmodel"
cp text.db xdg/clumpmodel/clumpmodel.db
XDG_DATA_HOME=$PWD/xdg run data list
check "XDG_DATA_HOME is used" exits 2
XDG_DATA_HOME=xdg run data list
check "a relative one is not" exits 0
cp text.db "$HOME/.local/share/clumpmodel/clumpmodel.db"
run data list
check "HOME is used" exits 2
check "and the file is named" has err '.local/share/clumpmodel/clumpmodel.db'
rm -r "$HOME/.local"
(unset HOME; run data list; exit $status)
status=$?
check "no HOME: reference data only" exits 0
