/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "exploring/explore_variable.h"

#include "cli/options/definitions.h"
#include "cli/options/numbers.h"
#include "cli/output/errors.h"
#include "data/suggest.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* More values than anybody waits for are a mistake in the step. */
static const double most_values = 1e8;

static const char *const fields[][2] = {{"utilization", "U"},
                                        {"nics", "N"},
                                        {"processors", "P"},
                                        {"remote_fraction", "f"},
                                        {"cost_ratio", "V"},
                                        {"max_nics_per_processor", "m"},
                                        {"waiting_fraction", "h"},
                                        {"memory_penalty", "c"},
                                        {"phase_cycles", "T"},
                                        {"mapping", ""},
                                        {"demand", ""},
                                        {"platform", ""},
                                        {"application", ""},
                                        {"loss", ""},
                                        {"protocol", ""}};

const char *clump_explorer_variable_similar_field(const char *name)
{
    const char *names[sizeof fields / sizeof *fields + 1] = {NULL};
    for (size_t i = 0; i < sizeof fields / sizeof *fields; i++)
        names[i] = fields[i][0];
    return clump_suggest_among(CLUMP_SUGGEST_WORD, name, names);
}

const char *clump_explorer_variable_field(const char *name)
{
    for (size_t i = 0; i < sizeof fields / sizeof *fields; i++)
        if (strcmp(name, fields[i][0]) == 0 || strcmp(name, fields[i][1]) == 0)
            return fields[i][0];
    return NULL;
}

bool clump_explorer_variable_is_numeric(const char *field)
{
    return strcmp(field, "mapping") != 0 && strcmp(field, "demand") != 0 &&
           strcmp(field, "platform") != 0 && strcmp(field, "application") != 0 &&
           strcmp(field, "protocol") != 0;
}

/* Splits off the name; the rest is what follows the equals sign, NULL if there is none. */
static const char *take_name(clump_explorer_variable *variable, const char *text)
{
    const char *equals = strchr(text, '=');
    const size_t length = equals != NULL ? (size_t)(equals - text) : 0;
    *variable = (clump_explorer_variable){.values = NULL};
    if (equals == NULL || equals[1] == '\0' || length >= sizeof variable->name ||
        !definition_is_name(text, length))
        return NULL;
    memcpy(variable->name, text, length);
    variable->name[length] = '\0';
    variable->field = clump_explorer_variable_field(variable->name);
    return equals + 1;
}

static bool add_value(clump_explorer_variable *variable, const char *text)
{
    char *copy = strdup(text);
    if (copy == NULL)
        return false;
    variable->values[variable->count++] = copy;
    return true;
}

static bool make_room(clump_explorer_variable *variable, size_t count)
{
    variable->values = calloc(count, sizeof *variable->values);
    return variable->values != NULL;
}

/* FIRST:LAST, FIRST:LAST:STEP or FIRST:LAST/COUNT. */
typedef struct series {
    double first, step;
    size_t count;
} series;

static bool parse_series(const char *text, series *s)
{
    char copy[200];
    double last;
    if (strlen(text) >= sizeof copy)
        return false;
    snprintf(copy, sizeof copy, "%s", text);
    char *end = strchr(copy, ':');
    if (end == NULL)
        return false;
    *end++ = '\0';
    char *step = strchr(end, ':'), *count = strchr(end, '/');
    uint64_t points = 0;
    s->step = 1;
    if (step != NULL && count != NULL)
        return false;
    if (step != NULL)
        *step++ = '\0';
    if (count != NULL)
        *count++ = '\0';
    if (!real_parse(copy, &s->first) || !real_parse(end, &last) ||
        (step != NULL && !real_parse(step, &s->step)) ||
        (count != NULL && !whole_parse(count, 2, 100000000, &points)))
        return false;
    if (count != NULL) {
        s->count = (size_t)points;
        s->step = (last - s->first) / (double)(points - 1);
        return isfinite(s->step);
    }
    const double steps = (last - s->first) / s->step;
    if (!(steps > -1e-9) || !(steps < most_values))
        return false;
    s->count = (size_t)floor(steps + 1e-9) + 1;
    return true;
}

/* Twelve digits: 0.1 + 2 * 0.1 is 0.3. */
static bool add_series(clump_explorer_variable *variable, const series *s)
{
    char number[40];
    if (!make_room(variable, s->count))
        return false;
    for (size_t i = 0; i < s->count; i++) {
        const double value = s->first + (double)i * s->step;
        snprintf(number, sizeof number, "%.12g", fabs(value) < 1e-12 * s->step ? 0 : value);
        if (!add_value(variable, number))
            return false;
    }
    return true;
}

static bool add_list(clump_explorer_variable *variable, const char *text)
{
    const size_t size = strlen(text) + 1;
    char *item = malloc(size);
    bool good = item != NULL && make_room(variable, list_length(text));
    while (good && text != NULL) {
        text = list_next(text, item, size);
        good = add_value(variable, item);
    }
    free(item);
    return good;
}

int clump_explorer_variable_read(const command_line *arguments, size_t option, const char *text,
                                 clump_explorer_variable *variable)
{
    static const char expected[] =
        "NAME=A,B,... or NAME=FIRST:LAST[:STEP] or NAME=FIRST:LAST/COUNT";
    series s;
    const char *values = take_name(variable, text);
    if (values == NULL)
        return option_refuse(arguments, option, text, expected);
    const bool ranged = strchr(values, ':') != NULL && strncmp(values, "gang:", 5) != 0 &&
                        strstr(values, ",gang:") == NULL;
    if (ranged && !parse_series(values, &s))
        return option_refuse(arguments, option, text,
                             "a range with a step in its direction, such as U=0:1:0.01, "
                             "of at most 1e8 values");
    if (!(ranged ? add_series(variable, &s) : add_list(variable, values)))
        return error_memory(arguments->command);
    for (size_t i = 0; i < variable->count; i++)
        if (*variable->values[i] == '\0')
            return option_refuse(arguments, option, text, expected);
    return EXIT_DONE;
}

/* "normal(A,B)" and the like: up to three numbers. */
static size_t parse_arguments(const char *text, double *numbers)
{
    char copy[200], item[ITEM_SIZE];
    const size_t length = strlen(text);
    size_t count = 0;
    if (length < 2 || length >= sizeof copy || text[length - 1] != ')')
        return 0;
    memcpy(copy, text, length - 1);
    copy[length - 1] = '\0';
    const char *rest = copy;
    while (rest != NULL) {
        rest = list_next(rest, item, sizeof item);
        if (count == 3 || !real_parse(item, &numbers[count++]))
            return 0;
    }
    return count;
}

/* Two numbers with a separator between. */
static bool parse_pair(const char *text, const char *separator, double *first, double *second)
{
    char copy[200];
    if (strlen(text) >= sizeof copy)
        return false;
    snprintf(copy, sizeof copy, "%s", text);
    char *found = strstr(copy, separator);
    if (found == NULL)
        return false;
    *found = '\0';
    return real_parse(copy, first) && real_parse(found + strlen(separator), second);
}

static bool parse_distribution(const char *text, clump_uncertain *d)
{
    double n[3];
    *d = (clump_uncertain){.least = -HUGE_VAL, .most = HUGE_VAL};
    if (strncmp(text, "normal(", 7) == 0 && parse_arguments(text + 7, n) == 2) {
        d->kind = CLUMP_UNCERTAIN_NORMAL;
        d->a = n[0];
        d->b = n[1];
        return true;
    }
    if (strncmp(text, "lognormal(", 10) == 0 && parse_arguments(text + 10, n) == 2 && n[1] > 0) {
        d->kind = CLUMP_UNCERTAIN_LOGNORMAL;
        d->a = n[0];
        d->b = fabs(log(n[1])) / CLUMP_UNCERTAIN_95;
        return true;
    }
    if (strncmp(text, "triangular(", 11) == 0 && parse_arguments(text + 11, n) == 3) {
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

/* A field's own bounds cut off the tails of a normal distribution. */
static void bound(clump_explorer_variable *variable)
{
    static const char *const shares[] = {"utilization", "remote_fraction", "waiting_fraction",
                                         "loss"};
    if (variable->field == NULL)
        return;
    variable->distribution.least = 0;
    for (size_t i = 0; i < sizeof shares / sizeof *shares; i++)
        if (strcmp(variable->field, shares[i]) == 0)
            variable->distribution.most = 1;
}

int clump_explorer_variable_read_uncertain(const command_line *arguments, size_t option,
                                           const char *text, clump_explorer_variable *variable)
{
    const char *distribution = take_name(variable, text);
    clump_error error = {CLUMP_OK, ""};
    if (distribution == NULL || !parse_distribution(distribution, &variable->distribution))
        return option_refuse(
            arguments, option, text,
            "NAME=FROM:TO, NAME=VALUE+-HALF, NAME=normal(M,SD), lognormal(M,FACTOR) or "
            "triangular(A,C,B)");
    bound(variable);
    if (clump_uncertain_check(&variable->distribution, &error) != CLUMP_OK)
        return error_usage(arguments->command, "--uncertain: %s: %s", variable->name,
                           error.message);
    if (!make_room(variable, 1) || !add_value(variable, "0"))
        return error_memory(arguments->command);
    return EXIT_DONE;
}

void clump_explorer_variable_free(clump_explorer_variable *variable)
{
    for (size_t i = 0; i < variable->count; i++)
        free(variable->values[i]);
    free(variable->values);
    variable->values = NULL;
    variable->count = 0;
}
