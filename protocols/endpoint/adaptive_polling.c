/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "protocols/endpoint/adaptive_polling.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>

/*
 * The bounds keep every product of (4.6) and (4.8) within 64 bits: the remote estimate stays below
 * 1 + a * acceptance <= 2^30 + 1 and is multiplied by at most 2d = 2^17; the local one stays below
 * k a * acceptance <= 2^42 and is multiplied by d - 1.
 */
enum {
    MOST_ACCEPTED = 1 << 10,
    MOST_ACCURACY = 1 << 20,
    MOST_DAMPING = 1 << 16,
    MOST_EQUALITY = 1 << 12
};

clump_polling_parameters clump_polling_defaults(void)
{
    return (clump_polling_parameters){4, 4096, 256, 4, 4, 64};
}

clump_polling_parameters clump_polling_for(double look)
{
    static const double thesis_look = 2.604 / 0.306; /* table 7.1 */
    clump_polling_parameters p = clump_polling_defaults();
    if (!(look > 0) || look > 1e9)
        return p;
    const double wanted = p.maximum_skip * look / thesis_look;
    uint32_t skip = 16;
    while (skip < 4096 && wanted > skip * 1.4142135623730951)
        skip *= 2;
    p.maximum_skip = skip;
    if (p.damping < skip) {
        p.damping = skip;
        p.accuracy = 16 * skip; /* as many times d as in table 4.1 */
    }
    return p;
}

/** Digits up to `end`; false for anything else, and for more than any parameter may be. */
static bool read_number(const char *from, const char *end, uint32_t *number)
{
    uint32_t value = 0;
    if (from == end)
        return false;
    for (; from < end; from++) {
        if (*from < '0' || *from > '9' || value > MOST_ACCURACY)
            return false;
        value = value * 10 + (uint32_t)(*from - '0');
    }
    *number = value;
    return true;
}

/** "NAME=NUMBER" */
static bool read_setting(const char *from, const char *end, clump_polling_parameters *p)
{
    const struct {
        const char *name;
        uint32_t *value;
    } settings[] = {{"acceptance", &p->acceptance},
                    {"a", &p->accuracy},
                    {"d", &p->damping},
                    {"k", &p->equality},
                    {"s_min", &p->minimum_skip},
                    {"s_max", &p->maximum_skip}};
    const char *sign = memchr(from, '=', (size_t)(end - from));
    for (size_t i = 0; sign != NULL && i < sizeof settings / sizeof *settings; i++)
        if (strlen(settings[i].name) == (size_t)(sign - from) &&
            memcmp(settings[i].name, from, (size_t)(sign - from)) == 0)
            return read_number(sign + 1, end, settings[i].value);
    return false;
}

clump_protocol_status clump_polling_parse(const char *strategy,
                                          clump_polling_parameters *parameters)
{
    static const char fractional[] = "fractional:", adaptive[] = "adaptive:";
    clump_polling_parameters read = *parameters;
    uint32_t skip = 0;
    if (strcmp(strategy, "adaptive") == 0)
        return CLUMP_PROTOCOL_OK;
    if (strncmp(strategy, adaptive, sizeof adaptive - 1) == 0) {
        for (const char *at = strategy + sizeof adaptive - 1, *end;; at = end + 1) {
            end = at + strcspn(at, ",");
            if (!read_setting(at, end, &read))
                return CLUMP_PROTOCOL_BAD_INPUT;
            if (*end == '\0')
                break;
        }
        *parameters = read;
        return CLUMP_PROTOCOL_OK;
    }
    if (strcmp(strategy, "always") == 0)
        skip = 1;
    else if (strncmp(strategy, fractional, sizeof fractional - 1) != 0 ||
             !read_number(strategy + sizeof fractional - 1, strategy + strlen(strategy), &skip))
        return CLUMP_PROTOCOL_BAD_INPUT;
    if (skip == 0 || skip > parameters->damping)
        return CLUMP_PROTOCOL_BAD_INPUT;
    parameters->minimum_skip = parameters->maximum_skip = skip;
    return CLUMP_PROTOCOL_OK;
}

void clump_polling_write(const clump_polling_parameters *p, char text[CLUMP_POLLING_TEXT])
{
    snprintf(text, CLUMP_POLLING_TEXT, "adaptive:acceptance=%u,a=%u,d=%u,k=%u,s_min=%u,s_max=%u",
             p->acceptance, p->accuracy, p->damping, p->equality, p->minimum_skip, p->maximum_skip);
}

static bool power_of_two(uint32_t value, uint32_t most)
{
    return value != 0 && (value & (value - 1)) == 0 && value <= most;
}

const char *clump_polling_check(const clump_polling_parameters *p)
{
    if (p->acceptance == 0 || p->acceptance > MOST_ACCEPTED)
        return "the acceptance count must be 1 to 1024";
    if (!power_of_two(p->accuracy, MOST_ACCURACY))
        return "the accuracy a must be a power of two, at most 1048576";
    if (!power_of_two(p->damping, MOST_DAMPING))
        return "the damping d must be a power of two, at most 65536";
    if (p->damping >= p->accuracy)
        return "the damping d must be less than the accuracy a";
    if (!power_of_two(p->equality, MOST_EQUALITY))
        return "the equality k must be a power of two, at most 4096";
    if (p->minimum_skip == 0 || p->minimum_skip > p->maximum_skip)
        return "the minimum skip must be 1 or more and at most the maximum skip";
    if (p->maximum_skip > p->damping)
        return "the maximum skip must not exceed the damping d";
    return NULL;
}

static uint32_t shift_of(uint32_t power)
{
    uint32_t shift = 0;
    while (power >>= 1)
        shift++;
    return shift;
}

void clump_polling_start(clump_polling *polling, const clump_polling_parameters *p)
{
    *polling = (clump_polling){
        .local = 0,
        .remote = 1,
        .skip = 1,
        .left = 1,
        .acceptance = p->acceptance,
        .minimum_skip = p->minimum_skip,
        .maximum_skip = p->maximum_skip,
        .accuracy_shift = shift_of(p->accuracy),
        .damping_shift = shift_of(p->damping),
        .local_shift = shift_of(p->accuracy) + shift_of(p->equality),
    };
}
