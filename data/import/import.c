/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "data/import/import_handle.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

const char *clump_import_format_name(size_t index)
{
    static const char *const names[] = {"auto",     "osu",        "imb",          "netpipe",
                                        "netgauge", "logp-mpi",   "ucx-perftest", "fi-pingpong",
                                        "mpip",     "clumpmodel", "csv"};
    return index < sizeof names / sizeof *names ? names[index] : NULL;
}

clump_import *clump_import_start(const clump_import_options *options)
{
    clump_import *import = calloc(1, sizeof *import);
    if (import != NULL)
        import->options = *options;
    return import;
}

void clump_import_free(clump_import *import)
{
    if (import == NULL)
        return;
    for (size_t i = 0; i < import->count; i++) {
        clump_import_log_free(&import->files[i]->log);
        free(import->files[i]);
    }
    free(import->files);
    free(import);
}

const char *clump_import_message(const clump_import *import)
{
    return import == NULL ? "out of memory" : import->message;
}

clump_store_status clump_import_fail_with(clump_import *import, clump_store_status status,
                                          const char *format, ...)
{
    char message[sizeof import->message];
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(message, sizeof message, format, arguments);
    va_end(arguments);
    for (char *at = message; *at != '\0'; at++)
        if ((unsigned char)*at < 0x20 || *at == 0x7F)
            *at = '?';
    memcpy(import->message, message, sizeof message);
    return status;
}

static const char *shown_path(const char *path)
{
    return strcmp(path, "-") == 0 ? "standard input" : path;
}

static clump_store_status fail_log(clump_import *import, const clump_import_file *file)
{
    const clump_import_log *log = &file->log;
    const clump_store_status status = log->no_memory ? CLUMP_STORE_FAILED : CLUMP_STORE_BAD_INPUT;
    char place[32] = "";
    if (log->line > 0)
        snprintf(place, sizeof place, ":%zu", log->line);
    return clump_import_fail_with(import, status, "%.300s%s: %s", shown_path(file->path), place,
                                  log->message);
}

static clump_import_file *add_file(clump_import *import, const char *path)
{
    clump_import_file **files = realloc(import->files, (import->count + 1) * sizeof *import->files);
    if (files == NULL)
        return NULL;
    import->files = files;
    clump_import_file *file = calloc(1, sizeof *file);
    if (file != NULL) {
        const char *slash = strrchr(path, '/');
        const char *name = slash != NULL ? slash + 1 : path;
        file->path = path;
        clump_import_copy(file->name, sizeof file->name,
                          strcmp(path, "-") == 0 ? "standard input" : name);
        files[import->count++] = file;
    }
    return file;
}

clump_store_status clump_import_read(clump_import *import, const char *path)
{
    const clump_import_options *o = &import->options;
    const bool any = o->format == NULL || strcmp(o->format, "auto") == 0;
    const clump_import_format *format = any ? NULL : clump_import_format_find(o->format);
    if (!any && format == NULL) {
        return clump_import_fail_with(import, CLUMP_STORE_BAD_INPUT, "there is no format '%.40s'",
                                      o->format);
    }
    clump_import_file *file = add_file(import, path);
    if (file == NULL)
        return clump_import_fail_with(import, CLUMP_STORE_FAILED, "out of memory");
    char *bytes = NULL;
    size_t size = 0;
    clump_store_status status = clump_import_load(import, path, &bytes, &size);
    if (status != CLUMP_STORE_OK)
        return status;
    clump_sha256(bytes, size, file->sha256);
    const clump_import_hints hints = {.window = o->window,
                                      .size_bytes = o->size_bytes,
                                      .quantity = o->quantity,
                                      .name = file->name,
                                      .of_application = o->application != NULL};
    if (!clump_import_parse(format, bytes, size, &hints, &file->log))
        status = fail_log(import, file);
    free(bytes);
    import->total += file->log.samples;
    return status;
}

size_t clump_import_count(const clump_import *import)
{
    return import->count;
}

clump_import_result clump_import_result_of(const clump_import *import, size_t index)
{
    const clump_import_file *file = import->files[index];
    return (clump_import_result){
        .path = file->path,
        .format = file->log.format,
        .tool = file->log.tool,
        .version = file->log.version,
        .source = file->source[0] != '\0' ? file->source : NULL,
        .series = file->log.count,
        .samples = file->log.samples,
        .repeated = file->repeated,
        .notices = file->log.notices != NULL ? file->log.notices : "",
    };
}
