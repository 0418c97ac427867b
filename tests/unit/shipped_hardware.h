/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * The machines of data/reference/hardware-*.csv, from these files themselves: what tests of virtual
 * time measure is what the program ships. Read from the top of the sources, where tests run.
 */
#ifndef CLUMP_TESTS_UNIT_SHIPPED_HARDWARE_H
#define CLUMP_TESTS_UNIT_SHIPPED_HARDWARE_H

#include "reproductions/virtual/hardware.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/** Costs of one platform: rows "platform,,network,virtual,quantity,single,value,...". The fields
 * that the file has; @return how many of them */
static inline size_t virtual_hardware_read(const char *file, const char *platform,
                                           const clump_hardware_field *fields, size_t count,
                                           void *hardware)
{
    char line[500], begin[100], quantity[100];
    size_t found = 0;
    FILE *f = fopen(file, "r");
    snprintf(begin, sizeof begin, "%s,,network,virtual,", platform);
    while (f != NULL && fgets(line, sizeof line, f) != NULL) {
        double value;
        if (strncmp(line, begin, strlen(begin)) != 0 ||
            sscanf(line + strlen(begin), "%99[^,],single,%lf,", quantity, &value) != 2)
            continue;
        for (size_t i = 0; i < count; i++) {
            if (strcmp(fields[i].name, quantity) != 0)
                continue;
            *(double *)((char *)hardware + fields[i].offset) = value;
            found++;
        }
    }
    if (f != NULL)
        fclose(f);
    return found;
}

/** "ppro-myrinet" or "p3-myrinet", all of it or the end of the program. */
static inline clump_hardware virtual_hardware(const char *platform)
{
    clump_hardware h = {0};
    if (virtual_hardware_read("data/reference/hardware-lci.csv", platform, clump_hardware_fields,
                              clump_hardware_field_count, &h) != clump_hardware_field_count) {
        fprintf(stderr, "%s: not described in data/reference/hardware-lci.csv\n", platform);
        abort();
    }
    return h;
}

/** "ss20-atm" or "ss1-atm". */
static inline clump_cell_hardware virtual_cell_hardware(const char *platform)
{
    static const char file[] = "data/reference/hardware-ssam.csv";
    clump_cell_hardware h = {0};
    if (virtual_hardware_read(file, platform, clump_cell_hardware_fields,
                              clump_cell_hardware_field_count,
                              &h) != clump_cell_hardware_field_count ||
        virtual_hardware_read(file, platform, clump_cell_call_fields, clump_cell_call_field_count,
                              &h) != clump_cell_call_field_count) {
        fprintf(stderr, "%s: not described in %s\n", platform, file);
        abort();
    }
    return h;
}

#endif
