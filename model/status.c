/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "model/status.h"

#include <stdarg.h>
#include <stdio.h>

clump_status clump_fail(clump_error *error, clump_status status, const char *format, ...)
{
    if (error != NULL) {
        va_list arguments;
        va_start(arguments, format);
        vsnprintf(error->message, sizeof error->message, format, arguments);
        va_end(arguments);
        error->status = status;
    }
    return status;
}

clump_status clump_fail_memory(clump_error *error, const char *what)
{
    return clump_fail(error, CLUMP_NO_MEMORY, "out of memory for %s", what);
}
