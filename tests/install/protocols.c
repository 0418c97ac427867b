/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Somebody else's program that uses the protocols alone: it sends a message to itself. */
#include <clumpprotocols.h>
#include <stdio.h>
#include <unistd.h>

static void on_message(clump_token *token, const clump_message *message, void *context)
{
    (void)token;
    *(uint32_t *)context = message->arguments[0];
}

int main(void)
{
    char name[40];
    uint32_t argument = 42, heard = 0;
    clump_endpoint *endpoint;
    snprintf(name, sizeof name, "external-%ld", (long)getpid());
    if (clump_endpoint_open(name, NULL, &endpoint) != CLUMP_PROTOCOL_OK ||
        clump_endpoint_set_tag(endpoint, CLUMP_TAG_ACCEPT_ALL) != CLUMP_PROTOCOL_OK ||
        clump_endpoint_set_handler(endpoint, 1, on_message, &heard) != CLUMP_PROTOCOL_OK ||
        clump_endpoint_map(endpoint, 0, name, 1) != CLUMP_PROTOCOL_OK ||
        clump_endpoint_request(endpoint, 0, 1, &argument, 1) != CLUMP_PROTOCOL_OK ||
        clump_endpoint_wait(endpoint, 1000000) != CLUMP_PROTOCOL_OK || heard != 42) {
        fprintf(stderr, "%s\n", clump_endpoint_message(endpoint));
        return 1;
    }
    clump_endpoint_close(endpoint);
    return 0;
}
