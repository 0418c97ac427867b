/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "model/simulation/schedule_labels.h"

#include <stdlib.h>
#include <string.h>

/* LABEL: of an operation. */
typedef struct label {
    schedule_word name;
    uint32_t operation;
} label;

/* LABEL requires LABEL. */
typedef struct requirement {
    schedule_word later, earlier;
    uint32_t line;
    bool at_start;
} requirement;

typedef struct dependency {
    uint32_t earlier, later; /* with SCHEDULE_AT_START */
} dependency;

bool schedule_labels_name(schedule_reader *r, schedule_labels *s, schedule_word name,
                          uint32_t operation)
{
    label *l = schedule_add(r, &s->names, sizeof *l);
    if (l != NULL)
        *l = (label){name, operation};
    return l != NULL;
}

bool schedule_labels_require(schedule_reader *r, schedule_labels *s, schedule_word later,
                             schedule_word earlier, bool at_start)
{
    requirement *q = schedule_add(r, &s->requirements, sizeof *q);
    if (q != NULL)
        *q = (requirement){later, earlier, r->line, at_start};
    return q != NULL;
}

static int compare_words(schedule_word a, schedule_word b)
{
    const size_t size = a.size < b.size ? a.size : b.size;
    const int order = memcmp(a.text, b.text, size);
    return order != 0 ? order : (a.size > b.size) - (a.size < b.size);
}

static int compare_labels(const void *a, const void *b)
{
    return compare_words(((const label *)a)->name, ((const label *)b)->name);
}

static const label *find_label(const schedule_labels *s, schedule_word name)
{
    const label wanted = {name, 0};
    return s->names.count == 0
               ? NULL
               : bsearch(&wanted, s->names.items, s->names.count, sizeof wanted, compare_labels);
}

static bool complain_label(schedule_reader *r, uint32_t rank, uint32_t line, schedule_word name,
                           const char *what)
{
    char shown[SCHEDULE_SHOWN + 1];
    const size_t size = name.size < SCHEDULE_SHOWN ? name.size : SCHEDULE_SHOWN;
    memcpy(shown, name.text, size);
    shown[size] = '\0';
    r->status = clump_fail(r->error, CLUMP_BAD_ARGUMENT, "line %u: label '%s' %s of rank %u",
                           (unsigned)line, shown, what, (unsigned)rank);
    return false;
}

/* All labels of the rank are known. */
bool schedule_labels_resolve(schedule_reader *r, schedule_labels *s, uint32_t rank,
                             const schedule_operation *operations, bool *at_start)
{
    label *labels = s->names.items;
    if (s->names.count > 0)
        qsort(labels, s->names.count, sizeof *labels, compare_labels);
    for (size_t i = 1; i < s->names.count; i++)
        if (compare_labels(&labels[i - 1], &labels[i]) == 0) {
            const uint32_t a = labels[i].operation, b = labels[i - 1].operation;
            return complain_label(r, rank, operations[a > b ? a : b].line, labels[i].name,
                                  "is found twice, expected once among the operations");
        }
    for (size_t i = 0; i < s->requirements.count; i++) {
        const requirement *q = (const requirement *)s->requirements.items + i;
        const label *later = find_label(s, q->later), *earlier = find_label(s, q->earlier);
        if (later == NULL || earlier == NULL)
            return complain_label(r, rank, q->line, later == NULL ? q->later : q->earlier,
                                  "is not found among the operations");
        dependency *d = schedule_add(r, &s->dependencies, sizeof *d);
        if (d == NULL)
            return false;
        *at_start = *at_start || q->at_start;
        *d = (dependency){earlier->operation,
                          later->operation | (q->at_start ? SCHEDULE_AT_START : 0)};
    }
    s->names.count = s->requirements.count = 0;
    return true;
}

bool schedule_labels_connect(const schedule_labels *labels, clump_schedule *s)
{
    const dependency *all = labels->dependencies.items;
    s->edge_count = labels->dependencies.count;
    if (s->edge_count > UINT32_MAX / 2)
        return false;
    s->edges = malloc((s->edge_count + 1) * sizeof *s->edges);
    if (s->edges == NULL)
        return false;
    for (size_t i = 0; i < s->edge_count; i++) {
        s->operations[all[i].earlier].first_edge++;
        s->operations[all[i].later & ~SCHEDULE_AT_START].needs++;
    }
    uint32_t sum = 0;
    for (size_t i = 0; i <= s->count; i++) {
        sum += s->operations[i].first_edge;
        s->operations[i].first_edge = sum;
    }
    for (size_t i = s->edge_count; i-- > 0;)
        s->edges[--s->operations[all[i].earlier].first_edge] = all[i].later;
    return true;
}

void schedule_labels_free(schedule_labels *s)
{
    free(s->names.items);
    free(s->requirements.items);
    free(s->dependencies.items);
}
