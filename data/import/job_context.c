/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "data/import/job_context.h"
#include "data/file.h"

#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

/* No job script is longer, and no job greater. */
enum { MOST_BYTES = 1 << 18, MOST_PROCESSES = 1 << 26 };

/* The whole number that follows `word` in a line, behind blanks or "="; 0: there is none. */
static int64_t number_after(const char *line, const char *word)
{
    const char *at = strstr(line, word);
    if (at == NULL)
        return 0;
    at += strlen(word);
    at += strspn(at, " \t=");
    if (*at < '0' || *at > '9')
        return 0;
    char *end;
    const long long number = strtoll(at, &end, 10);
    const bool whole = strchr(" \t\r", *end) != NULL; /* or the end of the line */
    return whole && number > 0 && number <= MOST_PROCESSES ? number : 0;
}

static void keep(int64_t *place, int64_t found)
{
    if (*place == 0)
        *place = found;
}

static void read_line(const char *line, clump_job_context *job)
{
    static const char *const starters[] = {"mpirun ", "mpiexec ", "srun "};
    if (strncmp(line, "#SBATCH", 7) == 0) {
        keep(&job->processes, number_after(line, "--ntasks="));
        keep(&job->processes, number_after(line, " -n "));
        keep(&job->each, number_after(line, "--ntasks-per-node="));
        keep(&job->nodes, number_after(line, "--nodes="));
        keep(&job->nodes, number_after(line, " -N "));
    } else if (strncmp(line, "#$", 2) == 0) {
        keep(&job->nodes, number_after(line, "rt_F="));
    } else if (strncmp(line, "#BSUB", 5) == 0) {
        keep(&job->nodes, number_after(line, "-nnodes"));
    } else if (strncmp(line, "NPPN=", 5) == 0) {
        keep(&job->each, number_after(line, "NPPN="));
    }
    for (size_t i = 0; i < sizeof starters / sizeof *starters && line[0] != '#'; i++)
        if (strstr(line, starters[i]) != NULL) {
            keep(&job->processes, number_after(line, " -np "));
            keep(&job->processes, number_after(line, " -n "));
        }
}

void clump_job_context_read(char *script, clump_job_context *job)
{
    char *rest = script;
    while (rest != NULL && *rest != '\0') {
        char *line = rest;
        rest = strchr(line, '\n');
        if (rest != NULL)
            *rest++ = '\0';
        read_line(line, job);
    }
    if (job->processes == 0 && job->nodes > 0 && job->each > 0 &&
        job->nodes <= MOST_PROCESSES / job->each)
        job->processes = job->nodes * job->each;
    if (job->nodes == 0 && job->each > 0 && job->processes % job->each == 0)
        job->nodes = job->processes / job->each;
}

static clump_job_context read_script(const char *folder, int folder_length, const char *name,
                                     int name_length, const char *before, const char *after)
{
    clump_job_context job = {.nodes = 0};
    char path[4096], *bytes = NULL;
    size_t size = 0;
    const int length = snprintf(path, sizeof path, "%.*s%s%.*s%s", folder_length, folder, before,
                                name_length, name, after);
    struct stat is;
    if (length < 0 || (size_t)length >= sizeof path || stat(path, &is) != 0 ||
        !S_ISREG(is.st_mode) || clump_file_read(path, MOST_BYTES, &bytes, &size) != CLUMP_FILE_OK)
        return job;
    if (memchr(bytes, '\0', size) == NULL) {
        snprintf(job.script, sizeof job.script, "%.200s", path + folder_length);
        clump_job_context_read(bytes, &job);
    }
    free(bytes);
    return job;
}

clump_job_context clump_job_context_find(const char *log_path)
{
    const char *slash = strrchr(log_path, '/');
    const char *name = slash != NULL ? slash + 1 : log_path;
    const int folder = (int)(name - log_path);
    const char *end = strstr(name, ".sh.");
    clump_job_context job = {.nodes = 0};
    if (strcmp(log_path, "-") == 0)
        return job;
    if (end != NULL)
        job = read_script(log_path, folder, name, (int)(end - name), "", ".sh");
    if (job.script[0] == '\0' && folder > 1) {
        const char *first = log_path + folder - 1;
        while (first > log_path && first[-1] != '/')
            first--;
        job = read_script(log_path, folder, first, (int)(log_path + folder - 1 - first), "rfm_",
                          "_job.sh");
    }
    if (job.script[0] == '\0')
        job = read_script(log_path, folder, "", 0, "", "job.sh");
    return job;
}
