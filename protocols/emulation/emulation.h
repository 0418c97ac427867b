/* SPDX-License-Identifier: GPL-3.0-or-later */
/**
 * A Clump and its NOW on one machine: network namespaces are nodes, veth pairs whose rate a token
 * bucket (HTB) limits are NICs, processes are processors. Each computes, sends a message, waits
 * until all of it has arrived, and begins again; when everything began and ended is handed back.
 *
 *   node        one namespace with N NICs, all P processors in it: the Clump;
 *               P namespaces with a NIC and a processor each: the NOW, at the same time
 *   NIC         a veth pair; HTB sends `bytes_per_us`. The other ends are in one more namespace
 *   sharing     a class a processor with equal quanta (SO_PRIORITY names it), or one for all
 *   message     plain UDP datagrams of known size on the wire, spread evenly over the NICs that a
 *               processor uses, and an empty one behind each NIC's share: a token bucket lets it
 *               through when all before it is paid for, so that it arrives when the last byte would
 *
 * Nothing has a name outside: namespaces live as long as the processes in them, and those end with
 * their parent, whatever ends it. Linux only; needs `ip` and `tc`, and root or user namespaces.
 * Nothing is printed. One run at a time.
 */
#ifndef CLUMP_PROTOCOLS_EMULATION_EMULATION_H
#define CLUMP_PROTOCOLS_EMULATION_EMULATION_H

#include "protocols/emulation/emulation_plan.h"
#include "protocols/protocol_status.h"

/**
 * Run both machines until every processor has done its cycles; those that are done go on, from
 * their first cycle again, until the last is.
 *
 * @param outcome  with records in place; written only on success
 * @param message  receives what went wrong
 * Errors: BAD_INPUT: the plan; NOT_FOUND: `ip` or `tc` is missing; BLOCKED: namespaces are not
 * allowed; TIMED_OUT: `watch` said stop; FAILED: the rest. Nothing is left behind in any case.
 */
clump_protocol_status clump_emulation_run(const clump_emulation_plan *plan,
                                          clump_emulation_outcome *outcome,
                                          char message[CLUMP_EMULATION_MESSAGE_BYTES]);

#endif
