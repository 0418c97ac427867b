/* SPDX-License-Identifier: GPL-3.0-or-later */
#define _DEFAULT_SOURCE /* getloadavg */
#include "protocols/calibration/host.h"

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
static void make_slug(clump_host *host)
{
    size_t used = 0;
    const char *name = host->model[0] != '\0' ? host->model : "machine";
    for (const char *c = name; *c != '\0' && used < 40; c++) {
        if (*c == '(') { /* (R), (TM) */
            c += strcspn(c, ")");
            if (*c == '\0')
                break;
        } else if (isalnum((unsigned char)*c)) {
            host->slug[used++] = (char)tolower((unsigned char)*c);
        } else if (used > 0 && host->slug[used - 1] != '-') {
            host->slug[used++] = '-';
        }
    }
    while (used > 0 && host->slug[used - 1] == '-')
        used--;
    snprintf(host->slug + used, sizeof host->slug - used, "-%u", host->processors);
}

void clump_host_look(clump_host *host, unsigned processors)
{
    struct utsname system;
    double load;
    *host = (clump_host){.processors = processors};
    read_line("/proc/cpuinfo", "model name", host->model, sizeof host->model);
    read_line("/sys/devices/system/cpu/cpu0/cpufreq/scaling_governor", NULL, host->governor,
              sizeof host->governor);
    host->load = getloadavg(&load, 1) == 1 ? load : -1;
    make_slug(host);
    const bool known = uname(&system) == 0;
    int used = snprintf(host->facts, sizeof host->facts, "%.90s, %u processors, %.20s %.60s",
                        host->model[0] != '\0' ? host->model : "processor not known", processors,
                        known ? system.sysname : "", known ? system.release : "");
    if (host->governor[0] != '\0')
        used += snprintf(host->facts + used, sizeof host->facts - (size_t)used,
                         ", frequency governor %s", host->governor);
    if (host->load >= 0)
        snprintf(host->facts + used, sizeof host->facts - (size_t)used, ", load %.1f", host->load);
}

bool clump_host_doubt(const clump_host *host, unsigned wanted, unsigned *next,
                      char text[CLUMP_HOST_DOUBT])
{
    enum { PROCESSORS, GOVERNOR, LOAD, ALL };
    text[0] = '\0';
    while (text[0] == '\0' && *next < ALL)
        switch ((*next)++) {
        case PROCESSORS:
            if (host->processors < 2)
                snprintf(text, CLUMP_HOST_DOUBT,
                         "one processor: sender and receiver take turns, and what is measured is "
                         "the scheduler of the system, not the protocol");
            else if (wanted > host->processors)
                snprintf(
                    text, CLUMP_HOST_DOUBT,
                    "up to %u processes on %u processors: where they are more, they take turns",
                    wanted, host->processors);
            break;
        case GOVERNOR:
            if (host->governor[0] != '\0' && strcmp(host->governor, "performance") != 0)
                snprintf(text, CLUMP_HOST_DOUBT,
                         "the frequency governor is '%s': figures depend on how warmed up the "
                         "processors are; 'performance' is steadier",
                         host->governor);
            break;
        default:
            if (host->load > 0.5)
                snprintf(text, CLUMP_HOST_DOUBT,
                         "other programs run (load %.1f): wait for them, or expect wide intervals",
                         host->load);
            break;
        }
    return text[0] != '\0';
}
