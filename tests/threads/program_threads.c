/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * The documents' programs, live, with threads in place of processes (process_threads.c): the code of
 * `clumpmodel run` with its endpoints, over shared memory and over UDP between nodes, for
 * ThreadSanitizer. Results are those of a sequential run.
 *
 * usage: program_threads [PROGRAM...]  (all)
 */
#include "reproductions/runs/application_run.h"
#include "tests/unit/small_input.h"

#include <stdio.h>

enum { WORKERS = 4 };

static bool check(const clump_application *a, uint32_t per_node)
{
    char message[CLUMP_CALIBRATION_MESSAGE_BYTES] = "another result than that of a sequential run";
    clump_application_worker workers[WORKERS];
    clump_application_result expected;
    const clump_application_input input = small_input(a, WORKERS, per_node);
    clump_application_run run = {.input = &input, .workers = workers};
    const bool good = clump_application_run_live(&run, message) == CLUMP_PROTOCOL_OK &&
                      a->expect(&input, &expected) && expected.items > 0 &&
                      run.result.items == expected.items && run.result.digest == expected.digest;
    printf("%s - %s, %u nodes%s%s\n", good ? "ok" : "not ok", a->name, WORKERS / per_node,
           good ? "" : ": ", good ? "" : message);
    fflush(stdout);
    return good;
}

int main(int argc, char **argv)
{
    bool good = true;
    for (size_t i = 0; argc < 2 && clump_application_at(i) != NULL; i++)
        for (uint32_t per_node = WORKERS; per_node >= 2; per_node /= 2)
            good = check(clump_application_at(i), per_node) && good;
    for (int i = 1; i < argc; i++) {
        const clump_application *a = clump_application_find(argv[i]);
        if (a == NULL) {
            fprintf(stderr, "program_threads: found '%s', expected a program\n", argv[i]);
            return 2;
        }
        for (uint32_t per_node = WORKERS; per_node >= 2; per_node /= 2)
            good = check(a, per_node) && good;
    }
    return good ? 0 : 1;
}
