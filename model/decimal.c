/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "model/decimal.h"

#include <locale.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Put `wanted` where the text has `found`. */
static void exchange_point(char text[MODEL_DECIMAL], const char *found, const char *wanted)
{
    char rest[MODEL_DECIMAL];
    char *point = strstr(text, found);
    if (point == NULL)
        return;
    snprintf(rest, sizeof rest, "%s", point + strlen(found));
    snprintf(point, (size_t)(text + MODEL_DECIMAL - point), "%s%s", wanted, rest);
}

void model_decimal_print(double value, char text[MODEL_DECIMAL])
{
    for (int decimals = 0; decimals <= 17; decimals++) {
        snprintf(text, MODEL_DECIMAL, "%.*f", decimals, value);
        if (strtod(text, NULL) == value)
            break;
    }
    exchange_point(text, localeconv()->decimal_point, ".");
}

int model_decimal_parse(const char *text, double *value)
{
    static const char digits[] = "0123456789";
    const size_t whole = strspn(text, digits);
    const size_t fraction = text[whole] == '.' ? strspn(text + whole + 1, digits) : 0;
    const size_t size = whole + (text[whole] == '.') + fraction;
    char local[MODEL_DECIMAL];
    if (whole == 0 || text[size] != '\0' || size > MODEL_DECIMAL / 2)
        return 0;
    snprintf(local, sizeof local, "%s", text);
    exchange_point(local, ".", localeconv()->decimal_point);
    *value = strtod(local, NULL);
    return 1;
}
