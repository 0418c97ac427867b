/* SPDX-License-Identifier: GPL-3.0-or-later */

/* Any bytes as CSV: every record is well-formed or refused with a message. */

#include "data/csv.h"

#include <stdint.h>
#include <stdlib.h>
#include <string.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    static clump_csv csv;
    if (size == 0)
        return 0;
    char *bytes = malloc(size); /* a copy of its own, so that reading beyond it is seen */
    if (bytes == NULL)
        return 0;
    memcpy(bytes, data, size);
    clump_csv_start(&csv, bytes + 1, size - 1, data[0] & 1);
    clump_csv_status status;
    size_t fields = 0;
    while ((status = clump_csv_next(&csv)) == CLUMP_CSV_ROW) {
        if (fields != 0 && csv.fields != fields)
            abort();
        fields = csv.fields;
        for (size_t i = 0; i < csv.fields; i++)
            if (strlen(csv.field[i].text) != csv.field[i].size)
                abort();
        clump_csv_find(&csv, "value");
    }
    if (status == CLUMP_CSV_BAD && (csv.message[0] == '\0' || csv.line == 0))
        abort();
    free(bytes);
    return 0;
}
