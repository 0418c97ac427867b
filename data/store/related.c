/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "data/store/related.h"

#include <stdio.h>
#include <string.h>

typedef struct list {
    clump_store_related *runs;
    size_t count;
    const char *self; /* the application itself, where none is named */
} list;

static int take_run(const clump_store_sample *sample, void *context)
{
    list *l = context;
    const char *application = sample->variant[0] != '\0' ? sample->variant : l->self;
    if (!(sample->measured.value > 0) || sample->platform[0] == '\0' ||
        strlen(sample->platform) >= CLUMP_STORE_RELATED_NAME ||
        strlen(application) >= CLUMP_STORE_RELATED_NAME)
        return 0;
    clump_store_related *r = &l->runs[l->count++];
    strcpy(r->platform, sample->platform);
    strcpy(r->application, application);
    return l->count == CLUMP_STORE_RELATED_MOST;
}

clump_store_status clump_store_find_related(clump_store *store, const char *application,
                                            const char *quantity,
                                            clump_store_related runs[CLUMP_STORE_RELATED_MOST],
                                            size_t *count)
{
    const clump_store_filter filter = {
        .application = application, .quantity = quantity, .sure = true};
    list l = {runs, 0, application};
    const clump_store_status status = clump_store_each_sample(store, &filter, take_run, &l);
    *count = l.count;
    return status == CLUMP_STORE_STOPPED ? CLUMP_STORE_OK : status;
}

/* The platform that one is part of, and so on upwards. */
static clump_store_status find_root(clump_store *store, const clump_store_platform *platform,
                                    char root[CLUMP_STORE_RELATED_NAME])
{
    const char *above = platform->part_of;
    clump_store_platform *next = NULL;
    clump_store_status status = CLUMP_STORE_OK;
    snprintf(root, CLUMP_STORE_RELATED_NAME, "%s", platform->name);
    for (int depth = 0; above != NULL && depth < 64; depth++) { /* `data check` finds circles */
        snprintf(root, CLUMP_STORE_RELATED_NAME, "%s", above);
        clump_store_free(next);
        next = NULL;
        status = clump_store_find_platform(store, root, &next);
        if (status != CLUMP_STORE_OK)
            break;
        above = next->part_of;
    }
    clump_store_free(next);
    return status;
}

clump_store_status clump_store_same_machine(clump_store *store, const clump_store_platform *one,
                                            const clump_store_platform *other, bool *same)
{
    char roots[2][CLUMP_STORE_RELATED_NAME];
    clump_store_status status = find_root(store, one, roots[0]);
    if (status == CLUMP_STORE_OK)
        status = find_root(store, other, roots[1]);
    *same = status == CLUMP_STORE_OK && strcmp(roots[0], roots[1]) == 0;
    return status;
}
