/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * What the thesis tells of its runs beyond the tables, sections 5.3.3 and table 5.5: which run on
 * one SMP does the same computation a processor, and how traffic depends on the number of
 * processors. From that follow
 *
 *   - the computation of a run on the Clump: the time of its run on one SMP (table 7.7) less what
 *     that run's messages (table 5.6) cost through shared memory;
 *   - the traffic of the runs with 16 processors (table 7.9), of which there is no table.
 */
#include "fitting/validation/validation_model.h"

#include <math.h>
#include <string.h>

typedef enum pattern {
    ALL_TO_ALL, /* as much to every other processor: the share of the other P-1 is (P-1)/P */
    NEIGHBOURS  /* along a lattice */
} pattern;

typedef struct thesis_run {
    const char *application, *on_smp;
    bool fixed; /* the problem is the same for any number of processors, else so much a processor */
    pattern pattern;
} thesis_run;

static const thesis_run thesis_runs[] = {
    {"SAMPLE", "SAMPLE", false, ALL_TO_ALL},     {"CON/comp", "CON/comp", false, NEIGHBOURS},
    {"CON/comm", "CON/comm", false, NEIGHBOURS}, {"3-D FFT", "3-D FFT", true, ALL_TO_ALL},
    {"EM3D/naive", "EM3D", false, NEIGHBOURS},   {"EM3D/good", "EM3D", false, NEIGHBOURS},
};

static const char smp[] = "e5000-smp", clump[] = "e5000-clump";
static const double smp_processors = 8, clump_processors = 32;

static const thesis_run *find_run(const clump_store_platform *platform, const char *application)
{
    const bool ours = platform->reference &&
                      (strcmp(platform->name, clump) == 0 ||
                       (platform->part_of != NULL && strcmp(platform->part_of, clump) == 0 &&
                        strcmp(platform->name, smp) != 0));
    for (size_t i = 0; ours && i < sizeof thesis_runs / sizeof *thesis_runs; i++)
        if (strcmp(thesis_runs[i].application, application) == 0)
            return &thesis_runs[i];
    return NULL;
}

validation_answer validation_computation(validation_reader *reader,
                                         const clump_store_platform *platform,
                                         const char *application, double *computation,
                                         clump_error *error)
{
    const thesis_run *run = find_run(platform, application);
    clump_traffic traffic;
    clump_loggp loggp;
    double time, half_width, waited;
    char layer[VALIDATION_LAYER_SIZE];
    if (run == NULL)
        return VALIDATION_KNOWN;
    validation_answer known =
        validation_time(reader, smp, run->on_smp, NULL, NULL, &time, &half_width, layer, error);
    if (known == VALIDATION_KNOWN)
        known = validation_loggp(reader, smp, "shared-memory", layer, false, &loggp, error);
    if (known == VALIDATION_KNOWN)
        known = validation_traffic(reader, smp, run->on_smp, "shared-memory", &traffic, error);
    if (known == VALIDATION_KNOWN)
        known = validation_waited_share(reader, run->on_smp, &waited, error);
    if (known != VALIDATION_KNOWN)
        return known;
    const clump_communication_time cost = clump_traffic_time(&traffic, &loggp, waited);
    const double processors = (double)platform->nodes * (double)platform->processors;
    const double whole = fmax(time - (cost.occupancy_us + cost.waiting_us) / 1e6, 0);
    *computation = whole * (run->fixed ? smp_processors / processors : 1);
    return VALIDATION_KNOWN;
}

/* ---- 16 processors ---- */

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

/*
 * Data go to the other P-1 of P processors in equal parts. The short messages of a program with
 * bulk transfers are their replies and those of barriers, of which there are as many as subphases,
 * in proportion to P.
 */
static clump_traffic all_to_all(clump_traffic at_clump, const thesis_run *run, double processors)
{
    const double spread = (1 - 1 / processors) / (1 - 1 / clump_processors);
    const double data = spread * (run->fixed ? clump_processors / processors : 1);
    clump_traffic traffic = scale(at_clump, data);
    if (run->fixed) {
        const double barriers = at_clump.short_messages - at_clump.bulk_messages;
        traffic.short_messages = traffic.bulk_messages + barriers * processors / clump_processors;
    }
    return traffic;
}

/* Between 8 and 32 processors, linear in the logarithm: what differs is the surface of the lattice
 * and the depth of trees. */
static clump_traffic neighbours(clump_traffic at_smp, clump_traffic at_clump, double processors)
{
    const double share = log(processors / smp_processors) / log(clump_processors / smp_processors);
    return add(scale(at_smp, 1 - share), scale(at_clump, share));
}

validation_answer validation_scaled_traffic(validation_reader *reader,
                                            const clump_store_platform *platform,
                                            const char *application, clump_traffic *remote,
                                            clump_traffic *local, clump_error *error)
{
    const thesis_run *run = find_run(platform, application);
    clump_traffic at_smp, far, near;
    if (run == NULL) {
        clump_fail(error, CLUMP_BAD_ARGUMENT, "no traffic of '%.60s' on '%.60s'", application,
                   platform->name);
        return VALIDATION_UNKNOWN;
    }
    validation_answer known =
        validation_traffic(reader, smp, run->on_smp, "shared-memory", &at_smp, error);
    if (known == VALIDATION_KNOWN)
        known = validation_traffic(reader, clump, application, "network", &far, error);
    if (known == VALIDATION_KNOWN)
        known = validation_traffic(reader, clump, application, "shared-memory", &near, error);
    if (known != VALIDATION_KNOWN)
        return known;
    const clump_traffic at_clump = add(far, near);
    const double within = (double)platform->processors;
    const double processors = (double)platform->nodes * within;
    clump_traffic total;
    double share;
    if (run->pattern == ALL_TO_ALL) {
        total = all_to_all(at_clump, run, processors);
        share = (processors - within) / (processors - 1);
    } else { /* the layout decides how much leaves a node: as it is on the whole Clump */
        total = neighbours(at_smp, at_clump, processors);
        share = far.short_messages / at_clump.short_messages;
    }
    *remote = scale(total, share);
    *local = scale(total, 1 - share);
    return VALIDATION_KNOWN;
}
