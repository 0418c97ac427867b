/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 *         GPU0    GPU1    NIC0    CPU Affinity    NUMA Affinity
 * GPU0     X      NV12    PXB     0-31            0
 * ...
 *   NIC0: mlx5_0
 *
 * Each word says what lies between two devices: PIX one PCIe bridge at most, PXB several, PHB the host
 * bridge, NODE several of them, SYS the way between sockets. Devices that are joined by the same class
 * or a nearer one are put below one part. GPUs joined by NVLink (NV12) say nothing about PCIe: NICs and
 * the affinity to processors ("0-31", not "N/A") do.
 */
#include "topology/read_formats.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { MOST_DEVICES = 256, WORD = 32, AFFINITY = 256, LEVELS = 5 };

typedef struct matrix {
    size_t count;
    char names[MOST_DEVICES][WORD];
    bool seen[MOST_DEVICES];
    char affinity[MOST_DEVICES][AFFINITY]; /* cut, but alike only if the beginnings are */
    signed char nearness[MOST_DEVICES][MOST_DEVICES]; /* 1 PIX to 5 SYS; 0: not known */
    unsigned char nvlinks[MOST_DEVICES][MOST_DEVICES];
} matrix;

/* Behind an escape: "ESC [ 4 m" and the like to its letter, others ("ESC ( B") have one byte between. */
static const char *skip_escape(const char *c, const char *end)
{
    c++;
    if (c < end && *c == '[') {
        for (c++; c < end && (unsigned char)*c < 0x40;)
            c++;
        return c < end ? c + 1 : end;
    }
    while (c < end && *c >= 0x20 && *c < 0x30)
        c++;
    return c < end ? c + 1 : end;
}

/* The next word of a line, without the escapes by which it is underlined; false at the end. Cut to `room`. */
static bool next_text(const char **at, const char *end, char *word, size_t room)
{
    const char *c = *at;
    size_t n = 0;
    while (c < end) {
        if (*c == '\x1b') {
            c = skip_escape(c, end);
            continue;
        }
        const bool blank = (unsigned char)*c <= ' ' || *c == 0x7f;
        if (blank && n > 0)
            break;
        if (!blank && n + 1 < room)
            word[n++] = *c;
        c++;
    }
    word[n] = '\0';
    *at = c;
    return n > 0;
}

static bool next_word(const char **at, const char *end, char word[WORD])
{
    return next_text(at, end, word, WORD);
}

static const char *line_end(const char *at, const char *end)
{
    const char *newline = memchr(at, '\n', (size_t)(end - at));
    return newline != NULL ? newline : end;
}

/* GPU0, NIC0, or a NIC by its own name: mlx5_0, bnxt_re0. */
static bool is_device(const char *word)
{
    const size_t n = strlen(word);
    return n > 1 && word[0] >= 'a' && word[0] <= 'z'
               ? word[n - 1] >= '0' && word[n - 1] <= '9'
               : (strncmp(word, "GPU", 3) == 0 || strncmp(word, "NIC", 3) == 0) && word[3] >= '0' &&
                     word[3] <= '9';
}

/* The heading: from its first word, GPU0, to CPU. */
static bool is_heading(const char *at, const char *end)
{
    char word[WORD];
    return next_word(&at, end, word) && strncmp(word, "GPU", 3) == 0 && word[3] >= '0' &&
           word[3] <= '9' && next_word(&at, end, word) &&
           (is_device(word) || strcmp(word, "CPU") == 0);
}

static const char *find_heading(const char *bytes, size_t size, size_t *line)
{
    const char *end = bytes + size;
    if (size >= 3 && memcmp(bytes, "\xef\xbb\xbf", 3) == 0)
        bytes += 3;
    for (*line = 1; bytes < end && *line <= 1000; ++*line) {
        const char *eol = line_end(bytes, end);
        if (is_heading(bytes, eol))
            return bytes;
        bytes = eol < end ? eol + 1 : end;
    }
    return NULL;
}

bool topology_is_nvidia_smi(const char *bytes, size_t size)
{
    size_t line;
    return find_heading(bytes, size, &line) != NULL;
}

static size_t find_device(const matrix *m, const char *name)
{
    for (size_t i = 0; i < m->count; i++)
        if (strcmp(m->names[i], name) == 0)
            return i;
    return MOST_DEVICES;
}

static bool is_gpu(const matrix *m, size_t i)
{
    return strncmp(m->names[i], "GPU", 3) == 0;
}

/* A word of the matrix. */
static bool read_class(matrix *m, size_t i, size_t j, const char *word)
{
    static const char *const words[] = {"X", "PIX", "PXB", "PHB", "NODE", "SYS"};
    if (strncmp(word, "NV", 2) == 0 && word[2] >= '0' && word[2] <= '9') {
        const long links = strtol(word + 2, NULL, 10);
        m->nvlinks[i][j] = (unsigned char)(links <= 64 ? links : 64);
        return true;
    }
    if (strcmp(word, "SOC") == 0) /* as it was called once */
        word = "SYS";
    for (size_t k = 0; k < sizeof words / sizeof *words; k++)
        if (strcmp(word, words[k]) == 0) {
            m->nearness[i][j] = (signed char)(i == j ? 0 : k);
            return true;
        }
    return false;
}

static clump_status read_matrix(const char *at, const char *end, size_t line, matrix *m,
                                clump_topology *t, clump_error *error)
{
    char word[WORD];
    const char *eol = line_end(at, end), *c = at;
    for (; next_word(&c, eol, word) && strcmp(word, "CPU") != 0; m->count++) {
        if (m->count == MOST_DEVICES)
            return clump_fail(error, CLUMP_BAD_ARGUMENT,
                              "line %zu: the heading has more than %d devices, expected one node",
                              line, MOST_DEVICES);
        strcpy(m->names[m->count], word);
    }
    while (eol < end) {
        line++;
        at = eol + 1;
        eol = line_end(at, end);
        c = at;
        if (!next_word(&c, eol, word))
            continue;
        const size_t row = find_device(m, word);
        const size_t length = strlen(word);
        if (row == MOST_DEVICES) {
            word[length - 1] = word[length - 1] == ':' ? '\0' : word[length - 1];
            const size_t legend = find_device(m, word);
            if (legend < MOST_DEVICES && !is_gpu(m, legend) && next_word(&c, eol, word))
                strcpy(m->names[legend], word); /* "NIC0: mlx5_0" comes after all rows */
            continue;
        }
        if (m->seen[row])
            return clump_fail(
                error, CLUMP_BAD_ARGUMENT,
                "line %zu: there are two rows of %s, expected the output for one node", line, word);
        m->seen[row] = true;
        for (size_t column = 0; column < m->count; column++) {
            if (!next_word(&c, eol, word))
                return clump_fail(
                    error, CLUMP_BAD_ARGUMENT,
                    "line %zu: found the end of row %s before column %s, expected all "
                    "of it: was the file cut off?",
                    line, m->names[row], m->names[column]);
            if (!read_class(m, row, column, word))
                return clump_fail(
                    error, CLUMP_BAD_ARGUMENT,
                    "line %zu: row %s, column %s: found '%.20s', expected X, PIX, PXB, PHB, NODE, "
                    "SYS or NV#",
                    line, m->names[row], m->names[column], word);
        }
        next_text(&c, eol, m->affinity[row], AFFINITY);
    }
    for (size_t i = 0; i < m->count; i++) {
        if (!m->seen[i])
            return clump_fail(error, CLUMP_BAD_ARGUMENT,
                              "there is no row of %s, expected one for each column: was the file "
                              "cut off?",
                              m->names[i]);
        for (size_t k = 0; k < i; k++)
            if (m->nearness[i][k] != m->nearness[k][i])
                clump_topology_note(
                    t, "%s and %s are not told alike in both rows: the nearer is taken",
                    m->names[i], m->names[k]);
    }
    return CLUMP_OK;
}

/* ---- devices that belong together at every level */

static size_t top_of(size_t *group, size_t i)
{
    while (group[i] != i)
        i = group[i] = group[group[i]];
    return i;
}

static void join(const matrix *m, int level, size_t *group)
{
    for (size_t i = 0; i < m->count; i++)
        group[i] = i;
    for (size_t i = 0; i < m->count; i++)
        for (size_t k = 0; k < m->count; k++) {
            const bool near = m->nearness[i][k] > 0 && m->nearness[i][k] <= level;
            const bool neighbours = level == LEVELS - 1 && is_gpu(m, i) && is_gpu(m, k) &&
                                    m->nearness[i][k] == 0 && m->affinity[i][0] >= '0' &&
                                    m->affinity[i][0] <= '9' &&
                                    strcmp(m->affinity[i], m->affinity[k]) == 0;
            if (i != k && (near || neighbours))
                group[top_of(group, i)] = top_of(group, k);
        }
    for (size_t i = 0; i < m->count; i++)
        group[i] = top_of(group, i);
}

static clump_status build(const matrix *m, clump_topology *t, clump_error *error)
{
    static const clump_part_kind kinds[] = {CLUMP_PART_MACHINE, CLUMP_PART_SWITCH,
                                            CLUMP_PART_SWITCH, CLUMP_PART_BRIDGE,
                                            CLUMP_PART_SOCKET};
    size_t group[MOST_DEVICES], part_of[MOST_DEVICES] = {0}, devices[MOST_DEVICES];
    size_t near_size[MOST_DEVICES];
    size_t sockets = 0;
    clump_status status =
        clump_topology_add(t, CLUMP_PART_MACHINE, CLUMP_NO_PART, "", "", NULL, error);
    for (int level = LEVELS - 1; level >= 1; level--) {
        size_t made[MOST_DEVICES], size[MOST_DEVICES] = {0}, nearer[MOST_DEVICES] = {0};
        join(m, level - 1, group); /* at level 0 everybody is alone */
        for (size_t i = 0; i < m->count; i++)
            nearer[group[i]]++;
        for (size_t i = 0; i < m->count; i++)
            near_size[i] = nearer[group[i]];
        join(m, level, group);
        for (size_t i = 0; i < m->count; i++) {
            made[i] = CLUMP_NO_PART;
            size[group[i]]++;
        }
        for (size_t i = 0; i < m->count && status == CLUMP_OK; i++) {
            char name[CLUMP_PART_NAME] = "";
            const size_t g = group[i];
            /* Alone, or the same devices that are nearer still. */
            if (kinds[level] != CLUMP_PART_SOCKET && (size[g] < 2 || size[g] == near_size[i]))
                continue;
            if (made[g] == CLUMP_NO_PART) {
                if (kinds[level] == CLUMP_PART_SOCKET)
                    snprintf(name, sizeof name, "socket %zu", sockets++);
                status = clump_topology_add(t, kinds[level], part_of[i], name, "", &made[g], error);
                if (status == CLUMP_OK)
                    t->parts[made[g]].slot = kinds[level] == CLUMP_PART_SWITCH;
            }
            part_of[i] = made[g];
        }
    }
    for (size_t i = 0; i < m->count && status == CLUMP_OK; i++) {
        status = clump_topology_add(t, is_gpu(m, i) ? CLUMP_PART_GPU : CLUMP_PART_NIC, part_of[i],
                                    m->names[i], "", &devices[i], error);
        if (status == CLUMP_OK)
            t->parts[devices[i]].slot = true;
    }
    for (size_t i = 0; i < m->count && status == CLUMP_OK; i++)
        for (size_t k = 0; k < m->count && status == CLUMP_OK; k++)
            if (m->nvlinks[i][k] > 0 && i != k)
                status = clump_topology_add_inside(
                    t, (clump_inside_link){devices[i], devices[k], m->nvlinks[i][k], 0, false},
                    error);
    return status;
}

clump_status topology_read_nvidia_smi(const char *bytes, size_t size, clump_topology *t,
                                      clump_error *error)
{
    size_t line, nics = 0;
    matrix *m = calloc(1, sizeof *m);
    const char *heading = find_heading(bytes, size, &line);
    if (m == NULL)
        return clump_fail_memory(error, "a topology");
    clump_status status = read_matrix(heading, bytes + size, line, m, t, error);
    for (size_t i = 0; i < m->count; i++)
        nics += !is_gpu(m, i);
    if (status == CLUMP_OK && nics == 0)
        status = clump_fail(error, CLUMP_BAD_ARGUMENT,
                            "line %zu: there is no NIC among the columns, expected NIC0 or mlx5_0: "
                            "nvidia-smi shows those of RDMA alone, 'lstopo node.xml' all",
                            line);
    if (status == CLUMP_OK)
        status = build(m, t, error);
    t->format = "nvidia-smi";
    free(m);
    return status;
}
