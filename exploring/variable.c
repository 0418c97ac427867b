/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "exploring/variable.h"

#include "data/number.h"
#include "data/suggest.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* More values than anybody waits for are a mistake in the step. */
static const double most_values = 1e8;

static const struct {
    const char *name, *letter;
    bool numeric, is_share; /* a share is at most 1 */
} fields[] = {{"utilization", "U", true, true},
              {"nics", "N", true, false},
              {"processors", "P", true, false},
              {"remote_fraction", "f", true, true},
              {"cost_ratio", "V", true, false},
              {"max_nics_per_processor", "m", true, false},
              {"waiting_fraction", "h", true, true},
              {"memory_penalty", "c", true, false},
              {"phase_cycles", "T", true, false},
              {"mapping", "", false, false},
              {"demand", "", false, false},
              {"platform", "", false, false},
              {"application", "", false, false},
              {"loss", "", true, true},
              {"protocol", "", false, false},
              {"compare_with", "", false, false},
              {"communication_ratio", "", true, false},
              {"memory_share", "", true, true},
              {"memory_feeds", "", true, false}};

enum { FIELD_COUNT = sizeof fields / sizeof *fields };

const char *clump_explore_similar_field(const char *name)
{
    const char *names[FIELD_COUNT + 1] = {NULL};
    for (size_t i = 0; i < FIELD_COUNT; i++)
        names[i] = fields[i].name;
    return clump_suggest_among(CLUMP_SUGGEST_WORD, name, names);
}

/* FIELD_COUNT: none. */
static size_t find_field(const char *name)
{
    size_t i = 0;
    while (i < FIELD_COUNT && strcmp(name, fields[i].name) != 0 &&
           strcmp(name, fields[i].letter) != 0)
        i++;
    return i;
}

const char *clump_explore_field(const char *name)
{
    const size_t i = find_field(name);
    return i < FIELD_COUNT ? fields[i].name : NULL;
}

bool clump_explore_field_is_numeric(const char *field)
{
    const size_t i = find_field(field);
    return i == FIELD_COUNT || fields[i].numeric;
}

/* Splits off the name; returns what follows the equals sign, NULL if that is missing. */
static const char *take_name(clump_explore_variable *variable, const char *text)
{
    static const char letters[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz_0123456789";
    const size_t length = strspn(text, letters);
    *variable = (clump_explore_variable){.values = NULL};
    if (length == 0 || length >= sizeof variable->name || (*text >= '0' && *text <= '9') ||
        text[length] != '=' || text[length + 1] == '\0')
        return NULL;
    memcpy(variable->name, text, length);
    variable->field = clump_explore_field(variable->name);
    return text + length + 1;
}

/* "48%" becomes "0.48". */
static bool add_value(clump_explore_variable *variable, const char *text, size_t length)
{
    char number[CLUMP_NUMBER_TEXT];
    double share;
    if (length > 0 && text[length - 1] == '%' && clump_number_read_share(text, length, &share)) {
        length = clump_number_print(share, number);
        text = number;
    }
    char *copy = strndup(text, length);
    if (copy == NULL)
        return false;
    variable->values[variable->count++] = copy;
    return true;
}

/* FIRST:LAST, FIRST:LAST:STEP or FIRST:LAST/COUNT. */
typedef struct series {
    double first, step;
    size_t count;
} series;

static bool parse_series(const char *text, series *s)
{
    double last;
    const char *end = strchr(text, ':') + 1;
    const size_t length = strcspn(end, ":/");
    const char *rest = end + length;
    if (!clump_number_read_share(text, (size_t)(end - 1 - text), &s->first) ||
        !clump_number_read_share(end, length, &last))
        return false;
    if (*rest == '/') {
        uint64_t points;
        if (clump_number_parse_digits(rest + 1, strlen(rest + 1), &points) != CLUMP_NUMBER_OK ||
            points < 2 || points > (uint64_t)most_values)
            return false;
        s->count = (size_t)points;
        s->step = (last - s->first) / (double)(points - 1);
        return isfinite(s->step);
    }
    s->step = 1;
    if (*rest == ':' && !clump_number_read_share(rest + 1, strlen(rest + 1), &s->step))
        return false;
    const double steps = (last - s->first) / s->step;
    if (!(steps > -1e-9) || !(steps < most_values))
        return false;
    s->count = (size_t)floor(steps + 1e-9) + 1;
    return true;
}

/* Twelve digits: 0.1 + 2 * 0.1 is 0.3. */
static bool add_series(clump_explore_variable *variable, const series *s)
{
    char text[40];
    variable->values = calloc(s->count, sizeof *variable->values);
    if (variable->values == NULL)
        return false;
    for (size_t i = 0; i < s->count; i++) {
        const double value = s->first + (double)i * s->step;
        const int length =
            snprintf(text, sizeof text, "%.12g", fabs(value) < 1e-12 * fabs(s->step) ? 0 : value);
        if (!add_value(variable, text, (size_t)length))
            return false;
    }
    return true;
}

static bool add_list(clump_explore_variable *variable, const char *text)
{
    size_t commas = 0;
    for (const char *at = text; *at != '\0'; at++)
        commas += *at == ',';
    variable->values = calloc(commas + 1, sizeof *variable->values);
    if (variable->values == NULL)
        return false;
    for (;; text++) {
        const size_t length = strcspn(text, ",");
        if (!add_value(variable, text, length))
            return false;
        text += length;
        if (*text == '\0')
            return true;
    }
}

/* Two numbers with a separator between. */
static bool parse_pair(const char *text, const char *separator, double *first, double *second)
{
    const char *found = strstr(text, separator);
    if (found == NULL || !clump_number_read_share(text, (size_t)(found - text), first))
        return false;
    found += strlen(separator);
    return clump_number_read_share(found, strlen(found), second);
}

bool clump_explore_read_values(const char *text, clump_explore_variable *variable,
                               const char **expected)
{
    series s;
    const char *values = take_name(variable, text);
    *expected = "NAME=A,B,... or NAME=FIRST:LAST[:STEP] or NAME=FIRST:LAST/COUNT";
    if (values == NULL)
        return false;
    const bool is_range = strchr(values, ':') != NULL && strncmp(values, "gang:", 5) != 0 &&
                          strstr(values, ",gang:") == NULL;
    double first, last;
    if (!is_range &&
        (parse_pair(values, "-", &first, &last) || parse_pair(values, "..", &first, &last))) {
        *expected = "a colon in a range, such as U=1:8";
        return false;
    }
    if (is_range && !parse_series(values, &s)) {
        *expected = "a range with a step in its direction, such as U=0:1:0.01, of at most 1e8 "
                    "values";
        return false;
    }
    if (!(is_range ? add_series(variable, &s) : add_list(variable, values))) {
        *expected = NULL;
        return false;
    }
    for (size_t i = 0; i < variable->count; i++)
        if (*variable->values[i] == '\0')
            return false;
    return true;
}

/* The numbers of "A,B,C)", all that there are. */
static bool parse_arguments(const char *text, size_t count, double *numbers)
{
    for (size_t i = 0; i < count; i++) {
        const size_t length = strcspn(text, ",)");
        if (!clump_number_read_share(text, length, &numbers[i]) ||
            text[length] != (i + 1 < count ? ',' : ')'))
            return false;
        text += length + 1;
    }
    return *text == '\0';
}

static bool parse_distribution(const char *text, clump_uncertain *d)
{
    double n[3];
    *d = (clump_uncertain){.least = -HUGE_VAL, .most = HUGE_VAL};
    if (strncmp(text, "normal(", 7) == 0 && parse_arguments(text + 7, 2, n)) {
        d->kind = CLUMP_UNCERTAIN_NORMAL;
        d->a = n[0];
        d->b = n[1];
        return true;
    }
    if (strncmp(text, "lognormal(", 10) == 0 && parse_arguments(text + 10, 2, n) && n[1] > 0) {
        d->kind = CLUMP_UNCERTAIN_LOGNORMAL;
        d->a = n[0];
        d->b = fabs(log(n[1])) / CLUMP_UNCERTAIN_95;
        return true;
    }
    if (strncmp(text, "triangular(", 11) == 0 && parse_arguments(text + 11, 3, n)) {
        *d = (clump_uncertain){.kind = CLUMP_UNCERTAIN_TRIANGULAR, .a = n[0], .b = n[2], .c = n[1]};
        return true;
    }
    if (parse_pair(text, "+-", &d->a, &d->b) || parse_pair(text, "\xC2\xB1", &d->a, &d->b)) {
        d->kind = CLUMP_UNCERTAIN_NORMAL;
        d->b /= CLUMP_UNCERTAIN_95;
        return true;
    }
    d->kind = CLUMP_UNCERTAIN_UNIFORM;
    return parse_pair(text, ":", &d->a, &d->b);
}

bool clump_explore_read_distribution(const char *text, clump_explore_variable *variable,
                                     const char **expected)
{
    const char *distribution = take_name(variable, text);
    *expected = "NAME=FROM:TO, NAME=VALUE+-HALF, NAME=normal(M,SD), lognormal(M,FACTOR) or "
                "triangular(A,C,B), or \"measured\"";
    if (distribution == NULL || !parse_distribution(distribution, &variable->distribution))
        return false;
    if (variable->field != NULL) { /* its bounds cut off the tails of a normal distribution */
        variable->distribution.least = 0;
        if (fields[find_field(variable->field)].is_share)
            variable->distribution.most = 1;
    }
    return true;
}

void clump_explore_variable_release(clump_explore_variable *variable)
{
    for (size_t i = 0; i < variable->count; i++)
        free(variable->values[i]);
    free(variable->values);
    *variable = (clump_explore_variable){.values = NULL};
}
