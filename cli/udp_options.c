/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "cli/errors.h"
#include "cli/platform_name.h"
#include "cli/udp_calibration.h"

#include <stdio.h>
#include <string.h>

/* Of calibrations, unless the user chooses another. */
#define DEFAULT_TAG UINT64_C(0x43616c6962)

enum {
    PEER,
    LOCAL,
    LISTEN,
    ONCE,
    PROTOCOL,
    QUICK,
    FULL,
    RUNS,
    STAGES,
    TAG,
    PATIENCE,
    PLATFORM,
    PLOT,
    PLOT_SCRIPT,
    OPTION_COUNT
};

const clump_cli_option clump_cli_udp_options[OPTION_COUNT] = {
    [PEER] = {.name = "peer",
              .argument = "HOST:PORT",
              .help = "measure to the server that listens there"},
    [LOCAL] = {.name = "local",
               .help = "measure over loopback, with a server of its own (default)"},
    [LISTEN] = {.name = "listen",
                .argument = "[HOST:]PORT",
                .help = "be the server, until ^C (HOST is 127.0.0.1 unless given;\n"
                        "port 0: any, which is told on stderr)"},
    [ONCE] = {.name = "once", .help = "with --listen: end after one client"},
    [PROTOCOL] = {.name = "protocol",
                  .argument = "am2|l-hrx|ssam",
                  .help = "what makes messages arrive (default am2)"},
    [QUICK] = {.name = "quick", .help = "10 short runs: seconds, wide intervals"},
    [FULL] = {.name = "full", .help = "100 long runs: minutes"},
    [RUNS] = {.name = "runs", .argument = "NUMBER", .help = "2 to 1000 instead of 30, 10 or 100"},
    [STAGES] = {.name = "stages", .argument = "LIST", .help = "of loggp, sizes (default: both)"},
    [TAG] = {.name = "tag",
             .argument = "NUMBER",
             .help = "whole, above 0; a server serves those that give its own"},
    [PATIENCE] = {.name = "patience",
                  .argument = "SECONDS",
                  .help = "silence after which the other end counts as gone\n"
                          "(default 5)"},
    [PLATFORM] = {.name = "platform",
                  .argument = "NAME",
                  .help = "name in the data base for this machine, or for it and the\n"
                          "server's (default: from their processors)"},
    [PLOT] = CLUMP_CLI_PLOT_OPTION,
    [PLOT_SCRIPT] = CLUMP_CLI_PLOT_SCRIPT_OPTION,
};

_Static_assert((int)OPTION_COUNT == (int)CLUMP_CLI_UDP_OPTIONS, "as many as the command says");

static int read_role(clump_cli_udp_calibration *c, const clump_cli_arguments *a)
{
    const unsigned roles = (unsigned)clump_cli_option_given(a, PEER) +
                           (unsigned)clump_cli_option_given(a, LOCAL) +
                           (unsigned)clump_cli_option_given(a, LISTEN);
    const char *listen = clump_cli_option_value(a, LISTEN);
    c->plan.peer = clump_cli_option_value(a, PEER);
    c->remote = c->plan.peer != NULL;
    if (roles > 1)
        return clump_cli_error_usage(a->command,
                                     "found %u of --peer, --local and --listen, "
                                     "expected one of them",
                                     roles);
    if (c->plan.peer != NULL && strchr(c->plan.peer, ':') == NULL)
        return clump_cli_option_refuse(a, PEER, c->plan.peer, "HOST:PORT of a server");
    if (clump_cli_option_given(a, ONCE) && listen == NULL)
        return clump_cli_error_usage(a->command, "found --once without --listen, expected both");
    if (listen == NULL)
        return CLUMP_CLI_DONE;
    static const size_t not_for_servers[] = {PROTOCOL, QUICK, FULL,       RUNS,
                                             PLATFORM, PLOT,  PLOT_SCRIPT};
    for (size_t i = 0; i < sizeof not_for_servers / sizeof *not_for_servers; i++)
        if (clump_cli_option_given(a, not_for_servers[i]))
            return clump_cli_error_usage(a->command,
                                         "found --%s with --listen, expected it on the side that "
                                         "measures",
                                         clump_cli_udp_options[not_for_servers[i]].name);
    const bool port_only = listen[0] != '\0' && strspn(listen, "0123456789") == strlen(listen);
    (void)snprintf(c->listen_text, sizeof c->listen_text, "%s%.250s", port_only ? "127.0.0.1:" : "",
                   listen);
    c->listen = c->listen_text;
    c->once = clump_cli_option_given(a, ONCE);
    return strchr(c->listen, ':') != NULL
               ? CLUMP_CLI_DONE
               : clump_cli_option_refuse(a, LISTEN, listen, "PORT or HOST:PORT");
}

static int read_protocol(clump_cli_udp_calibration *c, const clump_cli_arguments *a)
{
    static const char *const protocols[] = {"am2", "l-hrx", "ssam"};
    const char *wanted = clump_cli_option_value(a, PROTOCOL);
    c->plan.carrier = protocols[0];
    for (size_t i = 0; i < 3 && wanted != NULL; i++)
        if (strcmp(wanted, protocols[i]) == 0) {
            c->plan.carrier = protocols[i];
            return CLUMP_CLI_DONE;
        }
    return wanted == NULL ? CLUMP_CLI_DONE
                          : clump_cli_option_refuse(a, PROTOCOL, wanted, "am2, l-hrx or ssam");
}

static int read_stages(clump_cli_udp_calibration *c, const clump_cli_arguments *a)
{
    const char *list = clump_cli_option_value(a, STAGES);
    c->plan.loggp = c->plan.sizes = list == NULL;
    for (const char *at = list; at != NULL; at = *at == ',' ? at + 1 : NULL) {
        const size_t size = strcspn(at, ",");
        const bool loggp = size == 5 && strncmp(at, "loggp", 5) == 0;
        if (!loggp && !(size == 5 && strncmp(at, "sizes", 5) == 0))
            return clump_cli_option_refuse(a, STAGES, list, "loggp, sizes or both with a comma");
        c->plan.loggp |= loggp;
        c->plan.sizes |= !loggp;
        at += size;
    }
    return CLUMP_CLI_DONE;
}

int clump_cli_udp_read(clump_cli_udp_calibration *c)
{
    const clump_cli_arguments *a = &c->session.invocation->arguments;
    const bool quick = clump_cli_option_given(a, QUICK), full = clump_cli_option_given(a, FULL);
    static const clump_cli_range seconds = {
        .least = 0.1, .most = 3600, .expected = "a number of seconds from 0.1 to 3600"};
    uint64_t runs = quick ? 10 : full ? 100 : 30, tag = DEFAULT_TAG;
    double patience = 5;
    if (quick && full)
        return clump_cli_error_usage(a->command, "found --quick and --full, expected one of them");
    int status = read_role(c, a);
    if (status == CLUMP_CLI_DONE)
        status = read_protocol(c, a);
    if (status == CLUMP_CLI_DONE)
        status = read_stages(c, a);
    if (status == CLUMP_CLI_DONE)
        status = clump_cli_option_whole(a, RUNS, 2, 1000, "a whole number from 2 to 1000", &runs);
    if (status == CLUMP_CLI_DONE)
        status = clump_cli_option_whole(a, TAG, 1, UINT64_MAX - 1,
                                        "a whole number from 1 to 18446744073709551614", &tag);
    if (status == CLUMP_CLI_DONE)
        status = clump_cli_option_real(a, PATIENCE, &seconds, &patience);
    if (status == CLUMP_CLI_DONE)
        status = clump_cli_plot_request_read(a, PLOT, PLOT_SCRIPT, &c->plot);
    if (status == CLUMP_CLI_DONE)
        status = clump_cli_plot_request_try(&c->plot);
    c->platform = clump_cli_option_value(a, PLATFORM);
    if (status == CLUMP_CLI_DONE)
        status = clump_cli_platform_name_check(a->command, c->platform);
    c->plan.runs = (unsigned)runs;
    c->plan.effort = quick ? 1 : full ? 10 : 4;
    c->plan.tag = tag;
    c->plan.patience_ms = (uint32_t)(1000 * patience);
    return status;
}

bool clump_cli_udp_not_shown(size_t option)
{
    return option == PEER || option == TAG || option == PLATFORM || option == PLOT ||
           option == PLOT_SCRIPT;
}
