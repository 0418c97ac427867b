/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Sessions of an endpoint, for those who want to know. */
#include "protocols/endpoint/remote_private.h"

static void view(const struct clump_remote *r, unsigned session, clump_endpoint_session *to)
{
    clump_session_view v;
    *to = (clump_endpoint_session){0};
    if (clump_network_view(r->network, session, &v))
        *to = (clump_endpoint_session){.number = v.serial << 8 | session,
                                       .open = v.open,
                                       .sent = v.sent,
                                       .arrived = v.arrived,
                                       .resent = v.resent};
}

void clump_endpoint_view(const clump_endpoint *e, unsigned destination, clump_endpoint_session *to)
{
    *to = (clump_endpoint_session){0};
    if (destination < CLUMP_DESTINATIONS && e->destinations[destination].remote)
        view(e->remote, e->destinations[destination].session, to);
}

void clump_token_view(const clump_token *token, clump_endpoint_session *to)
{
    *to = (clump_endpoint_session){0};
    if (token->remote)
        view(token->endpoint->remote, token->session, to);
}

uint64_t clump_token_session(const clump_token *token)
{
    clump_endpoint_session session;
    clump_token_view(token, &session);
    return session.number;
}

void clump_token_address(const clump_token *token, char text[CLUMP_ADDRESS_TEXT])
{
    clump_session_view v;
    text[0] = '\0';
    if (token->remote && clump_network_view(token->endpoint->remote->network, token->session, &v))
        clump_udp_text(&v.address, text);
}

bool clump_endpoint_has_session(const clump_endpoint *e, uint64_t number)
{
    clump_endpoint_session session = {0};
    if (e->remote != NULL && number != 0)
        view(e->remote, (unsigned)(number & 255), &session);
    return session.open && session.number == number;
}
