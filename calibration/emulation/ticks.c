/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "calibration/emulation/ticks.h"

#include <fcntl.h>
#include <stdio.h>
#include <unistd.h>

struct clump_emulation_ticks clump_emulation_ticks_now(void)
{
    /* user nice system idle iowait irq softirq steal */
    double t[8] = {0};
    char line[256];
    const int file = open("/proc/stat", O_RDONLY | O_CLOEXEC);
    const ssize_t length = file >= 0 ? read(file, line, sizeof line - 1) : -1;
    if (file >= 0)
        close(file);
    line[length > 0 ? length : 0] = '\0';
    if (sscanf(line, "cpu %lf %lf %lf %lf %lf %lf %lf %lf", &t[0], &t[1], &t[2], &t[3], &t[4],
               &t[5], &t[6], &t[7]) != 8)
        return (struct clump_emulation_ticks){.all = 0};
    struct clump_emulation_ticks ticks = {.idle = t[3] + t[4], .taken = t[7]};
    for (int i = 0; i < 8; i++)
        ticks.all += t[i];
    return ticks;
}
