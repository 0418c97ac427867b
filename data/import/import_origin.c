/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What a log says about itself: short texts, and where exported samples come from. */
#include "data/import/import_log.h"

#include "data/text.h"

#include <stdlib.h>
#include <string.h>

void clump_import_copy(char *to, size_t room, const char *from)
{
    while (*from == ' ' || *from == '\t')
        from++;
    size_t size = strlen(from);
    size = size < room ? size : room - 1;
    while (size > 0 && (from[size - 1] == ' ' || from[size - 1] == '\t'))
        size--;
    memcpy(to, from, size);
    to[size] = '\0';
    const bool printable = clump_text_is_printable(to, size);
    for (size_t i = 0; i < size && !printable; i++)
        to[i] = (unsigned char)to[i] < 0x20 || (unsigned char)to[i] >= 0x7F ? '?' : to[i];
}

static bool fail_memory(clump_import_log *log)
{
    log->no_memory = true;
    return clump_import_fail(log, 0, "out of memory");
}

static bool is_same(const clump_import_origin *origin, const char *const *fields)
{
    for (size_t i = 0; i < CLUMP_IMPORT_ORIGIN; i++)
        if (strcmp(origin->fields[i], fields[i]) != 0)
            return false;
    return true;
}

static bool add_origin(clump_import_log *log, const char *const *fields)
{
    size_t size = 0;
    for (size_t i = 0; i < CLUMP_IMPORT_ORIGIN; i++)
        size += strlen(fields[i]) + 1;
    clump_import_origin *larger =
        realloc(log->origins, (log->origin_count + 1) * sizeof *log->origins);
    if (larger == NULL)
        return fail_memory(log);
    log->origins = larger;
    char *texts = malloc(size);
    if (texts == NULL)
        return fail_memory(log);
    clump_import_origin *made = &log->origins[log->origin_count++];
    made->texts = texts;
    for (size_t i = 0; i < CLUMP_IMPORT_ORIGIN; i++) {
        made->fields[i] = strcpy(texts, fields[i]);
        texts += strlen(fields[i]) + 1;
    }
    return true;
}

bool clump_import_log_origin(clump_import_log *log, const char *const fields[CLUMP_IMPORT_ORIGIN],
                             size_t *index)
{
    /* Rows of one source stand together: the last one is looked at first. */
    for (size_t i = log->origin_count; i-- > 0;) {
        if (is_same(&log->origins[i], fields)) {
            *index = i;
            return true;
        }
    }
    if (!add_origin(log, fields))
        return false;
    *index = log->origin_count - 1;
    return true;
}

bool clump_import_log_place(clump_import_log *log, size_t line, const clump_import_place *place)
{
    for (size_t i = log->place_count; i-- > 0;) {
        const clump_import_place *there = &log->places[i];
        if (strcmp(there->name, place->name) != 0)
            continue;
        return (there->nodes == place->nodes && there->processors == place->processors &&
                there->nics == place->nics && strcmp(there->mapping, place->mapping) == 0 &&
                strcmp(there->counterpart, place->counterpart) == 0) ||
               clump_import_fail(log, line,
                                 "found other numbers of nodes, processors and NICs for platform "
                                 "'%.60s' than before, expected the same",
                                 place->name);
    }
    clump_import_place *larger = realloc(log->places, (log->place_count + 1) * sizeof *log->places);
    if (larger == NULL)
        return fail_memory(log);
    log->places = larger;
    log->places[log->place_count++] = *place;
    return true;
}
