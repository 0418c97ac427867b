/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef CLUMP_TESTS_GOLDEN_H
#define CLUMP_TESTS_GOLDEN_H

/* Reading tests/golden/ and comparing with it. Include after cmocka.h. */

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define GOLDEN_COLUMNS 10

typedef struct golden_table {
    double (*rows)[GOLDEN_COLUMNS];
    size_t count;
} golden_table;

/* All rows of a CSV of numbers; fails the test if there are none. */
static inline golden_table golden_read(const char *name)
{
    const char *folder = getenv("CLUMP_TEST_DIR");
    char path[512], line[4096];
    snprintf(path, sizeof path, "%s/golden/%s", folder != NULL ? folder : "tests", name);
    FILE *file = fopen(path, "r");
    if (file == NULL)
        fail_msg("cannot read %s", path);
    golden_table table = {NULL, 0};
    while (fgets(line, sizeof line, file) != NULL) {
        if (line[0] == '#' || (line[0] >= 'a' && line[0] <= 'z'))
            continue;
        table.rows = realloc(table.rows, (table.count + 1) * sizeof *table.rows);
        double *row = table.rows[table.count++];
        char *at = line;
        for (size_t i = 0; i < GOLDEN_COLUMNS && *at != '\0' && *at != '\n'; i++) {
            row[i] = strtod(at, &at);
            at += *at == ',';
        }
    }
    fclose(file);
    if (table.count == 0)
        fail_msg("%s holds no rows", path);
    return table;
}

/* |value - expected| <= tolerance |expected| (absolute when 0 is expected). */
static inline int is_close(double value, double expected, double tolerance)
{
    const double scale = expected != 0 ? fabs(expected) : 1;
    return fabs(value - expected) <= tolerance * scale;
}

#define assert_close(value, expected, tolerance)                                                   \
    do {                                                                                           \
        const double value_ = (value), expected_ = (expected);                                     \
        if (!is_close(value_, expected_, tolerance))                                               \
            fail_msg("%s is %.17g, expected %.17g (relative error %.2g)", #value, value_,          \
                     expected_, value_ / expected_ - 1);                                           \
    } while (0)

/* The efficiency of the golden tables: E(q) = 1/(1 + a (q-1)). */
static inline double golden_efficiency(double active, void *slope)
{
    return 1 / (1 + *(double *)slope * (active - 1));
}

/* A small generator of our own, so that random cases are the same everywhere (xorshift64*). */
static inline double golden_random(unsigned long long *state)
{
    *state ^= *state >> 12;
    *state ^= *state << 25;
    *state ^= *state >> 27;
    return (double)((*state * 2685821657736338717ULL) >> 11) * 0x1p-53;
}

#endif
