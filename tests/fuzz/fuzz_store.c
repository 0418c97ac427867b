/* SPDX-License-Identifier: GPL-3.0-or-later */

/* Any bytes as a database: refused with a message, or read without harm, by name, as a whole and
 * by a scenario. */

#include "data/store/store.h"
#include "scenarios/scenario.h"

#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

enum { MOST_RECORDS = 50, MOST_SAMPLES = 10000 };

static const char script[] =
    "return scenario {\n"
    "  platform = platform \"e5000-clump\",\n"
    "  application = { application \"SAMPLE\", application \"CON/comm\" },\n"
    "}\n";

typedef struct reader {
    clump_store *store;
    size_t records;
    size_t samples;
} reader;

/* Success comes with a record, failure with a message and without. */
static void check(const reader *r, clump_store_status status, void *found)
{
    if ((status == CLUMP_STORE_OK) != (found != NULL) ||
        (status != CLUMP_STORE_OK && clump_store_message(r->store)[0] == '\0'))
        abort();
    clump_store_free(found);
}

static int count_sample(const clump_store_sample *sample, void *context)
{
    reader *r = context;
    if (sample->source->name == NULL || sample->quantity == NULL)
        abort();
    return ++r->samples > MOST_SAMPLES;
}

/* As `data show` does: whatever the name may stand for, and its samples. */
static int show(reader *r, const char *name)
{
    clump_store_platform *platform = (clump_store_platform *)r;
    clump_store_application *application = (clump_store_application *)r;
    clump_store_quantity *quantity = (clump_store_quantity *)r;
    clump_store_source *source = (clump_store_source *)r;
    const clump_store_filter filters[] = {{.platform = name, .inherit = true},
                                          {.application = name},
                                          {.quantity = name},
                                          {.source = name}};
    clump_store_status status = clump_store_find_platform(r->store, name, &platform);
    check(r, status, platform);
    status = clump_store_find_application(r->store, name, &application);
    check(r, status, application);
    status = clump_store_find_quantity(r->store, name, &quantity);
    check(r, status, quantity);
    status = clump_store_find_source(r->store, name, &source);
    check(r, status, source);
    for (size_t i = 0; i < sizeof filters / sizeof *filters && r->records < 4; i++)
        clump_store_each_sample(r->store, &filters[i], count_sample, r);
    return ++r->records > MOST_RECORDS;
}

static int show_platform(const void *record, void *context)
{
    const clump_store_platform *platform = record;
    clump_store_free(clump_store_copy_record(CLUMP_STORE_PLATFORM, platform));
    return show(context, platform->name);
}

static int show_application(const void *record, void *context)
{
    const clump_store_application *application = record;
    clump_store_free(clump_store_copy_record(CLUMP_STORE_APPLICATION, application));
    return show(context, application->name);
}

static int show_quantity(const void *record, void *context)
{
    const clump_store_quantity *quantity = record;
    clump_store_free(clump_store_copy_record(CLUMP_STORE_QUANTITY, quantity));
    return show(context, quantity->name);
}

static int show_source(const void *record, void *context)
{
    const clump_store_source *source = record;
    clump_store_free(clump_store_copy_record(CLUMP_STORE_SOURCE, source));
    return show(context, source->name);
}

static int ignore_finding(const char *finding, void *context)
{
    (void)finding;
    (void)context;
    return 0;
}

static void read_all(clump_store *store, const char *script_path)
{
    reader r = {.store = store};
    const clump_store_filter all = {.platform = NULL};
    size_t findings = 0;
    FILE *file = tmpfile();
    if (file == NULL)
        abort();
    show(&r, "e5000-clump");
    show(&r, "SAMPLE");
    show(&r, "gap");
    clump_store_each_record(store, CLUMP_STORE_PLATFORM, show_platform, &r);
    clump_store_each_record(store, CLUMP_STORE_APPLICATION, show_application, &r);
    clump_store_each_record(store, CLUMP_STORE_QUANTITY, show_quantity, &r);
    clump_store_each_record(store, CLUMP_STORE_SOURCE, show_source, &r);
    clump_store_each_sample(store, &all, count_sample, &r);
    const clump_store_status status = clump_store_export(store, &all, file);
    if (status == CLUMP_STORE_BAD_INPUT && ftell(file) > 0)
        abort();
    fclose(file);
    clump_store_check(store, ignore_finding, NULL, &findings);
    const clump_scenario_options options = {.path = script_path,
                                            .store = store,
                                            .seconds_limit = 0.05,
                                            .memory_limit = 4 << 20,
                                            .result_limit = 200};
    clump_scenario_results results;
    char message[512] = "";
    if (clump_scenario_run(&options, &results, message, sizeof message) == CLUMP_SCENARIO_OK)
        clump_scenario_results_free(&results);
    else if (message[0] == '\0')
        abort();
}

static void write_file(const char *path, const void *bytes, size_t size)
{
    FILE *file = fopen(path, "wb");
    if (file == NULL || fwrite(bytes, 1, size, file) != size || fclose(file) != 0)
        abort();
}

static char path[64], script_path[64];

static void merge(void)
{
    clump_store *store = NULL;
    clump_store_merged merged;
    if (clump_store_open(NULL, CLUMP_STORE_WRITE, &store) != CLUMP_STORE_OK)
        abort();
    const clump_store_status status = clump_store_merge(store, path, &merged);
    size_t findings = 0;
    if (status == CLUMP_STORE_FAILED ||
        clump_store_check(store, NULL, NULL, &findings) != CLUMP_STORE_OK)
        abort();
    clump_store_close(store);
}

static void remove_script(void)
{
    unlink(script_path);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    if (path[0] == '\0') {
        snprintf(path, sizeof path, "/tmp/clumpmodel-fuzz-%ld.db", (long)getpid());
        snprintf(script_path, sizeof script_path, "/tmp/clumpmodel-fuzz-%ld.lua", (long)getpid());
        write_file(script_path, script, sizeof script - 1);
        atexit(remove_script);
    }
    write_file(path, data, size);
    clump_store *store;
    if (clump_store_open(path, CLUMP_STORE_READ, &store) == CLUMP_STORE_OK)
        read_all(store, script_path);
    else if (store != NULL && clump_store_message(store)[0] == '\0')
        abort();
    clump_store_close(store);
    merge();
    unlink(path);
    return 0;
}
