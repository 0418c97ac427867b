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

static const char erlang_prefix[] = "erlang:", hyper_prefix[] = "hyperexponential:";

void clump_service_time_name(const clump_service_time *time,
                             char name[CLUMP_SERVICE_TIME_NAME_SIZE])
{
    static const char *const plain[] = {"exponential", "constant", "", "", "samples"};
    const char *prefix = time->kind == CLUMP_SERVICE_ERLANG ? erlang_prefix : hyper_prefix;
    if (time->kind == CLUMP_SERVICE_ERLANG || time->kind == CLUMP_SERVICE_HYPEREXPONENTIAL) {
        char number[NUMBER];
        print_number(time->shape, number);
        normalize_point(number);
        snprintf(name, CLUMP_SERVICE_TIME_NAME_SIZE, "%s%.20s", prefix, number);
    } else {
        snprintf(name, CLUMP_SERVICE_TIME_NAME_SIZE, "%s", plain[time->kind]);
    }
}

int clump_service_time_parse(const char *name, clump_service_time *time)
{
    clump_service_time found = {.kind = CLUMP_SERVICE_EXPONENTIAL};
    if (strcmp(name, "exponential") == 0) {
        *time = found;
        return 1;
    }
    if (strcmp(name, "constant") == 0) {
        *time = (clump_service_time){.kind = CLUMP_SERVICE_CONSTANT};
        return 1;
    }
    const int erlang = strncmp(name, erlang_prefix, strlen(erlang_prefix)) == 0;
    if (!erlang && strncmp(name, hyper_prefix, strlen(hyper_prefix)) != 0)
        return 0;
    found.kind = erlang ? CLUMP_SERVICE_ERLANG : CLUMP_SERVICE_HYPEREXPONENTIAL;
    if (!parse_number(strchr(name, ':') + 1, &found.shape) ||
        clump_service_time_check(&found, "", NULL) != CLUMP_OK)
        return 0;
    *time = found;
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
