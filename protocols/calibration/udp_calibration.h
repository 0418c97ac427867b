/* SPDX-License-Identifier: GPL-3.0-or-later */
/** The network protocol over UDP, to a server or over loopback: `calibrate udp`. */
#ifndef CLUMP_PROTOCOLS_CALIBRATION_UDP_CALIBRATION_H
#define CLUMP_PROTOCOLS_CALIBRATION_UDP_CALIBRATION_H

#include "protocols/calibration/calibration.h"
#include "protocols/calibration/udp_client.h"

/** `own` of the calibration. */
typedef struct clump_udp_question {
    clump_udp_plan plan; /**< without callbacks; no peer: a server of its own */

    /* What came of it. */
    clump_udp_losses losses;
    bool remote;   /**< the server is not its own */
    unsigned runs; /**< that are complete */
    clump_calibration_welcome server;
    char name[140], note[500], command[420]; /**< texts of the source */
    clump_calibration_status opened;
} clump_udp_question;

extern const clump_calibration_kind clump_calibration_udp;

#endif
