/* SPDX-License-Identifier: GPL-3.0-or-later */
/**
 * Units of measure. KiB, MiB, GiB are powers of two; kB, MB, GB powers of ten. The documents write
 * MB/sec and kB for powers of two (their 1/G proves it): say MiB/s and KiB when entering those.
 */
#ifndef CLUMP_DATA_UNITS_H
#define CLUMP_DATA_UNITS_H

#include <stdbool.h>

typedef enum clump_unit_status {
    CLUMP_UNIT_OK = 0,
    CLUMP_UNIT_UNKNOWN_FROM, /**< `from` is not in the table */
    CLUMP_UNIT_UNKNOWN_TO,   /**< `to` is not in the table */
    CLUMP_UNIT_MISMATCH      /**< they measure different things */
} clump_unit_status;

/** Converts, exactly to within two roundings. On failure *result is untouched.
 *  @param from for example "nsec/B"   @param to for example "us/B" */
clump_unit_status clump_unit_convert(double value, const char *from, const char *to,
                                     double *result);

/** May a quantity be stored in it? One of: us, s, us/B, B, B/us, count, 1/us, MHz, cycles, ratio,
 * ns/day.
 */
bool clump_unit_is_canonical(const char *unit);

/** All names, separated by ", ", for messages. */
const char *clump_unit_names(void);

#endif
