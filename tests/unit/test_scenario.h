/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef CLUMP_TEST_SCENARIO_H
#define CLUMP_TEST_SCENARIO_H

/* Running scenarios that are written in a test, or shipped. */

#include "tests/unit/unit.h"

#include "scenarios/scenario.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

typedef struct outcome {
    clump_scenario_status status;
    clump_scenario_results results;
    char message[600];
    char printed[2000];
    char path[64];
} outcome;

static clump_store *test_store;

static void keep_line(const char *line, void *context)
{
    outcome *o = context;
    const size_t used = strlen(o->printed);
    snprintf(o->printed + used, sizeof o->printed - used, "%s\n", line);
}

/* Run the file at options.path. */
static void run_file(outcome *o, clump_scenario_options options)
{
    options.store = test_store;
    options.print = keep_line;
    options.context = o;
    o->printed[0] = '\0';
    o->message[0] = '\0';
    o->results = (clump_scenario_results){0};
    o->status = clump_scenario_run(&options, &o->results, o->message, sizeof o->message);
}

/* Run bytes as a file, whose name is in o->path for a while. */
static void run_bytes(outcome *o, clump_scenario_options options, const char *bytes, size_t size)
{
    snprintf(o->path, sizeof o->path, "/tmp/scenario-XXXXXX");
    const int file = mkstemp(o->path);
    assert_true(file >= 0);
    assert_true(write(file, bytes, size) == (ssize_t)size);
    assert_int_equal(close(file), 0);
    options.path = o->path;
    run_file(o, options);
    unlink(o->path);
}

static inline void run_text(outcome *o, clump_scenario_options options, const char *text)
{
    run_bytes(o, options, text, strlen(text));
}

static inline void run_shipped(outcome *o, const char *name)
{
    const char *directory = getenv("CLUMP_SCENARIO_DIR");
    char path[400];
    snprintf(path, sizeof path, "%s/%s", directory != NULL ? directory : "scenarios", name);
    run_file(o, (clump_scenario_options){.path = path});
    if (o->status != CLUMP_SCENARIO_OK)
        fail_msg("%s", o->message);
}

static inline void assert_has(const char *text, const char *part)
{
    if (strstr(text, part) == NULL)
        fail_msg("expected \"%s\" in \"%s\"", part, text);
}

/* Bad input, at this line (0: of the file as a whole), with these words. */
static inline void assert_bad(const outcome *o, int line, const char *part)
{
    char place[100];
    if (o->status != CLUMP_SCENARIO_BAD_INPUT)
        fail_msg("status %d instead of bad input: %s", (int)o->status, o->message);
    if (line > 0)
        snprintf(place, sizeof place, "%s:%d: ", o->path, line);
    else
        snprintf(place, sizeof place, "%s:", o->path);
    if (strncmp(o->message, place, strlen(place)) != 0)
        fail_msg("expected \"%s\" at the start of \"%s\"", place, o->message);
    assert_has(o->message, part);
}

static inline void bad(const char *text, int line, const char *part)
{
    outcome o;
    run_text(&o, (clump_scenario_options){0}, text);
    assert_bad(&o, line, part);
}

static inline void assert_ok(const outcome *o)
{
    if (o->status != CLUMP_SCENARIO_OK)
        fail_msg("status %d: %s", (int)o->status, o->message);
}

static inline void good(outcome *o, const char *text)
{
    run_text(o, (clump_scenario_options){0}, text);
    assert_ok(o);
}

static inline void assert_near(double value, double expected, double tolerance)
{
    if (!(fabs(value - expected) <= tolerance))
        fail_msg("%.15g instead of %.15g +- %g", value, expected, tolerance);
}

static int open_store(void **state)
{
    (void)state;
    return clump_store_open(NULL, CLUMP_STORE_READ, &test_store) != CLUMP_STORE_OK;
}

static int close_store(void **state)
{
    (void)state;
    clump_store_close(test_store);
    return 0;
}

#endif
