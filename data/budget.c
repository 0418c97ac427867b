/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "data/budget.h"

#include <inttypes.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>
#include <sys/statvfs.h>

static const struct {
    const char *name;
    size_t at;
    uint64_t least, most;
} parts[] = {{"memory", offsetof(clump_budget, memory), 1 << 20, UINT64_C(1) << 50},
             {"disk", offsetof(clump_budget, disk), 0, UINT64_C(1) << 50},
             {"seconds", offsetof(clump_budget, seconds), 1, 31536000},
             {"ranks", offsetof(clump_budget, ranks), 1, 1 << 24}};
enum { PARTS = sizeof parts / sizeof *parts };

/* The number up to the end of its part; false: it is none. */
static bool read_number(const char *at, size_t size, uint64_t *number)
{
    static const char powers[] = "KMG";
    const char *power = size > 1 ? memchr(powers, at[size - 1], sizeof powers - 1) : NULL;
    *number = 0;
    size -= power != NULL;
    for (size_t i = 0; i < size; i++) {
        if (at[i] < '0' || at[i] > '9' || *number >= UINT64_C(1) << 54)
            return false;
        *number = 10 * *number + (uint64_t)(at[i] - '0');
    }
    for (const char *p = powers; power != NULL && p <= power; p++) {
        if (*number >= UINT64_C(1) << 54)
            return false;
        *number *= 1024;
    }
    return size > 0;
}

bool clump_budget_parse(const char *text, clump_budget *budget, char message[CLUMP_BUDGET_MESSAGE])
{
    clump_budget made = *budget;
    for (const char *at = text;; at++) {
        const size_t size = strcspn(at, ","), name = strcspn(at, ",=");
        uint64_t number = 0;
        size_t i = 0;
        while (i < PARTS && (strlen(parts[i].name) != name || memcmp(at, parts[i].name, name) != 0))
            i++;
        if (i == PARTS || name == size || !read_number(at + name + 1, size - name - 1, &number) ||
            number < parts[i].least || number > parts[i].most) {
            snprintf(message, CLUMP_BUDGET_MESSAGE, "found '%.*s', expected " CLUMP_BUDGET_FORM,
                     (int)(size < 40 ? size : 40), at);
            return false;
        }
        memcpy((char *)&made + parts[i].at, &number, sizeof number);
        at += size;
        if (*at == '\0')
            break;
    }
    *budget = made;
    return true;
}

void clump_budget_print(const clump_budget *budget, char text[CLUMP_BUDGET_TEXT])
{
    snprintf(text, CLUMP_BUDGET_TEXT,
             "memory=%" PRIu64 ",disk=%" PRIu64 ",seconds=%" PRIu64 ",ranks=%" PRIu64,
             budget->memory, budget->disk, budget->seconds, budget->ranks);
}

uint64_t clump_budget_disk(const clump_budget *budget, const char *directory)
{
    struct statvfs info;
    if (statvfs(directory, &info) != 0)
        return budget->disk;
    const uint64_t half = (uint64_t)info.f_bavail * info.f_frsize / 2;
    return half < budget->disk ? half : budget->disk;
}
