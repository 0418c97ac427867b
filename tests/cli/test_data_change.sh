# SPDX-License-Identifier: GPL-3.0-or-later
# Where a new database is, and data remove and rename.
. "$(dirname "${BASH_SOURCE[0]}")/lib.sh"

printf 'value,unit\n10,us\n11,us\n' > rtt.csv
printf 'value,unit\n4,us\n' > gap.csv
printf 'value,unit\n7,s\n' > time.csv
import() { # FILE QUANTITY OPTIONS...
    run import csv "$1" --quantity "$2" "${@:3}"
}

# The first write says where the database is.
import rtt.csv round_trip_time --platform lab
check "the default database is named when it is made" has err "note: the database is new: '$HOME/.local/share/clumpmodel/clumpmodel.db'; --db FILE is for another one"
import gap.csv gap --platform lab
check "and only then" lacks err 'database is new'
import rtt.csv round_trip_time --platform lab --db quiet.db --quiet
check "--quiet: not a word" empty err
import rtt.csv round_trip_time --platform lab --db lab.db
check "so is one of --db" has err "note: the database is new: 'lab.db'$"

# An empty database has nothing, as none has; and whoever makes one disturbs nobody who reads.
: > empty.db
run predict figure-8.2 --db empty.db
check "an empty file is no database yet" eval 'exits 0 && empty err && [ ! -s empty.db ]'
(
    for round in 1 2 3 4 5 6 7 8; do
        export XDG_DATA_HOME=$PWD/made-$round
        mkdir -p "$XDG_DATA_HOME/clumpmodel"
        for reader in 1 2 3 4 5 6; do
            for again in 1 2 3; do "$CLUMPMODEL" list > no || echo "round $round: status $?"; done &
        done
        "$CLUMPMODEL" import csv rtt.csv --quantity round_trip_time --platform lab --quiet > no || echo "import: status $?"
        wait
    done
) < /dev/null > out 2> failed
ran='readers beside who makes the database' status=$(wc -l < out)
check "144 readers while the database is made" eval 'empty out'

# Who gives two machines one name hears what to do.
refuses 2 "nodes: found 4, expected 1, as platform 'lab' is known to have; .*--db" import csv time.csv --quantity execution_time --platform lab --nodes 4
refuses 2 "nodes: found 4, expected 1, .* begin again after 'clumpmodel data remove lab'" import csv gap.csv --quantity gap --platform lab --nodes 4
import gap.csv gap --platform fat --counterpart lab --db lab.db
import time.csv execution_time --platform lab --application solver --db lab.db
check "something to remove" exits 0
cp lab.db all.db

# What is in use stays, and the message says how to go on.
refuses 2 "'lab' is in use: 1 platform is part of it or compared with it, such as 'fat'; name that, too, or --force" data remove lab --db lab.db
refuses 2 "1 sample of applications such as 'solver' was measured on it" data remove lab fat --db lab.db
check "nothing was removed" cmp -s all.db lab.db
run data remove lab --db lab.db --force --dry-run --format csv
check "--dry-run: says what would go" eval 'exits 0 && has out "^platform,lab,3,removed" && has out "^platform,fat,0,no longer refers to it"'
check "--dry-run: the log of which nothing is left, too" [ "$(grep -c '^source,rtt.csv .*,0,removed' out)" = 1 ]
check "--dry-run: says that it is one" has err 'note: --dry-run'
check "--dry-run: changes nothing" cmp -s all.db lab.db
run data remove solver lab fat --db lab.db
check "names that refer to each other, in any order" exits 0
check "each with its samples" eval 'has out "^platform  *fat  *1  *removed" && has out "^application  *solver  *1 " && has out "^platform  *lab  *2 "'
run data list sources --db lab.db --format csv
check "no source is left over" lacks out '\.csv'
run data check --db lab.db
check "the database is in order" exits 0
import rtt.csv round_trip_time --platform lab --nodes 4 --db lab.db
check "a removed platform can be imported anew" eval 'exits 0 && has out "imported$"'

# One log of several.
cp all.db one.db
source=$("$CLUMPMODEL" data list sources --db one.db --format csv | sed -n 's/^\(rtt\.csv [0-9a-f]*\),.*/\1/p')
run data remove "$source" --db one.db
check "a source goes with its samples" has out "^source  *$source  *2  *removed"
run data show lab --db one.db
check "its platform stays, from another source" has out '^Source  *time.csv'
run data remove solver "$source" --db one.db
check "a name that is gone already is not found" exits 2
run data remove lab fat solver --db one.db --format json
check "JSON" eval 'has out "\"removed\": \[" && has out "\"kind\": \"platform\", \"name\": \"lab\", \"samples\": 0, \"status\": \"removed\""'

refuses 2 "no platform, application or source 'sover'; did you mean 'solver'" data remove sover --db all.db
refuses 2 "'SAMPLE' ships with the program" data remove SAMPLE --db all.db
refuses 2 "no application 'lab'" data remove lab --kind application --db all.db
refuses 2 "missing.db" data remove lab --db missing.db
check "a missing database is not created" [ ! -e missing.db ]
rm -r "$HOME/.local"
refuses 2 "no database yet" data remove lab
check "neither is the default one" [ ! -e "$HOME/.local" ]

# A data set: all its sources.
import rtt.csv round_trip_time --platform lab --dataset first --db sets.db
import gap.csv gap --platform lab --dataset first --db sets.db
import time.csv execution_time --platform lab --application first --db sets.db
refuses 2 "'first' is the name of both an application and a data set, expected --kind" data remove first --db sets.db
run data remove first --kind dataset --db sets.db
check "a data set goes with all its sources" [ "$(grep -c '^source .* removed$' out)" = 2 ]
run data show lab --db sets.db
check "its platform stays, from what is left" has out '^Source  *time.csv'
import rtt.csv round_trip_time --platform fat --dataset second --db sets.db
refuses 2 "all that is known of platform 'fat' is from it; name that, too" data remove second --db sets.db
run data remove second fat --db sets.db
check "a data set and its platform" eval 'exits 0 && has out "^platform  *fat  *2 " && has out "^source  *rtt.csv"'

import rtt.csv round_trip_time --platform fat --dataset third --db sets.db
import gap.csv gap --platform fat --dataset third --db sets.db
run data remove third --force --db sets.db
check "a data set with what is from nothing else" eval 'exits 0 && has out "^platform  *fat" && [ $(grep -c "^source" out) = 2 ]'
run data check --db sets.db
check "and the database is in order" exits 0

# Renaming.
run data rename lab laboratory --db all.db
check "data rename" eval 'exits 0 && has out "^platform  *lab  *laboratory"'
run data show fat --db all.db
check "what refers to it follows" has out '^Compare with  *laboratory'
refuses 2 "already has the platform 'fat'" data rename laboratory fat --db all.db
refuses 2 "ships with the program" data rename laboratory e5000-clump --db all.db
refuses 2 "did you mean 'laboratory'" data rename laboratoy x --db all.db
run data rename solver laboratory --db all.db
check "a name of another kind is free" exits 0
refuses 2 "'laboratory' is the name of both a platform and an application, expected --kind" data rename laboratory x --db all.db
run data rename laboratory x --kind application --db all.db
check "--kind" exits 0
run completion words -- --db all.db data remove ''
check "completion: only what can be removed" eval 'has out "^laboratory" && has out "^rtt.csv " && lacks out SAMPLE && lacks out "^gap$"'
