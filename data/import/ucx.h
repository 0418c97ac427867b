/* SPDX-License-Identifier: GPL-3.0-or-later */
/** What ucx_perftest leaves to be found out. Internal to data/. */
#ifndef CLUMP_DATA_IMPORT_UCX_H
#define CLUMP_DATA_IMPORT_UCX_H

#include "data/import/import_log.h"

/**
 * The size of the messages, from what all of bandwidth, rate and time allow as they are rounded.
 * @param numbers of the final row: iterations, times (percentile, average, overall), bandwidths and
 *                rates (average, overall)
 * @param told    by the head of the log or the user; -1: nobody
 * @return false with a message if the numbers contradict each other or `told`, or do not tell it
 */
bool clump_import_ucx_size(clump_import_log *log, size_t line, const double numbers[8],
                           int64_t told, int64_t *size);

#endif
