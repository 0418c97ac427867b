# SPDX-License-Identifier: GPL-3.0-or-later
# Entry points of MPI from calls.table: those of C, and with -v fortran=1 those of Fortran.
#
# A parameter is a word. Its type in C, and how a Fortran argument becomes the C value that actions need:
#   pass     is only passed on
#   absent   C only
#   value    an int
#   TYPE     PMPI_TYPE_f2c of it
#   out...   read after the call
# Since MPI 4 calls with counts have a second name, in _c, with wider ones: made from the same line.
BEGIN {
    FS = "[ \t]*\\|[ \t]*"
    split("sbuf cbuf", w, " "); for (i in w) word(w[i], "const void *@", "buffer")
    word("rbuf", "void *@", "buffer"); word("base", "void *@", "buffer")
    n = split("n sn rn tn dest source target root tag stag rtag count", w, " "); for (i = 1; i <= n; i++) word(w[i], "int @", "value")
    word("parts", "int @", "value"); word("detached", "int *@", "pass"); word("longdetached", "MPI_Count *@", "pass"); word("bign", "MPI_Count @", "count")
    n = split("unit partition partitionlow partitionhigh maxprocs", w, " "); for (i = 1; i <= n; i++) word(w[i], "int @", "pass")
    n = split("assert lock color key ndims reorder nnodes indegree outdegree leader rleader high amode", w, " ")
    for (i = 1; i <= n; i++) word(w[i], "int @", "pass")
    n = split("type stype rtype ttype", w, " "); for (i = 1; i <= n; i++) word(w[i], "MPI_Datatype @", "Type")
    n = split("stypes rtypes", w, " "); for (i = 1; i <= n; i++) word(w[i], "const MPI_Datatype @[]", "types")
    n = split("scounts sdispls rcounts rdispls", w, " "); for (i = 1; i <= n; i++) word(w[i], "const int @[]", "ints")
    n = split("dims periods remain indexes edges sources degrees dests weights sweights dweights", w, " ")
    for (i = 1; i <= n; i++) word(w[i], "const int @[]", "pass")
    word("sadispls", "const MPI_Aint @[]", "aint"); word("radispls", "const MPI_Aint @[]", "aint")
    word("tdisp", "MPI_Aint @", "aint"); word("size", "MPI_Aint @", "aint"); word("offset", "MPI_Offset @", "offset")
    word("comm", "MPI_Comm @", "Comm"); word("peercomm", "MPI_Comm @", "Comm"); word("win", "MPI_Win @", "Win")
    word("group", "MPI_Group @", "pass"); word("op", "MPI_Op @", "Op"); word("info", "MPI_Info @", "pass")
    word("file", "MPI_File @", "pass"); word("inoutfile", "MPI_File *@", "pass"); word("fh", "MPI_File *@", "pass")
    word("newcomm", "MPI_Comm *@", "out Comm"); word("inoutcomm", "MPI_Comm *@", "in Comm")
    word("newwin", "MPI_Win *@", "pass"); word("inoutwin", "MPI_Win *@", "in Win")
    word("request", "MPI_Request *@", "request"); word("onerequest", "MPI_Request @", "pass")
    word("requests", "MPI_Request @[]", "requests")
    word("status", "MPI_Status *@", "status"); word("statuses", "MPI_Status @[]", "statuses"); word("anystatus", "MPI_Status *@", "pass")
    word("flag", "int *@", "out int"); word("index", "int *@", "index"); word("outcount", "int *@", "out int"); word("indices", "int @[]", "indices")
    word("message", "MPI_Message *@", "message")
    word("argv", "char *@[]", "text"); word("errcodes", "int @[]", "pass")
    word("errhandler", "MPI_Errhandler @", "pass"); word("localgroup", "MPI_Group @", "pass"); word("remotegroup", "MPI_Group @", "pass")
    word("port", "const char *@", "text"); word("filename", "const char *@", "text"); word("datarep", "const char *@", "text")
    word("stringtag", "const char *@", "text"); word("spawned", "const char *@", "text"); word("fd", "int @", "pass")
    word("commands", "char *@[]", "text"); word("argvs", "char **@[]", "text"); word("maxprocses", "const int @[]", "pass"); word("infos", "const MPI_Info @[]", "pass")
    word("argcount", "int *@", "absent"); word("argvector", "char ***@", "absent")
    word("required", "int @", "pass"); word("provided", "int *@", "pass"); word("code", "int @", "pass")
    n = split("n sn rn tn", w, " "); for (i = 1; i <= n; i++) WIDE[w[i]] = "MPI_Count @"
    n = split("scounts rcounts", w, " "); for (i = 1; i <= n; i++) WIDE[w[i]] = "const MPI_Count @[]"
    n = split("sdispls rdispls", w, " "); for (i = 1; i <= n; i++) WIDE[w[i]] = "const MPI_Aint @[]"
    WIDE["unit"] = "MPI_Aint @"
    print "/* Made from calls.table by wrappers.awk. */"
    print "#include \"recording/preload/actions.h\""
    if (fortran) print "#include \"recording/preload/fortran.h\""
}
function word(name, c, f) { C[name] = c; F[name] = f }
function named(template, name) { sub(/@/, name, template); return template }
function uses(text, name) { return (" " text " ") ~ ("[^A-Za-z_]" name "[^A-Za-z_]") }
# "a(x) b(y)" as statements with the entry in front; a comma inside of parentheses is none between.
function statements(text,   out, head) {
    out = ""
    while (match(text, /[a-z_]+\([^)]*\)/)) {
        head = substr(text, RSTART, RLENGTH)
        text = substr(text, RSTART + RLENGTH)
        head = with_parts(head)
        sub(/\(/, head ~ /\(\)$/ ? "(\\&entry" : "(\\&entry, ", head)
        out = out "    clump_act_" head ";\n"
    }
    return out
}
# What ranks give each other: as much each, or counts.
function with_parts(head) {
    if (head !~ /^(gathered|scattered|all_gathered|exchanged|reduce_scattered|neighbours)\(/) return head
    gsub(/[sr]?n, [sr]?type/, "clump_parts_same(&)", head)
    gsub(/[sr]counts, [sr]?types?/, "CLUMP_PARTS(&)", head)
    return head
}
# What begins or ends the recording, around `call`; `done` says whether it was, `back` goes back to the caller.
function special(call, done, back) {
    if (kind == "begins")
        return "    const int64_t begin = clump_entry_before_init();\n    " call ";\n    clump_entry_after_init(begin, " done ", MPI_COMM_WORLD);\n" back
    if (kind == "ends")
        return "    clump_entry entry;\n    const bool recorded = clump_entry_begin_end(&entry);\n    " call ";\n" \
            "    if (recorded) {\n        clump_entry_closed();\n        clump_entry_finalized(&entry);\n    }\n" back
    return "    clump_entry_abort();\n    " call ";\n" back
}
/^#/ || NF < 3 { next }
{
    name = $1; kind = $2; count_of = split($3, p, /[ \t]+/); before = $4; after = $5; since = $6
    sub(/^[ \t]+/, "", name)
    is_wide = 0
    for (i = 1; i <= count_of; i++) {
        if (!(p[i] in C)) { print "calls.table:" FNR ": unknown parameter " p[i] > "/dev/stderr"; exit 1 }
        if (p[i] in WIDE) is_wide = 1
    }
    if (since == "persistent") { make("CLUMP_HAS_PERSISTENT", "MPI"); make("CLUMP_HAS_PERSISTENT_AS_EXTENSION", "MPIX") }
    else make(since == "4" ? "CLUMP_HAS_MPI_4" : "", "MPI")
    # The module of Fortran calls the wide ones of C.
    if (is_wide && !fortran) { print "\n#ifdef CLUMP_HAS_MPI_4"; make_c("MPI", "_c"); print "#endif" }
}
# What libraries have from some version on.
function make(has, prefix,   i, lower) {
    if (has != "") print "\n#ifdef " has
    lower = tolower(prefix)
    if (!fortran) make_c(prefix, "")
    else {
        make_fortran(lower "_" tolower(name) "_", "p" lower "_" tolower(name) "_", prefix)
        # Those of the module mpi_f08 without buffers: those of MPICH do not call what C programs call, nor some of Open MPI (such with
        # LOGICALs) what other Fortran programs call.
        for (i = 1; i <= count_of && F[p[i]] != "buffer" && F[p[i]] != "text"; i++) {}
        if (i > count_of && prefix == "MPI") {
            print "\n#ifdef OPEN_MPI"
            if (kind !~ /^[a-z]/) make_fortran("mpi_" tolower(name) "_f08_", "pmpi_" tolower(name) "_f08_", prefix)
            print "#else"
            make_fortran("mpi_" tolower(name) "_f08_", "pmpir_" tolower(name) "_f08_", prefix)
            print "#endif"
        }
    }
    if (has != "") print "#endif"
}
function make_c(prefix, wide,   i, declared, given) {
    for (i = 1; i <= count_of; i++) {
        declared = declared (i > 1 ? ", " : "") named(wide != "" && p[i] in WIDE ? WIDE[p[i]] : C[p[i]], p[i])
        given = given (i > 1 ? ", " : "") p[i]
    }
    printf "\n#pragma weak P%s_%s%s\nCLUMP_ENTRY int %s_%s%s(%s)\n{\n", prefix, name, wide, prefix, name, wide, declared == "" ? "void" : declared
    if (kind ~ /^[a-z]/) {
        print special("const int result = P" prefix "_" name "(" given ")", "result == MPI_SUCCESS", "    return result;\n") "}"
        return
    }
    printf "    clump_entry entry;\n    if (!clump_entry_begin(&entry, CLUMP_CALL_%s))\n        return P%s_%s%s(%s);\n", kind, prefix, name, wide, given
    for (i = 1; i <= count_of; i++) {
        if (F[p[i]] == "status") print "    MPI_Status own_status;\n    if (status == MPI_STATUS_IGNORE)\n        status = &own_status;"
        if (F[p[i]] == "statuses") print "    statuses = clump_act_statuses(count, statuses);"
    }
    printf "%s    const int result = P%s_%s%s(%s);\n", before == "" ? "" : statements(before), prefix, name, wide, given
    if (after != "") printf "    clump_entry_lock(&entry);\n%s    clump_entry_unlock(&entry);\n", statements(after)
    print "    clump_entry_end(&entry);\n    return result;\n}"
}
function make_fortran(entry_name, real, prefix,   i, f, lower, declared, given, plain, texts, x, prepared, told) {
    lower = tolower(name)
    for (i = 1; i <= count_of; i++) {
        f = F[p[i]]; x = p[i]
        if (f == "absent") continue
        if (f == "text") texts = texts ", size_t f_" x "_length"
        if (f == "buffer") declared = declared "void *" x ", "
        else if (f == "text") declared = declared "char *f_" x ", "
        else if (f == "aint") declared = declared "MPI_Aint *f_" x ", "
        else if (f == "count") declared = declared "MPI_Count *f_" x ", "
        else if (f == "offset") declared = declared "MPI_Offset *f_" x ", "
        else declared = declared "MPI_Fint *f_" x ", "
        given = given (f == "buffer" ? x : f == "status" || f == "statuses" ? "g_" x : "f_" x) ", "
        plain = plain (f == "buffer" ? x : "f_" x) ", "
        if (f == "status")
            told = told "    MPI_Status one_status, *status = &one_status;\n    clump_fortran_status(g_status, status);\n"
        if (f == "statuses") told = told "    MPI_Status *statuses = clump_fortran_statuses_after((int)*f_count, g_statuses);\n"
        if (f == "status") prepared = prepared "    MPI_Fint own_status[CLUMP_FORTRAN_STATUS];\n    MPI_Fint *g_status = clump_fortran_is_ignored(f_status) ? own_status : f_status;\n"
        if (f == "statuses") prepared = prepared "    MPI_Fint *g_statuses = clump_fortran_statuses((int)*f_count, f_statuses);\n"
        if (!uses(before " " after, x)) continue
        if (f == "value") prepared = prepared "    const int " x " = (int)*f_" x ";\n"
        if (f == "count") prepared = prepared "    const MPI_Count " x " = *f_" x ";\n"
        if (f == "ints") prepared = prepared "    const int *" x " = f_" x ";\n"
        if (f == "Type" || f == "Comm" || f == "Win" || f == "Op") prepared = prepared "    const MPI_" (f == "Type" ? "Datatype" : f) " " x " = PMPI_" f "_f2c(*f_" x ");\n"
        if (f ~ /^in /) prepared = prepared "    MPI_" substr(f, 4) " one_" x " = PMPI_" substr(f, 4) "_f2c(*f_" x "), *" x " = &one_" x ";\n"
        if (f == "out Comm") told = told "    MPI_Comm one_newcomm = PMPI_Comm_f2c(*f_newcomm), *newcomm = &one_newcomm;\n"
        if (f == "out int") told = told "    int one_" x " = (int)*f_" x ", *" x " = &one_" x ";\n"
        if (f == "index") told = told "    int one_index = clump_fortran_index(*f_index), *index = &one_index;\n"
        if (f == "indices") told = told "    int *indices = clump_fortran_indices(*f_outcount, f_indices);\n"
        if (f == "request" && uses(before, x)) prepared = prepared "    MPI_Request one_request = PMPI_Request_f2c(*f_request), *request = &one_request;\n"
        else if (f == "request") told = told "    MPI_Request one_request = PMPI_Request_f2c(*f_request), *request = &one_request;\n"
        if (f == "requests") prepared = prepared "    MPI_Request *requests = clump_fortran_requests((int)*f_count, f_requests);\n"
        if (f == "message" && uses(before, x)) prepared = prepared "    MPI_Message one_message = PMPI_Message_f2c(*f_message), *message = &one_message;\n"
        else if (f == "message") told = told "    MPI_Message one_message = PMPI_Message_f2c(*f_message), *message = &one_message;\n"
    }
    for (i = 1; i <= count_of; i++)
        if (F[p[i]] == "types" && uses(after, p[i])) prepared = prepared "    const MPI_Datatype *" p[i] " = clump_fortran_types(" (p[i] == "stypes" ? 0 : 1) ", " (name ~ /[Nn]eighbor_/ ? "true" : "false") ", comm, f_" p[i] ");\n"
    # What MPI_IN_PLACE is in Fortran.
    x = ""
    if (uses(after, "sbuf")) x = x "    const void *sbuf_given = sbuf;\n    sbuf = clump_fortran_buffer(sbuf);\n"
    if (uses(after, "rbuf")) x = x "    void *rbuf_given = rbuf;\n    rbuf = clump_fortran_buffer(rbuf);\n"
    passed = given
    if (uses(after, "sbuf")) sub(/sbuf/, "(void *)sbuf_given", passed)
    if (uses(after, "rbuf")) sub(/rbuf/, "rbuf_given", passed)
    lengths = texts; gsub(/size_t /, "", lengths)
    printf "\nextern void %s(%sMPI_Fint *f_error%s);\n#pragma weak %s\n", real, declared, texts, real
    if (entry_name ~ /_f08_$/) printf "CLUMP_ENTRY void %s(%sMPI_Fint *f_error%s);\nvoid %s(%sMPI_Fint *f_error%s)\n{\n", entry_name, declared, texts, entry_name, declared, texts
    else printf "CLUMP_FORTRAN_%s(%s, (%sMPI_Fint *f_error%s))\n{\n", prefix == "MPIX" ? "EXTENSION" : "NAMES", lower, declared, texts
    if (kind ~ /^[a-z]/) {
        print special(real "(" plain "f_error)", "clump_fortran_is_running()", "") "}"
        return
    }
    printf "    clump_entry entry;\n    if (!clump_entry_begin(&entry, CLUMP_CALL_%s)) {\n        %s(%sf_error%s);\n        return;\n    }\n", kind, real, plain, lengths
    printf "%s%s%s    %s(%sf_error%s);\n%s", prepared, x, before == "" ? "" : statements(before), real, passed, lengths, told
    if (after != "") printf "    clump_entry_lock(&entry);\n%s    clump_entry_unlock(&entry);\n", statements(after)
    print "    clump_entry_end(&entry);\n}"
}
