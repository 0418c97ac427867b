# SPDX-License-Identifier: GPL-3.0-or-later
# Files that commands write: whole or not at all, with the permissions and behind the symbolic links of what
# was there; and a disk that is full.
. "$(dirname "${BASH_SOURCE[0]}")/lib.sh"
again && { pass "tested without sanitizers"; exit 0; }

# Each way to write a file: an option, a name that it takes, and how the file begins.
outputs() { printf '%s\n' '--plot p.svg <?xml' '--plot p.png .PNG' '--plot p.pdf %PDF' '--plot p.gp #.gnuplot' '--html p.html <!DOCTYPE' '--output p.txt Scenario:'; }
begins_as() { head -c 9 "$1" | tr -c '[:print:]' . | grep -q "^$2" && [ "$(wc -c < "$1")" -gt 1000 ]; }
nothing_beside() { ! ls -A "$1" | grep -q 'clumpmodel-'; }
mode() { stat -c %a "$1"; }

mkdir folder mocks
while read -r option file start; do
    # ---- a new file is as the shell would make it
    (umask 027 && "$CLUMPMODEL" predict figure-8.2 "$option" "$file" > out 2> err < /dev/null)
    check "$option $file: a new file, mode 640 with umask 027" eval 'begins_as "$file" "$start" && [ "$(mode "$file")" = 640 ]'

    # ---- what was there keeps its permissions and its link
    for permissions in 600 640 666; do
        echo before > "$file"
        chmod "$permissions" "$file"
        run predict figure-8.2 "$option" "$file"
        check "$option $file: replaced, mode $permissions stays" eval 'exits 0 && begins_as "$file" "$start" && [ "$(mode "$file")" = "$permissions" ]'
    done
    rm "$file"
    echo before > "folder/$file"
    chmod 600 "folder/$file"
    ln -s "folder/$file" "second-$file"
    ln -s "$PWD/second-$file" "$file"
    run predict figure-8.2 "$option" "$file"
    check "$option $file: behind two symbolic links" eval 'exits 0 && [ -L "$file" ] && [ -L "second-$file" ] &&
        begins_as "folder/$file" "$start" && [ "$(mode "folder/$file")" = 600 ]'
    rm "folder/$file"
    run predict figure-8.2 "$option" "$file"
    check "$option $file: a link to a file that is not there yet makes it" eval 'exits 0 && [ -L "$file" ] && begins_as "folder/$file" "$start"'
    rm "$file"
    ln -s "$file" "$file"
    run predict figure-8.2 "$option" "$file"
    check "$option $file: a link to itself" eval 'exits 2 && has err "cannot write .$file.: Too many levels of symbolic links" && [ -L "$file" ]'
    rm "$file"

    # ---- no file may be larger than 1 KiB: what was there stays
    echo before > "$file"
    (ulimit -f 1 && exec "$CLUMPMODEL" predict figure-8.2 "$option" "$file" > out 2> err < /dev/null)
    status=$? ran="predict figure-8.2 $option $file, with ulimit -f 1"
    check "$option $file: too large, exit code 1 and a word" eval 'exits 1 && [ "$(wc -l < err)" -eq 1 ] && has err "File too large\|no whole\|gnuplot failed"'
    check "$option $file: what was there stays" [ "$(cat "$file")" = before ]
    rm "$file"
done < <(outputs)
check "nothing is left beside" eval 'nothing_beside . && nothing_beside folder'

# A name as long as names can be.
file=$(printf '%0251d' 7).svg
run predict figure-8.2 --plot "$file"
check "a name of 255 characters" eval 'exits 0 && begins_as "$file" "<?xml"'

# Who may not write to a file may not replace it either. (The superuser may.)
echo before > read-only.html
chmod 444 read-only.html
if ! [ -w read-only.html ]; then
    run predict figure-8.2 --html read-only.html
    check "a file that must not be written" eval 'exits 2 && has err "Permission denied" && [ "$(cat read-only.html)" = before ]'
fi

# ---- pipes and devices are written to as they are
run predict figure-8.2 --html /dev/full
check "a device without room" eval 'exits 1 && has err "cannot write ./dev/full.: No space left on device" && [ -c /dev/full ]'
run predict figure-8.2 --html /dev/null
check "/dev/null" eval 'exits 0 && empty err && [ -c /dev/null ]'
mkfifo pipe
cat pipe > piped &
reader=$!
run predict figure-8.2 --html pipe
exits 0 || kill "$reader"
wait "$reader"
check "a pipe" eval 'exits 0 && [ -p pipe ] && [ "$(tail -n 1 piped)" = "</html>" ]'

# ---- a gnuplot that reports success and draws nothing, or not all
"$CLUMPMODEL" predict figure-8.2 --plot whole.png > /dev/null
"$CLUMPMODEL" predict figure-8.2 --plot whole.svg > /dev/null
"$CLUMPMODEL" predict figure-8.2 --plot whole.pdf > /dev/null
for kind in svg png pdf; do
    for bytes in 0 7 8 1000 "$(($(wc -c < "whole.$kind") - 8))"; do
        printf '#!/bin/sh\nhead -c %d "%s"\n' "$bytes" "$PWD/whole.$kind" > mocks/gnuplot
        chmod +x mocks/gnuplot
        echo before > "kept.$kind"
        PATH=$PWD/mocks:$PATH run predict figure-8.2 --plot "kept.$kind"
        check "gnuplot draws $bytes bytes of a $kind" eval 'exits 1 && [ "$(wc -l < err)" -eq 1 ] &&
            has err "no picture: gnuplot reports success, but left $bytes bytes that are no whole" && [ "$(cat "kept.$kind")" = before ]'
    done
    printf '#!/bin/sh\ncat "%s"\n' "$PWD/whole.$kind" > mocks/gnuplot
    PATH=$PWD/mocks:$PATH run predict figure-8.2 --plot "kept.$kind"
    check "all of them are a picture" eval 'exits 0 && cmp -s "kept.$kind" "whole.$kind"'
done
printf '#!/bin/sh\nkill -9 $$\n' > mocks/gnuplot
echo before > kept.svg
PATH=$PWD/mocks:$PATH run predict figure-8.2 --plot kept.svg
check "gnuplot is killed" eval 'exits 1 && has err "gnuplot failed: killed by signal 9" && [ "$(cat kept.svg)" = before ]'

# ---- a disk that is full: 64 KiB, of which a file takes all but 4
cat > on-full-disk.sh <<'END'
set -e
mkdir -p disk
mount -t tmpfs -o size=64k none disk
head -c 60k /dev/zero > disk/filler
echo before > "disk/$2"
set +e
"$CLUMPMODEL" predict figure-8.2 "$1" "disk/$2" > out 2> err < /dev/null
echo "$? $(cat "disk/$2") $(ls -A disk | wc -l)" > found
END
for isolate in 'unshare --mount' 'unshare --mount --map-root-user' ''; do
    $isolate sh -c 'mkdir -p disk && mount -t tmpfs none disk && umount disk' 2> err && [ -n "$isolate" ] && break
done
if [ -n "$isolate" ]; then
    while read -r option file start; do
        $isolate sh on-full-disk.sh "$option" "$file"
        check "$option $file: no room on the disk" eval '[ "$(cat found)" = "1 before 2" ] && [ "$(wc -l < err)" -eq 1 ] &&
            has err "cannot write .disk/$file.: No space left on device"'
    done < <(outputs)
else
    pass "no file system can be mounted here: no disk to fill"
fi
