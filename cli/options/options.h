/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef CLUMP_CLI_OPTIONS_OPTIONS_H
#define CLUMP_CLI_OPTIONS_OPTIONS_H

/*
 * Options by table. An entry says everything about an option: its name, its type, which values it
 * takes, where its value goes, and its help. The same entries are parsed, read into a structure,
 * printed as help, completed in shells, and named in messages.
 *
 *     typedef struct settings {
 *         plot_settings plot;
 *         double limit;
 *         unsigned runs;
 *     } settings;
 *
 *     static const option_entry entries[] = {
 *         {.name = "limit", .argument = "X", .help = "greatest slowdown",
 *          OPTION_OF(settings, limit), .least = 0, .most = 10},
 *         {.name = "runs", .argument = "NUMBER", .help = "of each point (default: {})",
 *          OPTION_OF(settings, runs), .from = 2, .to = 1000, .preset = "30"},
 *         {0},
 *     };
 *     static const option_table tables[] = {
 *         {plot_options, offsetof(settings, plot)}, {entries, 0}, {0}};
 */

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/** What the text of an option becomes. */
typedef enum option_type {
    OPTION_FLAG,   /**< takes no text; bool: it was given */
    OPTION_TEXT,   /**< const char * */
    OPTION_TEXTS,  /**< option_texts: of an option that is given repeatedly */
    OPTION_OUTPUT, /**< const char *: a file to be written; not one that is read, not "-" */
    OPTION_REAL,   /**< double from `least` to `most`; also as "5%" if these are 0 to 1 at most */
    OPTION_SHARE,  /**< the same, as "5%" in any case */
    OPTION_REALS, /**< option_reals: a list with commas, each as OPTION_REAL, or of ranges "0.1:0.9:0.1";
                        or "@FILE" that holds one (numbers.h) */
    OPTION_WHOLE,  /**< any integer type: a whole number from `from` to `to` */
    OPTION_WHOLES, /**< option_wholes: a list with commas, of numbers and ranges "1:8", "1:8:2"; or
                        "@FILE" */
    OPTION_BYTES,  /**< any integer type: also with K, M, G, T */
    OPTION_CHOICE, /**< any integer type: the place in "one|other" of `argument` */
    OPTION_WORD,   /**< const char *: one of the words of `argument` */
    OPTION_CUSTOM  /**< what `read` makes of it */
} option_type;

typedef struct option_texts {
    const char **items;
    size_t count;
} option_texts;

typedef struct option_reals {
    double *values;
    size_t count;
} option_reals;

typedef struct option_wholes {
    size_t *values;
    size_t count;
} option_wholes;

typedef struct option_entry option_entry;
typedef struct command_line command_line;

struct option_entry {
    const char *name;     /**< long name without "--" */
    char letter;          /**< short form, or 0 */
    const char *argument; /**< what stands for the text in help; NULL: a word for its type, or it
                               takes none (option_argument) */
    const char *help;     /**< may have several lines; "{}" is where `preset` stands */
    const char *values;   /**< for completion, where `argument` does not say it: "a|b", or
                               "@platforms", "@applications", "@quantities", "@sources" */
    const char *(*value_at)(
        unsigned index); /**< likewise, each word by its number; NULL behind the last one */
    bool required;
    bool repeated; /**< may be given more than once */

    option_type type;
    size_t offset, size; /**< of the field in the structure: OPTION_FIELD; size 0: none,
                               and the text is not looked at */
    const char *preset;  /**< what is read if the option is not given; NULL: nothing */
    double least, most;  /**< reals; DBL_MAX: no limit */
    bool above;          /**< `least` itself is not allowed */
    bool percent;        /**< a share, "48%" is 0.48, although it may be above 1 */
    /** Of reals: the unit that they are read into ("s", "B", "B/us"; data/units.h), so that "350ms" may be written,
     *  and the unit of a number without one. NULL: they have none. */
    const char *unit, *bare;
    bool power;           /**< a whole number may be written as "1e9" */
    bool product;         /**< or as "2x64" */
    uint64_t from, to;    /**< whole numbers and bytes; to = 0: as much as fits */
    const char *expected; /**< the range in words, where those made from it do not do */

    /** Read `text` into the field; called each time that the option is given. It complains itself
     *  (option_wrong) and returns the exit code. */
    int (*read)(command_line *line, const option_entry *option, const char *text, void *field);
};

/** The place of an option's value in the structure of its table. */
#define OPTION_FIELD(structure, field)                                                             \
    .offset = offsetof(structure, field), .size = sizeof(((structure *)0)->field)

/** The same with its type, which is that of the field: of texts, numbers, their lists, and flags. */
#define OPTION_OF(structure, field)                                                                \
    .type = _Generic(&((structure *)0)->field,                                                     \
        bool *: OPTION_FLAG,                                                                       \
        const char **: OPTION_TEXT,                                                                \
        option_texts *: OPTION_TEXTS,                                                              \
        double *: OPTION_REAL,                                                                     \
        option_reals *: OPTION_REALS,                                                              \
        option_wholes *: OPTION_WHOLES,                                                            \
        uint16_t *: OPTION_WHOLE, \
        int *: OPTION_WHOLE, \
        int64_t *: OPTION_WHOLE, \
        unsigned *: OPTION_WHOLE,                                                                  \
        unsigned long *: OPTION_WHOLE,                                                             \
        unsigned long long *: OPTION_WHOLE),                                                                  \
    OPTION_FIELD(structure, field)

/** The same with another type: AS(BYTES, ...) is OPTION_BYTES. */
#define OPTION_AS(kind, structure, field) .type = OPTION_##kind, OPTION_FIELD(structure, field)

/** What this function makes of the text. */
#define OPTION_READ(function, structure, field)                                                    \
    .read = function, OPTION_AS(CUSTOM, structure, field)

/** Options that belong together, and where their structure lies in that of the command. */
typedef struct option_table {
    const option_entry *entries; /**< the last one has no name; NULL ends a list of tables */
    size_t offset;
} option_table;

/** An option as it was given. */
typedef struct given_option {
    const option_entry *entry;
    const char *value; /**< "" for one without argument */
} given_option;

/** All that was given; texts are those of argv. */
struct command_line {
    const char *command;        /**< for messages; NULL: the program itself */
    const option_table *tables; /**< may be NULL */
    given_option *given;
    size_t given_count;
    const char **operands;
    size_t operand_count;
    struct clump_arena *memory; /**< what reading has allocated */
};

/** Entry `index` of all tables together; NULL: there are no more. */
const option_entry *option_at(const option_table *tables, size_t index);

/** What stands for the text in help: "NAME", "NUMBER", "LIST"; NULL: it takes none. */
const char *option_argument(const option_entry *option);

/** The help of an option, with its preset; in `text` if need be. */
#define OPTION_HELP_SIZE 512
const char *option_help(const option_entry *option, char text[OPTION_HELP_SIZE]);

/** Which numbers an option takes, in words; "" of one that takes other things. */
#define OPTION_RANGE_SIZE 128
const char *option_range(const option_entry *option, char text[OPTION_RANGE_SIZE]);

/** Complain if a required option is missing; returns the exit code. */
int options_require(const command_line *line);

void command_line_free(command_line *line);

/** Zeroed memory that is freed with the command line; complains itself and returns NULL if there is
 *  none. */
void *option_allocate(command_line *line, size_t size);

/** Likewise room for one more row of an array that grows, which starts from NULL and 0. */
void *option_allocate_more(command_line *line, void *rows, size_t count, size_t size);

/** The text of an option as it was given (first), or NULL. */
const char *option_text(const command_line *line, const char *name);

bool option_is_given(const command_line *line, const char *name);

/** The first option of a table that was given, NULL if none was. */
const option_entry *option_any_given(const command_line *line, const option_entry *entries);

/** Complain about an option: found ..., expected ..., and what was probably meant; returns the exit
 *  code. */
int option_wrong(const command_line *line, const char *name, const char *found,
                 const char *expected);

/** Complain if the file `path` of the option, to be written, is an operand or that of another
 *  option: it would destroy what was read, or what was written before it. Returns the exit code. */
int option_check_output(const command_line *line, const option_entry *option, const char *path);

/** "; a decimal point, not a comma: 0.48" for "0,48", which other languages write, else "". */
#define OPTION_HINT_SIZE 80
const char *option_comma_hint(const char *text, char hint[OPTION_HINT_SIZE]);

/* ---- numbers and lists: decimal, all of the text, whatever the locale says. Refused: the empty text,
 * blanks, nan, inf, hexadecimal, anything that follows the number. */

/** [+-]digits[.digits][e[+-]digits]; finite, what is too near to 0 for a double is 0. ".5" and "5."
 *  are numbers, "." is none. */
bool real_parse(const char *text, double *value);

/** Digits only, from `least` to `most`. */
bool whole_parse(const char *text, uint64_t least, uint64_t most, uint64_t *value);

/**
 * One item of a list with commas: copies it to `item` (cut to `size`), returns where the next one begins,
 * NULL after the last.
 */
const char *list_next(const char *text, char *item, size_t size);

/** Room for one number of a list; what is longer cannot be one that anybody meant. */
#define ITEM_SIZE 64

#endif
