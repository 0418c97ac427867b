/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "data/file.h"
#include "data/import/import_private.h"
#include "data/import/job_context.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* ---- formats */

const char *clump_import_format_name(size_t index)
{
    const clump_import_format *format = index > 0 ? clump_import_format_at(index - 1) : NULL;
    return index == 0 ? "auto" : format != NULL ? format->name : NULL;
}

const clump_import_format *clump_import_format_find(const char *name)
{
    const clump_import_format *format;
    for (size_t i = 0; (format = clump_import_format_at(i)) != NULL; i++)
        if (strcmp(format->name, name) == 0)
            break;
    return format;
}

/* By what is in the text; NULL if none fits. An export may have any words in it; no other format has
 * its first line. */
static const clump_import_format *guess_format(const clump_import_text *text)
{
    const clump_import_format *format = &clump_import_own;
    if (clump_import_format_mark(format, text) > 0)
        return format;
    for (size_t i = 0; (format = clump_import_format_at(i)) != NULL; i++)
        if (clump_import_format_mark(format, text) > 0)
            break;
    return format;
}

bool clump_import_parse(const clump_import_format *format, char *bytes, size_t size,
                        const clump_import_hints *hints, clump_import_log *log)
{
    clump_import_text text = {.hints = *hints};
    log->format = format != NULL ? format->name : "auto";
    if (!clump_import_text_start(&text, bytes, size, log))
        return false;
    const clump_import_format *guess = guess_format(&text);
    if (format == NULL && guess == NULL) {
        return clump_import_fail_at(log, 0,
                                    "found nothing that is known, expected the output of one "
                                    "of the tools with the lines at its top that name it "
                                    "('clumpmodel help import' has the tools)");
    }
    if (format != NULL && guess != format && clump_import_format_mark(format, &text) == 0) {
        return clump_import_fail_at(log, 0, "found %s%s, expected %s",
                                    guess != NULL ? "what looks like " : "nothing that is known",
                                    guess != NULL ? guess->tool : "", format->tool);
    }
    const clump_import_format *used = format != NULL ? format : guess;
    if (used == &clump_import_csv && guess == &clump_import_own)
        used = guess; /* it is CSV as well, and says more */
    log->format = used->name;
    log->tool = used->tool;
    /* What changed a log may have changed more. */
    if (text.crlf > 0 && !used->may_have_crlf)
        return clump_import_fail_at(
            log, text.crlf,
            "found a line that ends with CR LF, expected LF alone, as every "
            "tool writes it: was the file changed on the way? If only that, "
            "convert it with tr -d '\\r'");
    if (strcmp(used->name, "osu") == 0 && hints->processes == 0 && hints->job != NULL &&
        hints->job->processes > 0) {
        text.hints.processes = hints->job->processes;
        clump_import_notice_at(log, 0,
                               "where it does not say how many processes there were it had %lld, "
                               "by %.200s beside it (--processes for others)",
                               (long long)hints->job->processes, hints->job->script);
    }
    log->processes = text.hints.processes;
    if (!(used->script != NULL
              ? clump_import_script_run(used->script, clump_import_format_mark(used, &text), &text)
              : used->parse(&text, log)))
        return false;
    if (clump_import_log_is_empty(log)) {
        return clump_import_fail_at(log, text.line,
                                    "found the end of the file, expected results: "
                                    "the run may have failed");
    }
    return true;
}

/* ---- files */

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
        free(import->files[i]->refused);
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

clump_store_status clump_import_refuse(clump_import *import, clump_import_file *file,
                                       clump_store_status status)
{
    file->refused = strdup(import->message);
    return file->refused != NULL
               ? status
               : clump_import_fail_with(import, CLUMP_STORE_FAILED, "out of memory");
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
        const size_t length = strlen(file->name);
        if (length > 3 && strcmp(file->name + length - 3, ".gz") == 0)
            file->name[length - 3] = '\0'; /* it is of the log that is in it, as its digest is */
        files[import->count++] = file;
    }
    return file;
}

/* The bytes of a file with room for one more, to be freed. */
static clump_store_status load(clump_import *import, const char *path, char **bytes, size_t *size)
{
    static const size_t largest = (size_t)1 << 30;
    const clump_file_status status = clump_file_read(path, largest, bytes, size);
    if (status == CLUMP_FILE_OK)
        return CLUMP_STORE_OK;
    char words[CLUMP_FILE_WORDS];
    return clump_import_fail_with(
        import,
        status == CLUMP_FILE_NOT_OPENED                                     ? CLUMP_STORE_NOT_FOUND
        : status == CLUMP_FILE_UNREADABLE || status == CLUMP_FILE_NO_MEMORY ? CLUMP_STORE_FAILED
                                                                            : CLUMP_STORE_BAD_INPUT,
        "%.300s: %s", shown_path(path), clump_file_words(status, largest, "a file", words));
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
    clump_store_status status = load(import, path, &bytes, &size);
    if (status != CLUMP_STORE_OK)
        return clump_import_refuse(import, file, status);
    clump_sha256(bytes, size, file->sha256);
    const clump_job_context job = clump_job_context_find(path);
    const clump_import_hints hints = {.window = o->window,
                                      .job = &job,
                                      .processes = o->processes,
                                      .size_bytes = o->size_bytes,
                                      .quantity = o->quantity,
                                      .name = file->name,
                                      .of_application = o->application != NULL};
    if (!clump_import_parse(format, bytes, size, &hints, &file->log))
        status = fail_log(import, file);
    free(bytes);
    if (status != CLUMP_STORE_OK)
        return clump_import_refuse(import, file, status);
    file->understood = true;
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
        .understood = file->understood,
        .refused = file->refused,
        .notices = file->log.notices != NULL ? file->log.notices : "",
    };
}
