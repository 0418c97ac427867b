/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef CLUMP_CLI_UDP_CALIBRATION_H
#define CLUMP_CLI_UDP_CALIBRATION_H

/* What `calibrate udp` wants, has measured, and says in the end. */

#include "cli/calibration_session.h"
#include "cli/plot_options.h"
#include "protocols/calibration_network.h"

typedef struct clump_cli_udp_calibration {
    clump_cli_calibration_session session; /* first: callbacks get its address */
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
    clump_cli_plot_request plot;
} clump_cli_udp_calibration;

/** The options of the command. */
extern const clump_cli_option clump_cli_udp_options[];
enum { CLUMP_CLI_UDP_OPTIONS = 14 };

/** Read them all, for the client and for the server. Returns the exit code. */
int clump_cli_udp_read(clump_cli_udp_calibration *calibration);

/** Whether figures do not depend on an option, or it is nobody's business. */
bool clump_cli_udp_not_shown(size_t option);

/** Warn about losses. */
void clump_cli_udp_warn(const clump_cli_udp_calibration *calibration);

/** Store what follows from the samples, print, and draw. Returns the exit code. */
int clump_cli_udp_answer(clump_cli_udp_calibration *calibration);

#endif
