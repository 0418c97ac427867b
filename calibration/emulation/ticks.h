/* SPDX-License-Identifier: GPL-3.0-or-later */
/** What the processors of this machine have done since it was started. */
#ifndef CLUMP_CALIBRATION_EMULATION_TICKS_H
#define CLUMP_CALIBRATION_EMULATION_TICKS_H

/** Clock ticks of all processors; all 0 if the system does not tell. */
struct clump_emulation_ticks {
    double all, idle;
    double taken; /**< by the host of a virtual machine */
};

struct clump_emulation_ticks clump_emulation_ticks_now(void);

#endif
