/* SPDX-License-Identifier: GPL-3.0-or-later */
#define _XOPEN_SOURCE 700 /* scandir */
#include "recording/run_files.h"

#include "data/text.h"

#include <dirent.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

enum { PIECE = 1 << 16, PATH = 4200, NAME = 300 };

static clump_recording_status complain(char message[CLUMP_RECORDING_TEXT], const char *path,
                                       const char *what)
{
    snprintf(message, CLUMP_RECORDING_TEXT, "%.300s: %.100s", path, what);
    return CLUMP_RECORDING_FAILED;
}

static clump_recording_status digest(const char *path, char sha256[CLUMP_SHA256_TEXT],
                                     char message[CLUMP_RECORDING_TEXT])
{
    struct sha256_ctx state;
    char piece[PIECE];
    size_t got;
    FILE *file = fopen(path, "rb");
    if (file == NULL)
        return complain(message, path, strerror(errno));
    sha256_init(&state);
    while ((got = fread(piece, 1, sizeof piece, file)) > 0)
        sha256_update(&state, got, (const uint8_t *)piece);
    const bool failed = ferror(file) != 0;
    fclose(file);
    if (failed)
        return complain(message, path, "cannot be read");
    clump_sha256_end(&state, sha256);
    return CLUMP_RECORDING_OK;
}

static clump_recording_status add_file(struct sha256_ctx *all, const char *path,
                                       char message[CLUMP_RECORDING_TEXT])
{
    char sha256[CLUMP_SHA256_TEXT], name[NAME];
    const char *last = strrchr(path, '/');
    const clump_recording_status status = digest(path, sha256, message);
    if (status != CLUMP_RECORDING_OK)
        return status;
    snprintf(name, sizeof name, "%s", last != NULL ? last + 1 : path);
    clump_text_clean(name, strlen(name));
    const char *const parts[] = {
        sha256, "  ", name[0] != '\0' && clump_text_is_printable(name, strlen(name)) ? name : "?",
        "\n"};
    for (size_t i = 0; i < 4; i++)
        sha256_update(all, strlen(parts[i]), (const uint8_t *)parts[i]);
    return CLUMP_RECORDING_OK;
}

clump_recording_status run_files_of_folder(const clump_recording *recording,
                                           char sha256[CLUMP_SHA256_TEXT],
                                           char message[CLUMP_RECORDING_TEXT])
{
    const size_t ranks = clump_recording_describe(recording).ranks;
    struct sha256_ctx all;
    clump_recording_status status = CLUMP_RECORDING_OK;
    sha256_init(&all);
    for (size_t i = 0; i < ranks && status == CLUMP_RECORDING_OK; i++) {
        const clump_recording_rank rank = clump_recording_rank_of(recording, i);
        if (!rank.missing)
            status = add_file(&all, rank.file, message);
    }
    clump_sha256_end(&all, sha256);
    return status;
}

static bool is_file(const char *path)
{
    struct stat found;
    return stat(path, &found) == 0 && S_ISREG(found.st_mode);
}

clump_recording_status run_files_of_archive(const char *archive, char sha256[CLUMP_SHA256_TEXT],
                                            char message[CLUMP_RECORDING_TEXT])
{
    char path[PATH], stem[PATH];
    struct dirent **entries = NULL;
    struct sha256_ctx all;
    snprintf(stem, sizeof stem, "%.3900s", archive);
    const size_t length = strlen(stem);
    if (length > 5 && strcmp(stem + length - 5, ".otf2") == 0)
        stem[length - 5] = '\0';
    sha256_init(&all);
    clump_recording_status status = add_file(&all, archive, message);
    snprintf(path, sizeof path, "%.3900s.def", stem);
    if (status == CLUMP_RECORDING_OK && is_file(path))
        status = add_file(&all, path, message);
    const int count = scandir(stem, &entries, NULL, alphasort);
    for (int i = 0; i < count; i++) {
        snprintf(path, sizeof path, "%.3900s/%.255s", stem, entries[i]->d_name);
        if (status == CLUMP_RECORDING_OK && is_file(path))
            status = add_file(&all, path, message);
        free(entries[i]);
    }
    free(entries);
    clump_sha256_end(&all, sha256);
    return status;
}
