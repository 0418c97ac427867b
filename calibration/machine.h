/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef MACHINE_H
#define MACHINE_H

/*
 * The machine that is measured: what kind it is, and what makes its figures unreliable. Never its
 * name or that of a user.
 */

#include <stddef.h>

typedef struct measured_machine {
    unsigned processors; /**< that this process may use */
    char model[100];     /**< of the processor, as the system calls it */
    char facts[300];     /**< one line: model, processors, system, frequency governor, load */
    char slug[60];       /**< "amd-epyc-2": a name for a platform of this kind */
    char governor[40];   /**< of the first processor; "" if there is none */
    double load; /**< processes that wanted to run, mean over a minute; below 0: not known */
} measured_machine;

void machine_look(measured_machine *machine, unsigned processors);

/** Warn on stderr about what is known before anything is measured. `wanted`: processes at once. */
void machine_warn(const measured_machine *machine, const char *command, unsigned wanted);

#endif
