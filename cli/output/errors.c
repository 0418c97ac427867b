/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "cli/output/errors.h"

#include "cli/output/escape.h"
#include "cli/output/terminal.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

/* Longer messages are cut; values in them come from the command line and can have any length. */
#define MESSAGE_SIZE 4096

static void print_message(const char *command, bool is_note, const char *format, va_list values)
{
    char message[MESSAGE_SIZE];
    if (vsnprintf(message, sizeof message, format, values) < 0)
        return;
    fflush(stdout); /* keeps the order when both go to one place */
    terminal_begin(stderr, is_note ? STYLE_BOLD : STYLE_ALARM);
    fprintf(stderr, "clumpmodel%s%s:%s", command != NULL ? " " : "", command != NULL ? command : "",
            is_note ? " note:" : "");
    terminal_begin(stderr, STYLE_PLAIN);
    fputc(' ', stderr);
    escape_print(message, stderr);
    fputc('\n', stderr);
}

void note_print(const char *command, const char *format, ...)
{
    va_list values;
    va_start(values, format);
    print_message(command, true, format, values);
    va_end(values);
}

void note_lines(const char *command, const char *about, const char *lines)
{
    while (*lines != '\0') {
        const size_t size = strcspn(lines, "\n");
        note_print(command, "%s%s%.*s", about != NULL ? about : "", about != NULL ? ": " : "",
                   (int)size, lines);
        lines += size + (lines[size] == '\n');
    }
}

int error_usage(const char *command, const char *format, ...)
{
    va_list values;
    va_start(values, format);
    print_message(command, false, format, values);
    va_end(values);
    fprintf(stderr, "See 'clumpmodel help%s%s'.\n", command != NULL ? " " : "",
            command != NULL ? command : "");
    return EXIT_INPUT;
}

int error_input(const char *command, const char *format, ...)
{
    va_list values;
    va_start(values, format);
    print_message(command, false, format, values);
    va_end(values);
    return EXIT_INPUT;
}

int error_failed(const char *command, const char *format, ...)
{
    va_list values;
    va_start(values, format);
    print_message(command, false, format, values);
    va_end(values);
    return EXIT_FAILED;
}

int error_told(const char *command, bool of_input, const char *message)
{
    return of_input ? error_input(command, "%s", message) : error_failed(command, "%s", message);
}

int error_memory(const char *command)
{
    return error_failed(command, "out of memory");
}

int error_store(const char *command, const clump_store *store, clump_store_status status)
{
    /* What stops reading is that there is no memory for what was read. */
    if (store == NULL || status == CLUMP_STORE_STOPPED)
        return error_memory(command);
    return error_told(command,
                      status == CLUMP_STORE_NOT_FOUND || status == CLUMP_STORE_BAD_INPUT ||
                          status == CLUMP_STORE_IN_USE,
                      clump_store_message(store));
}
