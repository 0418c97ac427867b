#!/bin/bash
# SPDX-License-Identifier: GPL-3.0-or-later
# The Debian packages: built from these sources, without an error of lintian's, unpacked into a folder, and used
# there as somebody else would.
# usage: deb.sh BUILD-FOLDER, below the top folder
set -u
here=$(cd "$(dirname "$0")" && pwd)
top=$(cd "$here/../.." && pwd)
folder=$1
CLUMP_TEST_JOBS=1 # each step needs those before
. "$top/tests/jobs.sh"
root=$work/root

built() { cd "$top" && .ci/deb "$folder"; } # fails with lintian
four() {
    [ "$(cd "$top/$folder" && ls ./*.deb | sed 's/_.*//' | tr '\n' ' ')" = './clumpmodel ./libclumpmodel-dev ./libclumpmodel0 ./python3-clumpmodel ' ]
}
unpacked() {
    local package
    for package in "$top/$folder"/*.deb; do dpkg-deb -x "$package" "$root" || return; done
}
libraries() { dirname "$(find "$root" -name libclumpmodel.a)"; }
program() {
    cd / && "$root/usr/bin/clumpmodel" predict nics-per-node --format csv | grep SAMPLE > /dev/null &&
        [ -f "$root/usr/share/man/man1/clumpmodel.1.gz" ] && [ -f "$root/usr/share/doc/clumpmodel/copyright" ]
}
tutorial() { # its commands run where its files were installed
    cd "$root/usr/share/doc/clumpmodel" && [ -z "$(find docs -name '*.gz')" ] && local program=$root/usr/bin/clumpmodel &&
        "$program" import auto docs/tutorial/*_tcp_*.txt --platform lab --transport tcp --db "$work/tutorial.db" > /dev/null 2>&1 &&
        "$program" import mpip docs/tutorial/fft3d.mpiP --platform lab --db "$work/tutorial.db" > /dev/null 2>&1
}
external() { # MODULE FOLDER: a program of somebody who has the development files; where it looks when it starts
    local libraries
    libraries=$(libraries)
    export PKG_CONFIG_PATH=$libraries/pkgconfig PKG_CONFIG_SYSROOT_DIR=$root
    ! grep -q "rpath\|$work\|$top" "$libraries"/pkgconfig/*.pc || return
    # shellcheck disable=SC2046 # flags are several words
    gcc -std=c11 "$here/external.c" -o "$work/external" $(pkg-config --cflags --libs "$1") -Wl,-rpath-link,"$libraries" &&
        LD_LIBRARY_PATH=$2 "$work/external"
}
job() {
    case $1 in
    'make deb, lintian') built ;;
    'four packages') four ;;
    'unpacked') unpacked ;;
    'program') program ;;
    'tutorial') tutorial ;;
    'shared library') external clumpmodel "$(libraries)" ;;
    'static library') external clumpmodel-static '' ;;
    esac && echo "ok - $1"
}
for tool in dpkg-buildpackage dh lintian; do
    command -v $tool > /dev/null && continue
    echo "skip the Debian packages: $tool is not installed (.ci/packages deb gets what is needed)"
    exit 0
done
run_jobs deb 'make deb, lintian' 'four packages' unpacked program tutorial 'shared library' 'static library'
