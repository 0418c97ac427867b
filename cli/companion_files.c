/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "cli/companion_files.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#ifndef CLUMP_LIBRARY_DIR
#define CLUMP_LIBRARY_DIR "/usr/local/lib/clumpmodel"
#endif

bool companion_find(const char *name, char path[PATH_MAX])
{
    static const char *const below[] = {"", "/..", "/../lib/clumpmodel"};
    char self[PATH_MAX];
    const ssize_t length = readlink("/proc/self/exe", self, sizeof self - 1);
    self[length > 0 ? length : 0] = '\0';
    char *slash = strrchr(self, '/');
    for (size_t i = 0; slash != NULL && i < sizeof below / sizeof *below; i++) {
        *slash = '\0';
        if (snprintf(path, PATH_MAX, "%s%s/%s", self, below[i], name) < PATH_MAX &&
            access(path, R_OK) == 0)
            return true;
    }
    return snprintf(path, PATH_MAX, "%s/%s", CLUMP_LIBRARY_DIR, name) < PATH_MAX &&
           access(path, R_OK) == 0;
}

static bool can_be_run(const char *path)
{
    struct stat found;
    return stat(path, &found) == 0 && S_ISREG(found.st_mode) && access(path, X_OK) == 0;
}

bool program_find(const char *word, char path[PATH_MAX])
{
    if (strchr(word, '/') != NULL)
        return snprintf(path, PATH_MAX, "%s", word) < PATH_MAX && can_be_run(path);
    for (const char *at = getenv("PATH"); at != NULL && *at != '\0';) {
        const size_t length = strcspn(at, ":");
        const int used = snprintf(path, PATH_MAX, "%.*s/%s", (int)length, at, word);
        if (length > 0 && used > 0 && used < PATH_MAX && can_be_run(path))
            return true;
        at += length + (at[length] == ':');
    }
    return false;
}
