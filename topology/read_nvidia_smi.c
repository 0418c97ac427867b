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

enum { MOST_DEVICES = 256, LEVELS = 5 };

typedef struct matrix {
    size_t count;
    const char *names[MOST_DEVICES];
    const char *affinity[MOST_DEVICES];               /* NULL: no row yet */
    signed char nearness[MOST_DEVICES][MOST_DEVICES]; /* 1 PIX to 5 SYS; 0: not known */
    unsigned char nvlinks[MOST_DEVICES][MOST_DEVICES];
} matrix;

/* The last byte of an escape: "ESC [ 4 m" and the like end with their letter, others ("ESC ( B") have one byte between. */
static size_t escape_end(const char *bytes, size_t size, size_t i)
{
    const bool control = i + 1 < size && bytes[i + 1] == '[';
    for (i += control ? 2 : 1; i < size && bytes[i] != '\n'; i++)
        if (control ? (unsigned char)bytes[i] >= 0x40 : bytes[i] < 0x20 || bytes[i] >= 0x30)
            return i;
    return i - 1;
}

/* A copy as lines of words with blanks between, without the escapes by which words are underlined. NULL: no memory. */
static char *clean(const char *bytes, size_t size)
{
    char *text = malloc(size + 1), *to = text;
    if (text == NULL)
        return NULL;
    for (size_t i = size >= 3 && memcmp(bytes, "\xef\xbb\xbf", 3) == 0 ? 3 : 0; i < size; i++) {
        const bool blank = (unsigned char)bytes[i] <= ' ' || bytes[i] == 0x7f;
        if (bytes[i] == '\x1b')
            i = escape_end(bytes, size, i);
        else
            *to++ = blank && bytes[i] != '\n' ? ' ' : bytes[i];
    }
    *to = '\0';
    return text;
}

/* Cut the line off, or the word; NULL: there is none. */
static char *next_line(char **at)
{
    char *line = **at != '\0' ? *at : NULL;
    *at += strcspn(*at, "\n");
    if (**at != '\0')
        *(*at)++ = '\0';
    return line;
}

static char *next_word(char **at)
{
    char *word = *at + strspn(*at, " ");
    *at = word + strcspn(word, " ");
    if (**at != '\0')
        *(*at)++ = '\0';
    return *word != '\0' ? word : NULL;
}

static bool is_digit(char c)
{
    return c >= '0' && c <= '9';
}

/* GPU0, NIC0, or a NIC by its own name: mlx5_0, bnxt_re0. */
static bool is_device(const char *word)
{
    const size_t n = strlen(word);
    return n > 1 && word[0] >= 'a' && word[0] <= 'z'
               ? is_digit(word[n - 1])
               : (strncmp(word, "GPU", 3) == 0 || strncmp(word, "NIC", 3) == 0) &&
                     is_digit(word[3]);
}

/* The line from the first word, GPU0, to CPU. NULL: there is none. */
static char *find_heading(char **at, size_t *number)
{
    char first[32], second[32], *line;
    for (*number = 1; *number <= 1000 && (line = next_line(at)) != NULL; ++*number)
        if (sscanf(line, "%31s%31s", first, second) == 2 && strncmp(first, "GPU", 3) == 0 &&
            is_digit(first[3]) && (is_device(second) || strcmp(second, "CPU") == 0))
            return line;
    return NULL;
}

static size_t find_device(const matrix *m, const char *name)
{
    size_t i = 0;
    while (i < m->count && strcmp(m->names[i], name) != 0)
        i++;
    return i;
}

static bool is_gpu(const matrix *m, size_t i)
{
    return strncmp(m->names[i], "GPU", 3) == 0;
}

/* A word of the matrix. */
static bool read_class(matrix *m, size_t i, size_t j, const char *word)
{
    static const char *const words[] = {"X", "PIX", "PXB", "PHB", "NODE", "SYS"};
    if (strncmp(word, "NV", 2) == 0 && is_digit(word[2])) {
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

static clump_status read_row(matrix *m, size_t row, char *rest, size_t line, clump_error *error)
{
    if (m->affinity[row] != NULL)
        return clump_fail(error, CLUMP_BAD_ARGUMENT,
                          "line %zu: there are two rows of %s, expected the output for one node",
                          line, m->names[row]);
    for (size_t column = 0; column < m->count; column++) {
        const char *word = next_word(&rest);
        if (word == NULL)
            return clump_fail(error, CLUMP_BAD_ARGUMENT,
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
    const char *affinity = next_word(&rest);
    m->affinity[row] = affinity != NULL ? affinity : "";
    return CLUMP_OK;
}

static clump_status read_matrix(char *heading, char *at, size_t number, matrix *m,
                                clump_topology *t, clump_error *error)
{
    char *line, *word;
    for (; (word = next_word(&heading)) != NULL && strcmp(word, "CPU") != 0; m->count++) {
        if (m->count == MOST_DEVICES)
            return clump_fail(error, CLUMP_BAD_ARGUMENT,
                              "line %zu: the heading has more than %d devices, expected one node",
                              number, MOST_DEVICES);
        m->names[m->count] = word;
    }
    for (; (line = next_line(&at)) != NULL && ++number > 0;) {
        if ((word = next_word(&line)) == NULL)
            continue;
        const size_t row = find_device(m, word), length = strlen(word);
        if (row < m->count) {
            const clump_status status = read_row(m, row, line, number, error);
            if (status != CLUMP_OK)
                return status;
        } else if (word[length - 1] == ':') { /* "NIC0: mlx5_0" comes after all rows */
            word[length - 1] = '\0';
            const size_t legend = find_device(m, word);
            if (legend < m->count && !is_gpu(m, legend) && (word = next_word(&line)) != NULL)
                m->names[legend] = word;
        }
    }
    for (size_t i = 0; i < m->count; i++) {
        if (m->affinity[i] == NULL)
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
                                    m->nearness[i][k] == 0 && is_digit(m->affinity[i][0]) &&
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
    size_t number, nics = 0;
    matrix *m = calloc(1, sizeof *m);
    char *text = clean(bytes, size), *at = text;
    clump_status status = CLUMP_OK;
    if (m == NULL || text == NULL)
        status = clump_fail_memory(error, "a topology");
    char *heading = status == CLUMP_OK ? find_heading(&at, &number) : NULL;
    if (heading != NULL) {
        status = read_matrix(heading, at, number, m, t, error);
        for (size_t i = 0; i < m->count; i++)
            nics += !is_gpu(m, i);
        if (status == CLUMP_OK && nics == 0)
            status =
                clump_fail(error, CLUMP_BAD_ARGUMENT,
                           "line %zu: there is no NIC among the columns, expected NIC0 or mlx5_0: "
                           "nvidia-smi shows those of RDMA alone, 'lstopo node.xml' all",
                           number);
        if (status == CLUMP_OK)
            status = build(m, t, error);
        t->format = "nvidia-smi";
    }
    free(m);
    free(text);
    return status;
}
