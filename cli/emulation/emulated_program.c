/* SPDX-License-Identifier: GPL-3.0-or-later */
#define _GNU_SOURCE /* memmem */
#include "cli/emulation/emulated_program.h"

#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#ifndef CLUMP_LIBRARY_DIR
#define CLUMP_LIBRARY_DIR "/usr/local/lib/clumpmodel"
#endif

static bool is_program(const char *path)
{
    struct stat status;
    return stat(path, &status) == 0 && S_ISREG(status.st_mode) && access(path, X_OK) == 0;
}

bool emulated_program_find(const char *name, char path[EMULATED_PATH_SIZE])
{
    const char *at = getenv("PATH");
    if (strchr(name, '/') != NULL)
        return snprintf(path, EMULATED_PATH_SIZE, "%s", name) < EMULATED_PATH_SIZE &&
               is_program(path);
    while (at != NULL && *at != '\0') {
        const size_t length = strcspn(at, ":");
        const int used = snprintf(path, EMULATED_PATH_SIZE, "%.*s/%s", (int)length, at, name);
        if (length > 0 && used > 0 && used < EMULATED_PATH_SIZE && is_program(path))
            return true;
        at += length + (at[length] == ':');
    }
    return false;
}

/* Names of libraries stand in the file as texts. */
emulated_mpi emulated_program_library(const char *path)
{
    struct stat status;
    emulated_mpi library = EMULATED_UNKNOWN;
    const int file = open(path, O_RDONLY | O_CLOEXEC);
    if (file < 0)
        return library;
    if (fstat(file, &status) == 0 && status.st_size > 4) {
        const size_t size = (size_t)status.st_size;
        void *text = mmap(NULL, size, PROT_READ, MAP_PRIVATE, file, 0);
        if (text != MAP_FAILED) {
            if (memcmp(text, "\177ELF", 4) != 0)
                library = EMULATED_UNKNOWN;
            else if (memmem(text, size, "libmpich", 8) != NULL)
                library = EMULATED_MPICH;
            else if (memmem(text, size, "libmpi.so", 9) != NULL ||
                     memmem(text, size, "libmpi_", 7) != NULL)
                library = EMULATED_OPENMPI;
            munmap(text, size);
        }
    }
    close(file);
    return library;
}

bool emulated_launcher_find(emulated_mpi library, char path[EMULATED_PATH_SIZE])
{
    return emulated_program_find(library == EMULATED_MPICH ? "mpirun.mpich" : "mpirun.openmpi",
                                 path) ||
           emulated_program_find(library == EMULATED_MPICH ? "mpiexec.hydra" : "orterun", path);
}

bool emulated_is_launcher(const char *name)
{
    const char *base = strrchr(name, '/');
    base = base != NULL ? base + 1 : name;
    return strncmp(base, "mpirun", 6) == 0 || strncmp(base, "mpiexec", 7) == 0 ||
           strcmp(base, "srun") == 0 || strcmp(base, "orterun") == 0;
}

bool emulated_preload_find(const char *name, char path[EMULATED_PATH_SIZE])
{
    char self[EMULATED_PATH_SIZE / 2];
    const ssize_t length = readlink("/proc/self/exe", self, sizeof self - 1);
    if (length > 0) {
        self[length] = '\0';
        char *slash = strrchr(self, '/');
        if (slash != NULL)
            *slash = '\0';
        snprintf(path, EMULATED_PATH_SIZE, "%s/%s", self, name);
        if (access(path, R_OK) == 0)
            return true;
        snprintf(path, EMULATED_PATH_SIZE, "%s/../lib/clumpmodel/%s", self, name);
        if (access(path, R_OK) == 0)
            return true;
    }
    snprintf(path, EMULATED_PATH_SIZE, "%s/%s", CLUMP_LIBRARY_DIR, name);
    return access(path, R_OK) == 0;
}
