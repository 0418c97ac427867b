/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "scenarios/source.h"

#include "data/file.h"
#include "data/text.h"

#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

const char *scenario_source_name(const char *path)
{
    return strcmp(path, "-") == 0 ? "stdin" : path;
}

/* What begins as no Lua does: a file for another command. */
static bool is_of_another_kind(const scenario_source *source, const char *name, char *message,
                               size_t message_size)
{
    static const struct {
        const char *start, *what, *where;
    } kinds[] = {
        {"<", "XML", "'clumpmodel topology' reads descriptions of nodes"},
        {"@", "a report", "'clumpmodel import' reads what tools have written"},
        {"num_ranks", "a schedule", "'clumpmodel simulate SCENARIO --schedule' takes it"},
        {"SQLite format 3", "a database", "it belongs behind --db"},
        {"clumprec", "a recording",
         "'clumpmodel record --report' and 'import recording' take its folder"},
    };
    const char *bytes = source->bytes, *second = memchr(bytes, '\n', source->size);
    const size_t left = second != NULL ? source->size - (size_t)(second + 1 - bytes) : 0;
    for (size_t i = 0; i < sizeof kinds / sizeof *kinds; i++) {
        const size_t length = strlen(kinds[i].start);
        if (source->size < length || memcmp(bytes, kinds[i].start, length) != 0)
            continue;
        snprintf(message, message_size, "%s:1: found %s, expected the text of a scenario; %s", name,
                 kinds[i].what, kinds[i].where);
        return true;
    }
    /* One line with a hash may name an interpreter; tools write several, and then numbers. */
    if (source->size > 0 && bytes[0] == '#' && left > 0 &&
        (second[1] == '#' || (second[1] >= '0' && second[1] <= '9'))) {
        snprintf(
            message, message_size,
            "%s:1: found what tools write, expected the text of a scenario; 'clumpmodel import' "
            "reads logs, and 'clumpmodel fit' takes numbers from them",
            name);
        return true;
    }
    return false;
}

/* Text, nothing else: says where it is not. */
static bool check_text(const scenario_source *source, const char *name, char *message,
                       size_t message_size)
{
    size_t line = 1;
    if (source->size > 0 && source->bytes[0] == '\x1b') {
        snprintf(message, message_size, "%s:1: found compiled Lua, expected the text of a scenario",
                 name);
        return false;
    }
    for (size_t i = 0, length; i < source->size; i += length) {
        const unsigned char byte = (unsigned char)source->bytes[i];
        length = clump_text_character(source->bytes + i, source->size - i);
        if (length == 0 || byte == 0) {
            snprintf(message, message_size, "%s:%zu: found a byte 0x%02X, expected UTF-8 text",
                     name, line, byte);
            return false;
        }
        line += byte == '\n';
    }
    return true;
}

static void skip_start(scenario_source *source)
{
    const char *bytes = source->bytes;
    if (source->size >= 3 && memcmp(bytes, "\xEF\xBB\xBF", 3) == 0)
        source->start = 3;
    if (source->start < source->size && bytes[source->start] == '#')
        while (source->start < source->size && bytes[source->start] != '\n')
            source->start++;
}

clump_scenario_status scenario_source_read(const char *path, scenario_source *source, char *message,
                                           size_t message_size)
{
    const char *name = scenario_source_name(path);
    *source = (scenario_source){0};
    const clump_file_status status =
        clump_file_read(path, SCENARIO_SOURCE_LIMIT, &source->bytes, &source->size);
    if (status != CLUMP_FILE_OK) {
        char words[CLUMP_FILE_WORDS];
        snprintf(message, message_size, "%s: %s", name,
                 clump_file_words(status, SCENARIO_SOURCE_LIMIT, "the text of a scenario", words));
        return status == CLUMP_FILE_NO_MEMORY ? CLUMP_SCENARIO_NO_MEMORY : CLUMP_SCENARIO_BAD_INPUT;
    }
    if (is_of_another_kind(source, name, message, message_size) ||
        !check_text(source, name, message, message_size)) {
        free(source->bytes);
        source->bytes = NULL;
        return CLUMP_SCENARIO_BAD_INPUT;
    }
    skip_start(source);
    return CLUMP_SCENARIO_OK;
}
