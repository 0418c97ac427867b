/* SPDX-License-Identifier: GPL-3.0-or-later */
/** The formats, in one table. */
#ifndef CLUMP_DATA_IMPORT_IMPORT_FORMAT_H
#define CLUMP_DATA_IMPORT_IMPORT_FORMAT_H

#include "data/import/import_text.h"

typedef struct clump_import_format {
    const char *name; /**< as the user types it */
    const char *tool; /**< for messages: "OSU Micro-Benchmarks" */
    /** Could the text be of this format? A look at its first lines; nothing is changed. */
    bool (*recognize)(const clump_import_text *text);
    /** Reads all of it; false with a message in the log. */
    bool (*parse)(clump_import_text *text, clump_import_log *log);
} clump_import_format;

/**
 * All of them, each defined as clump_import_NAME, with its line of the help: as they are listed, and as they are tried. CSV comes last: nearly anything could be CSV.
 */
#define CLUMP_IMPORT_FORMATS(FORMAT)                                                               \
    FORMAT(mpi_bench, "mpi-bench     clumpmodel-mpi-bench: what 'calibrate mpi' is about")         \
    FORMAT(osu, "osu           OSU Micro-Benchmarks")                                              \
    FORMAT(imb, "imb           Intel MPI Benchmarks")                                              \
    FORMAT(netpipe, "netpipe       NetPIPE: what it prints, or np.out")                            \
    FORMAT(netgauge, "netgauge      netgauge, patterns loggp and one_one: its output or "          \
                     "file")                                                                       \
    FORMAT(logp_mpi, "logp-mpi      logp_mpi: what it prints, or its file")                        \
    FORMAT(ucx_perftest, "ucx-perftest  ucx_perftest, also with -f or -v")                         \
    FORMAT(fi_pingpong, "fi-pingpong   fi_pingpong of libfabric")                                  \
    FORMAT(nccl_tests, "nccl-tests    nccl-tests, rccl-tests: collectives of GPUs")                \
    FORMAT(nxnlatbw, "nxnlatbw      nxnlatbw: every process with every other")                     \
    FORMAT(stream, "stream        STREAM: memory bandwidth, with any numbers of threads")          \
    FORMAT(mpip, "mpip          reports of mpiP")                                                  \
    FORMAT(gromacs, "gromacs       GROMACS: md.log with its cycle accounting")                     \
    FORMAT(cp2k, "cp2k          CP2K: its output with message statistics and timings")             \
    FORMAT(own, "clumpmodel    what 'clumpmodel data export' wrote, also calibration runs")        \
    FORMAT(csv, "csv           a line of names, among them value and unit, and records")
#define CLUMP_IMPORT_DECLARE(name, help) extern const clump_import_format clump_import_##name;
CLUMP_IMPORT_FORMATS(CLUMP_IMPORT_DECLARE)

/** By name; NULL if there is none. */
const clump_import_format *clump_import_format_find(const char *name);

/**
 * The whole way from bytes to a log; `format` NULL: guess. `bytes` must have room for one more
 * and is changed. False with a message in the log.
 */
bool clump_import_parse(const clump_import_format *format, char *bytes, size_t size,
                        const clump_import_hints *hints, clump_import_log *log);

#endif
