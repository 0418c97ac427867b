# SPDX-License-Identifier: GPL-3.0-or-later
# The calls of MPI that a dilated program makes, from calls.table: those that are recorded, by all their names in C and Fortran.
# No header of MPI is needed, and there are all that any library may have.
BEGIN {
    FS = "[ \t]*\\|[ \t]*"
    print "/* Made from calls.table by dilate_calls.awk. */"
    print "#include \"recording/preload/dilate_calls.h\""
    # Of special.c.
    both("Pready_list", "CLUMP_STARTS")
    both("Comm_create_from_group", "CLUMP_WAITS")
    ends("Session_init", "CLUMP_OPENS")
    ends("Session_finalize", "CLUMP_CLOSES")
}
/^#/ || NF < 3 || $2 == "aborts" { next }
$2 == "begins" || $2 == "ends" { name = $1; sub(/^[ \t]+/, "", name); ends(name, $2 == "begins" ? "CLUMP_OPENS" : "CLUMP_CLOSES"); next }
{
    name = $1; sub(/^[ \t]+/, "", name)
    how = kind_of(name, $2, $3)
    both(name, how)
    if ($6 == "persistent") { c("MPIX_" name, how); fortran("mpix_" tolower(name), how) }
    # The second name since MPI 4, where there are counts (wrappers.awk).
    if ((" " $3 " ") ~ / (n|sn|rn|tn|unit|[sr]counts|[sr]displs) / && name !~ /_c$/) c("MPI_" name "_c", how)
}
# Whether it may wait for somebody, starts something and comes back at once, or looks whether something came.
function kind_of(name, kind, parameters) {
    if (name == "Probe" || name == "Mprobe") return "CLUMP_WAITS"
    if (kind == "TEST" || name == "Win_test") return "CLUMP_LOOKS"
    if (kind == "WAIT") return "CLUMP_WAITS"
    if ((" " parameters " ") ~ / (request|requests) / && kind != "OTHER") return "CLUMP_STARTS"
    if (name ~ /^(Bsend|Rsend|Ssend|Send|Recv|Psend|Precv)_init$/ || name ~ /^Pready/ || name ~ /^File_i/ || name ~ /^Comm_idup/ ||
        name ~ /^(Cancel|Request_free|Win_sync)$/) return "CLUMP_STARTS"
    return "CLUMP_WAITS"
}
function c(name, how) { print "CLUMP_PASS_ON(" name ", " how ")" }
function fortran(lower, how) { c(lower "_", how); c(lower "__", how) }
function both(name, how,   lower) {
    lower = "mpi_" tolower(name)
    c("MPI_" name, how); fortran(lower, how); c(lower "_f08_", how); c(lower "_f08ts_", how)
}
# A recorder calls the other name of what opens or closes MPI, and begins to measure when that comes back.
function ends(name, how) { c("PMPI_" name, how); c("MPI_" name, how); fortran("mpi_" tolower(name), how); c("mpi_" tolower(name) "_f08_", how) }
