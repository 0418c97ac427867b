/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "protocols/protocol_status.h"

const char *clump_protocol_status_text(clump_protocol_status status)
{
    static const char *const text[] = {"ok",      "bad input",  "not found",  "in use",
                                       "bad tag", "no handler", "timed out",  "peer dead",
                                       "failed",  "blocked",    "bad packet", "bad version"};
    return (unsigned)status < sizeof text / sizeof *text ? text[status] : "unknown status";
}
