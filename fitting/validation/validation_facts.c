/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What the store knows of a run. */
#include "fitting/validation/validation_facts.h"

#include "model/slowest.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* ---- what the store says */

enum { VALIDATION_LAYER_SIZE = 120 };

static const char preferred[] = "multi-protocol";

static validation_answer answer(validation_reader *reader, clump_store_status status,
                                clump_error *error)
{
    if (status == CLUMP_STORE_OK)
        return VALIDATION_KNOWN;
    clump_fail(error, CLUMP_BAD_ARGUMENT, "%s", clump_store_message(reader->store));
    return status == CLUMP_STORE_FAILED ? VALIDATION_FAILED : VALIDATION_UNKNOWN;
}

/* ---- one number, looked up once */

enum { KEY_SIZE = 400, MESSAGE_SIZE = 240 };

struct validation_look {
    char key[KEY_SIZE];
    char message[MESSAGE_SIZE]; /* why it is unknown */
    double value;
    validation_answer answer;
};

static const char *or_any(const char *text)
{
    return text != NULL ? text : "*";
}

/* False if the names are too long to be told apart; then nothing is kept. */
static bool make_key(const clump_store_filter *f, char key[KEY_SIZE])
{
    const int length = snprintf(key, KEY_SIZE, "%s\n%s\n%s\n%s\n%s\n%s", or_any(f->quantity),
                                or_any(f->platform), or_any(f->application), or_any(f->transport),
                                or_any(f->statistic), or_any(f->variant));
    return length > 0 && length < KEY_SIZE;
}

static void keep(validation_reader *reader, const char key[KEY_SIZE], validation_answer found,
                 double value)
{
    if (reader->count == reader->room) {
        const size_t room = 2 * reader->room + 64;
        struct validation_look *larger = realloc(reader->looks, room * sizeof *larger);
        if (larger == NULL)
            return; /* only slower */
        reader->looks = larger;
        reader->room = room;
    }
    struct validation_look *look = &reader->looks[reader->count++];
    memcpy(look->key, key, KEY_SIZE);
    look->answer = found;
    look->value = value;
    snprintf(look->message, sizeof look->message, "%s", clump_store_message(reader->store));
}

void validation_reader_free(validation_reader *reader)
{
    free(reader->looks);
    free(reader->programs);
    *reader = (validation_reader){.store = reader->store};
}

/* One number about an application on a platform, or about a platform (application ""). */
static validation_answer validation_number(validation_reader *reader,
                                           const clump_store_filter *filter, double *value,
                                           clump_error *error)
{
    char key[KEY_SIZE] = "";
    const bool kept = make_key(filter, key);
    for (size_t i = reader->count; kept && i > 0; i--)
        if (strcmp(reader->looks[i - 1].key, key) == 0) {
            if (reader->looks[i - 1].answer == VALIDATION_KNOWN)
                *value = reader->looks[i - 1].value;
            else
                clump_fail(error, CLUMP_BAD_ARGUMENT, "%s", reader->looks[i - 1].message);
            return reader->looks[i - 1].answer;
        }
    clump_store_measurement measured = {.value = NAN};
    clump_store_filter sure = *filter;
    sure.sure = true;
    const clump_store_status status = clump_store_value(reader->store, &sure, &measured);
    const validation_answer found = answer(reader, status, error);
    if (found != VALIDATION_FAILED && kept)
        keep(reader, key, found, measured.value);
    if (found == VALIDATION_KNOWN)
        *value = measured.value;
    return found;
}

/* ---- times */

typedef struct times {
    const char *layer; /* NULL: the first that comes */
    char first[VALIDATION_LAYER_SIZE];
    double mean, half_width; /* of the first sample that is a mean or median itself */
    bool has_mean;
    double sum, squares; /* of single samples, as distances from the first */
    double origin;
    size_t singles;
} times;

static int take_time(const clump_store_sample *sample, void *context)
{
    times *t = context;
    const double value = sample->measured.value;
    const bool single = strcmp(sample->statistic, "single") == 0;
    if (!single && strcmp(sample->statistic, "mean") != 0 &&
        strcmp(sample->statistic, "median") != 0)
        return 0;
    if (t->layer == NULL) {
        snprintf(t->first, sizeof t->first, "%s", sample->variant);
        t->layer = t->first;
    }
    if (strcmp(sample->variant, t->layer) != 0 || !(value > 0))
        return 0;
    if (!single) {
        t->mean = value;
        t->half_width = sample->measured.half_width;
        t->has_mean = true;
        return 1;
    }
    if (t->singles++ == 0)
        t->origin = value;
    t->sum += value - t->origin;
    t->squares += (value - t->origin) * (value - t->origin);
    return 0;
}

static validation_answer read_time(validation_reader *reader, const clump_store_filter *filter,
                                   times *t, clump_error *error)
{
    clump_store_filter sure = *filter;
    sure.sure = true;
    const clump_store_status status = clump_store_each_sample(reader->store, &sure, take_time, t);
    return answer(reader, status == CLUMP_STORE_STOPPED ? CLUMP_STORE_OK : status, error);
}

/* Execution time of an application on a platform: a mean, or the mean of the single samples.
 *  @param layer   variant of the time, or NULL for the multi-protocol one, else the first there is
 *  @param source  or NULL for any
 *  @param found   receives the variant that was taken, or is NULL */
static validation_answer validation_time(validation_reader *reader, const char *platform,
                                         const char *application, const char *layer,
                                         const char *source, double *time, double *half_width,
                                         char found[VALIDATION_LAYER_SIZE], clump_error *error)
{
    const clump_store_filter filter = {.platform = platform,
                                       .application = application,
                                       .quantity = "execution_time",
                                       .source = source};
    times t = {.layer = layer != NULL ? layer : preferred};
    validation_answer known = read_time(reader, &filter, &t, error);
    if (known == VALIDATION_KNOWN && layer == NULL && !t.has_mean && t.singles == 0) {
        t = (times){.layer = NULL};
        known = read_time(reader, &filter, &t, error);
    }
    if (known != VALIDATION_KNOWN)
        return known;
    if (!t.has_mean && t.singles == 0) {
        clump_fail(error, CLUMP_BAD_ARGUMENT, "no execution time of '%.60s' on '%.60s'",
                   application, platform);
        return VALIDATION_UNKNOWN;
    }
    if (found != NULL)
        snprintf(found, VALIDATION_LAYER_SIZE, "%s", t.layer);
    const double n = (double)t.singles, mean = t.sum / n;
    const double variance = (t.squares - n * mean * mean) / (n - 1);
    *time = t.has_mean ? t.mean : t.origin + mean;
    *half_width = t.has_mean      ? t.half_width
                  : t.singles < 2 ? NAN
                                  : 2 * sqrt(fmax(variance, 0) / n); /* (5.1) */
    return VALIDATION_KNOWN;
}

/* ---- costs of messages */

static validation_answer loggp_of(validation_reader *reader, const char *platform,
                                  const char *transport, const char *layer, clump_loggp *loggp,
                                  clump_error *error)
{
    double values[CLUMP_LOGGP_QUANTITIES];
    for (size_t i = 0; i < CLUMP_LOGGP_QUANTITIES; i++) {
        const clump_store_filter filter = {.platform = platform,
                                           .application = "",
                                           .transport = transport,
                                           .quantity = clump_loggp_quantities[i],
                                           .variant = layer};
        const validation_answer known = validation_number(reader, &filter, &values[i], error);
        if (known != VALIDATION_KNOWN)
            return known;
    }
    *loggp = clump_loggp_of(values);
    return clump_loggp_check(loggp, transport, error) == CLUMP_OK ? VALIDATION_KNOWN
                                                                  : VALIDATION_UNKNOWN;
}

/* LogGP parameters of a platform and transport: of the layer, else of none, else if `any`
 *  multi-protocol or the only ones there are. */
static validation_answer validation_loggp(validation_reader *reader, const char *platform,
                                          const char *transport, const char *layer, bool any,
                                          clump_loggp *loggp, clump_error *error)
{
    const char *const layers[] = {layer, "", preferred, NULL};
    validation_answer known = VALIDATION_UNKNOWN;
    clump_error why = {CLUMP_OK, ""};
    for (size_t i = 0; i < (any ? 4 : 2) && known == VALIDATION_UNKNOWN; i++)
        known = loggp_of(reader, platform, transport, layers[i], loggp, &why);
    if (known == VALIDATION_FAILED || (known == VALIDATION_UNKNOWN && any))
        clump_fail(error, CLUMP_BAD_ARGUMENT, "LogGP parameters: %.200s", why.message);
    else if (known == VALIDATION_UNKNOWN)
        clump_fail(error, CLUMP_BAD_ARGUMENT,
                   "no LogGP parameters of platform '%.60s', transport '%.20s', variant '%.40s'",
                   platform, transport, layer);
    return known;
}

/* ---- traffic */

static validation_answer mean_of(validation_reader *reader, const clump_store_filter *wanted,
                                 const char *quantity, double *value, clump_error *error)
{
    static const char *const statistics[] = {"mean", "single"};
    validation_answer known = VALIDATION_UNKNOWN;
    for (size_t i = 0; i < 2 && known == VALIDATION_UNKNOWN; i++) {
        clump_store_filter filter = *wanted;
        filter.quantity = quantity;
        filter.statistic = statistics[i];
        known = validation_number(reader, &filter, value, error);
    }
    return known;
}

/* What a processor sends through a transport; UNKNOWN if the store has nothing of it. */
static validation_answer validation_traffic(validation_reader *reader, const char *platform,
                                            const char *application, const char *transport,
                                            clump_traffic *traffic, clump_error *error)
{
    const clump_store_filter filter = {
        .platform = platform, .application = application, .transport = transport};
    double size = 0;
    *traffic = (clump_traffic){0, 0, 0};
    const validation_answer some =
        mean_of(reader, &filter, "short_messages", &traffic->short_messages, error);
    if (some == VALIDATION_FAILED)
        return some;
    const validation_answer bulk =
        mean_of(reader, &filter, "bulk_messages", &traffic->bulk_messages, error);
    if (bulk == VALIDATION_FAILED)
        return bulk;
    if (traffic->bulk_messages > 0) {
        const validation_answer sized = mean_of(reader, &filter, "bulk_message_size", &size, error);
        if (sized != VALIDATION_KNOWN)
            return sized;
        traffic->bulk_bytes = traffic->bulk_messages * size;
    }
    return some == VALIDATION_KNOWN || bulk == VALIDATION_KNOWN ? VALIDATION_KNOWN
                                                                : VALIDATION_UNKNOWN;
}

/* Share of the short messages that an application waits for, from its style. */
static validation_answer validation_waited_share(validation_reader *reader, const char *application,
                                                 double *waited_share, clump_error *error)
{
    clump_store_application *record = NULL;
    const clump_store_status status =
        clump_store_find_application(reader->store, application, &record);
    if (status == CLUMP_STORE_OK) /* where the style is not known, messages follow each other */
        *waited_share = record->style != NULL && strcmp(record->style, "blocking") == 0;
    clump_store_free(record);
    return answer(reader, status, error);
}

/* ---- other runs of the same program: what it computes, and how its traffic grows */

enum { MOST_RUNS = 8 };

/* Runs of which the store says that they tell something about an application. */
typedef struct kin {
    size_t count;
    struct relative {
        char platform[VALIDATION_NAME], application[VALIDATION_NAME];
    } runs[MOST_RUNS];
    const char *self; /* the application itself, where none is named */
} kin;

static int take_relative(const clump_store_sample *sample, void *context)
{
    kin *k = context;
    const char *application = sample->variant[0] != '\0' ? sample->variant : k->self;
    if (!(sample->measured.value > 0) || sample->platform[0] == '\0' ||
        strlen(sample->platform) >= VALIDATION_NAME || strlen(application) >= VALIDATION_NAME)
        return 0;
    struct relative *r = &k->runs[k->count++];
    strcpy(r->platform, sample->platform);
    strcpy(r->application, application);
    return k->count == MOST_RUNS;
}

static validation_answer find_kin(validation_reader *reader, const char *application,
                                  const char *quantity, kin *found, clump_error *error)
{
    const clump_store_filter filter = {
        .application = application, .quantity = quantity, .sure = true};
    *found = (kin){.self = application};
    const clump_store_status status =
        clump_store_each_sample(reader->store, &filter, take_relative, found);
    return answer(reader, status == CLUMP_STORE_STOPPED ? CLUMP_STORE_OK : status, error);
}

/* The platform that one is part of, and so on upwards. */
static validation_answer root_of(validation_reader *reader, const clump_store_platform *platform,
                                 char root[VALIDATION_NAME], clump_error *error)
{
    const char *above = platform->part_of;
    clump_store_platform *next = NULL;
    snprintf(root, VALIDATION_NAME, "%s", platform->name);
    for (int depth = 0; above != NULL && depth < 64; depth++) { /* data check finds circles */
        snprintf(root, VALIDATION_NAME, "%s", above);
        clump_store_free(next);
        const clump_store_status status = clump_store_find_platform(reader->store, root, &next);
        if (status != CLUMP_STORE_OK)
            return answer(reader, status, error);
        above = next->part_of;
    }
    clump_store_free(next);
    return VALIDATION_KNOWN;
}

/*
 * The platform of a relative, if it is of the same machine as `platform` (both are part of the
 * same one) and not `platform` itself: a run is not predicted from itself. Else *found is NULL.
 */
static validation_answer same_machine(validation_reader *reader,
                                      const clump_store_platform *platform,
                                      const struct relative *relative, clump_store_platform **found,
                                      clump_error *error)
{
    char root[VALIDATION_NAME], other[VALIDATION_NAME];
    *found = NULL;
    if (strcmp(relative->platform, platform->name) == 0)
        return VALIDATION_KNOWN;
    validation_answer known =
        answer(reader, clump_store_find_platform(reader->store, relative->platform, found), error);
    if (known == VALIDATION_KNOWN)
        known = root_of(reader, platform, root, error);
    if (known == VALIDATION_KNOWN)
        known = root_of(reader, *found, other, error);
    if (known != VALIDATION_KNOWN || strcmp(root, other) != 0) {
        clump_store_free(*found);
        *found = NULL;
    }
    return known;
}

/* Whether an application has a property; false where the store does not know. */
static validation_answer has(validation_reader *reader, const char *application,
                             const char *quantity, bool *yes, clump_error *error)
{
    double value = 0;
    const clump_store_filter filter = {
        .platform = "", .application = application, .quantity = quantity};
    const validation_answer known = validation_number(reader, &filter, &value, error);
    *yes = known == VALIDATION_KNOWN && value > 0;
    return known == VALIDATION_UNKNOWN ? VALIDATION_KNOWN : known;
}

static double all_processors(const clump_store_platform *platform)
{
    return (double)platform->nodes * (double)platform->processors;
}

/* What is known of misses, in a node against the machine that it is compared with. */
static clump_store_status read_misses(validation_reader *reader, const char *platform,
                                      const char *counterpart, clump_misses *misses)
{
    clump_store_misses known;
    const clump_store_status status =
        clump_store_find_misses(reader->store, platform, counterpart, &known);
    if (status == CLUMP_STORE_OK)
        *misses = (clump_misses){.now_us = known.now_us,
                                 .node_us = known.node_us,
                                 .line_bytes = known.line_bytes,
                                 .bytes_per_us = known.bytes_per_us};
    return status;
}

/* A run within one node, as far as it tells what a processor computes.
 *  @param counterpart  machine on which misses are compared with those of the node */
static validation_answer computation_in(validation_reader *reader, const struct relative *run,
                                        const clump_store_platform *node, const char *counterpart,
                                        validation_computation *found, clump_error *error)
{
    double half_width;
    char layer[VALIDATION_LAYER_SIZE];
    validation_answer known = validation_time(reader, run->platform, run->application, NULL, NULL,
                                              &found->time, &half_width, layer, error);
    if (known == VALIDATION_KNOWN)
        known = validation_loggp(reader, run->platform, "shared-memory", layer, false,
                                 &found->shared_memory, error);
    if (known == VALIDATION_KNOWN)
        known = validation_traffic(reader, run->platform, run->application, "shared-memory",
                                   &found->traffic, error);
    if (known != VALIDATION_KNOWN)
        return known;
    found->processors = (size_t)node->processors;
    return answer(reader, read_misses(reader, node->name, counterpart, &found->misses), error);
}

/* From the run that the store names (computation_from).
 * @param computation  left alone where there is no such run */
static validation_answer find_computation(validation_reader *reader,
                                          const clump_store_platform *platform,
                                          const char *application,
                                          validation_computation *computation, clump_error *error)
{
    kin runs;
    bool fixed = false;
    validation_answer known = find_kin(reader, application, "computation_from", &runs, error);
    if (known == VALIDATION_KNOWN && runs.count > 0)
        known = has(reader, application, "fixed_problem", &fixed, error);
    for (size_t i = 0; i < runs.count && known == VALIDATION_KNOWN; i++) {
        clump_store_platform *node = NULL;
        validation_computation whole = {.time = NAN};
        known = same_machine(reader, platform, &runs.runs[i], &node, error);
        if (known != VALIDATION_KNOWN || node == NULL)
            continue;
        if (node->nodes > 1) {
            clump_fail(error, CLUMP_BAD_ARGUMENT,
                       "computation_from names '%.60s', which has %lld nodes, expected a run "
                       "within one",
                       node->name, (long long)node->nodes);
            known = VALIDATION_UNKNOWN;
        } else {
            known = computation_in(reader, &runs.runs[i], node,
                                   node->counterpart != NULL ? node->counterpart
                                                             : platform->counterpart,
                                   &whole, error);
        }
        whole.share = fixed ? all_processors(node) / all_processors(platform) : 1;
        clump_store_free(node);
        if (known == VALIDATION_KNOWN)
            *computation = whole;
        return known;
    }
    return known;
}

/* ---- numbers of processors for which traffic was not counted */

static clump_traffic scale(clump_traffic t, double factor)
{
    return (clump_traffic){factor * t.short_messages, factor * t.bulk_messages,
                           factor * t.bulk_bytes};
}

static clump_traffic add(clump_traffic a, clump_traffic b)
{
    return (clump_traffic){a.short_messages + b.short_messages, a.bulk_messages + b.bulk_messages,
                           a.bulk_bytes + b.bulk_bytes};
}

static bool is_empty(const clump_traffic *traffic)
{
    return traffic->short_messages == 0 && traffic->bulk_messages == 0;
}

/* Traffic that was counted, of one processor. */
typedef struct counted {
    double processors; /* of all nodes; 0: none */
    clump_traffic total, remote, local;
} counted;

/*
 * Data go to the other P-1 of P processors in equal parts. The short messages of a program with
 * bulk transfers are their replies and those of barriers, of which there are as many as subphases,
 * in proportion to P.
 */
static clump_traffic all_to_all(const counted *from, bool fixed, double processors)
{
    const double spread = (1 - 1 / processors) / (1 - 1 / from->processors);
    const double data = spread * (fixed ? from->processors / processors : 1);
    clump_traffic traffic = scale(from->total, data);
    if (fixed) {
        const double barriers = from->total.short_messages - from->total.bulk_messages;
        traffic.short_messages = traffic.bulk_messages + barriers * processors / from->processors;
    }
    return traffic;
}

/* Between two numbers of processors, linear in the logarithm: what differs is the surface of the
 * lattice and the depth of trees. With one only, as there. */
static clump_traffic neighbours(const counted *fewer, const counted *more, double processors)
{
    if (!(fewer->processors < more->processors))
        return more->total;
    const double share =
        log(processors / fewer->processors) / log(more->processors / fewer->processors);
    return add(scale(fewer->total, 1 - share), scale(more->total, share));
}

static validation_answer read_counted(validation_reader *reader, const struct relative *run,
                                      const clump_store_platform *platform, counted *found,
                                      clump_error *error)
{
    clump_traffic far, near;
    const validation_answer remote =
        validation_traffic(reader, run->platform, run->application, "network", &far, error);
    const validation_answer local =
        validation_traffic(reader, run->platform, run->application, "shared-memory", &near, error);
    if (remote == VALIDATION_FAILED || local == VALIDATION_FAILED)
        return VALIDATION_FAILED;
    if (remote == VALIDATION_UNKNOWN && local == VALIDATION_UNKNOWN)
        return VALIDATION_UNKNOWN;
    *found = (counted){all_processors(platform), add(far, near), far, near};
    return VALIDATION_KNOWN;
}

/* Those with the fewest and with the most processors. */
static validation_answer find_counted(validation_reader *reader,
                                      const clump_store_platform *platform, const char *application,
                                      counted *fewest, counted *most, clump_error *error)
{
    kin runs;
    *fewest = *most = (counted){.processors = 0};
    validation_answer known = find_kin(reader, application, "traffic_from", &runs, error);
    for (size_t i = 0; i < runs.count && known == VALIDATION_KNOWN; i++) {
        clump_store_platform *other = NULL;
        counted one;
        known = same_machine(reader, platform, &runs.runs[i], &other, error);
        if (known != VALIDATION_KNOWN || other == NULL)
            continue;
        known = read_counted(reader, &runs.runs[i], other, &one, error);
        clump_store_free(other);
        if (known != VALIDATION_KNOWN)
            continue;
        if (most->processors == 0 || one.processors > most->processors)
            *most = one;
        if (fewest->processors == 0 || one.processors < fewest->processors)
            *fewest = one;
    }
    if (known == VALIDATION_KNOWN && most->processors == 0) {
        clump_fail(error, CLUMP_BAD_ARGUMENT, "no traffic of '%.60s' on '%.60s'", application,
                   platform->name);
        known = VALIDATION_UNKNOWN;
    }
    return known;
}

validation_answer validation_scaled_traffic(validation_reader *reader,
                                            const clump_store_platform *platform,
                                            const char *application, clump_traffic *remote,
                                            clump_traffic *local, clump_error *error)
{
    counted fewest, most;
    bool even = false, fixed = false;
    validation_answer known = find_counted(reader, platform, application, &fewest, &most, error);
    if (known == VALIDATION_KNOWN)
        known = has(reader, application, "all_to_all_exchange", &even, error);
    if (known == VALIDATION_KNOWN)
        known = has(reader, application, "fixed_problem", &fixed, error);
    if (known != VALIDATION_KNOWN)
        return known;
    const double within = (double)platform->processors, processors = all_processors(platform);
    clump_traffic total;
    double share = 0;
    if (even) {
        total = all_to_all(&most, fixed, processors);
        share = processors > within ? (processors - within) / (processors - 1) : 0;
    } else { /* the layout decides how much leaves a node: as it is with the most nodes */
        total = neighbours(&fewest, &most, processors);
        if (platform->nodes > 1)
            share = most.total.short_messages > 0
                        ? most.remote.short_messages / most.total.short_messages
                        : most.remote.bulk_messages / most.total.bulk_messages;
    }
    *remote = scale(total, share);
    *local = scale(total, 1 - share);
    return VALIDATION_KNOWN;
}

/* Mean time on the NOW that a platform is compared with. */
static validation_answer time_on_now(validation_reader *reader, const char *now,
                                     const char *application, double *time, clump_error *error)
{
    double half_width;
    if (now != NULL)
        return validation_time(reader, now, application, NULL, NULL, time, &half_width, NULL,
                               error);
    clump_fail(error, CLUMP_BAD_ARGUMENT, "traffic_per_time_from names a platform without a NOW");
    return VALIDATION_UNKNOWN;
}

/* Traffic of the shape that a run of another input has, which the store names
 * (traffic_per_time_from). @param any  whether it names one */
static validation_answer proportional_traffic(validation_reader *reader,
                                              const clump_store_platform *platform,
                                              const char *application, clump_traffic *remote,
                                              clump_traffic *local, bool *any, clump_error *error)
{
    kin runs;
    clump_store_platform *other = NULL;
    counted there = {.processors = 0};
    double now = 1, now_there = 1;
    validation_answer known = find_kin(reader, application, "traffic_per_time_from", &runs, error);
    *any = known == VALIDATION_KNOWN && runs.count > 0;
    if (known == VALIDATION_KNOWN && !*any)
        return known;
    if (known == VALIDATION_KNOWN)
        known = answer(
            reader, clump_store_find_platform(reader->store, runs.runs[0].platform, &other), error);
    if (known == VALIDATION_KNOWN)
        known = read_counted(reader, &runs.runs[0], other, &there, error);
    if (known == VALIDATION_KNOWN)
        known =
            time_on_now(reader, other->counterpart, runs.runs[0].application, &now_there, error);
    if (known == VALIDATION_KNOWN)
        known = time_on_now(reader, platform->counterpart, application, &now, error);
    clump_store_free(other);
    if (known != VALIDATION_KNOWN)
        return known;
    *remote = scale(there.remote, now / now_there);
    *local = scale(there.local, now / now_there);
    return VALIDATION_KNOWN;
}

/* ---- all that the model may know about a run, put together */

/* Runs on the same platform follow each other. */
static clump_store_status read_machine(validation_reader *reader,
                                       const clump_store_platform *platform)
{
    if (strcmp(reader->machine, platform->name) == 0)
        return CLUMP_STORE_OK;
    clump_store_status status =
        clump_store_half_duplex(reader->store, platform->name, &reader->half_duplex);
    if (status == CLUMP_STORE_OK)
        status = read_misses(reader, platform->name, platform->counterpart, &reader->misses);
    if (status == CLUMP_STORE_OK && strlen(platform->name) < sizeof reader->machine)
        memcpy(reader->machine, platform->name, strlen(platform->name) + 1);
    else
        reader->machine[0] = '\0';
    return status;
}

/* What is known of the node, and of how the program goes through its exchanges. */
static validation_answer read_node(validation_reader *reader, const clump_store_platform *platform,
                                   const char *application, validation_facts *facts,
                                   clump_error *error)
{
    facts->nodes = platform->nodes > 0 ? (size_t)platform->nodes : 1;
    facts->node = (clump_node){
        .processors = (size_t)platform->processors,
        .nics = platform->nics > 0 ? (size_t)platform->nics : 1,
        .mapping = CLUMP_MAPPING_POOLED,
    };
    if (platform->mapping != NULL)
        clump_mapping_parse(platform->mapping, &facts->node.mapping);
    clump_store_status status = read_machine(reader, platform);
    facts->half_duplex = reader->half_duplex;
    facts->misses = reader->misses;
    if (status == CLUMP_STORE_OK)
        status = clump_store_lockstep(reader->store, application, &facts->lockstep);
    if (status == CLUMP_STORE_OK)
        status = clump_store_mutual_exchange(reader->store, application, &facts->exchange);
    if (status == CLUMP_STORE_OK)
        return VALIDATION_KNOWN;
    clump_fail(error, CLUMP_BAD_ARGUMENT, "%s", clump_store_message(reader->store));
    return status == CLUMP_STORE_FAILED ? VALIDATION_FAILED : VALIDATION_UNKNOWN;
}

/* Measured traffic, or else scaled. */
static validation_answer read_traffic(validation_reader *reader,
                                      const clump_store_platform *platform, const char *application,
                                      validation_facts *facts, clump_error *error)
{
    const validation_answer far =
        validation_traffic(reader, platform->name, application, "network", &facts->remote, error);
    const validation_answer near = validation_traffic(reader, platform->name, application,
                                                      "shared-memory", &facts->local, error);
    if (far == VALIDATION_FAILED || near == VALIDATION_FAILED)
        return VALIDATION_FAILED;
    if (far == VALIDATION_KNOWN || near == VALIDATION_KNOWN)
        return VALIDATION_KNOWN;
    facts->scaled_traffic = true;
    bool shaped;
    const validation_answer known = proportional_traffic(
        reader, platform, application, &facts->remote, &facts->local, &shaped, error);
    if (known != VALIDATION_KNOWN || shaped)
        return known;
    return validation_scaled_traffic(reader, platform, application, &facts->remote, &facts->local,
                                     error);
}

/* The NOW may have another network than the platform that is compared with it. */
static validation_answer read_now_network(validation_reader *reader, const char *now,
                                          const char *now_layer, validation_facts *facts,
                                          clump_error *error)
{
    facts->now_network = facts->network;
    const validation_answer known =
        validation_loggp(reader, now, "network", now_layer, true, &facts->now_network, error);
    facts->other_network = known == VALIDATION_KNOWN;
    return known == VALIDATION_UNKNOWN ? VALIDATION_KNOWN : known;
}

static validation_answer read_costs(validation_reader *reader, const clump_validation_run *run,
                                    const char *now_layer, validation_facts *facts,
                                    clump_error *error)
{
    const validation_answer known =
        validation_loggp(reader, run->platform, "network", now_layer, true, &facts->network, error);
    if (known != VALIDATION_KNOWN)
        return known;
    facts->shared_memory = facts->network; /* where nothing is local it does not matter */
    return is_empty(&facts->local)
               ? VALIDATION_KNOWN
               : validation_loggp(reader, run->platform, "shared-memory", run->layer,
                                  !run->reference, &facts->shared_memory, error);
}

/* A profile may know the computation; else it is taken from a run in one node. */
static validation_answer read_computation(validation_reader *reader,
                                          const clump_store_platform *platform,
                                          const char *application, validation_facts *facts,
                                          clump_error *error)
{
    const clump_store_filter filter = {
        .platform = platform->name, .application = application, .quantity = "computation_time"};
    facts->computation = (validation_computation){
        .time = NAN, .share = 1, .misses = facts->misses, .processors = facts->node.processors};
    const validation_answer known =
        validation_number(reader, &filter, &facts->computation.time, error);
    if (known != VALIDATION_UNKNOWN)
        return known;
    return find_computation(reader, platform, application, &facts->computation, error);
}

/* How much more there is to do at the busiest NIC, if the store has the least and the greatest of what
 * processors send to other nodes. */
static validation_answer read_busiest(validation_reader *reader,
                                      const clump_store_platform *platform, const char *application,
                                      validation_facts *facts, clump_error *error)
{
    clump_uneven u = {.mean = facts->remote.short_messages,
                      .processors = (size_t)all_processors(platform)};
    double *const ends[] = {&u.least, &u.greatest};
    static const char *const statistics[] = {"min", "max"};
    validation_answer known = facts->scaled_traffic ? VALIDATION_UNKNOWN : VALIDATION_KNOWN;
    for (size_t i = 0; i < 2 && known == VALIDATION_KNOWN; i++) {
        const clump_store_filter filter = {.platform = platform->name,
                                           .application = application,
                                           .transport = "network",
                                           .quantity = "short_messages",
                                           .statistic = statistics[i]};
        known = validation_number(reader, &filter, ends[i], error);
    }
    /* Processors to a NIC; where they use all of them none is busier. */
    const size_t group = (facts->node.processors + facts->node.nics - 1) / facts->node.nics;
    if (known == VALIDATION_KNOWN && facts->node.mapping == CLUMP_MAPPING_STATIC &&
        u.least <= u.mean && u.mean <= u.greatest)
        facts->busiest = clump_uneven_excess(&u, group);
    return known == VALIDATION_FAILED ? known : VALIDATION_KNOWN;
}

/* The NOW's time with the same layer; else as validation_time() chooses. */
static validation_answer read_now_time(validation_reader *reader, const char *now,
                                       clump_validation_run *run, char layer[VALIDATION_LAYER_SIZE],
                                       clump_error *error)
{
    const validation_answer same =
        validation_time(reader, now, run->application, run->layer, NULL, &run->now_time,
                        &run->now_half_width, layer, error);
    return same != VALIDATION_UNKNOWN
               ? same
               : validation_time(reader, now, run->application, NULL, NULL, &run->now_time,
                                 &run->now_half_width, layer, error);
}

/* What all runs of a program on a platform have in common: everything but times and costs of messages. */
static validation_answer read_program(validation_reader *reader,
                                      const clump_store_platform *platform, const char *application,
                                      validation_facts *facts, clump_error *error)
{
    validation_answer known = read_node(reader, platform, application, facts, error);
    if (known == VALIDATION_KNOWN)
        known = read_traffic(reader, platform, application, facts, error);
    if (known == VALIDATION_KNOWN && platform->nics == 0 && !is_empty(&facts->remote)) {
        clump_fail(error, CLUMP_BAD_ARGUMENT,
                   "messages leave the nodes of '%.60s', which have 0 NICs", platform->name);
        known = VALIDATION_UNKNOWN;
    }
    if (known == VALIDATION_KNOWN)
        known = validation_waited_share(reader, application, &facts->waited_share, error);
    if (known == VALIDATION_KNOWN)
        known = read_computation(reader, platform, application, facts, error);
    if (known == VALIDATION_KNOWN)
        known = read_busiest(reader, platform, application, facts, error);
    return known;
}

struct validation_program {
    char platform[VALIDATION_NAME], application[VALIDATION_NAME];
    validation_facts facts;
};

static void keep_program(validation_reader *reader, const char *platform, const char *application,
                         const validation_facts *facts)
{
    if (strlen(platform) >= VALIDATION_NAME || strlen(application) >= VALIDATION_NAME)
        return;
    struct validation_program *more =
        realloc(reader->programs, (reader->program_count + 1) * sizeof *more);
    if (more == NULL)
        return; /* only slower */
    reader->programs = more;
    struct validation_program *p = &more[reader->program_count++];
    strcpy(p->platform, platform);
    strcpy(p->application, application);
    p->facts = *facts;
}

/* Data sets repeat runs with other layers: the store is asked once. */
static validation_answer find_program(validation_reader *reader,
                                      const clump_store_platform *platform, const char *application,
                                      validation_facts *facts, clump_error *error)
{
    for (size_t i = 0; i < reader->program_count; i++)
        if (strcmp(reader->programs[i].platform, platform->name) == 0 &&
            strcmp(reader->programs[i].application, application) == 0) {
            *facts = reader->programs[i].facts;
            return VALIDATION_KNOWN;
        }
    const validation_answer known = read_program(reader, platform, application, facts, error);
    if (known == VALIDATION_KNOWN)
        keep_program(reader, platform->name, application, facts);
    return known;
}

validation_answer validation_read_facts(validation_reader *reader, clump_validation_run *run,
                                        const clump_store_platform *platform,
                                        validation_facts *facts, clump_error *error)
{
    char layer[VALIDATION_LAYER_SIZE];
    *facts = (validation_facts){.misses = {.now_us = NAN, .node_us = NAN}};
    validation_answer known = VALIDATION_KNOWN;
    if (!run->unmeasured)
        known = validation_time(reader, run->platform, run->application, run->layer, run->source,
                                &run->measured, &run->half_width, NULL, error);
    if (known == VALIDATION_KNOWN)
        known = read_now_time(reader, platform->counterpart, run, layer, error);
    if (known == VALIDATION_KNOWN)
        known = find_program(reader, platform, run->application, facts, error);
    if (known == VALIDATION_KNOWN)
        known = read_costs(reader, run, layer, facts, error);
    if (known == VALIDATION_KNOWN)
        known = read_now_network(reader, platform->counterpart, layer, facts, error);
    facts->measured = run->measured;
    facts->now_time = run->now_time;
    facts->now_half_width = run->now_half_width;
    run->scaled_traffic = facts->scaled_traffic;
    return known;
}

validation_answer validation_measured_time(validation_reader *reader, const char *platform,
                                           const char *application, double *time,
                                           double *half_width, clump_error *error)
{
    return validation_time(reader, platform, application, NULL, NULL, time, half_width, NULL,
                           error);
}

/* ---- digest */

/* Texts of numbers, one after the other; with room for all of them. */
typedef struct digest_text {
    char bytes[2000];
    size_t used;
} digest_text;

static void put_number(digest_text *to, double number)
{
    if (to->used < sizeof to->bytes)
        to->used +=
            (size_t)snprintf(to->bytes + to->used, sizeof to->bytes - to->used, "%.17g\n", number);
}

static void put_loggp(digest_text *to, const clump_loggp *p)
{
    const double numbers[] = {p->latency_us, p->send_overhead_us, p->receive_overhead_us, p->gap_us,
                              p->gap_us_per_byte};
    for (size_t i = 0; i < sizeof numbers / sizeof *numbers; i++)
        put_number(to, numbers[i]);
}

static void put_traffic(digest_text *to, const clump_traffic *t)
{
    put_number(to, t->short_messages);
    put_number(to, t->bulk_messages);
    put_number(to, t->bulk_bytes);
}

static void put_misses(digest_text *to, const clump_misses *m)
{
    put_number(to, isnan(m->now_us) ? -1 : m->now_us);
    put_number(to, isnan(m->node_us) ? -1 : m->node_us);
    put_number(to, m->line_bytes);
    put_number(to, m->bytes_per_us);
}

void validation_facts_digest(const validation_facts *facts, char text[CLUMP_SHA256_TEXT])
{
    digest_text to = {.used = 0};
    const double numbers[] = {
        (double)facts->nodes,     (double)facts->node.processors,
        (double)facts->node.nics, facts->node.mapping,
        facts->waited_share,      facts->half_duplex,
        facts->lockstep,          facts->exchange,
        facts->busiest,           isnan(facts->computation.time) ? -1 : facts->computation.time,
        facts->computation.share, (double)facts->computation.processors,
        facts->now_time,          isnan(facts->now_half_width) ? -1 : facts->now_half_width,
        facts->scaled_traffic};
    for (size_t i = 0; i < sizeof numbers / sizeof *numbers; i++)
        put_number(&to, numbers[i]);
    put_loggp(&to, &facts->network);
    put_loggp(&to, &facts->now_network);
    put_loggp(&to, &facts->shared_memory);
    put_traffic(&to, &facts->remote);
    put_traffic(&to, &facts->local);
    put_misses(&to, &facts->misses);
    if (!isnan(facts->computation.time)) {
        put_loggp(&to, &facts->computation.shared_memory);
        put_traffic(&to, &facts->computation.traffic);
        put_misses(&to, &facts->computation.misses);
    }
    clump_sha256(to.bytes, to.used < sizeof to.bytes ? to.used : sizeof to.bytes, text);
}

clump_status validation_keep_reason(const char **kept, const clump_error *why, clump_error *error)
{
    char *copy = malloc(strlen(why->message) + 1);
    if (copy == NULL)
        return clump_fail_memory(error, "the validation");
    *kept = strcpy(copy, why->message);
    return CLUMP_OK;
}
