/* SPDX-License-Identifier: GPL-3.0-or-later */

/* Any text as a condition of explore: it is refused with a message, or evaluates to a number. */

#include "exploring/expression.h"

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

static bool is_text(int column, const void *context)
{
    (void)context;
    return column == 1;
}

static clump_expression_value column_value(int column, const void *row, const void *context)
{
    (void)context;
    return column == 1 ? (clump_expression_value){NAN, row} : (clump_expression_value){2, NULL};
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    const clump_expression_columns columns = {find, is_text, NULL, column_value, NULL, NULL};
    clump_expression *expression = NULL;
    char message[200] = "";
    char *text = malloc(size + 1);
    if (text == NULL)
        return 0;
    memcpy(text, data, size);
    text[size] = '\0';
    if (clump_expression_compile(text, &columns, &expression, message, sizeof message))
        clump_expression_evaluate(expression, "word");
    else if (message[0] == '\0')
        abort();
    clump_expression_free(expression);
    free(text);
    return 0;
}
