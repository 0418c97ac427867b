/* SPDX-License-Identifier: GPL-3.0-or-later */
/** The formats, in one table. */
#ifndef CLUMP_DATA_IMPORT_IMPORT_FORMAT_H
#define CLUMP_DATA_IMPORT_IMPORT_FORMAT_H

#include "data/import/import_text.h"

/** Lua that reads logs of a format: formats/NAME.lua. The program has its text. */
typedef struct clump_import_script {
    const char *name; /**< as Lua shows it in messages */
    const char *begin, *end;
} clump_import_script;

/** By what a text may be known as one of a format. */
typedef struct clump_import_mark {
    const char *parts[2];                        /**< both are in it; NULL: there is none */
    size_t lines;                                /**< that many lines from its beginning */
    bool (*also)(const clump_import_text *text); /**< what else must hold; NULL: nothing */
} clump_import_mark;

typedef struct clump_import_format {
    const char *name;           /**< as the user types it */
    const char *tool;           /**< for messages: "OSU Micro-Benchmarks" */
    clump_import_mark marks[3]; /**< any of them; the script is told which one, from 1 */
    /** Lines may end with CR LF: of tables that spreadsheets write, of logs that are published so. */
    bool may_have_crlf;
    const clump_import_script *script;
    /** Without a script: reads all of it; false with a message in the log. */
    bool (*parse)(clump_import_text *text, clump_import_log *log);
} clump_import_format;

/** Those with a script: how C calls it, and its line of the help; as they are listed, and as they are tried. */
#define CLUMP_IMPORT_SCRIPTS(SCRIPT)                                                               \
    SCRIPT(mpi_bench, "mpi-bench     clumpmodel-mpi-bench: what 'calibrate mpi' is about")         \
    SCRIPT(osu, "osu           OSU Micro-Benchmarks")                                              \
    SCRIPT(imb, "imb           Intel MPI Benchmarks")                                              \
    SCRIPT(netpipe, "netpipe       NetPIPE: what it prints, or np.out")                            \
    SCRIPT(netgauge, "netgauge      netgauge, patterns loggp and one_one: its output or "          \
                     "file")                                                                       \
    SCRIPT(logp_mpi, "logp-mpi      logp_mpi: what it prints, or its file")                        \
    SCRIPT(ucx_perftest, "ucx-perftest  ucx_perftest, also with -f or -v")                         \
    SCRIPT(fi_pingpong, "fi-pingpong   fi_pingpong of libfabric")                                  \
    SCRIPT(perftest, "perftest      ib_send_lat, ib_write_bw and others of perftest")              \
    SCRIPT(nccl_tests, "nccl-tests    nccl-tests, rccl-tests: collectives of GPUs")                \
    SCRIPT(nxnlatbw, "nxnlatbw      nxnlatbw: every process with every other")                     \
    SCRIPT(stream, "stream        STREAM: memory bandwidth, with any numbers of threads")          \
    SCRIPT(mpip, "mpip          reports of mpiP")                                                  \
    SCRIPT(gromacs, "gromacs       GROMACS: md.log with its cycle accounting")                     \
    SCRIPT(cp2k, "cp2k          CP2K: its output with message statistics and timings")             \
    SCRIPT(mlperf, "mlperf        MLPerf Training: logs of runs, and descriptions of systems")     \
    SCRIPT(run_times, "run-times     OpenFOAM, WRF, CASTEP: how long a run took")

/** All of them; CSV comes last: nearly anything could be CSV. */
#define CLUMP_IMPORT_FORMATS(FORMAT)                                                               \
    CLUMP_IMPORT_SCRIPTS(FORMAT)                                                                   \
    FORMAT(own, "clumpmodel    what 'clumpmodel data export' wrote, also calibration runs")        \
    FORMAT(csv, "csv           a line of names, among them value and unit, and records")

extern const clump_import_format clump_import_own, clump_import_csv;

/** What all scripts have in common, which is run before them. */
const clump_import_script *clump_import_script_common(void);

/** In the order of the list; NULL after the last. */
const clump_import_format *clump_import_format_at(size_t index);

/** By name; NULL if there is none. */
const clump_import_format *clump_import_format_find(const char *name);

/** By which mark a text may be of this format, from 1; 0: it is not. Looks at its first lines; nothing is changed. */
int clump_import_format_mark(const clump_import_format *format, const clump_import_text *text);

/** Has a script read a text that a mark of its format is in; false with a message in the log. */
bool clump_import_script_run(const clump_import_script *script, int mark, clump_import_text *text);

/**
 * The whole way from bytes to a log; `format` NULL: guess. `bytes` must have room for one more
 * and is changed. False with a message in the log.
 */
bool clump_import_parse(const clump_import_format *format, char *bytes, size_t size,
                        const clump_import_hints *hints, clump_import_log *log);

#endif
