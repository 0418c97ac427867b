/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "cli/options/numbers.h"

#include "cli/output/errors.h"
#include "data/file.h"
#include "data/number.h"
#include "data/units.h"

#include <float.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* More than anybody can compute with is a mistake. */
static const size_t most_numbers = 10000000;
static const uint64_t most_whole = UINT64_C(1) << 53; /* in lists */
static const size_t most_bytes = (size_t)64 << 20;

/* ---- numbers */

bool real_parse(const char *text, double *value)
{
    return clump_number_read(text, strlen(text), value);
}

/* Leading digits; returns how many, 0 also when the number does not fit. */
static size_t read_digits(const char *text, uint64_t *value)
{
    const size_t digits = strspn(text, "0123456789");
    return clump_number_parse_digits(text, digits, value) == CLUMP_NUMBER_OK ? digits : 0;
}

bool whole_parse(const char *text, uint64_t least, uint64_t most, uint64_t *value)
{
    uint64_t number;
    const size_t digits = read_digits(text, &number);
    if (digits == 0 || text[digits] != '\0' || number < least || number > most)
        return false;
    *value = number;
    return true;
}

/* Bytes: a whole number with K, M, G or T (powers of 1024, an "iB" or "B" may follow) or none. */
static bool bytes_parse(const char *text, uint64_t least, uint64_t most, uint64_t *value)
{
    static const char units[] = "KMGT", lower[] = "kmgt";
    uint64_t number;
    const size_t digits = read_digits(text, &number);
    if (digits == 0)
        return false;
    const char *rest = text + digits;
    if (*rest != '\0' && *rest != 'B') {
        const char *unit = strchr(units, *rest);
        if (unit == NULL && (unit = strchr(lower, *rest)) != NULL)
            unit = units + (unit - lower);
        if (unit == NULL)
            return false;
        for (const char *u = units; u <= unit; u++) {
            if (number > UINT64_MAX / 1024)
                return false;
            number *= 1024;
        }
        rest++;
        if (*rest == 'i' && rest[1] == 'B')
            rest++;
    }
    if (*rest == 'B')
        rest++;
    if (*rest != '\0' || number < least || number > most)
        return false;
    *value = number;
    return true;
}

const char *list_next(const char *text, char *item, size_t size)
{
    const size_t length = strcspn(text, ",");
    const size_t copied = length < size ? length : size - 1;
    memcpy(item, text, copied);
    item[copied] = '\0';
    return text[length] == ',' ? text + length + 1 : NULL;
}

/* "0,48", which other languages write for 0.48: its fraction, or NULL. */
static const char *decimal_comma(const char *text)
{
    static const char digits[] = "0123456789";
    const size_t length = text[0] == '0' && text[1] == ',' ? strspn(text + 2, digits) : 0;
    return length > 0 && text[2 + length] == '\0' ? text + 2 : NULL;
}

const char *option_comma_hint(const char *text, char hint[OPTION_HINT_SIZE])
{
    const char *fraction = decimal_comma(text);
    hint[0] = '\0';
    if (fraction != NULL)
        snprintf(hint, OPTION_HINT_SIZE, "; a decimal point, not a comma: 0.%.20s", fraction);
    return hint;
}

static bool is_share(const option_entry *option)
{
    return option->type == OPTION_SHARE || option->percent ||
           (option->least >= 0 && option->most <= 1);
}

static bool in_range(const option_entry *option, double number)
{
    return number >= option->least && number <= option->most &&
           !(option->above && number <= option->least);
}

/* ---- where a number stands, for messages */

typedef struct place {
    command_line *line;
    const option_entry *option;
    const char *text; /* of the option */
    const char *file; /* NULL: in the option itself */
    size_t row;       /* of the file */
} place;

static int refuse(const place *p, const char *found, const char *expected)
{
    if (p->file == NULL)
        return option_wrong(p->line, p->option->name, found, expected);
    return error_input(p->line->command, "--%s: %s:%zu: found '%.80s', expected %s",
                       p->option->name, p->file, p->row, found, expected);
}

/* "; a decimal point, not a comma: 0.48", or "; 48% is 0.48" of a share. */
static const char *real_hint(const place *p, const char *item, char hint[OPTION_HINT_SIZE])
{
    double percent;
    if (*option_comma_hint(p->text, hint) != '\0' || !is_share(p->option))
        return hint;
    if (real_parse(item, &percent) && percent <= 100 && percent >= 2)
        snprintf(hint, OPTION_HINT_SIZE, "; %.9g%% is %.9g", percent, percent / 100);
    return hint;
}

const char *option_range(const option_entry *option, char text[OPTION_RANGE_SIZE])
{
    const uint64_t to = option->to > 0 ? option->to : UINT64_MAX;
    switch (option->type) {
    case OPTION_REAL:
    case OPTION_SHARE:
    case OPTION_REALS:
        if (option->most < DBL_MAX)
            snprintf(text, OPTION_RANGE_SIZE, "a number from %g to %g", option->least,
                     option->most);
        else
            snprintf(text, OPTION_RANGE_SIZE, "a number %s %g%s", option->above ? "above" : "of",
                     option->least, option->above ? "" : " or more");
        break;
    case OPTION_WHOLE:
    case OPTION_WHOLES:
    case OPTION_BYTES:
        if (option->from == 0 && to == UINT64_MAX)
            snprintf(text, OPTION_RANGE_SIZE, "a whole number");
        else
            snprintf(text, OPTION_RANGE_SIZE, "a whole number from %llu to %llu",
                     (unsigned long long)option->from, (unsigned long long)to);
        break;
    default:
        return "";
    }
    return option->expected != NULL ? option->expected : text;
}

static int refuse_real(const place *p, const char *item)
{
    char hint[OPTION_HINT_SIZE], range[OPTION_RANGE_SIZE], expected[128 + OPTION_HINT_SIZE];
    snprintf(expected, sizeof expected, "%.127s%s", option_range(p->option, range),
             real_hint(p, item, hint));
    return refuse(p, p->file == NULL && decimal_comma(p->text) != NULL ? p->text : item, expected);
}

/* "350ms", "1.2GB", "200Gb/s"; what goes by in a second may leave that out: "200Gb". */
static bool parse_with_unit(const option_entry *option, const char *text, double *value)
{
    static const char *const endings[] = {"", "/s", "B"};
    static const char digits[] = "0123456789";
    char unit[24];
    size_t length = strspn(text, "+-.0123456789");
    if ((text[length] == 'e' || text[length] == 'E') &&
        strchr(digits, text[length + 1 + strspn(text + length + 1, "+-")]) != NULL)
        length += 1 + strspn(text + length + 1, "+-0123456789");
    if (!clump_number_read(text, length, value))
        return false;
    const char *name = text + length + strspn(text + length, " ");
    if (*name == '\0')
        return clump_unit_convert(*value, option->bare, option->unit, value) == CLUMP_UNIT_OK;
    for (size_t i = 0; i < sizeof endings / sizeof *endings; i++)
        if (snprintf(unit, sizeof unit, "%s%s", name, endings[i]) < (int)sizeof unit &&
            clump_unit_convert(*value, unit, option->unit, value) == CLUMP_UNIT_OK)
            return true;
    return false;
}

static bool parse_real(const option_entry *option, const char *text, double *value)
{
    const bool read = option->unit != NULL ? parse_with_unit(option, text, value)
                      : is_share(option)   ? clump_number_read_share(text, strlen(text), value)
                                           : real_parse(text, value);
    if (read)
        *value += 0.0; /* zeros have no sign */
    return read;
}

static int read_real(const place *p, const char *item, double *value)
{
    double number;
    if (!parse_real(p->option, item, &number) || !in_range(p->option, number))
        return refuse_real(p, item);
    *value = number;
    return EXIT_DONE;
}

static int refuse_whole(const place *p, const char *item)
{
    char range[OPTION_RANGE_SIZE];
    return refuse(p, item, option_range(p->option, range));
}

/* Digits with a power of ten behind them, such as 25e8. */
static bool power_parse(const char *text, uint64_t least, uint64_t most, uint64_t *value)
{
    uint64_t number, power;
    const size_t digits = read_digits(text, &number);
    if (digits == 0 || (text[digits] != 'e' && text[digits] != 'E') ||
        !whole_parse(text + digits + 1, 0, 19, &power))
        return false;
    for (; power > 0; power--) {
        if (number > UINT64_MAX / 10)
            return false;
        number *= 10;
    }
    if (number < least || number > most)
        return false;
    *value = number;
    return true;
}

/* "2x64": sockets and their cores. */
static bool product_parse(const char *text, uint64_t least, uint64_t most, uint64_t *value)
{
    uint64_t first, second;
    const size_t digits = read_digits(text, &first);
    if (digits == 0 || (text[digits] != 'x' && text[digits] != '*') ||
        !whole_parse(text + digits + 1, 1, UINT32_MAX, &second) || first > UINT32_MAX ||
        first * second < least || first * second > most)
        return false;
    *value = first * second;
    return true;
}

/* A whole number or bytes, by the range of the option. */
static int read_whole(const place *p, const char *item, uint64_t *value)
{
    const option_entry *option = p->option;
    const uint64_t to = option->to > 0 ? option->to : UINT64_MAX;
    if (option->power && power_parse(item, option->from, to, value))
        return EXIT_DONE;
    if (option->product && product_parse(item, option->from, to, value))
        return EXIT_DONE;
    if (option->type == OPTION_BYTES ? bytes_parse(item, option->from, to, value)
                                     : whole_parse(item, option->from, to, value))
        return EXIT_DONE;
    return refuse_whole(p, item);
}

/* ---- lists */

/* Of doubles, or of size_t: whole numbers are below 2^53. */
typedef struct list {
    bool of_wholes;
    void *values;
    size_t count;
} list;

static int refuse_so_many(const place *p)
{
    return error_usage(p->line->command, "--%s: found more than %zu numbers, expected fewer",
                       p->option->name, most_numbers);
}

static int add(const place *p, list *l, double number)
{
    const size_t size = l->of_wholes ? sizeof(size_t) : sizeof(double);
    if (l->count == most_numbers)
        return refuse_so_many(p);
    void *values = option_allocate_more(p->line, l->values, l->count, size);
    if (values == NULL)
        return EXIT_FAILED;
    l->values = values;
    if (l->of_wholes)
        ((size_t *)values)[l->count++] = (size_t)number;
    else
        ((double *)values)[l->count++] = number;
    return EXIT_DONE;
}

/* The parts of FIRST:LAST or FIRST:LAST:STEP; false if it is neither. */
static bool split_range(char *item, char *parts[3])
{
    size_t count = 0;
    parts[2] = NULL;
    for (char *at = item; count < 3; count++) {
        parts[count] = at;
        at = strchr(at, ':');
        if (at == NULL)
            return count > 0;
        *at++ = '\0';
    }
    return false;
}

static int refuse_range(const place *p, const char *item)
{
    char expected[256];
    snprintf(expected, sizeof expected, "%s%sa range FIRST:LAST or FIRST:LAST:STEP upwards",
             p->option->expected != NULL ? p->option->expected : "",
             p->option->expected != NULL ? "; " : "");
    return refuse(p, item, expected);
}

static int read_item(const place *p, const list *l, const char *text, double *value)
{
    uint64_t whole = 0;
    if (!l->of_wholes)
        return read_real(p, text, value);
    const int status = read_whole(p, text, &whole);
    *value = (double)whole;
    return status == EXIT_DONE && whole > most_whole ? refuse_whole(p, text) : status;
}

/* Of reals twelve digits: 0.1 + 2 * 0.1 is 0.3. */
static int add_range(const place *p, list *l, const char *item, char *parts[3])
{
    double first, last = 0, step = 1, value;
    int status = read_item(p, l, parts[0], &first);
    if (status == EXIT_DONE)
        status = read_item(p, l, parts[1], &last);
    if (status == EXIT_DONE && ((parts[2] != NULL && !parse_real(p->option, parts[2], &step)) ||
                                !(step > 0) || (l->of_wholes && step > floor(step)) ||
                                !(last >= first) || !isfinite((last - first) / step)))
        return refuse_range(p, item);
    const double steps = floor((last - first) / step + 1e-9);
    if (status == EXIT_DONE && steps >= (double)(most_numbers - l->count))
        return refuse_so_many(p); /* before they are made */
    for (double i = 0; i <= steps && status == EXIT_DONE; i++) {
        char text[40];
        value = first + i * step;
        snprintf(text, sizeof text, "%.12g", value);
        if (i > 0 && !l->of_wholes)
            real_parse(text, &value);
        status = add(p, l, fmin(value, last));
    }
    return status;
}

/* A number or a range, `length` bytes of it. */
static int add_item(const place *p, list *l, const char *text, size_t length)
{
    char item[3 * ITEM_SIZE], copy[3 * ITEM_SIZE], *parts[3];
    snprintf(item, sizeof item, "%.*s", (int)(length < sizeof item ? length : sizeof item), text);
    if (length >= sizeof item || memchr(text, '\0', length) != NULL)
        return l->of_wholes ? refuse_whole(p, item) : refuse_real(p, item);
    memcpy(copy, item, sizeof copy);
    if (strchr(item, ':') != NULL) {
        if (!split_range(copy, parts))
            return refuse_range(p, item);
        return add_range(p, l, item, parts);
    }
    double number;
    const int status = read_item(p, l, item, &number);
    return status == EXIT_DONE ? add(p, l, number) : status;
}

/* With commas between; nothing between two of them is no number. */
static int add_text(const place *p, list *l)
{
    int status = EXIT_DONE;
    for (const char *at = p->text; at != NULL && status == EXIT_DONE;) {
        const size_t length = strcspn(at, ",");
        status = add_item(p, l, at, length);
        at = at[length] == ',' ? at + length + 1 : NULL;
    }
    return status;
}

/* Commas, blanks and ends of line between, comments. */
static int add_bytes(place *p, list *l, const char *bytes, size_t size)
{
    static const char mark[] = "\xEF\xBB\xBF"; /* of UTF-8, as some editors put it */
    const char *at = bytes, *const end = bytes + size;
    int status = EXIT_DONE;
    if (size >= 3 && memcmp(bytes, mark, 3) == 0)
        at += 3;
    for (p->row = 1; at < end && status == EXIT_DONE;) {
        const char *start = at;
        if (*at == '#')
            while (at < end && *at != '\n')
                at++;
        else
            while (at < end && (*at == '\0' || strchr(", \t\r\n#", *at) == NULL))
                at++;
        if (at > start && *start != '#')
            status = add_item(p, l, start, (size_t)(at - start));
        while (at < end && *at != '#' && *at != '\0' && strchr(", \t\r\n", *at) != NULL)
            p->row += *at++ == '\n';
    }
    return status;
}

static int add_file(place *p, list *l)
{
    const char *command = p->line->command, *name = p->option->name, *path = p->text + 1;
    char *bytes;
    size_t size;
    p->file = strcmp(path, "-") == 0 ? "standard input" : path;
    if (*path == '\0')
        return error_usage(command, "--%s: found '@', expected the name of a file after it", name);
    const clump_file_status read = clump_file_read(path, most_bytes, &bytes, &size);
    if (read == CLUMP_FILE_NO_MEMORY)
        return error_memory(command);
    if (read != CLUMP_FILE_OK) {
        char words[CLUMP_FILE_WORDS];
        return error_input(command, "--%s: %s: %s", name, p->file,
                           clump_file_words(read, most_bytes, "a file with numbers", words));
    }
    int status = add_bytes(p, l, bytes, size);
    if (status == EXIT_DONE && l->count == 0)
        status =
            error_input(command, "--%s: %s: found no number, expected at least one", name, p->file);
    free(bytes);
    return status;
}

/* ---- what becomes of options */

int number_read_real(command_line *line, const option_entry *option, const char *text,
                     double *value)
{
    return read_real(&(place){line, option, text, NULL, 0}, text, value);
}

int number_read_whole(command_line *line, const option_entry *option, const char *text,
                      uint64_t *value)
{
    return read_whole(&(place){line, option, text, NULL, 0}, text, value);
}

/* None of the list stays if it cannot be read. */
static int read_list(command_line *line, const option_entry *option, const char *text, list *l)
{
    place p = {line, option, text, NULL, 0};
    const int status = *text == '@' ? add_file(&p, l) : add_text(&p, l);
    if (status != EXIT_DONE)
        l->count = 0;
    return status;
}

int number_read_reals(command_line *line, const option_entry *option, const char *text,
                      option_reals *list_of)
{
    list l = {.of_wholes = false};
    const int status = read_list(line, option, text, &l);
    *list_of = (option_reals){.values = l.values, .count = l.count};
    return status;
}

int number_read_wholes(command_line *line, const option_entry *option, const char *text,
                       option_wholes *list_of)
{
    list l = {.of_wholes = true};
    const int status = read_list(line, option, text, &l);
    *list_of = (option_wholes){.values = l.values, .count = l.count};
    return status;
}
