/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What all files of an endpoint need: what it says of failures, and its table of handlers. */
#include "protocols/endpoint/endpoint_private.h"

#include <stdarg.h>
#include <stdio.h>

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

clump_protocol_status clump_endpoint_set_handler(clump_endpoint *e, unsigned index,
                                                 clump_handler handler, void *context)
{
    if (index >= CLUMP_HANDLERS)
        return clump_endpoint_fail(e, CLUMP_PROTOCOL_BAD_INPUT, "handler %u: expected 0 to %d",
                                   index, CLUMP_HANDLERS - 1);
    e->handlers[index].call = handler;
    e->handlers[index].context = context;
    return CLUMP_PROTOCOL_OK;
}

clump_protocol_status clump_endpoint_dispatch(struct clump_endpoint *e, struct clump_token *token,
                                              bool request, uint64_t tag, unsigned handler,
                                              const clump_message *message)
{
    const bool admitted = !request || e->tag == CLUMP_TAG_ACCEPT_ALL ||
                          (e->tag == tag && tag != CLUMP_TAG_REJECT_ALL);
    if (!admitted || e->handlers[handler].call == NULL) {
        e->refused++;
        return admitted ? CLUMP_PROTOCOL_NO_HANDLER : CLUMP_PROTOCOL_BAD_TAG;
    }
    e->received++;
    e->handling++;
    e->handlers[handler].call(request ? token : NULL, message, e->handlers[handler].context);
    e->handling--;
    return CLUMP_PROTOCOL_OK;
}
