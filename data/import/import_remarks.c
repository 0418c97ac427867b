/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "data/import/import_remarks.h"

#include <string.h>

static char lower(char c)
{
    return c >= 'A' && c <= 'Z' ? (char)(c - 'A' + 'a') : c;
}

static bool has(const char *at, const char *end, const char *word)
{
    const size_t size = strlen(word);
    for (; (size_t)(end - at) >= size; at++) {
        size_t i = 0;
        while (i < size && lower(at[i]) == word[i])
            i++;
        if (i == size)
            return true;
    }
    return false;
}

static bool begins(const char *at, const char *end, const char *word)
{
    const size_t size = strlen(word);
    return (size_t)(end - at) >= size && has(at, at + size, word);
}

/* Words by which mpirun, Slurm, libraries and shells tell that something ended before its end. */
static bool tells_of_crash(const char *at, const char *end)
{
    static const char *const words[] = {
        "abort",     "assert", "bus error",  "cancel",       "cannot",       "core dumped",
        "crash",     "error",  "exceeded",   "exited",       "fail",         "fatal",
        "invalid",   "killed", "not found",  "noticed that", "no such file", "out of memory",
        "segfault",  "signal", "slurmstepd", "segmentation", "terminat",     "time limit",
        "timed out", "unable", "unexpected", "unreachable",
    };
    while (at < end && (*at == ' ' || *at == '\t'))
        at++;
    if (begins(at, end, "warning") || has(at, end, " warn "))
        return false;
    for (size_t i = 0; i < sizeof words / sizeof *words; i++)
        if (has(at, end, words[i]))
            return true;
    return false;
}

static bool is_rule(const char *at, const char *end)
{
    return end - at >= 5 && memcmp(at, "-----", 5) == 0;
}

/* What follows a line of dashes, to the next one. */
static bool block_tells_of_crash(const clump_import_text *text)
{
    enum { MOST = 100 };
    const char *at = text->bytes + text->at, *const end = text->bytes + text->size;
    for (size_t i = 0; i < MOST && at < end; i++) {
        const char *newline = memchr(at, '\n', (size_t)(end - at));
        const char *eol = newline != NULL ? newline : end;
        if (is_rule(at, eol) || (i == 0 && begins(at, eol, "warning")))
            return false;
        if (tells_of_crash(at, eol))
            return true;
        at = eol < end ? eol + 1 : end;
    }
    return false;
}

/* Not what dates and times begin with: "2026-11-23", "10:22:05". */
static bool begins_with_number(const char *line)
{
    line += strspn(line, "+-.") == 1;
    const size_t digits = strspn(line, "0123456789"), date = strspn(line, "0123456789-:/T");
    return digits > 0 && (date == digits || (line[date] != ' ' && line[date] != '\0'));
}

bool clump_import_is_remark(const clump_import_text *text, const char *line)
{
    const char *end = line + strlen(line);
    line += strspn(line, " \t");
    return !begins_with_number(line) && !tells_of_crash(line, end) &&
           !(is_rule(line, end) && block_tells_of_crash(text));
}

bool clump_import_skip_remark(clump_import_log *log, const char *shown, bool *told)
{
    if (*told)
        return true;
    *told = true;
    return clump_import_notice(
        log, "skipped '%.60s', and others like it: lines that are no results", shown);
}
