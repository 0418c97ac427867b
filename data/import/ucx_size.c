/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "data/import/ucx.h"

#include <math.h>

/* The size of which bandwidth, rate and time tell: what all of them, as rounded, allow. */
bool clump_import_ucx_size(clump_import_log *log, size_t line, const double numbers[8],
                           int64_t told, int64_t *size)
{
    const double bandwidth = numbers[5];
    const double rate = numbers[7];
    const double time = numbers[3];
    const double unit = 1048576;
    const double least = bandwidth - 0.005 > 0 ? bandwidth - 0.005 : 0;
    double low = least * unit / (rate + 0.5);
    double high = rate > 0.5 ? (bandwidth + 0.005) * unit / (rate - 0.5) : 1e18;
    const double other_low = least * unit * 1e-6 * fmax(time - 0.0005, 0);
    const double other_high = (bandwidth + 0.005) * unit * 1e-6 * (time + 0.0005);
    /* Beside the rounding, the numbers were seen to disagree by 1e-6. */
    low = fmax(low, other_low) * (1 - 4e-6);
    high = fmin(high, other_high) * (1 + 4e-6);
    if (!(high >= low) || !(high < 9e15)) {
        return clump_import_fail(log, line,
                                 "found a bandwidth, a message rate and a time "
                                 "that contradict each other, expected them to "
                                 "agree on a size");
    }
    if (told >= 0) {
        *size = told;
        return ((double)told >= low && (double)told <= high) ||
               clump_import_fail(log, line,
                                 "found results of messages of %.8g to %.8g "
                                 "bytes, expected the size %lld",
                                 low, high, (long long)told);
    }
    const double first = ceil(low);
    if (floor(high) == first) {
        *size = (int64_t)first;
        return true;
    }
    double power = 1;
    while (power < low)
        power *= 2;
    if (power > high) {
        return clump_import_fail(log, line,
                                 "found a size of %.8g to %.8g bytes, which is "
                                 "all that the log tells, expected --size",
                                 low, high);
    }
    *size = (int64_t)power;
    return clump_import_notice(
        log, line, "the log tells a size of %.0f to %.0f bytes; taken for %.0f", low, high, power);
}
