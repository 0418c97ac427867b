/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The table of handlers. */
#include "protocols/endpoint/endpoint_private.h"

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
