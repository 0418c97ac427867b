/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Inputs of the documents' programs (reproductions/applications/) that tests can afford. */
#ifndef CLUMP_TESTS_UNIT_SMALL_INPUT_H
#define CLUMP_TESTS_UNIT_SMALL_INPUT_H

#include "reproductions/applications/application.h"

#include <string.h>

/* Small enough for a moment: the first size of each is what grows with the work. */
static inline clump_application_input small_input(const clump_application *a, uint32_t count,
                                                  uint32_t per_node)
{
    clump_application_input input = clump_application_input_of(a, count, per_node);
    input.seed = 7;
    if (strcmp(a->name, "sample") == 0)
        input.sizes[0] = 3001;
    else if (strcmp(a->name, "con-comp") == 0)
        input.sizes[0] = 400;
    else if (strcmp(a->name, "con-comm") == 0)
        input.sizes[0] = 343;
    else if (strcmp(a->name, "fft") == 0)
        input.sizes[0] = 32;
    else if (a->system != NULL && strcmp(a->name, "levels") != 0)
        input.sizes[0] = strcmp(a->name, "retro") == 0 ? 700 : 40;
    if (strcmp(a->name, "sor") == 0 || strcmp(a->name, "leq") == 0)
        input.sizes[1] = 4;
    if (strcmp(a->name, "barnes") == 0) {
        input.sizes[0] = 20;
        input.sizes[1] = 1;
    }
    if (strncmp(a->name, "puzzle", 6) == 0)
        input.sizes[0] = 20;
    if (strcmp(a->name, "radix") == 0)
        input.sizes[2] = 14;
    if (strncmp(a->name, "em3d", 4) == 0) {
        input.sizes[0] = 100;
        input.sizes[3] = 3;
    }
    return input;
}

#endif
