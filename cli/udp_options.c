/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "cli/output/errors.h"
#include "cli/platform_name.h"
#include "cli/udp_calibration.h"
#include "protocols/network/network.h"

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

const option_entry udp_options[OPTION_COUNT] = {
    [PEER] = {.name = "peer",
              .argument = "HOST:PORT",
              .help = "measure to the server that listens there"},
    [LOCAL] = {.name = "local",
               .help = "measure over loopback, with a server started for this\n"
                       "(default)"},
    [LISTEN] = {.name = "listen",
                .argument = "[HOST:]PORT",
                .help = "be the server, until ^C (HOST is 127.0.0.1 unless given;\n"
                        "port 0 is any free one, shown on stderr)"},
    [ONCE] = {.name = "once", .help = "with --listen: end after one client"},
    [PROTOCOL] = {.name = "protocol",
                  .argument = "am2|l-hrx|ssam",
                  .help = "carrier, which makes messages arrive (default am2)"},
    [QUICK] = {.name = "quick", .help = "10 short runs: takes seconds, wide intervals"},
    [FULL] = {.name = "full", .help = "100 long runs: takes minutes"},
    [RUNS] = {.name = "runs",
              .argument = "NUMBER",
              .help = "number of runs, 2 to 1000, instead of 30, 10 or 100"},
    [STAGES] = {.name = "stages",
                .argument = "LIST",
                .help = "what to measure: loggp, sizes (default: both)"},
    [TAG] = {.name = "tag",
             .argument = "NUMBER",
             .help = "whole number above 0; must be the same at client and server"},
    [PATIENCE] = {.name = "patience",
                  .argument = "SECONDS",
                  .help = "silence after which the other end counts as gone\n"
                          "(default 5)"},
    [PLATFORM] = {.name = "platform",
                  .argument = "NAME",
                  .help = "name in the database for this machine, or for it and the\n"
                          "server's (default: from their processors)"},
    [PLOT] = PLOT_OPTION,
    [PLOT_SCRIPT] = PLOT_SCRIPT_OPTION,
};

_Static_assert((int)OPTION_COUNT == (int)UDP_OPTIONS, "as many as the command says");

static int read_role(udp_calibration *c, const command_line *a)
{
    const unsigned roles = (unsigned)option_given(a, PEER) + (unsigned)option_given(a, LOCAL) +
                           (unsigned)option_given(a, LISTEN);
    const char *listen = option_value(a, LISTEN);
    c->plan.peer = option_value(a, PEER);
    c->remote = c->plan.peer != NULL;
    if (roles > 1)
        return error_usage(a->command,
                           "found %u of --peer, --local and --listen, "
                           "expected one of them",
                           roles);
    if (c->plan.peer != NULL && strchr(c->plan.peer, ':') == NULL)
        return option_refuse(a, PEER, c->plan.peer, "HOST:PORT of a server");
    if (option_given(a, ONCE) && listen == NULL)
        return error_usage(a->command, "found --once without --listen, expected both");
    if (listen == NULL)
        return EXIT_DONE;
    static const size_t not_for_servers[] = {PROTOCOL, QUICK, FULL,       RUNS,
                                             PLATFORM, PLOT,  PLOT_SCRIPT};
    for (size_t i = 0; i < sizeof not_for_servers / sizeof *not_for_servers; i++)
        if (option_given(a, not_for_servers[i]))
            return error_usage(a->command,
                               "found --%s with --listen, expected it on the side that "
                               "measures",
                               udp_options[not_for_servers[i]].name);
    const bool port_only = listen[0] != '\0' && strspn(listen, "0123456789") == strlen(listen);
    snprintf(c->listen_text, sizeof c->listen_text, "%s%.250s", port_only ? "127.0.0.1:" : "",
             listen);
    c->listen = c->listen_text;
    c->once = option_given(a, ONCE);
    return strchr(c->listen, ':') != NULL ? EXIT_DONE
                                          : option_refuse(a, LISTEN, listen, "PORT or HOST:PORT");
}

static int read_protocol(udp_calibration *c, const command_line *a)
{
    const char *wanted = option_value(a, PROTOCOL), *name;
    char expected[CLUMP_CARRIERS_BYTES];
    c->plan.carrier = clump_network_carrier(0);
    if (wanted == NULL)
        return EXIT_DONE;
    for (unsigned i = 0; (name = clump_network_carrier(i)) != NULL; i++)
        if (strcmp(wanted, name) == 0) {
            c->plan.carrier = name;
            return EXIT_DONE;
        }
    clump_network_carriers(expected);
    return option_refuse(a, PROTOCOL, wanted, expected);
}

static int read_stages(udp_calibration *c, const command_line *a)
{
    const char *list = option_value(a, STAGES);
    c->plan.loggp = c->plan.sizes = list == NULL;
    for (const char *at = list; at != NULL; at = *at == ',' ? at + 1 : NULL) {
        const size_t size = strcspn(at, ",");
        const bool loggp = size == 5 && strncmp(at, "loggp", 5) == 0;
        if (!loggp && !(size == 5 && strncmp(at, "sizes", 5) == 0))
            return option_refuse(a, STAGES, list, "loggp, sizes or both with a comma");
        c->plan.loggp |= loggp;
        c->plan.sizes |= !loggp;
        at += size;
    }
    return EXIT_DONE;
}

int udp_read(udp_calibration *c)
{
    const command_line *a = &c->session.invocation->arguments;
    const bool quick = option_given(a, QUICK), full = option_given(a, FULL);
    static const number_range seconds = {
        .least = 0.1, .most = 3600, .expected = "a number of seconds from 0.1 to 3600"};
    uint64_t runs = quick ? 10 : full ? 100 : 30, tag = DEFAULT_TAG;
    double patience = 5;
    if (quick && full)
        return error_usage(a->command, "found --quick and --full, expected one of them");
    int status = read_role(c, a);
    if (status == EXIT_DONE)
        status = read_protocol(c, a);
    if (status == EXIT_DONE)
        status = read_stages(c, a);
    if (status == EXIT_DONE)
        status = option_whole(a, RUNS, 2, 1000, "a whole number from 2 to 1000", &runs);
    if (status == EXIT_DONE)
        status = option_whole(a, TAG, 1, UINT64_MAX - 1,
                              "a whole number from 1 to 18446744073709551614", &tag);
    if (status == EXIT_DONE)
        status = option_real(a, PATIENCE, &seconds, &patience);
    if (status == EXIT_DONE)
        status = plot_request_read(a, PLOT, PLOT_SCRIPT, &c->plot);
    if (status == EXIT_DONE)
        status = plot_request_try(&c->plot);
    c->platform = option_value(a, PLATFORM);
    if (status == EXIT_DONE)
        status = platform_name_check(a->command, c->platform);
    c->plan.runs = (unsigned)runs;
    c->plan.effort = quick ? 1 : full ? 10 : 4;
    c->plan.tag = tag;
    c->plan.patience_ms = (uint32_t)(1000 * patience);
    return status;
}

bool udp_not_shown(size_t option)
{
    return option == PEER || option == TAG || option == PLATFORM || option == PLOT ||
           option == PLOT_SCRIPT;
}
