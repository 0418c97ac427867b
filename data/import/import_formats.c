/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The formats, by what their logs are known, and the Lua that reads them, as text in the program. */
#include "data/import/import_format.h"

#include "data/number.h"

#include <string.h>

/* The assembler's own directives, by which this object depends on the files. */
#define SCRIPT(called, help)                                                                       \
    __asm__(".pushsection .rodata\n"                                                               \
            ".globl clump_import_lua_" #called "\n.hidden clump_import_lua_" #called "\n"          \
            "clump_import_lua_" #called ":\n"                                                      \
            ".incbin \"data/import/formats/" #called ".lua\"\n"                                    \
            ".globl clump_import_lua_" #called "_end\n.hidden clump_import_lua_" #called "_end\n"  \
            "clump_import_lua_" #called "_end:\n.byte 0\n.popsection\n");                          \
    extern const char clump_import_lua_##called[] __attribute__((visibility("hidden")));           \
    extern const char clump_import_lua_##called##_end[] __attribute__((visibility("hidden")));     \
    static const clump_import_script called##_script = {                                           \
        "@" #called ".lua", clump_import_lua_##called, clump_import_lua_##called##_end};

SCRIPT(common, "")
CLUMP_IMPORT_SCRIPTS(SCRIPT)

const clump_import_script *clump_import_script_common(void)
{
    return &common_script;
}

/* ---- marks */

/* The first line that has any text is of three or five numbers, of which the first is whole: a file of results of NetPIPE. */
static bool begins_with_results(const clump_import_text *text)
{
    const char *at = text->bytes + strspn(text->bytes, " \t\n");
    size_t count = 0;
    if (at[strspn(at, "0123456789")] != ' ')
        return false;
    while (*at != '\0' && *at != '\n') {
        const size_t size = strcspn(at, " \t\n");
        double unused;
        if (clump_number_parse(at, size, &unused) != CLUMP_NUMBER_OK)
            return false;
        count++;
        at += size;
        at += strspn(at, " \t");
    }
    return count == 3 || count == 5;
}

#define PAIRS "src,dst,lat(us),bandwidth"

/* Processes of nxnlatbw print when they are done: that of the names may be late, but it is a line by itself. */
static bool has_line_of_pairs(const clump_import_text *text)
{
    const char *found = strstr(text->bytes, PAIRS);
    return found == text->bytes || (found != NULL && found[-1] == '\n');
}

#define WITHIN(most, ...)                                                                          \
    {                                                                                              \
        .parts = {__VA_ARGS__}, .lines = most                                                      \
    }
#define READ_BY(called) .script = &called##_script

static const clump_import_format formats[] = {
    {"mpi-bench",
     "clumpmodel-mpi-bench",
     {WITHIN(200, "# clumpmodel-mpi-bench ")},
     READ_BY(mpi_bench)},
    {"osu", "OSU Micro-Benchmarks", {WITHIN(200, "# OSU ")}, READ_BY(osu)},
    {"imb",
     "Intel MPI Benchmarks",
     {WITHIN(100, "MPI Benchmarks ", "Intel(R)"), WITHIN(100, "MPI Benchmarks ", "Intel (R)")},
     READ_BY(imb)},
    {"netpipe",
     "NetPIPE",
     {{.also = begins_with_results},
      WITHIN(60, " times -->", "Now starting the main loop"),
      WITHIN(60, " times -->", "Start testing with")},
     READ_BY(netpipe)},
    {"netgauge",
     "netgauge",
     {WITHIN(40, "Netgauge v"), WITHIN(40, "# size n PRTT(1,0,s)")},
     READ_BY(netgauge)},
    {"logp-mpi",
     "logp_mpi",
     {WITHIN(5, "# LogP network performance data"),
      WITHIN(40, ": measuring with peer", "Clock overhead is")},
     READ_BY(logp_mpi)},
    {"ucx-perftest",
     "ucx_perftest",
     {WITHIN(10, "_percentile_lat,avg_lat,overall_lat"),
      WITHIN(40, "message rate (msg/s)", "# iterations |")},
     READ_BY(ucx_perftest)},
    {"fi-pingpong", "fi_pingpong", {WITHIN(20, "#sent", "usec/xfer")}, READ_BY(fi_pingpong)},
    {"perftest",
     "perftest",
     {WITHIN(60, "#iterations", "t_avg[usec]"), WITHIN(60, "#iterations", "MsgRate[Mpps]")},
     READ_BY(perftest)},
    {"nccl-tests", "nccl-tests", {WITHIN(20000, "# nThread ")}, READ_BY(nccl_tests)},
    {"nxnlatbw", "nxnlatbw", {{.also = has_line_of_pairs}}, READ_BY(nxnlatbw)},
    {"stream",
     "STREAM",
     {WITHIN(20000, "STREAM version $Revision:"), WITHIN(20000, "STREAM Version $Revision:")},
     READ_BY(stream)},
    {"mpip", "mpiP", {WITHIN(20, "@ mpiP")}, READ_BY(mpip)},
    {"gromacs",
     "GROMACS",
     {WITHIN(500, "GROMACS version:"), WITHIN(500, "Gromacs version:")},
     READ_BY(gromacs)},
    {"cp2k", "CP2K", {WITHIN(20000, "CP2K| version string")}, READ_BY(cp2k)},
    {"mlperf",
     "MLPerf Training",
     {WITHIN(20000, ":::MLLOG {"), WITHIN(200, "\"accelerators_per_node\"", "\"host_networking\"")},
     .may_have_crlf = true,
     READ_BY(mlperf)},
    {"run-times",
     "OpenFOAM, WRF or CASTEP",
     {WITHIN(2000, "Exec   : ", "Build  : "), WITHIN(2000, "Timing for main: time"),
      WITHIN(200, "CASTEP version ")},
     READ_BY(run_times)},
};

const clump_import_format *clump_import_format_at(size_t index)
{
    static const clump_import_format *const others[] = {&clump_import_own, &clump_import_csv, NULL};
    enum { FORMATS = sizeof formats / sizeof *formats };
    return index < FORMATS ? &formats[index] : others[index - FORMATS];
}

int clump_import_format_mark(const clump_import_format *format, const clump_import_text *text)
{
    const int most = sizeof format->marks / sizeof *format->marks;
    for (int i = 0; i < most; i++) {
        const clump_import_mark *mark = &format->marks[i];
        bool fits = mark->parts[0] != NULL || mark->also != NULL;
        for (size_t part = 0; part < 2 && fits; part++)
            fits = mark->parts[part] == NULL ||
                   clump_import_text_has(text, mark->parts[part], mark->lines);
        if (fits && (mark->also == NULL || mark->also(text)))
            return i + 1;
    }
    return 0;
}
