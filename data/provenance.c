/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "data/provenance.h"

#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { DIGITS = CLUMP_SHA256_TEXT - 1, MOST = 1 << 21 };

/* An input is a line of the list, without its end: "SHA-256 NAME". */
struct clump_provenance {
    pthread_mutex_t lock;
    char **lines;
    size_t count, room;
    char conflict[CLUMP_PROVENANCE_NAME]; /* "": none */
    bool failed;                          /* no memory, or too many */
};

clump_provenance *clump_provenance_new(void)
{
    clump_provenance *p = calloc(1, sizeof *p);
    if (p != NULL)
        pthread_mutex_init(&p->lock, NULL);
    return p;
}

void clump_provenance_free(clump_provenance *p)
{
    if (p == NULL)
        return;
    for (size_t i = 0; i < p->count; i++)
        free(p->lines[i]);
    free(p->lines);
    pthread_mutex_destroy(&p->lock);
    free(p);
}

/* By name, then by content. */
static int compare(const void *a, const void *b)
{
    const char *const *x = a, *const *y = b;
    const int order = strcmp(*x + DIGITS, *y + DIGITS);
    return order != 0 ? order : strcmp(*x, *y);
}

/* In order, each once. */
static void settle(clump_provenance *p)
{
    static const char answer[] = " " CLUMP_PROVENANCE_ANSWER;
    size_t kept = 0;
    if (p->count > 1)
        qsort(p->lines, p->count, sizeof *p->lines, compare);
    for (size_t i = 0; i < p->count; i++) {
        const char *before = kept > 0 ? p->lines[kept - 1] : "", *name = p->lines[i] + DIGITS;
        if (strcmp(before, p->lines[i]) == 0) {
            free(p->lines[i]);
            continue;
        }
        if (kept > 0 && p->conflict[0] == '\0' && strcmp(before + DIGITS, name) == 0)
            snprintf(p->conflict, sizeof p->conflict, "%s",
                     strncmp(name, answer, sizeof answer - 1) == 0 ? "rows of the database"
                                                                   : name + 1);
        p->lines[kept++] = p->lines[i];
    }
    p->count = kept;
}

static bool make_room(clump_provenance *p)
{
    if (p->count == p->room)
        settle(p);
    if (p->count < p->room - p->room / 4)
        return true;
    const size_t room = p->room > 0 ? 2 * p->room : 64;
    char **larger = room <= MOST ? realloc(p->lines, room * sizeof *p->lines) : NULL;
    if (larger == NULL)
        return p->count < p->room;
    p->lines = larger;
    p->room = room;
    return true;
}

void clump_provenance_add_known(clump_provenance *p, const char *name, const char *sha256)
{
    char line[CLUMP_SHA256_TEXT + CLUMP_PROVENANCE_NAME];
    if (p == NULL)
        return;
    snprintf(line, sizeof line, "%s %s", sha256, name);
    for (char *c = line; *c != '\0'; c++) /* one line */
        if ((unsigned char)*c < ' ')
            *c = '?';
    char *copy = strdup(line);
    pthread_mutex_lock(&p->lock);
    if (copy != NULL && make_room(p)) {
        p->lines[p->count++] = copy;
    } else {
        p->failed = true;
        free(copy);
    }
    pthread_mutex_unlock(&p->lock);
}

void clump_provenance_add(clump_provenance *p, const char *name, const void *bytes, size_t size)
{
    char sha256[CLUMP_SHA256_TEXT];
    if (p == NULL)
        return;
    clump_sha256(bytes, size, sha256);
    clump_provenance_add_known(p, name, sha256);
}

bool clump_provenance_add_list(clump_provenance *p, const char *list)
{
    char sha256[CLUMP_SHA256_TEXT] = "", name[CLUMP_PROVENANCE_NAME];
    for (size_t length; *list != '\0'; list += length + 1) {
        length = strcspn(list, "\n");
        if (list[length] == '\0' || length <= DIGITS + 1 ||
            length > DIGITS + CLUMP_PROVENANCE_NAME || strspn(list, "0123456789abcdef") != DIGITS ||
            list[DIGITS] != ' ')
            return false;
        memcpy(sha256, list, DIGITS);
        snprintf(name, sizeof name, "%.*s", (int)length - DIGITS - 1, list + DIGITS + 1);
        clump_provenance_add_known(p, name, sha256);
    }
    return true;
}

char *clump_provenance_list(clump_provenance *p)
{
    size_t size = 1;
    pthread_mutex_lock(&p->lock);
    settle(p);
    for (size_t i = 0; i < p->count; i++)
        size += strlen(p->lines[i]) + 1;
    char *list = p->failed ? NULL : malloc(size), *end = list;
    for (size_t i = 0; list != NULL && i < p->count; i++)
        end += sprintf(end, "%s\n", p->lines[i]);
    if (list != NULL)
        *end = '\0';
    pthread_mutex_unlock(&p->lock);
    return list;
}

bool clump_provenance_digest(clump_provenance *p, char sha256[CLUMP_SHA256_TEXT])
{
    char *list = clump_provenance_list(p);
    clump_sha256(list != NULL ? list : "", list != NULL ? strlen(list) : 0, sha256);
    free(list);
    return list != NULL;
}

const char *clump_provenance_conflict(clump_provenance *p)
{
    pthread_mutex_lock(&p->lock);
    settle(p);
    pthread_mutex_unlock(&p->lock);
    return p->conflict[0] != '\0' ? p->conflict : NULL;
}
