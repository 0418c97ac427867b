/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "cli/topology/topology_file.h"

#include "cli/output/errors.h"
#include "data/file.h"

#include <stdlib.h>
#include <string.h>

enum { MOST_BYTES = 16 << 20 };

static int read_bytes(const char *command, const char *path, char **bytes, size_t *size)
{
    const clump_file_status status = clump_file_read(path, MOST_BYTES, bytes, size);
    if (status == CLUMP_FILE_OK)
        return EXIT_DONE;
    if (status == CLUMP_FILE_NO_MEMORY)
        return error_memory(command);
    char words[CLUMP_FILE_WORDS];
    return error_input(command, "%.200s: %s", path,
                       clump_file_words(status, MOST_BYTES, "what a node has", words));
}

int topology_file_read(const char *command, const char *path, const clump_topology_rules *rules,
                       const clump_topology_choice *choice, clump_topology *topology)
{
    clump_error error;
    clump_status status;
    if (path == NULL)
        status = clump_topology_read_machine(rules, choice, topology, &error);
    else {
        char *bytes;
        size_t size;
        const int code = read_bytes(command, path, &bytes, &size);
        if (code != EXIT_DONE)
            return code;
        status = clump_topology_read(bytes, size, rules, choice, topology, &error);
        free(bytes);
    }
    if (status == CLUMP_OK)
        return EXIT_DONE;
    if (status == CLUMP_NO_MEMORY)
        return error_memory(command);
    if (path == NULL)
        return error_failed(command, "this machine: %s", error.message);
    return error_input(command, "'%.200s': %s", path, error.message);
}
