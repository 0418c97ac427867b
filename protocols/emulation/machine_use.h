/* SPDX-License-Identifier: GPL-3.0-or-later */
/**
 * What all processors of this machine do, for whomever.
 */
#ifndef CLUMP_PROTOCOLS_EMULATION_MACHINE_USE_H
#define CLUMP_PROTOCOLS_EMULATION_MACHINE_USE_H

/** Clock ticks of all processors since the machine was started; all 0 if the system does not tell. */
struct clump_machine_ticks {
    double all, idle;
    double taken; /**< by the host of a virtual machine */
};

struct clump_machine_ticks clump_machine_ticks_now(void);

/** Share of its processors that was in use in between, 0 to 1. */
double clump_machine_busy(const struct clump_machine_ticks *before,
                          const struct clump_machine_ticks *after);

/** Share that the host of a virtual machine took away. */
double clump_machine_taken(const struct clump_machine_ticks *before,
                           const struct clump_machine_ticks *after);

#endif
