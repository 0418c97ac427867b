/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "model/simulation/service_time.h"

#include "model/decimal.h"

#include <math.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>

static const double most_stages = 1000, most_variation = 1e6;
static const double greatest_sample = 1e100;

static clump_status check_samples(const clump_service_time *time, const char *name,
                                  clump_error *error)
{
    double greatest = 0;
    if (time->samples == NULL || time->sample_count == 0)
        return clump_fail(error, CLUMP_BAD_ARGUMENT, "%s: no samples, expected at least 1", name);
    for (size_t i = 0; i < time->sample_count; i++) {
        const double x = time->samples[i];
        if (!(x >= 0 && x <= greatest_sample))
            return clump_fail(error, CLUMP_BAD_ARGUMENT, "%s: sample %zu is %g, expected 0 to %g",
                              name, i + 1, x, greatest_sample);
        greatest = fmax(greatest, x);
    }
    if (greatest == 0)
        return clump_fail(error, CLUMP_BAD_ARGUMENT, "%s: all samples are 0, expected one above it",
                          name);
    return CLUMP_OK;
}

clump_status clump_service_time_check(const clump_service_time *time, const char *name,
                                      clump_error *error)
{
    const double shape = time->shape;
    switch (time->kind) {
    case CLUMP_SERVICE_EXPONENTIAL:
    case CLUMP_SERVICE_CONSTANT:
        return CLUMP_OK;
    case CLUMP_SERVICE_ERLANG:
        if (!(shape >= 1 && shape <= most_stages && shape == floor(shape)))
            return clump_fail(error, CLUMP_BAD_ARGUMENT,
                              "%s: Erlang with %g stages, expected a whole number from 1 to %g",
                              name, shape, most_stages);
        return CLUMP_OK;
    case CLUMP_SERVICE_HYPEREXPONENTIAL:
        if (!(shape >= 1 && shape <= most_variation))
            return clump_fail(error, CLUMP_BAD_ARGUMENT,
                              "%s: hyperexponential with a squared coefficient of variation of %g, "
                              "expected 1 to %g",
                              name, shape, most_variation);
        return CLUMP_OK;
    case CLUMP_SERVICE_SAMPLES:
        return check_samples(time, name, error);
    }
    return clump_fail(error, CLUMP_BAD_ARGUMENT, "%s: %d is not a kind of distribution", name,
                      (int)time->kind);
}

/* Where `shaped`, a colon and the shape follow the name. */
static const struct {
    const char *name;
    bool shaped;
} kinds[] = {[CLUMP_SERVICE_EXPONENTIAL] = {"exponential", false},
             [CLUMP_SERVICE_CONSTANT] = {"constant", false},
             [CLUMP_SERVICE_ERLANG] = {"erlang", true},
             [CLUMP_SERVICE_HYPEREXPONENTIAL] = {"hyperexponential", true},
             [CLUMP_SERVICE_SAMPLES] = {"samples", false}};

void clump_service_time_name(const clump_service_time *time,
                             char name[CLUMP_SERVICE_TIME_NAME_SIZE])
{
    char number[MODEL_DECIMAL] = "";
    if (kinds[time->kind].shaped)
        model_decimal_print(time->shape, number);
    snprintf(name, CLUMP_SERVICE_TIME_NAME_SIZE, "%s%s%.20s", kinds[time->kind].name,
             kinds[time->kind].shaped ? ":" : "", number);
}

int clump_service_time_parse(const char *name, clump_service_time *time)
{
    for (int kind = CLUMP_SERVICE_EXPONENTIAL; kind < CLUMP_SERVICE_SAMPLES; kind++) {
        const size_t length = strlen(kinds[kind].name);
        clump_service_time found = {.kind = (clump_service_kind)kind};
        if (strncmp(name, kinds[kind].name, length) != 0)
            continue;
        if (kinds[kind].shaped
                ? name[length] != ':' || !model_decimal_parse(name + length + 1, &found.shape) ||
                      clump_service_time_check(&found, "", NULL) != CLUMP_OK
                : name[length] != '\0')
            return 0;
        *time = found;
        return 1;
    }
    return 0;
}
