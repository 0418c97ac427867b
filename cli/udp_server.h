/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef UDP_SERVER_H
#define UDP_SERVER_H

/* The other end of `calibrate udp`: a server until it is stopped, or a child beside the client. */

#include "calibration/calibration_service.h"

#include <stdbool.h>
#include <sys/types.h>

/** Serve until ^C, or one client if `once`; says on stderr where it listens, and who comes and goes
 *  unless `quiet`. Returns the exit code: with `once` that of the client's way of leaving. */
int udp_serve(const clump_service_options *options, const char *command, bool once, bool quiet);

/** A server in a process of its own on the next processor, which ends with this one. */
typedef struct udp_child {
    pid_t process; /**< 0: none */
    char address[CLUMP_ADDRESS_TEXT];
} udp_child;

/** Complains itself. Returns the exit code. */
int udp_start(const clump_service_options *options, const char *command, udp_child *child);
/** Also without a child. */
void udp_stop(udp_child *child);

#endif
