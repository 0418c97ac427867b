/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "scenarios/source.h"

#include "scenarios/utf8.h"

#include <errno.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

const char *scenario_source_name(const char *path)
{
    return strcmp(path, "-") == 0 ? "stdin" : path;
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
        length = scenario_utf8_length(source->bytes + i, source->size - i);
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

static clump_scenario_status read_all(FILE *file, const char *name, scenario_source *source,
                                      char *message, size_t message_size)
{
    size_t room = 0;
    while (!feof(file)) {
        if (source->size == room) {
            if (room > SCENARIO_SOURCE_LIMIT) {
                snprintf(message, message_size,
                         "%s: larger than %zu KiB, expected the text of a scenario", name,
                         SCENARIO_SOURCE_LIMIT >> 10);
                return CLUMP_SCENARIO_BAD_INPUT;
            }
            room = room == 0 ? 16384 : 2 * room;
            char *larger = realloc(source->bytes, room);
            if (larger == NULL) {
                snprintf(message, message_size, "%s: out of memory while reading it", name);
                return CLUMP_SCENARIO_FAILED;
            }
            source->bytes = larger;
        }
        source->size += fread(source->bytes + source->size, 1, room - source->size, file);
        if (ferror(file)) {
            snprintf(message, message_size, "%s: cannot read it: %s", name, strerror(errno));
            return CLUMP_SCENARIO_BAD_INPUT;
        }
    }
    if (source->size > SCENARIO_SOURCE_LIMIT) {
        snprintf(message, message_size, "%s: larger than %zu KiB, expected the text of a scenario",
                 name, SCENARIO_SOURCE_LIMIT >> 10);
        return CLUMP_SCENARIO_BAD_INPUT;
    }
    return CLUMP_SCENARIO_OK;
}

clump_scenario_status scenario_source_read(const char *path, scenario_source *source, char *message,
                                           size_t message_size)
{
    const char *name = scenario_source_name(path);
    const bool standard = strcmp(path, "-") == 0;
    struct stat info;
    FILE *file = standard ? stdin : fopen(path, "rb");
    if (file == NULL) {
        snprintf(message, message_size, "%s: cannot open it: %s", name, strerror(errno));
        return CLUMP_SCENARIO_BAD_INPUT;
    }
    *source = (scenario_source){0};
    clump_scenario_status status = CLUMP_SCENARIO_BAD_INPUT;
    if (fstat(fileno(file), &info) == 0 && S_ISDIR(info.st_mode))
        snprintf(message, message_size, "%s: is a directory, expected a scenario file", name);
    else
        status = read_all(file, name, source, message, message_size);
    if (!standard)
        fclose(file);
    if (status == CLUMP_SCENARIO_OK && !check_text(source, name, message, message_size))
        status = CLUMP_SCENARIO_BAD_INPUT;
    if (status == CLUMP_SCENARIO_OK)
        skip_start(source);
    else
        free(source->bytes);
    return status;
}
