/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "protocols/command/calibrate_run.h"
#include "cli/database.h"
#include "cli/output/errors.h"
#include "cli/output/interrupt.h"
#include "cli/output/progress.h"
#include "clumpmodel.h"

#include <stdio.h>
#include <string.h>

/* ---- options */

int calibrate_read_platform(command_line *line, const option_entry *option, const char *text,
                            void *field)
{
    clump_store *reference = NULL;
    clump_store_platform *found = NULL;
    int status = EXIT_DONE;
    (void)option;
    *(const char **)field = text;
    if (text[0] == '\0')
        return error_usage(line->command, "--platform: found '', expected a name");
    /* Samples of this machine must not hide those of one that ships with the program: nothing could
     * be compared with them any more. */
    clump_store_status looked = clump_store_open(NULL, CLUMP_STORE_READ, &reference);
    if (looked == CLUMP_STORE_OK)
        looked = clump_store_find_platform(reference, text, &found);
    if (looked == CLUMP_STORE_OK)
        status = error_usage(line->command,
                             "--platform: found '%.60s', a platform of the reference data, "
                             "expected a name for this machine",
                             text);
    else if (looked != CLUMP_STORE_NOT_FOUND)
        status = error_store(line->command, reference, looked);
    clump_store_free(found);
    clump_store_close(reference);
    return status;
}

int calibrate_check_effort(const command_line *line, bool quick, bool full)
{
    return quick && full
               ? error_usage(line->command, "found --quick and --full, expected one of them")
               : EXIT_DONE;
}

unsigned calibrate_processors(void)
{
    const unsigned processors = clump_team_processors();
    return processors < 2 ? 2 : processors > 64 ? 64 : processors;
}

/* Which of "one|other" are in a list with commas. Returns -1, or the length of the item that is none of them. */
static int read_words(const char *text, const char *words, bool *found, const char **wrong)
{
    for (*wrong = text;; (*wrong)++) {
        const size_t size = strcspn(*wrong, ",");
        const char *word = words;
        size_t place = 0, length;
        while ((length = strcspn(word, "|")) != size || strncmp(word, *wrong, size) != 0) {
            if (word[length] == '\0')
                return (int)size;
            word += length + 1;
            place++;
        }
        found[place] = true;
        *wrong += size;
        if (**wrong == '\0')
            return -1;
    }
}

int calibrate_read_list(command_line *line, const option_entry *option, const char *text,
                        void *field)
{
    const char *words = option->values;
    char expected[160];
    const char *wrong;
    size_t used = 0;
    const int size = read_words(text, words, field, &wrong);
    if (size < 0)
        return EXIT_DONE;
    for (const char *c = words; *c != '\0' && used + 3 < sizeof expected; c++)
        if (*c == '|') {
            expected[used++] = ',';
            expected[used++] = ' ';
        } else {
            expected[used++] = *c;
        }
    expected[used] = '\0';
    return error_usage(line->command, "--%s: found '%.*s', expected a list of %s with commas",
                       option->name, size < 60 ? size : 60, wrong, expected);
}

/* The command as one could type it again, without what figures do not depend on, or what is
 * nobody's business. */
static void show_command(const command_invocation *invocation, char *text, size_t size)
{
    static const char *const hidden[] = {"compare", "peer", "platform", "plot", "tag"};
    const command_line *line = &invocation->arguments;
    size_t used = (size_t)snprintf(text, size, "clumpmodel %s", invocation->command->name);
    for (size_t i = 0; i < line->given_count && used < size; i++) {
        const given_option *given = &line->given[i];
        size_t h = 0;
        while (h < sizeof hidden / sizeof *hidden && strcmp(given->entry->name, hidden[h]) != 0)
            h++;
        if (h == sizeof hidden / sizeof *hidden)
            used += (size_t)snprintf(text + used, size - used, " --%s%s%.100s", given->entry->name,
                                     given->value[0] != '\0' ? " " : "", given->value);
    }
}

/* ---- measuring */

typedef struct session {
    const command_invocation *invocation;
    progress_bar progress;
    int opened; /* exit code */
} session;

static bool open_store(clump_store **store, void *context)
{
    session *s = context;
    progress_clear(&s->progress);
    s->opened = database_create(s->invocation, store);
    if (s->opened == EXIT_DONE)
        database_tell_new(s->invocation, *store);
    return s->opened == EXIT_DONE;
}

static bool watch(double share, const char *note, void *context)
{
    session *s = context;
    progress_note(&s->progress, share, note);
    return interrupt_wanted();
}

static void warn(const char *text, void *context)
{
    session *s = context;
    progress_clear(&s->progress);
    if (!s->invocation->quiet)
        note_print(s->invocation->arguments.command, "%s", text);
}

/* The exit code, after a complaint. */
static int tell(const session *s, const clump_calibration *c, clump_calibration_status status)
{
    if (status == CLUMP_CALIBRATION_OK)
        return EXIT_DONE;
    if (c->message[0] == '\0')
        return s->opened != EXIT_DONE ? s->opened : EXIT_FAILED;
    const int told = error_told(s->invocation->arguments.command,
                                status == CLUMP_CALIBRATION_BAD_INPUT, c->message);
    return interrupt_wanted() ? interrupt_status() : told;
}

int calibrate(const command_invocation *invocation, clump_calibration *c,
              int (*show)(const command_invocation *invocation, clump_calibration *calibration))
{
    char shown[400];
    session s = {.invocation = invocation};
    show_command(invocation, shown, sizeof shown);
    c->command = shown;
    c->version = CLUMPMODEL_VERSION;
    c->open = open_store;
    c->watch = watch;
    c->warn = warn;
    c->context = &s;
    if (c->kind->keeps_parts)
        interrupt_catch();
    progress_start(&s.progress, invocation->quiet);
    const clump_calibration_status measured = clump_calibration_run(c);
    progress_clear(&s.progress);
    if (c->kind->keeps_parts)
        interrupt_release();
    int status = tell(&s, c, measured);
    clump_calibration_warn_samples(c);
    if (clump_calibration_has_results(c)) {
        int shown_status = tell(&s, c, clump_calibration_conclude(c));
        if (shown_status == EXIT_DONE)
            shown_status = show(invocation, c);
        status = status != EXIT_DONE ? status : shown_status;
    }
    clump_calibration_close(c);
    return status;
}

void calibrate_tell_stored(const clump_calibration *c, const char *before)
{
    printf("%s%zu samples are stored as platform '%s', source '%s'.\n", before, c->samples.count,
           c->store.source.platform, c->store.name);
}
