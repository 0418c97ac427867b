/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "scenarios/result.h"

#include "data/number.h"

#include <locale.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const char *const demand_names[] = {"independent", "correlated", "scheduled"};
static const char gang_prefix[] = "gang:";

enum { NUMBER = 40 };

/* The shortest decimal fraction that is `value`, in the current locale. */
static void print_number(double value, char text[NUMBER])
{
    for (int decimals = 0; decimals <= 17; decimals++) {
        snprintf(text, NUMBER, "%.*f", decimals, value);
        if (strtod(text, NULL) == value)
            break;
    }
}

/* Put a point where the locale has something else. */
static void normalize_point(char text[NUMBER])
{
    const char *local = localeconv()->decimal_point;
    char *point = strstr(text, local);
    char rest[NUMBER];
    if (point == NULL)
        return;
    snprintf(rest, sizeof rest, "%s", point + strlen(local));
    snprintf(point, (size_t)(text + NUMBER - point), ".%s", rest);
}

/* Plain decimal fractions only. */
static int parse_number(const char *text, double *value)
{
    const size_t whole = strspn(text, "0123456789");
    const size_t fraction = text[whole] == '.' ? strspn(text + whole + 1, "0123456789") : 0;
    const size_t size = whole + (text[whole] == '.') + fraction;
    if (whole == 0 || text[size] != '\0' || size > NUMBER / 2)
        return 0;
    return clump_number_parse(text, size, value) == CLUMP_NUMBER_OK;
}

void clump_demand_name(clump_demand demand, double gang_size, char name[CLUMP_DEMAND_NAME_SIZE])
{
    if (demand == CLUMP_DEMAND_GANG) {
        char number[NUMBER];
        print_number(gang_size, number);
        normalize_point(number);
        snprintf(name, CLUMP_DEMAND_NAME_SIZE, "%s%.30s", gang_prefix, number);
        return;
    }
    const size_t i = (size_t)demand;
    const int known = i < sizeof demand_names / sizeof demand_names[0];
    snprintf(name, CLUMP_DEMAND_NAME_SIZE, "%s", known ? demand_names[i] : "unknown");
}

int clump_demand_parse(const char *name, clump_demand *demand, double *gang_size)
{
    double size;
    for (size_t i = 0; i < sizeof demand_names / sizeof demand_names[0]; i++)
        if (strcmp(name, demand_names[i]) == 0) {
            *demand = (clump_demand)i;
            *gang_size = 1;
            return 1;
        }
    if (strncmp(name, gang_prefix, strlen(gang_prefix)) != 0 ||
        !parse_number(name + strlen(gang_prefix), &size) || size < 1)
        return 0;
    *demand = CLUMP_DEMAND_GANG;
    *gang_size = size;
    return 1;
}

const char *clump_mapping_name(clump_mapping mapping)
{
    return mapping == CLUMP_MAPPING_STATIC ? "static" : "pooled";
}

int clump_mapping_parse(const char *name, clump_mapping *mapping)
{
    if (strcmp(name, "pooled") == 0)
        *mapping = CLUMP_MAPPING_POOLED;
    else if (strcmp(name, "static") == 0)
        *mapping = CLUMP_MAPPING_STATIC;
    else
        return 0;
    return 1;
}
