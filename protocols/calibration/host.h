/* SPDX-License-Identifier: GPL-3.0-or-later */
/**
 * The machine that is measured: what kind it is, and what makes its figures unreliable. Never its
 * name or that of a user.
 */
#ifndef CLUMP_PROTOCOLS_CALIBRATION_HOST_H
#define CLUMP_PROTOCOLS_CALIBRATION_HOST_H

#include <stdbool.h>

typedef struct clump_host {
    unsigned processors; /**< that this process may use */
    char model[100];     /**< of the processor, as the system calls it */
    char facts[300];     /**< one line: model, processors, system, frequency governor, load */
    char slug[60];       /**< "amd-epyc-2": a name for a platform of this kind */
    char governor[40];   /**< of the first processor; "" if there is none */
    double load; /**< processes that wanted to run, mean over a minute; below 0: not known */
} clump_host;

void clump_host_look(clump_host *host, unsigned processors);

enum { CLUMP_HOST_DOUBT = 200 };

/**
 * What makes figures unreliable, as far as it is known before anything is measured: one reason
 * after another, each written to `text`.
 *
 * @param wanted  processes at once
 * @param next    0 to begin with; to be handed back
 * @return false after the last reason
 */
bool clump_host_doubt(const clump_host *host, unsigned wanted, unsigned *next,
                      char text[CLUMP_HOST_DOUBT]);

#endif
