/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "scenarios/recorded/recorded_kept.h"

#include <stdlib.h>
#include <string.h>

clump_recorded_kept *clump_recorded_kept_add(clump_recorded_kept **list, clump_facts *facts)
{
    clump_recorded_kept *kept = malloc(sizeof *kept);
    if (kept == NULL) {
        clump_facts_free(facts);
        return NULL;
    }
    *kept = (clump_recorded_kept){.next = *list, .facts = facts};
    *list = kept;
    return kept;
}

void clump_recorded_kept_free(clump_recorded_kept *list)
{
    while (list != NULL) {
        clump_recorded_kept *first = list;
        list = first->next;
        clump_schedule_free(first->calls);
        clump_facts_free(first->facts);
        free(first);
    }
}

double clump_recorded_kept_bytes(const clump_facts *facts)
{
    static const double row = 64,
                        unpacked = 5; /* bytes for one of the text: some 8 are an operation */
    const size_t rows = facts->file_count + facts->node_count + facts->rank_count +
                        facts->call_count + facts->traffic_count + facts->collective_count +
                        facts->collision_count + facts->overlap_count + facts->step_count +
                        facts->stretch_count + facts->phase_count + facts->note_count;
    double bytes = row * (double)rows;
    for (size_t i = 0; i < facts->stretch_count; i++)
        bytes += (1 + unpacked) * (double)strlen(facts->stretches[i].calls);
    return bytes;
}
