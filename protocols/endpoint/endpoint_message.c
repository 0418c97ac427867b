/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What an endpoint says when something fails. */
#include "protocols/endpoint/endpoint_private.h"

#include <stdarg.h>
#include <stdio.h>

const char *clump_protocol_status_text(clump_protocol_status status)
{
    static const char *const text[] = {"ok",      "bad input",  "not found",  "in use",
                                       "bad tag", "no handler", "timed out",  "peer dead",
                                       "failed",  "blocked",    "bad packet", "bad version"};
    return (unsigned)status < sizeof text / sizeof *text ? text[status] : "unknown status";
}

clump_protocol_status clump_endpoint_fail(struct clump_endpoint *endpoint,
                                          clump_protocol_status status, const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(endpoint->message, sizeof endpoint->message, format, arguments);
    va_end(arguments);
    return status;
}

const char *clump_endpoint_message(const clump_endpoint *endpoint)
{
    return endpoint != NULL ? endpoint->message : "no memory for an endpoint";
}

clump_protocol_status clump_endpoint_check_open(struct clump_endpoint *e)
{
    if (e->block.header == NULL)
        return clump_endpoint_fail(e, CLUMP_PROTOCOL_BAD_INPUT,
                                   "the endpoint is not open: clump_endpoint_open failed");
    return CLUMP_PROTOCOL_OK;
}
