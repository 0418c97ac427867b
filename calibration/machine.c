/* SPDX-License-Identifier: GPL-3.0-or-later */
#define _DEFAULT_SOURCE /* getloadavg */
#include "calibration/machine.h"

#include "cli/output/errors.h"

#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/utsname.h>

/* First line of a file, or of those that begin with `key`, what follows ": "; "" if there is none.
 */
static void read_line(const char *path, const char *key, char *value, size_t size)
{
    char line[300];
    value[0] = '\0';
    FILE *file = fopen(path, "r");
    while (file != NULL && value[0] == '\0' && fgets(line, sizeof line, file) != NULL) {
        const char *at = line;
        if (key != NULL) {
            at = strncmp(line, key, strlen(key)) == 0 ? strchr(line, ':') : NULL;
            at = at != NULL ? at + 1 + strspn(at + 1, " \t") : NULL;
        }
        if (at != NULL)
            snprintf(value, size, "%.*s", (int)strcspn(at, "\n"), at);
        else if (key == NULL)
            break;
    }
    if (file != NULL)
        fclose(file);
    for (char *c = value; *c != '\0'; c++) /* the store takes no control characters */
        if (!isprint((unsigned char)*c))
            *c = ' ';
}

/* "AMD EPYC 7B13 64-Core Processor" with 2 processors: "amd-epyc-7b13-64-core-processor-2". */
static void make_slug(measured_machine *machine)
{
    size_t used = 0;
    const char *name = machine->model[0] != '\0' ? machine->model : "machine";
    for (const char *c = name; *c != '\0' && used < 40; c++) {
        if (*c == '(') { /* (R), (TM) */
            c += strcspn(c, ")");
            if (*c == '\0')
                break;
        } else if (isalnum((unsigned char)*c)) {
            machine->slug[used++] = (char)tolower((unsigned char)*c);
        } else if (used > 0 && machine->slug[used - 1] != '-') {
            machine->slug[used++] = '-';
        }
    }
    while (used > 0 && machine->slug[used - 1] == '-')
        used--;
    snprintf(machine->slug + used, sizeof machine->slug - used, "-%u", machine->processors);
}

void machine_look(measured_machine *machine, unsigned processors)
{
    struct utsname system;
    double load;
    *machine = (measured_machine){.processors = processors};
    read_line("/proc/cpuinfo", "model name", machine->model, sizeof machine->model);
    read_line("/sys/devices/system/cpu/cpu0/cpufreq/scaling_governor", NULL, machine->governor,
              sizeof machine->governor);
    machine->load = getloadavg(&load, 1) == 1 ? load : -1;
    make_slug(machine);
    const bool known = uname(&system) == 0;
    int used = snprintf(machine->facts, sizeof machine->facts, "%.90s, %u processors, %.20s %.60s",
                        machine->model[0] != '\0' ? machine->model : "processor not known",
                        processors, known ? system.sysname : "", known ? system.release : "");
    if (machine->governor[0] != '\0')
        used += snprintf(machine->facts + used, sizeof machine->facts - (size_t)used,
                         ", frequency governor %s", machine->governor);
    if (machine->load >= 0)
        snprintf(machine->facts + used, sizeof machine->facts - (size_t)used, ", load %.1f",
                 machine->load);
}

void machine_warn(const measured_machine *machine, const char *command, unsigned wanted)
{
    if (machine->processors < 2)
        note_print(command, "one processor: sender and receiver take turns, and what is measured "
                            "is the scheduler of the system, not the protocol");
    else if (wanted > machine->processors)
        note_print(command,
                   "up to %u processes on %u processors: where they are more, they take turns",
                   wanted, machine->processors);
    if (machine->governor[0] != '\0' && strcmp(machine->governor, "performance") != 0)
        note_print(command,
                   "the frequency governor is '%s': figures depend on how warmed up the "
                   "processors are; 'performance' is steadier",
                   machine->governor);
    if (machine->load > 0.5)
        note_print(command,
                   "other programs run (load %.1f): wait for them, or "
                   "expect wide intervals",
                   machine->load);
}
