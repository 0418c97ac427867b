/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef CLUMP_MODEL_SIMULATION_SCHEDULE_READER_H
#define CLUMP_MODEL_SIMULATION_SCHEDULE_READER_H

/* Internal to model/simulation. The text of a schedule, word by word, and lists that grow. What
 * fails says so in the error of the reader: the first complaint stays. */

#include "model/status.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum { SCHEDULE_SHOWN = 40 }; /* characters of what was found, in messages */

typedef struct schedule_word {
    const char *text; /* in the schedule's text */
    size_t size;
} schedule_word;

typedef struct schedule_list {
    void *items;
    size_t count, room;
} schedule_list;

typedef struct schedule_reader {
    const char *at, *end;
    uint32_t line;
    clump_error *error;
    clump_status status;
} schedule_reader;

/** Room for one more item of `size` bytes; NULL without memory. */
void *schedule_add(schedule_reader *r, schedule_list *l, size_t size);

/** "line N: found ..., expected ...". @return false */
bool schedule_complain(schedule_reader *r, const char *expected);

/** Blanks and comments that begin in the line; the others go on over the ends of lines. */
void schedule_skip_blanks(schedule_reader *r);
void schedule_skip_lines(schedule_reader *r);

/** Letters, digits and _, a letter first; of size 0 if something else is there. */
schedule_word schedule_read_word(schedule_reader *r);
bool schedule_is(schedule_word w, const char *text);

/** Step over this word or sign if it comes next. */
bool schedule_accept(schedule_reader *r, const char *text);
bool schedule_accept_sign(schedule_reader *r, char sign);

bool schedule_is_digit(char c);

/** A whole number up to `most`. */
bool schedule_read_number(schedule_reader *r, uint64_t most, const char *expected,
                          uint64_t *number);

#endif
