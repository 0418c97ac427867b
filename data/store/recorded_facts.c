/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "data/store/recorded_facts.h"

#include "data/arena.h"

#include <math.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

/* ---- what rows consist of */

#define FIELD_AT(row, member, lack, below)                                                         \
    {                                                                                              \
#member,                                                                                      \
     _Generic(&((row *)0)->member,                                                                 \
         const char **: CLUMP_FACTS_TEXT,                                                          \
         int64_t *: CLUMP_FACTS_WHOLE,                                                             \
         double *: CLUMP_FACTS_REAL,                                                               \
         bool *: CLUMP_FACTS_TRUTH),                                                               \
     offsetof(row, member), lack, below    \
    }
#define KNOWN(row, member) FIELD_AT(row, member, false, false)
#define LACKING(row, member) FIELD_AT(row, member, true, false)
#define SIGNED(row, member) FIELD_AT(row, member, true, true)

static const clump_facts_field head_fields[] = {
    KNOWN(clump_facts, origin),    LACKING(clump_facts, program), LACKING(clump_facts, command),
    LACKING(clump_facts, library), LACKING(clump_facts, started), KNOWN(clump_facts, wall),
    KNOWN(clump_facts, sends),     KNOWN(clump_facts, receives),  KNOWN(clump_facts, mismatched),
};
static const clump_facts_field file_fields[] = {
    KNOWN(clump_facts_file, name),
    KNOWN(clump_facts_file, sha256),
    KNOWN(clump_facts_file, bytes),
    LACKING(clump_facts_file, cut_at),
};
static const clump_facts_field node_fields[] = {
    KNOWN(clump_facts_node, host),
    SIGNED(clump_facts_node, clock_low),
    SIGNED(clump_facts_node, clock_high),
    SIGNED(clump_facts_node, clock_used),
};
static const clump_facts_field rank_fields[] = {
    KNOWN(clump_facts_rank, node),
    KNOWN(clump_facts_rank, wall),
    KNOWN(clump_facts_rank, computing),
    LACKING(clump_facts_rank, processor),
    KNOWN(clump_facts_rank, in_mpi),
    KNOWN(clump_facts_rank, waiting),
    KNOWN(clump_facts_rank, waiting_low),
    KNOWN(clump_facts_rank, waiting_high),
    KNOWN(clump_facts_rank, transferring),
    KNOWN(clump_facts_rank, calls),
    KNOWN(clump_facts_rank, traced),
    LACKING(clump_facts_rank, requests_mean),
    LACKING(clump_facts_rank, requests_most),
    KNOWN(clump_facts_rank, ended),
};
static const clump_facts_field call_fields[] = {
    KNOWN(clump_facts_call, rank),         KNOWN(clump_facts_call, kind),
    KNOWN(clump_facts_call, calls),        KNOWN(clump_facts_call, seconds),
    KNOWN(clump_facts_call, bytes),        KNOWN(clump_facts_call, waiting),
    KNOWN(clump_facts_call, transferring),
};
static const clump_facts_field traffic_fields[] = {
    KNOWN(clump_facts_traffic, sender),   KNOWN(clump_facts_traffic, receiver),
    KNOWN(clump_facts_traffic, kind),     KNOWN(clump_facts_traffic, size_limit),
    KNOWN(clump_facts_traffic, messages), KNOWN(clump_facts_traffic, bytes),
};
static const clump_facts_field collective_fields[] = {
    KNOWN(clump_facts_collective, kind),       KNOWN(clump_facts_collective, communicator),
    KNOWN(clump_facts_collective, members),    LACKING(clump_facts_collective, root),
    KNOWN(clump_facts_collective, size_limit), KNOWN(clump_facts_collective, calls),
    KNOWN(clump_facts_collective, bytes),
};
static const clump_facts_field collision_fields[] = {
    KNOWN(clump_facts_collision, node),
    KNOWN(clump_facts_collision, q),
    KNOWN(clump_facts_collision, seconds),
};
static const clump_facts_field overlap_fields[] = {
    KNOWN(clump_facts_overlap, doing),   KNOWN(clump_facts_overlap, processors),
    KNOWN(clump_facts_overlap, start),   KNOWN(clump_facts_overlap, stop),
    KNOWN(clump_facts_overlap, seconds), KNOWN(clump_facts_overlap, active),
    KNOWN(clump_facts_overlap, squared),
};
static const clump_facts_field step_fields[] = {
    KNOWN(clump_facts_step, rank),  KNOWN(clump_facts_step, gap_limit),
    KNOWN(clump_facts_step, steps), KNOWN(clump_facts_step, before),
    KNOWN(clump_facts_step, after), KNOWN(clump_facts_step, messages),
    KNOWN(clump_facts_step, bytes),
};
static const clump_facts_field stretch_fields[] = {
    KNOWN(clump_facts_stretch, rank),
    KNOWN(clump_facts_stretch, seconds),
    KNOWN(clump_facts_stretch, run),
    KNOWN(clump_facts_stretch, calls),
};
static const clump_facts_field phase_fields[] = {
    LACKING(clump_facts_phase, mark), KNOWN(clump_facts_phase, start),
    KNOWN(clump_facts_phase, stop),   KNOWN(clump_facts_phase, computing),
    KNOWN(clump_facts_phase, in_mpi), KNOWN(clump_facts_phase, messages),
    KNOWN(clump_facts_phase, bytes),
};
static const clump_facts_field note_fields[] = {KNOWN(clump_facts_note, text)};

#define FORM(table, fields, row)                                                                   \
    {                                                                                              \
        table, fields, sizeof(fields) / sizeof *(fields), sizeof(row)                              \
    }

static const clump_facts_form forms[CLUMP_FACTS_PARTS] = {
    [CLUMP_FACTS_HEAD] = FORM("recording", head_fields, clump_facts),
    [CLUMP_FACTS_FILE] = FORM("recording_file", file_fields, clump_facts_file),
    [CLUMP_FACTS_NODE] = FORM("recording_node", node_fields, clump_facts_node),
    [CLUMP_FACTS_RANK] = FORM("recording_rank", rank_fields, clump_facts_rank),
    [CLUMP_FACTS_CALL] = FORM("recording_call", call_fields, clump_facts_call),
    [CLUMP_FACTS_TRAFFIC] = FORM("recording_traffic", traffic_fields, clump_facts_traffic),
    [CLUMP_FACTS_COLLECTIVE] =
        FORM("recording_collective", collective_fields, clump_facts_collective),
    [CLUMP_FACTS_COLLISION] = FORM("recording_collision", collision_fields, clump_facts_collision),
    [CLUMP_FACTS_OVERLAP] = FORM("recording_overlap", overlap_fields, clump_facts_overlap),
    [CLUMP_FACTS_STEP] = FORM("recording_step", step_fields, clump_facts_step),
    [CLUMP_FACTS_STRETCH] = FORM("recording_stretch", stretch_fields, clump_facts_stretch),
    [CLUMP_FACTS_PHASE] = FORM("recording_phase", phase_fields, clump_facts_phase),
    [CLUMP_FACTS_NOTE] = FORM("recording_note", note_fields, clump_facts_note),
};

const clump_facts_form *clump_facts_form_of(clump_facts_part part)
{
    return &forms[part];
}

/* ---- memory */

enum { KNOWN_TEXTS = 64 };

struct clump_facts_memory {
    clump_arena *texts;
    unsigned char *rows[CLUMP_FACTS_PARTS];
    size_t count[CLUMP_FACTS_PARTS], room[CLUMP_FACTS_PARTS];
    size_t total;
    const char *known[KNOWN_TEXTS]; /* that were kept last: kinds come again and again */
    size_t next;
};

clump_facts *clump_facts_new(void)
{
    clump_facts *facts = calloc(1, sizeof *facts);
    struct clump_facts_memory *memory = calloc(1, sizeof *memory);
    clump_arena *texts = clump_arena_new();
    if (facts == NULL || memory == NULL || texts == NULL) {
        free(facts);
        free(memory);
        clump_arena_free(texts);
        return NULL;
    }
    memory->texts = texts;
    facts->memory = memory;
    facts->origin = "recording";
    return facts;
}

void clump_facts_free(clump_facts *facts)
{
    if (facts == NULL)
        return;
    for (size_t i = 0; i < CLUMP_FACTS_PARTS; i++)
        free(facts->memory->rows[i]);
    clump_arena_free(facts->memory->texts);
    free(facts->memory);
    free(facts);
}

static const char *keep(struct clump_facts_memory *m, const char *text)
{
    for (size_t i = 0; i < KNOWN_TEXTS && m->known[i] != NULL; i++)
        if (m->known[i] == text || strcmp(m->known[i], text) == 0)
            return m->known[i];
    const size_t size = strlen(text) + 1;
    char *copy = clump_arena_take(m->texts, size);
    if (copy == NULL)
        return NULL;
    memcpy(copy, text, size);
    m->known[m->next] = copy;
    m->next = (m->next + 1) % KNOWN_TEXTS;
    return copy;
}

/* Texts of a row become our own. */
static bool keep_texts(struct clump_facts_memory *m, const clump_facts_form *form,
                       unsigned char *row)
{
    for (size_t i = 0; i < form->field_count; i++) {
        const char *text;
        if (form->fields[i].type != CLUMP_FACTS_TEXT)
            continue;
        memcpy(&text, row + form->fields[i].offset, sizeof text);
        if (text != NULL && (text = keep(m, text)) == NULL)
            return false;
        memcpy(row + form->fields[i].offset, &text, sizeof text);
    }
    return true;
}

/* The lists of the head follow their memory. */
static void show_rows(clump_facts *facts)
{
    const struct clump_facts_memory *m = facts->memory;
    const void *const *rows = (const void *const *)m->rows;
    facts->files = rows[CLUMP_FACTS_FILE];
    facts->nodes = rows[CLUMP_FACTS_NODE];
    facts->ranks = rows[CLUMP_FACTS_RANK];
    facts->calls = rows[CLUMP_FACTS_CALL];
    facts->traffic = rows[CLUMP_FACTS_TRAFFIC];
    facts->collectives = rows[CLUMP_FACTS_COLLECTIVE];
    facts->collisions = rows[CLUMP_FACTS_COLLISION];
    facts->overlaps = rows[CLUMP_FACTS_OVERLAP];
    facts->steps = rows[CLUMP_FACTS_STEP];
    facts->stretches = rows[CLUMP_FACTS_STRETCH];
    facts->phases = rows[CLUMP_FACTS_PHASE];
    facts->notes = rows[CLUMP_FACTS_NOTE];
    facts->file_count = m->count[CLUMP_FACTS_FILE];
    facts->node_count = m->count[CLUMP_FACTS_NODE];
    facts->rank_count = m->count[CLUMP_FACTS_RANK];
    facts->call_count = m->count[CLUMP_FACTS_CALL];
    facts->traffic_count = m->count[CLUMP_FACTS_TRAFFIC];
    facts->collective_count = m->count[CLUMP_FACTS_COLLECTIVE];
    facts->collision_count = m->count[CLUMP_FACTS_COLLISION];
    facts->overlap_count = m->count[CLUMP_FACTS_OVERLAP];
    facts->step_count = m->count[CLUMP_FACTS_STEP];
    facts->stretch_count = m->count[CLUMP_FACTS_STRETCH];
    facts->phase_count = m->count[CLUMP_FACTS_PHASE];
    facts->note_count = m->count[CLUMP_FACTS_NOTE];
}

static bool set_head(clump_facts *facts, const clump_facts *from)
{
    const clump_facts_form *form = &forms[CLUMP_FACTS_HEAD];
    clump_facts made = *from;
    if (!keep_texts(facts->memory, form, (unsigned char *)&made))
        return false;
    const char *application =
        from->application != NULL ? keep(facts->memory, from->application) : NULL;
    if (from->application != NULL && application == NULL)
        return false;
    made.memory = facts->memory;
    made.application = application;
    *facts = made;
    show_rows(facts);
    return true;
}

bool clump_facts_add(clump_facts *facts, clump_facts_part part, const void *row)
{
    struct clump_facts_memory *m = facts->memory;
    const size_t size = forms[part].row_size;
    if (part == CLUMP_FACTS_HEAD)
        return set_head(facts, row);
    if (m->total >= CLUMP_FACTS_MOST_ROWS)
        return false;
    if (m->count[part] == m->room[part]) {
        const size_t room = m->room[part] > 0 ? 2 * m->room[part] : 16;
        unsigned char *larger = realloc(m->rows[part], room * size);
        if (larger == NULL)
            return false;
        m->rows[part] = larger;
        m->room[part] = room;
    }
    unsigned char *to = m->rows[part] + m->count[part] * size;
    memcpy(to, row, size);
    if (!keep_texts(m, &forms[part], to)) {
        show_rows(facts);
        return false;
    }
    m->count[part]++;
    m->total++;
    show_rows(facts);
    return true;
}

size_t clump_facts_rows(const clump_facts *facts, clump_facts_part part)
{
    return part == CLUMP_FACTS_HEAD ? 1 : facts->memory->count[part];
}

void *clump_facts_row(clump_facts *facts, clump_facts_part part, size_t index)
{
    if (index >= clump_facts_rows(facts, part))
        return NULL;
    return part == CLUMP_FACTS_HEAD ? (void *)facts
                                    : facts->memory->rows[part] + index * forms[part].row_size;
}

/* ---- comparing */

static bool is_same_field(const clump_facts_field *field, const unsigned char *a,
                          const unsigned char *b)
{
    a += field->offset;
    b += field->offset;
    switch (field->type) {
    case CLUMP_FACTS_TEXT: {
        const char *x, *y;
        memcpy(&x, a, sizeof x);
        memcpy(&y, b, sizeof y);
        return x == NULL || y == NULL ? x == y : strcmp(x, y) == 0;
    }
    case CLUMP_FACTS_WHOLE:
        return memcmp(a, b, sizeof(int64_t)) == 0;
    case CLUMP_FACTS_REAL: {
        double x, y;
        memcpy(&x, a, sizeof x);
        memcpy(&y, b, sizeof y);
        return (isnan(x) && isnan(y)) || !(x < y || x > y || isnan(x) || isnan(y));
    }
    case CLUMP_FACTS_TRUTH:
        return memcmp(a, b, sizeof(bool)) == 0;
    }
    return false;
}

static const unsigned char *row_at(const clump_facts *facts, clump_facts_part part, size_t index)
{
    return part == CLUMP_FACTS_HEAD ? (const unsigned char *)facts
                                    : facts->memory->rows[part] + index * forms[part].row_size;
}

bool clump_facts_lack_messages(const clump_facts_note *note)
{
    return strstr(note->text, CLUMP_FACTS_NOT_TAKEN_APART) != NULL;
}

size_t clump_facts_missing_ranks(const clump_facts *facts)
{
    size_t missing = 0;
    for (size_t i = 0; i < facts->rank_count; i++) {
        const clump_facts_rank *r = &facts->ranks[i];
        missing += !r->ended && r->calls == 0 && !(r->wall > 0);
    }
    return missing;
}

bool clump_facts_are_same(const clump_facts *a, const clump_facts *b)
{
    for (size_t p = 0; p < CLUMP_FACTS_PARTS; p++) {
        const clump_facts_part part = (clump_facts_part)p;
        const size_t count = clump_facts_rows(a, part);
        if (count != clump_facts_rows(b, part))
            return false;
        for (size_t i = 0; i < count; i++)
            for (size_t f = 0; f < forms[p].field_count; f++)
                if (!is_same_field(&forms[p].fields[f], row_at(a, part, i), row_at(b, part, i)))
                    return false;
    }
    return true;
}
