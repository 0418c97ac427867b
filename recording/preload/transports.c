/* SPDX-License-Identifier: GPL-3.0-or-later */
#define _GNU_SOURCE /* RTLD_DEFAULT */
#include "recording/preload/transports.h"
#include "recording/preload/library.h"

#include <dirent.h>
#include <dlfcn.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Which of the words is a string in the memory; NULL: none. */
static const char *find_word(const char *memory, size_t size, const char *const *words)
{
    for (; *words != NULL; words++)
        for (size_t i = 1; i + strlen(*words) < size; i++)
            if (memory[i - 1] == '\0' && strcmp(memory + i, *words) == 0)
                return *words;
    return NULL;
}

/* The component that Open MPI has chosen says its name in its head (mca_base_component_t, whose size differs from version to version). */
static const char *chosen_pml(void)
{
    enum { HEAD = 256 };
    static const char *const names[] = {"ob1", "ucx", "cm", NULL};
    char head[HEAD + 1] = "";
    const void *component = dlsym(RTLD_DEFAULT, "mca_pml_base_selected_component");
    if (component == NULL)
        return NULL;
    memcpy(head, component, HEAD);
    return find_word(head, HEAD, names);
}

/* Whether a library with that in its name is loaded. */
static bool is_loaded(const char *name)
{
    char line[600];
    bool found = false;
    FILE *maps = fopen("/proc/self/maps", "re");
    while (maps != NULL && !found && fgets(line, sizeof line, maps) != NULL)
        found = strstr(line, name) != NULL;
    if (maps != NULL)
        fclose(maps);
    return found;
}

static bool has_entries(const char *folder)
{
    DIR *all = opendir(folder);
    bool found = false;
    if (all == NULL)
        return false;
    for (const struct dirent *entry; !found && (entry = readdir(all)) != NULL;)
        found = entry->d_name[0] != '.';
    closedir(all);
    return found;
}

/* An eager limit; 0: not known. */
static unsigned long long limit_of(const char *name)
{
    int index, count;
    MPI_T_cvar_handle handle;
    union {
        unsigned int narrow;
        unsigned long long wide;
    } value = {.wide = 0};
    if (PMPI_T_cvar_get_index(name, &index) != MPI_SUCCESS ||
        PMPI_T_cvar_handle_alloc(index, NULL, &handle, &count) != MPI_SUCCESS)
        return 0;
    if (count == 1)
        PMPI_T_cvar_read(handle, &value);
    PMPI_T_cvar_handle_free(&handle);
    return value.wide;
}

static void append(char *text, size_t room, const char *before, const char *name, const char *limit)
{
    const unsigned long long bytes = limit != NULL ? limit_of(limit) : 0;
    const size_t used = strlen(text);
    if (bytes > 0)
        snprintf(text + used, room - used, "%s%s %llu", before, name, bytes);
    else
        snprintf(text + used, room - used, "%s%s", before, name);
}

/* UCX takes InfiniBand where it is, unless it is told something else. */
static void append_ucx(char *text, size_t room, const char *told)
{
    const bool free = told == NULL || strstr(told, "all") != NULL;
    const bool ib = has_entries("/sys/class/infiniband") &&
                    (free || strstr(told, "rc") != NULL || strstr(told, "dc") != NULL ||
                     strstr(told, "ib") != NULL || strstr(told, "ud") != NULL);
    append(text, room, " (ucx: ", ib ? "ib" : "tcp", NULL);
    if (free || strstr(told, "sysv") != NULL || strstr(told, "posix") != NULL ||
        strstr(told, "shm") != NULL || strstr(told, "sm") != NULL)
        append(text, room, ", ", "shm", NULL);
    append(text, room, ")", "", NULL);
}

static void append_ofi(char *text, size_t room, const char *told)
{
    const bool cxi = told != NULL ? strstr(told, "cxi") != NULL : has_entries("/sys/class/cxi");
    append(text, room, " (ofi: ", cxi ? "cxi" : "tcp", NULL);
    append(text, room, ", ", "posix)", NULL);
}

static void append_ob1(char *text, size_t room)
{
    static const struct {
        const char *library, *name, *limit;
    } all[] = {{"mca_btl_tcp", "tcp", "btl_tcp_eager_limit"},
               {"mca_btl_vader", "vader", "btl_vader_eager_limit"},
               {"mca_btl_sm.so", "sm", "btl_sm_eager_limit"}};
    const char *before = " (ob1: ";
    for (size_t i = 0; i < sizeof all / sizeof *all; i++)
        if (is_loaded(all[i].library) && (i < 2 || !is_loaded(all[1].library))) {
            append(text, room, before, all[i].name, all[i].limit);
            before = ", ";
        }
    if (strcmp(before, ", ") == 0)
        append(text, room, ")", "", NULL);
}

void clump_transports_append(char *text, size_t room, const char *told, const char *ucx,
                             const char *ofi)
{
    int level;
    const char *pml = chosen_pml();
    if (PMPI_T_init_thread(MPI_THREAD_SINGLE, &level) != MPI_SUCCESS)
        return;
    if (pml != NULL && strcmp(pml, "ob1") == 0)
        append_ob1(text, room);
    else if ((pml != NULL && strcmp(pml, "ucx") == 0) || strstr(told, "ch4:ucx") != NULL)
        append_ucx(text, room, ucx);
    else if (pml != NULL || strstr(told, "ch4:ofi") != NULL)
        append_ofi(text, room, ofi);
    PMPI_T_finalize();
}
