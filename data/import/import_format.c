/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "data/import/import_format.h"

#include <string.h>

/* CSV comes last: nearly anything could be CSV. */
const clump_import_format *const clump_import_formats[] = {&clump_import_osu,
                                                           &clump_import_imb,
                                                           &clump_import_netgauge,
                                                           &clump_import_logp_mpi,
                                                           &clump_import_ucx_perftest,
                                                           &clump_import_fi_pingpong,
                                                           &clump_import_mpip,
                                                           &clump_import_netpipe,
                                                           &clump_import_own,
                                                           &clump_import_csv,
                                                           NULL};

const clump_import_format *clump_import_format_find(const char *name)
{
    const clump_import_format *const *format = clump_import_formats;
    while (*format != NULL && strcmp((*format)->name, name) != 0)
        format++;
    return *format;
}

const clump_import_format *clump_import_format_guess(const clump_import_text *text)
{
    const clump_import_format *const *format = clump_import_formats;
    while (*format != NULL && !(*format)->recognize(text))
        format++;
    return *format;
}

bool clump_import_parse(const clump_import_format *format, char *bytes, size_t size,
                        const clump_import_hints *hints, clump_import_log *log)
{
    clump_import_text text = {.hints = *hints};
    log->format = format != NULL ? format->name : "auto";
    if (!clump_import_text_start(&text, bytes, size, log))
        return false;
    const clump_import_format *guess = clump_import_format_guess(&text);
    if (format == NULL && guess == NULL) {
        return clump_import_fail(log, 0,
                                 "found nothing that is known, expected the output of one "
                                 "of the tools; say which format it is");
    }
    if (format != NULL && guess != format && !format->recognize(&text)) {
        return clump_import_fail(log, 0, "found %s%s, expected %s",
                                 guess != NULL ? "what looks like " : "nothing that is known",
                                 guess != NULL ? guess->tool : "", format->tool);
    }
    const clump_import_format *used = format != NULL ? format : guess;
    if (used == &clump_import_csv && guess == &clump_import_own)
        used = guess; /* it is CSV as well, and says more */
    log->format = used->name;
    log->tool = used->tool;
    if (!used->parse(&text, log))
        return false;
    if (log->samples == 0) {
        return clump_import_fail(log, text.line,
                                 "found the end of the file, expected results: "
                                 "the run may have failed");
    }
    return true;
}
