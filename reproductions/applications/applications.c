/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "reproductions/applications/application.h"

#include <string.h>

static const clump_application *const applications[] = {
#define ADDRESS(name) &clump_application_##name,
    CLUMP_APPLICATIONS(ADDRESS)
#undef ADDRESS
        NULL};

const clump_application *clump_application_at(size_t index)
{
    return index < sizeof applications / sizeof *applications ? applications[index] : NULL;
}

const clump_application *clump_application_find(const char *name)
{
    for (const clump_application *const *a = applications; *a != NULL; a++)
        if (strcmp((*a)->name, name) == 0)
            return *a;
    return NULL;
}
