/* SPDX-License-Identifier: GPL-3.0-or-later */
/* winsize and TIOCGWINSZ became POSIX in 2024; glibc hides them from programs of 2008. */
#define _DEFAULT_SOURCE
#include "cli/output/terminal.h"

#include "data/number.h"

#include <langinfo.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <unistd.h>

bool terminal_has_colours(FILE *file)
{
    const char *no = getenv("NO_COLOR"), *kind = getenv("TERM");
    return isatty(fileno(file)) && (no == NULL || *no == '\0') && kind != NULL && *kind != '\0' &&
           strcmp(kind, "dumb") != 0;
}

void terminal_begin(FILE *file, text_style style)
{
    static const char *const sequences[] = {"\033[0m", "\033[1m", "\033[1;31m"};
    if (terminal_has_colours(file))
        fputs(sequences[style], file);
}

bool terminal_has_utf8(void)
{
    return strcmp(nl_langinfo(CODESET), "UTF-8") == 0;
}

int terminal_width(FILE *file)
{
    enum { LEAST = 40, USUAL = 80, MOST = 200 };
    const char *columns = getenv("COLUMNS");
    struct winsize size;
    uint64_t width = 0;
    if (columns == NULL ||
        clump_number_parse_digits(columns, strlen(columns), &width) != CLUMP_NUMBER_OK ||
        width < 1 || width > 100000)
        width =
            ioctl(fileno(file), TIOCGWINSZ, &size) == 0 && size.ws_col > 0 ? size.ws_col : USUAL;
    return width < LEAST ? LEAST : width > MOST ? MOST : (int)width;
}
