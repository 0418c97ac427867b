/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "protocols/emulation/machine_use.h"

#include <fcntl.h>
#include <stdio.h>
#include <unistd.h>

struct clump_machine_ticks clump_machine_ticks_now(void)
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
        return (struct clump_machine_ticks){.all = 0};
    struct clump_machine_ticks ticks = {.idle = t[3] + t[4], .taken = t[7]};
    for (int i = 0; i < 8; i++)
        ticks.all += t[i];
    return ticks;
}

double clump_machine_busy(const struct clump_machine_ticks *before,
                          const struct clump_machine_ticks *after)
{
    const double all = after->all - before->all;
    return all > 0 ? 1 - (after->idle - before->idle) / all : 0;
}

double clump_machine_taken(const struct clump_machine_ticks *before,
                           const struct clump_machine_ticks *after)
{
    const double all = after->all - before->all;
    return all > 0 ? (after->taken - before->taken) / all : 0;
}
