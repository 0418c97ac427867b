/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef UDP_CALIBRATION_H
#define UDP_CALIBRATION_H

/* What `calibrate udp` wants, has measured, and says in the end. */

#include "calibration/calibration_network.h"
#include "calibration/calibration_session.h"
#include "cli/pictures/plot_options.h"

typedef struct udp_calibration {
    clump_calibration_session session; /* first: callbacks get its address */
    clump_network_plan plan;
    clump_network_losses losses;
    const char *listen, *platform;
    char listen_text[300];
    bool once;     /* with `listen` */
    size_t stored; /* samples */
    int database_status;
    bool remote;   /* the server is not ours */
    unsigned runs; /* that are complete */
    clump_calibration_welcome server;
    char name[140], name_title[300], note[500];
    plot_request plot;
} udp_calibration;

/** The options of the command. */
extern const option_entry udp_options[];
enum { UDP_OPTIONS = 14 };

/** Read them all, for the client and for the server. Returns the exit code. */
int udp_read(udp_calibration *calibration);

/** Whether figures do not depend on an option, or it is nobody's business. */
bool udp_not_shown(size_t option);

/** Warn about losses. */
void udp_warn(const udp_calibration *calibration);

/** Store what follows from the samples, print, and draw. Returns the exit code. */
int udp_answer(udp_calibration *calibration);

#endif
