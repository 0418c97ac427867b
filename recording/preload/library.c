/* SPDX-License-Identifier: GPL-3.0-or-later */
#define _GNU_SOURCE /* RTLD_DEFAULT, dl_iterate_phdr */
#include "recording/preload/library.h"

#include <dlfcn.h>
#include <link.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

enum { FILES_MOST = 16 };

struct clump_library clump_library;
static _Atomic bool found;

/* Everybody sees the library: where everything of it is. */
static bool look(void)
{
    if (dlsym(RTLD_DEFAULT, "PMPI_Init") == NULL)
        return false;
#define LOOK_UP(name) clump_library.name = dlsym(RTLD_DEFAULT, #name);
    CLUMP_LIBRARY_HANDLES(LOOK_UP)
#undef LOOK_UP
    clump_library.status_ignore = dlsym(RTLD_DEFAULT, "MPI_F_STATUS_IGNORE");
    clump_library.statuses_ignore = dlsym(RTLD_DEFAULT, "MPI_F_STATUSES_IGNORE");
    clump_library.f08_status_ignore = dlsym(RTLD_DEFAULT, "MPI_F08_STATUS_IGNORE");
    clump_library.f08_statuses_ignore = dlsym(RTLD_DEFAULT, "MPI_F08_STATUSES_IGNORE");
    return true;
}

typedef struct files {
    char *path[FILES_MOST];
    size_t count;
} files;

/* libmpi.so, libmpich.so, and those of Fortran. */
static int note_file(struct dl_phdr_info *info, size_t size, void *context)
{
    files *all = context;
    const char *slash = strrchr(info->dlpi_name, '/');
    (void)size;
    if (strncmp(slash != NULL ? slash + 1 : info->dlpi_name, "libmpi", 6) == 0 &&
        all->count < FILES_MOST) {
        all->path[all->count] = strdup(info->dlpi_name);
        all->count += all->path[all->count] != NULL;
    }
    return 0;
}

/* Show what somebody has loaded for himself to everybody. It stays loaded. */
static void show_to_all(void)
{
    files all = {.count = 0};
    dl_iterate_phdr(note_file, &all);
    for (size_t i = 0; i < all.count; i++) {
        dlopen(all.path[i], RTLD_LAZY | RTLD_NOLOAD | RTLD_GLOBAL);
        free(all.path[i]);
    }
}

void clump_library_find(void)
{
    static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
    if (atomic_load(&found))
        return;
    pthread_mutex_lock(&lock);
    if (!atomic_load(&found)) {
        bool there = look();
        if (!there) {
            show_to_all();
            there = look();
        }
        atomic_store(&found, there);
    }
    pthread_mutex_unlock(&lock);
}
