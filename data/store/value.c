/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "data/store/handle.h"
#include "data/store/memory_curve.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { LABEL = 240 };

typedef struct only {
    clump_store_measurement measured;
    char first[LABEL]; /* where it comes from, for the message */
    char other[LABEL];
    size_t count;
} only;

static void describe(const clump_store_sample *sample, char text[LABEL])
{
    int used = snprintf(text, LABEL, "%.10s, transport '%.20s', variant '%.30s'", sample->statistic,
                        sample->transport, sample->variant);
    if (sample->benchmark[0] != '\0') {
        used +=
            snprintf(text + used, LABEL - (size_t)used, ", benchmark '%.20s'", sample->benchmark);
    }
    if (sample->measured.size_bytes >= 0) {
        used += snprintf(text + used, LABEL - (size_t)used, ", %lld B",
                         (long long)sample->measured.size_bytes);
    }
    snprintf(text + used, LABEL - (size_t)used, ", from '%.40s'", sample->source->name);
}

static bool same(double a, double b)
{
    return a == b || (a != a && b != b); /* both not known */
}

static int take(const clump_store_sample *sample, void *context)
{
    only *found = context;
    if (found->count == 0) {
        found->measured = sample->measured;
        found->measured.note = NULL;
        describe(sample, found->first);
        found->count = 1;
        return 0;
    }
    if (same(found->measured.value, sample->measured.value) &&
        same(found->measured.half_width, sample->measured.half_width) &&
        found->measured.size_bytes == sample->measured.size_bytes)
        return 0; /* printed twice */
    describe(sample, found->other);
    found->count = 2;
    return 1;
}

enum { LISTED = 4 };

typedef struct there {
    char labels[LISTED][LABEL];
    size_t count;
} there;

static int list(const clump_store_sample *sample, void *context)
{
    there *found = context;
    char label[LABEL];
    snprintf(label, sizeof label, "%.10s, transport '%.20s', variant '%.30s'", sample->statistic,
             sample->transport, sample->variant);
    for (size_t i = 0; i < found->count; i++)
        if (strcmp(found->labels[i], label) == 0)
            return 0;
    if (found->count == LISTED)
        return 1;
    memcpy(found->labels[found->count++], label, sizeof label);
    return 0;
}

static int count_doubtful(const clump_store_sample *sample, void *context)
{
    *(size_t *)context += sample->measured.doubtful;
    return 0;
}

static const char *or_any(const char *text)
{
    return text == NULL ? "(any)" : text[0] == '\0' ? "(none)" : text;
}

/* Says what there is under the same platform, application and quantity. */
static clump_store_status fail_none(clump_store *store, const clump_store_filter *filter)
{
    clump_store_filter wider = *filter;
    wider.transport = NULL;
    wider.variant = NULL;
    wider.statistic = NULL;
    wider.source = NULL;
    wider.benchmark = NULL;
    there found = {.count = 0};
    const clump_store_status status = clump_store_each_sample(store, &wider, list, &found);
    if (status != CLUMP_STORE_OK && status != CLUMP_STORE_STOPPED)
        return status;
    size_t doubtful = 0;
    clump_store_filter any = *filter;
    any.sure = false;
    const clump_store_status counted =
        clump_store_each_sample(store, &any, count_doubtful, &doubtful);
    if (counted != CLUMP_STORE_OK)
        return counted;
    char hint[LISTED * LABEL + 100] = "";
    if (doubtful > 0)
        snprintf(hint, sizeof hint, "; %zu doubtful sample%s left out", doubtful,
                 doubtful == 1 ? " is" : "s are");
    for (size_t i = 0; i < found.count; i++) {
        const size_t used = strlen(hint);
        snprintf(hint + used, sizeof hint - used, "%s%.*s", i == 0 ? "; there is: " : "; ", LABEL,
                 found.labels[i]);
    }
    return clump_store_fail(store, CLUMP_STORE_NOT_FOUND,
                            "no sample of '%.60s' for platform '%.60s', application '%.60s', "
                            "transport '%.30s', variant '%.40s'%s",
                            or_any(filter->quantity), or_any(filter->platform),
                            or_any(filter->application), or_any(filter->transport),
                            or_any(filter->variant), hint);
}

clump_store_status clump_store_value(clump_store *store, const clump_store_filter *filter,
                                     clump_store_measurement *measured)
{
    clump_store_filter wanted = *filter;
    wanted.inherit = true;
    only found = {.count = 0};
    const clump_store_status status = clump_store_each_sample(store, &wanted, take, &found);
    if (status != CLUMP_STORE_OK && status != CLUMP_STORE_STOPPED)
        return status;
    if (found.count == 0)
        return fail_none(store, &wanted);
    if (found.count > 1) {
        return clump_store_fail(store, CLUMP_STORE_BAD_INPUT,
                                "several samples of '%.60s' for platform '%.60s', application "
                                "'%.60s': %s; and %s; say which",
                                or_any(filter->quantity), or_any(filter->platform),
                                or_any(filter->application), found.first, found.other);
    }
    *measured = found.measured;
    return CLUMP_STORE_OK;
}

/* ---- what is known of nodes */

/* The one number about a machine or a program; *known says whether there is one. */
static clump_store_status number(clump_store *store, const char *platform, const char *application,
                                 const char *quantity, bool *known, double *value)
{
    const clump_store_filter filter = {.platform = platform,
                                       .application = application,
                                       .quantity = quantity,
                                       .statistic = "single",
                                       .sure = true};
    clump_store_measurement measured;
    const clump_store_status status = clump_store_value(store, &filter, &measured);
    *known = status == CLUMP_STORE_OK && measured.value > 0;
    if (*known)
        *value = measured.value;
    return status == CLUMP_STORE_NOT_FOUND ? CLUMP_STORE_OK : status;
}

/* Time of a miss on each machine, in microseconds, or in cycles where nothing is known of clocks: cycles
 * alone compare, but not with a bandwidth. *timed says which; *known, whether there is one at all. */
static clump_store_status miss_times(clump_store *store, const char *const names[2],
                                     double times[2], bool *known, bool *timed)
{
    double miss[2] = {1, 1}, clock[2] = {1, 1};
    bool has_miss[2] = {false, false}, has_clock[2] = {false, false};
    for (int i = 0; i < 2; i++) {
        clump_store_status status =
            number(store, names[i], "", "l2_miss_memory_cycles", &has_miss[i], &miss[i]);
        if (status == CLUMP_STORE_OK)
            status = number(store, names[i], "", "clock", &has_clock[i], &clock[i]);
        if (status != CLUMP_STORE_OK)
            return status;
        times[i] = miss[i] / clock[i];
    }
    *timed = has_clock[0];
    *known = has_miss[0] && has_miss[1] && has_clock[0] == has_clock[1];
    return CLUMP_STORE_OK;
}

/* The greatest bandwidth of the platform's curve; 0 where there is none. */
static clump_store_status greatest_bandwidth(clump_store *store, const char *platform,
                                             double *bandwidth)
{
    clump_store_memory_curve *curve = NULL;
    const clump_store_status status =
        clump_store_find_memory_curve(store, platform, NULL, NULL, &curve);
    *bandwidth = 0;
    for (size_t i = 0; status == CLUMP_STORE_OK && i < curve->processes; i++)
        *bandwidth = fmax(*bandwidth, curve->points[i].bandwidth);
    clump_store_free(curve);
    return status == CLUMP_STORE_NOT_FOUND || status == CLUMP_STORE_BAD_INPUT ? CLUMP_STORE_OK
                                                                              : status;
}

clump_store_status clump_store_find_misses(clump_store *store, const char *platform,
                                           const char *counterpart, clump_store_misses *misses)
{
    const char *const names[2] = {platform, counterpart};
    clump_store_misses found = {.now_us = NAN, .node_us = NAN};
    double times[2];
    bool known, timed, has_line = false, has_bandwidth = false;
    clump_store_status status = miss_times(store, names, times, &known, &timed);
    if (status == CLUMP_STORE_OK)
        status = number(store, platform, "", "l2_line_size", &has_line, &found.line_bytes);
    if (status == CLUMP_STORE_OK)
        status = number(store, platform, "", "sustained_memory_bandwidth", &has_bandwidth,
                        &found.bytes_per_us);
    if (status == CLUMP_STORE_OK && !has_bandwidth)
        status = greatest_bandwidth(store, platform, &found.bytes_per_us);
    if (status != CLUMP_STORE_OK)
        return status;
    if (known) {
        found.node_us = times[0];
        found.now_us = times[1];
    }
    if (has_bandwidth)
        found.lacks = !has_line ? "l2_line_size" : !timed ? "clock" : NULL;
    if (!timed)
        found.bytes_per_us = 0;
    *misses = found;
    return CLUMP_STORE_OK;
}

clump_store_status clump_store_half_duplex(clump_store *store, const char *platform,
                                           bool *half_duplex)
{
    double directions = 2;
    bool known;
    const clump_store_status status =
        number(store, platform, "", "io_bus_directions", &known, &directions);
    if (status == CLUMP_STORE_OK)
        *half_duplex = known && directions < 2;
    return status;
}

static clump_store_status property(clump_store *store, const char *application,
                                   const char *quantity, bool *value)
{
    double number_of_it = 0;
    bool known;
    const clump_store_status status =
        number(store, "", application, quantity, &known, &number_of_it);
    if (status == CLUMP_STORE_OK)
        *value = known;
    return status;
}

clump_store_status clump_store_lockstep(clump_store *store, const char *application, bool *lockstep)
{
    return property(store, application, "lockstep_exchange", lockstep);
}

clump_store_status clump_store_mutual_exchange(clump_store *store, const char *application,
                                               bool *mutual)
{
    return property(store, application, "mutual_exchange", mutual);
}

/* ---- logs */

clump_store_status clump_store_find_log(clump_store *store, const char *sha256,
                                        const char *platform, const char *application,
                                        const char *transport, char **name)
{
    static const char sql[] =
        "SELECT o.name FROM main.source o JOIN main.series s ON s.source_id = o.id"
        " LEFT JOIN main.platform p ON p.id = s.platform_id"
        " LEFT JOIN main.application a ON a.id = s.application_id WHERE o.sha256 = ?1"
        " AND (?2 IS NULL OR p.name = ?2) AND s.transport = ?3 AND (?4 IS NULL OR a.name = ?4)"
        " LIMIT 1";
    sqlite3_stmt *statement = NULL;
    clump_store_status status = clump_store_prepare(store, sql, &statement);
    bool row = false;
    bool bad = false;
    char *copy = NULL;
    if (status == CLUMP_STORE_OK) {
        clump_store_bind(statement, 1, sha256);
        clump_store_bind(statement, 2, platform);
        clump_store_bind(statement, 3, transport != NULL ? transport : "");
        clump_store_bind(statement, 4, application);
        status = clump_store_step(store, statement, &row);
    }
    if (status == CLUMP_STORE_OK && row) {
        const char *found = clump_store_column(statement, 0, &bad);
        if (bad || found == NULL)
            status = clump_store_fail_text(store, "source");
        else if ((copy = strdup(found)) == NULL)
            status = clump_store_fail_memory(store);
    }
    sqlite3_finalize(statement);
    if (status == CLUMP_STORE_OK)
        *name = copy;
    return status;
}
