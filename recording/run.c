/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "recording/run.h"

#include "data/text.h"

#include <errno.h>
#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { PIECE = 1 << 16 };

bool clump_run_common(const clump_run *run, double *begin, double *end)
{
    *begin = -INFINITY;
    *end = INFINITY;
    for (size_t i = 0; i < run->ranks; i++) {
        const clump_account *a = run->rank[i].account;
        if (a == NULL)
            continue;
        *begin = fmax(*begin, a->begin + a->kinds[CLUMP_CALL_INIT].seconds);
        *end = fmin(*end, a->end - a->kinds[CLUMP_CALL_FINALIZE].seconds);
    }
    return *end > *begin && isfinite(*begin) && isfinite(*end);
}

void clump_facts_say(clump_facts *facts, const char *format, ...)
{
    char text[1000];
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(text, sizeof text, format, arguments);
    va_end(arguments);
    clump_text_clean(text, strlen(text));
    clump_facts_add(facts, CLUMP_FACTS_NOTE, &(clump_facts_note){.text = text});
}

/* ---- files */

static clump_facts_status digest_stream(FILE *file, const char *path, int64_t *bytes,
                                        char sha256[CLUMP_SHA256_TEXT],
                                        char message[CLUMP_FACTS_MESSAGE])
{
    struct sha256_ctx state;
    unsigned char *piece = malloc(PIECE);
    size_t got;
    if (piece == NULL) {
        snprintf(message, CLUMP_FACTS_MESSAGE, "out of memory");
        return CLUMP_FACTS_FAILED;
    }
    sha256_init(&state);
    *bytes = 0;
    for (; (got = fread(piece, 1, PIECE, file)) > 0; *bytes += (int64_t)got)
        sha256_update(&state, got, piece);
    free(piece);
    if (ferror(file)) {
        snprintf(message, CLUMP_FACTS_MESSAGE, "%.500s: cannot be read", path);
        return CLUMP_FACTS_FAILED;
    }
    clump_sha256_end(&state, sha256);
    return CLUMP_FACTS_OK;
}

clump_facts_status clump_facts_add_file(clump_facts *facts, const char *path, int64_t cut_at,
                                        char message[CLUMP_FACTS_MESSAGE])
{
    char sha256[CLUMP_SHA256_TEXT], name[300];
    int64_t bytes = 0;
    const char *last = strrchr(path, '/');
    FILE *file = fopen(path, "rb");
    if (file == NULL) {
        snprintf(message, CLUMP_FACTS_MESSAGE, "%.500s: %s", path, strerror(errno));
        return CLUMP_FACTS_FAILED;
    }
    const clump_facts_status status = digest_stream(file, path, &bytes, sha256, message);
    fclose(file);
    if (status != CLUMP_FACTS_OK)
        return status;
    snprintf(name, sizeof name, "%s", last != NULL ? last + 1 : path);
    clump_text_clean(name, strlen(name));
    const clump_facts_file row = {
        .name = name[0] != '\0' && clump_text_is_printable(name, strlen(name)) ? name : "?",
        .sha256 = sha256,
        .bytes = bytes,
        .cut_at = cut_at};
    if (clump_facts_add(facts, CLUMP_FACTS_FILE, &row))
        return CLUMP_FACTS_OK;
    snprintf(message, CLUMP_FACTS_MESSAGE, "out of memory");
    return CLUMP_FACTS_FAILED;
}

void clump_facts_digest(const clump_facts *facts, char text[CLUMP_SHA256_TEXT])
{
    struct sha256_ctx state;
    sha256_init(&state);
    for (size_t i = 0; i < facts->file_count; i++) {
        const char *const parts[] = {facts->files[i].sha256, "  ", facts->files[i].name, "\n"};
        for (size_t j = 0; j < 4; j++)
            sha256_update(&state, strlen(parts[j]), (const uint8_t *)parts[j]);
    }
    clump_sha256_end(&state, text);
}
