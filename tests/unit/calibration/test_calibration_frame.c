/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * What all calibrations have in common: complete stages are stored and others leave nothing, whoever
 * stops them; and quantities are those of the store.
 */
#include "data/store/store.h"
#include "protocols/calibration/calibration.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "tests/unit/unit.h"
#include <unistd.h>

static char path[] = "/tmp/test-calibration-XXXXXX";

/** Quantities and their units are spelled as the store spells them. */
TEST(quantities_of_the_store)
{
    clump_store *store;
    assert_int_equal(clump_store_open(NULL, CLUMP_STORE_READ, &store), CLUMP_STORE_OK);
    for (int q = CLUMP_QUANTITY_NONE + 1; q < CLUMP_QUANTITIES; q++) {
        clump_store_quantity *found = NULL;
        const char *name = clump_quantity_name((clump_quantity)q);
        if (q == CLUMP_QUANTITY_SEND_COMPONENT) /* only shown */
            continue;
        if (clump_store_find_quantity(store, name, &found) != CLUMP_STORE_OK)
            fail_msg("the store has no quantity '%s'", name);
        assert_string_equal(found->unit, clump_quantity_unit((clump_quantity)q));
        clump_store_free(found);
    }
    clump_store_close(store);
    for (int b = CLUMP_BENCHMARK_NONE + 1; b < CLUMP_BENCHMARKS; b++)
        assert_true(strlen(clump_benchmark_name((clump_benchmark)b)) > 0);
}

/* ---- a calibration of nothing */

/** What its stages do: 's' give samples, 'f' fail, 'i' give samples while somebody stops it. */
struct script {
    const char *stages;
    bool stopped;
    unsigned opened, warned;
};

static clump_protocol_status run_stage(const clump_calibration_plan *plan, const void *context,
                                       char *message)
{
    const char kind = *(const char *)context;
    for (int64_t run = 1; run <= 3; run++)
        plan->sample(&(clump_calibration_sample){.benchmark = CLUMP_BENCHMARK_ROUND_TRIP,
                                                 .quantity = CLUMP_QUANTITY_HALF_ROUND_TRIP,
                                                 .variant = kind == 's' ? NULL : "nothing",
                                                 .value = (double)run,
                                                 .size_bytes = 32,
                                                 .run = run,
                                                 .processes = 2,
                                                 .line_us = run == 3 ? 9 : 1},
                     plan->context);
    snprintf(message, CLUMP_CALIBRATION_MESSAGE_BYTES, "it is broken");
    return kind == 's' ? CLUMP_PROTOCOL_OK : CLUMP_PROTOCOL_FAILED;
}

static clump_calibration_status run(clump_calibration *c)
{
    struct script *script = c->own;
    clump_calibration_status status = clump_calibration_open(c);
    c->stages_all = strlen(script->stages);
    c->estimate = (double)c->stages_all;
    for (const char *at = script->stages; *at != '\0' && status == CLUMP_CALIBRATION_OK; at++) {
        script->stopped = *at == 'i';
        status = clump_calibration_stage(c, "one", 1, run_stage, at);
    }
    return status;
}

static const clump_calibration_kind nothing = {.name = "calibrate nothing",
                                               .title = "Nothing",
                                               .transport = "virtual",
                                               .run = run,
                                               .derive = clump_calibration_derive_loggp};

static bool open_store(clump_store **store, void *context)
{
    ((struct script *)context)->opened++;
    return clump_store_open(path, CLUMP_STORE_WRITE, store) == CLUMP_STORE_OK;
}

static bool watch(double share, const char *note, void *context)
{
    (void)note;
    assert_true(share >= 0 && share <= 1);
    return ((struct script *)context)->stopped;
}

static void warn(const char *text, void *context)
{
    assert_non_null(strstr(text, "cache line"));
    ((struct script *)context)->warned++;
}

/** Samples under a source. */
static int count_one(const clump_store_sample *sample, void *count)
{
    (void)sample;
    ++*(unsigned *)count;
    return 0;
}

TEST(stages)
{
    static const struct {
        const char *stages;
        clump_calibration_status status;
        const char *message;
        unsigned stored; /* samples */
    } cases[] = {
        {"ss", CLUMP_CALIBRATION_OK, "", 6},
        {"sf", CLUMP_CALIBRATION_FAILED, "stage one: it is broken", 3},
        {"fs", CLUMP_CALIBRATION_FAILED, "stage one: it is broken", 0},
        {"sis", CLUMP_CALIBRATION_INTERRUPTED,
         "stopped in stage one; 1 of 3 stages are complete and stored", 3},
        {"i", CLUMP_CALIBRATION_INTERRUPTED, "stopped in stage one; 0 of 1 stages are complete", 0},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct script script = {.stages = cases[i].stages};
        clump_calibration c = {.kind = &nothing,
                               .own = &script,
                               .platform = "test",
                               .command = "none",
                               .version = "1",
                               .open = open_store,
                               .watch = watch,
                               .warn = warn,
                               .context = &script};
        assert_int_equal(clump_calibration_run(&c), cases[i].status);
        assert_string_equal(c.message, cases[i].message);
        assert_int_equal(script.opened, 1);
        assert_int_equal(c.samples.count, cases[i].stored);
        assert_int_equal(clump_calibration_has_results(&c), cases[i].stored > 0);
        clump_calibration_warn_samples(&c);
        assert_int_equal(script.warned, cases[i].stored > 0); /* the third of each three */
        if (cases[i].stored > 0) {
            unsigned found = 0;
            assert_int_equal(clump_calibration_conclude(&c), CLUMP_CALIBRATION_OK);
            assert_true(c.results.count > 0);
            const clump_store_filter filter = {.platform = "test", .source = c.store.name};
            assert_int_equal(clump_store_each_sample(c.store.store, &filter, count_one, &found),
                             CLUMP_STORE_OK);
            assert_int_equal(found, cases[i].stored + c.parameter_count);
        }
        clump_calibration_close(&c);
    }
}

int main(void)
{
    const int file = mkstemp(path);
    if (file < 0)
        return 1;
    close(file);
    const int failed = unit_run(NULL, NULL);
    unlink(path);
    return failed;
}
