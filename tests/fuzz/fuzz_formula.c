/* SPDX-License-Identifier: GPL-3.0-or-later */

/* Any text as a condition of explore: it is refused with a message, or evaluates to numbers. */

#include "exploring/formula.h"

#include <math.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static int find(const char *name, const void *context)
{
    (void)context;
    return strcmp(name, "x") == 0 ? 0 : strcmp(name, "word") == 0 ? 1 : -1;
}

static clump_formula_value column_value(int column, const void *row, const void *context)
{
    (void)context;
    return column == 1 ? (clump_formula_value){NAN, row} : (clump_formula_value){2, NULL};
}

static double accuracy(const void *row, const void *context)
{
    (void)row;
    (void)context;
    return 1e-12;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    const clump_formula_columns columns = {find, NULL, column_value, NULL, accuracy};
    clump_formula *formula = NULL;
    double values[8];
    char message[400] = "";
    char *text = malloc(size + 1);
    if (text == NULL)
        return 0;
    memcpy(text, data, size);
    text[size] = '\0';
    if (clump_formula_make(text, 8, &columns, 1, &formula, message, sizeof message))
        clump_formula_evaluate(formula, "word", true, values);
    else if (message[0] == '\0')
        abort();
    clump_formula_free(formula);
    free(text);
    return 0;
}
