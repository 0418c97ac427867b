/* SPDX-License-Identifier: GPL-3.0-or-later */
/** What is inside a clump_import. Internal to data/. */
#ifndef CLUMP_DATA_IMPORT_IMPORT_PRIVATE_H
#define CLUMP_DATA_IMPORT_IMPORT_PRIVATE_H

#include "data/import/import.h"
#include "data/import/import_format.h"
#include "data/sha256.h"

typedef struct clump_import_file {
    const char *path;
    char name[201]; /* without directories, printable */
    char sha256[CLUMP_SHA256_TEXT];
    char source[256]; /* name in the store; "": not stored */
    bool repeated, understood;
    char *refused; /* the message; NULL: it was not */
    clump_import_log log;
} clump_import_file;

struct clump_import {
    clump_import_options options;
    clump_import_file **files;
    size_t count;
    size_t total, done; /* samples */
    bool of_all;        /* the message is about the options, not about a file */
    char message[1200];
};

/* Leaves a message (control characters replaced) and returns `status`. */
__attribute__((format(printf, 3, 4))) clump_store_status
clump_import_fail_with(clump_import *import, clump_store_status status, const char *format, ...);

/* The message is why this file is refused. Returns `status`, or FAILED without memory. */
clump_store_status clump_import_refuse(clump_import *import, clump_import_file *file,
                                       clump_store_status status);

#endif
