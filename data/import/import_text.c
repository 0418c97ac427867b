/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "data/import/import_text.h"

#include "data/number.h"

#include <math.h>
#include <string.h>

/* Length of a terminal's control sequence (ECMA-48: ESC [ parameters final) at `at`, or 0. */
static size_t sequence_length(const char *at, const char *end)
{
    if (end - at < 3 || at[0] != '\033' || at[1] != '[')
        return 0;
    const char *from = at + 2;
    while (from < end && *from >= 0x20 && *from <= 0x3F)
        from++;
    return from < end && *from >= 0x40 && *from <= 0x7E ? (size_t)(from + 1 - at) : 0;
}

/* ---- what mpirun puts before each line that a process prints */

/* "Sun Nov 22 10:39:45 2026", as ctime() has it. */
static bool is_date(const char *at, const char *end)
{
    static const char form[] = "Aaa Aaa 00 00:00:00 0000";
    for (size_t i = 0; i < sizeof form - 1; i++) {
        if (at + i >= end)
            return false;
        const char c = at[i];
        const bool digit = c >= '0' && c <= '9';
        if (!(form[i] == 'A'   ? c >= 'A' && c <= 'Z'
              : form[i] == 'a' ? c >= 'a' && c <= 'z'
              : form[i] == '0' ? digit || (c == ' ' && i == 8)
                               : c == form[i]))
            return false;
    }
    return true;
}

static const char *skip_word(const char *at, const char *end, const char *word)
{
    const size_t size = strlen(word);
    return (size_t)(end - at) >= size && memcmp(at, word, size) == 0 ? at + size : NULL;
}

/* Length of what Open MPI's --tag-output and --timestamp-output write: a date, "[1,0]" or
 * "[prterun-host-77@1,0]", or both, and "<stdout>:"; 0: it is none. Not `printed`: it is no output
 * of the program, but what it complains of, or, "[0] MPI startup():", what Intel's library tells of itself. */
static size_t tag_length(const char *at, const char *end, bool *printed)
{
    enum { DATE = 24, MOST = 200 };
    const char *from = is_date(at, end) ? at + DATE : at;
    /* Two at most, without brackets inside: no text can make this slow. */
    for (int i = 0; i < 2 && from < end && *from == '['; i++) {
        from++;
        while (from < end && *from != ']' && *from != '[' && *from != '\n' && from - at < MOST)
            from++;
        if (from == end || *from != ']')
            return 0;
        from++;
    }
    if (from == at)
        return 0;
    const char *after = skip_word(from, end, "<stdout>:");
    *printed = after != NULL;
    if (after == NULL)
        after = skip_word(from, end, "<stderr>:");
    if (after == NULL)
        after = skip_word(from, end, "<stddiag>:");
    if (after == NULL)
        after = skip_word(from, end, " MPI startup():");
    if (after == NULL)
        return 0;
    return (size_t)(after - at) + (after < end && *after == ' '); /* of Open MPI 5 */
}

/* Length of the "[0] " of MPICH's and Intel's mpirun -l or the "0: " of srun -l at a line's begin. */
static size_t label_length(const char *line, bool bracket)
{
    const char *from = line + (bracket && *line == '[');
    const size_t digits = strspn(from, "0123456789");
    if ((bracket && *line != '[') || digits == 0 || digits > 7 ||
        from[digits] != (bracket ? ']' : ':'))
        return 0;
    from += digits + 1;
    return *from == ' '                     ? (size_t)(from + 1 - line)
           : *from == '\n' || *from == '\0' ? (size_t)(from - line)
                                            : 0;
}

/* Only if each line has it: a table may have such numbers of its own in some lines. */
static void remove_labels(clump_import_text *text)
{
    for (int bracket = 0; bracket < 2; bracket++) {
        bool all = true;
        for (const char *line = text->bytes; *line != '\0' && all;) {
            all = *line == '\n' || label_length(line, bracket) > 0;
            line += strcspn(line, "\n");
            line += *line == '\n';
        }
        char *to = text->bytes;
        for (const char *from = text->bytes; all && *from != '\0';) {
            from += label_length(from, bracket);
            const size_t size = strcspn(from, "\n");
            memmove(to, from, size + (from[size] != '\0'));
            to += size + (from[size] != '\0');
            from += size + (from[size] != '\0');
        }
        if (all) {
            *to = '\0';
            text->size = (size_t)(to - text->bytes);
        }
    }
}

static bool fail_line_length(clump_import_log *log, size_t line)
{
    return clump_import_fail_at(
        log, line,
        "found a line of more than %d bytes, expected shorter ones: this is "
        "no log",
        CLUMP_IMPORT_LINE);
}

/* What ends a line, or may begin something that is removed. */
static inline bool is_special(char c)
{
    return c == '\n' || c == '\r' || c == '\0' || c == '\033' || c == '[' || (c >= 'A' && c <= 'Z');
}

bool clump_import_text_start(clump_import_text *text, char *bytes, size_t size,
                             clump_import_log *log)
{
    const char *from = bytes;
    const char *const end = bytes + size;
    char *to = bytes;
    char *begin = bytes; /* of the line, in what was written */
    size_t line = 1;
    if (size >= 3 && memcmp(bytes, "\xEF\xBB\xBF", 3) == 0) {
        return clump_import_fail_at(log, 1,
                                    "found a byte order mark, which no tool writes, expected plain "
                                    "text: remove it with sed '1s/^\\xEF\\xBB\\xBF//', or save the "
                                    "file as UTF-8 without BOM");
    }
    while (from < end) {
        const char *const plain = from;
        while (from < end && !is_special(*from))
            from++;
        if (from > plain) { /* nearly all of most logs */
            if (to != plain)
                memmove(to, plain, (size_t)(from - plain));
            to += from - plain;
            if (to - begin > CLUMP_IMPORT_LINE)
                return fail_line_length(log, line);
            continue;
        }
        const size_t skip = sequence_length(from, end);
        if (skip > 0) {
            from += skip;
            continue;
        }
        bool printed = true;
        const size_t tag =
            *from == '[' || (*from >= 'A' && *from <= 'Z') ? tag_length(from, end, &printed) : 0;
        if (tag > 0) {
            from += tag;
            if (!printed) { /* the line stays, so that lines keep their numbers */
                const char *next = memchr(from, '\n', (size_t)(end - from));
                from = next != NULL ? next : end;
            }
            continue;
        }
        const char c = *from++;
        if (c == '\0')
            return clump_import_fail_at(log, line, "found a NUL byte, expected text");
        if (c == '\r' && from < end && *from == '\n') { /* whether that is right the format knows */
            text->crlf = text->crlf > 0 ? text->crlf : line;
            continue;
        }
        if (c == '\r')
            return clump_import_fail_at(
                log, line,
                "found a line that ends with CR, expected LF alone, as every "
                "tool writes it: was the file changed on the way? If only "
                "that, convert it with tr '\\r' '\\n'");
        *to++ = c;
        if (to - begin > CLUMP_IMPORT_LINE)
            return fail_line_length(log, line);
        if (c == '\n') {
            line++;
            begin = to;
        }
    }
    *to = '\0';
    text->log = log;
    text->bytes = bytes;
    text->size = (size_t)(to - bytes);
    text->at = 0;
    text->line = 0;
    text->whole = to > bytes && to[-1] == '\n';
    remove_labels(text);
    if (bytes[strspn(bytes, " \t\n")] == '\0') {
        return clump_import_fail_at(log, 0,
                                    "the file is empty: the run that wrote it may have failed");
    }
    return true;
}

char *clump_import_text_next(clump_import_text *text)
{
    if (text->at >= text->size)
        return NULL;
    char *line = text->bytes + text->at;
    char *end = memchr(line, '\n', text->size - text->at);
    if (end == NULL)
        end = text->bytes + text->size;
    text->at = (size_t)(end - text->bytes) + 1;
    text->log->at = ++text->line;
    while (end > line && (end[-1] == ' ' || end[-1] == '\t' || end[-1] == '\n'))
        end--;
    *end = '\0';
    return line;
}

bool clump_import_text_has(const clump_import_text *text, const char *needle, size_t lines)
{
    const size_t length = strlen(needle);
    const char *line = text->bytes;
    for (size_t i = 0; i < lines && *(line += strspn(line, "\n")) != '\0'; i++) {
        const char *end = strchr(line, '\n');
        const size_t size = end != NULL ? (size_t)(end - line) : strlen(line);
        for (size_t at = 0; at + length <= size; at++)
            if (memcmp(line + at, needle, length) == 0)
                return true;
        if (end == NULL)
            break;
        line = end + 1;
    }
    return false;
}

bool clump_import_text_is_whole(const clump_import_text *text, clump_import_log *log)
{
    if (text->whole)
        return true;
    return clump_import_fail(log, "found the end of the file in the middle of a line, "
                                  "expected more: the log is truncated");
}

bool clump_import_is_nan(const char *word)
{
    word += *word == '-' || *word == '+';
    return (word[0] | 0x20) == 'n' && (word[1] | 0x20) == 'a' && (word[2] | 0x20) == 'n' &&
           word[3] == '\0';
}

bool clump_import_number(clump_import_log *log, const char *word, const char *what, double *value)
{
    const clump_number_status status = clump_number_parse(word, strlen(word), value);
    if (status == CLUMP_NUMBER_OK)
        return true;
    if (clump_import_is_nan(word))
        return clump_import_fail(log, "found '%.20s' (not a number), expected %s", word, what);
    const char *comma = strchr(word, ',');
    if (comma != NULL && word[strspn(word, "+-0123456789,.eE")] == '\0') {
        const bool thousands = strpbrk(comma + 1, ",.") != NULL;
        return clump_import_fail(log,
                                 thousands ? "found '%.40s' with commas between digits, expected "
                                             "%s without: run the tool with LC_ALL=C"
                                           : "found '%.40s' with a decimal comma, expected %s with "
                                             "a point: run the tool with LC_ALL=C",
                                 word, what);
    }
    return clump_import_fail(log, "found '%.60s', expected %s%s", word, what,
                             status == CLUMP_NUMBER_RANGE ? " that fits a double" : "");
}

bool clump_import_amount(clump_import_log *log, const char *word, const char *what, double *value)
{
    if (!clump_import_number(log, word, what, value))
        return false;
    return *value >= 0 ||
           clump_import_fail(log, "found %.40s, expected %s of 0 or more", word, what);
}

bool clump_import_whole(clump_import_log *log, const char *word, const char *what, int64_t *value)
{
    if (clump_number_parse_whole(word, strlen(word), value) == CLUMP_NUMBER_OK && *value >= 0)
        return true;
    return clump_import_fail(log, "found '%.60s', expected %s", word, what);
}

bool clump_import_sharpen(clump_import_log *log, double printed, double half, double better,
                          double error, double *value)
{
    const double slack = half + error * better + 1e-9 * printed;
    if (!(fabs(better - printed) <= slack)) {
        return clump_import_fail(log,
                                 "found a time of %g us beside a rate that means %g us, expected "
                                 "the same: lines may be mixed up",
                                 printed, better);
    }
    *value = error * better < half ? better : printed;
    return true;
}
