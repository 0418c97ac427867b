/* SPDX-License-Identifier: GPL-3.0-or-later */
#define _DEFAULT_SOURCE
#include "cli/udp_server.h"

#include "calibration/team.h"
#include "cli/output/errors.h"

#include <errno.h>
#include <inttypes.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>
#ifdef __linux__
#include <sys/prctl.h>
#endif

enum { TURN_US = 50000 };

static volatile sig_atomic_t stop_wanted;

static void on_signal(int number)
{
    (void)number;
    stop_wanted = 1;
}

static int refuse(const char *command, clump_protocol_status status, const char *message)
{
    return status == CLUMP_PROTOCOL_BAD_INPUT ? error_input(command, "%s", message)
                                              : error_failed(command, "%s", message);
}

/* ---- a server that people talk to */

static void tell_end(const char *command, const clump_service_view *v)
{
    note_print(command, "%s %s; %" PRIu64 " requests", v->client,
               v->end == CLUMP_SERVICE_DONE ? "is done" : "was gone before it was done",
               v->requests);
}

/* Who came and went since `last`. */
static void tell(const char *command, const clump_service_view *last, const clump_service_view *now)
{
    if (now->begun > last->begun && now->ended > last->ended && !now->busy && !last->busy) {
        tell_end(command, now); /* came and went */
        return;
    }
    if (now->ended > last->ended && last->busy)
        tell_end(command, now->busy ? last : now);
    if (now->begun > last->begun && now->busy)
        note_print(command, "serving %s", now->client);
}

static int serve(clump_service *service, const char *command, bool once, bool quiet)
{
    clump_service_view last, now;
    clump_service_look(service, &last);
    while (!stop_wanted && !(once && last.ended > 0)) {
        clump_service_turn(service, TURN_US);
        clump_service_look(service, &now);
        if (!quiet)
            tell(command, &last, &now);
        last = now;
    }
    if (!quiet && (last.refused > 0 || last.uninvited > 0 || last.turned_away > 0))
        note_print(command,
                   "not served: %" PRIu64 " messages that were no request, %" PRIu64
                   " requests of who had not begun, %" PRIu64 " who came while "
                   "another was served, or with another version, each time they asked",
                   last.refused, last.uninvited, last.turned_away);
    if (!once)
        return EXIT_DONE; /* ^C is how it ends */
    return last.ended > 0 && last.end == CLUMP_SERVICE_DONE ? EXIT_DONE : EXIT_FAILED;
}

int udp_serve(const clump_service_options *options, const char *command, bool once, bool quiet)
{
    static const int signals[] = {SIGINT, SIGTERM, SIGHUP};
    struct sigaction old[3], now = {.sa_handler = on_signal};
    char message[CLUMP_CALIBRATION_MESSAGE_BYTES];
    clump_service *service = NULL;
    const clump_protocol_status opened = clump_service_open(options, &service, message);
    if (opened != CLUMP_PROTOCOL_OK)
        return refuse(command, opened, message);
    stop_wanted = 0;
    sigemptyset(&now.sa_mask);
    for (size_t i = 0; i < 3; i++)
        sigaction(signals[i], &now, &old[i]);
    /* Also with --quiet: with port 0 nobody could know it otherwise. */
    note_print(command, "listening on %s", clump_service_address(service));
    const int status = serve(service, command, once, quiet);
    for (size_t i = 0; i < 3; i++)
        sigaction(signals[i], &old[i], NULL);
    clump_service_close(service);
    return status;
}

/* ---- a server beside the client */

static void be_child(const clump_service_options *options, pid_t parent, int to)
{
    char message[CLUMP_CALIBRATION_MESSAGE_BYTES] = "", address[CLUMP_ADDRESS_TEXT] = "";
    clump_service *service = NULL;
    signal(SIGINT, SIG_IGN); /* of the terminal: the parent decides */
    signal(SIGTERM, SIG_DFL);
    signal(SIGHUP, SIG_IGN);
#ifdef __linux__
    prctl(PR_SET_PDEATHSIG, SIGKILL);
#endif
    if (getppid() != parent)
        _exit(1);
    clump_team_pin(1);
    if (clump_service_open(options, &service, message) == CLUMP_PROTOCOL_OK)
        snprintf(address, sizeof address, "%s", clump_service_address(service));
    if (write(to, address, sizeof address) != (ssize_t)sizeof address ||
        write(to, message, sizeof message) != (ssize_t)sizeof message || service == NULL)
        _exit(1);
    for (;;)
        clump_service_turn(service, 1000000);
}

/* All of it, or false. */
static bool read_all(int from, char *to, size_t size)
{
    while (size > 0) {
        const ssize_t got = read(from, to, size);
        if (got < 0 && errno == EINTR)
            continue;
        if (got <= 0)
            return false;
        to += got;
        size -= (size_t)got;
    }
    return true;
}

int udp_start(const clump_service_options *options, const char *command, udp_child *child)
{
    char message[CLUMP_CALIBRATION_MESSAGE_BYTES] = "it ended";
    int ends[2];
    *child = (udp_child){.process = 0};
    clump_team_processors(); /* remembers those that both may use */
    if (pipe(ends) != 0)
        return error_failed(command, "cannot start a server: %s", strerror(errno));
    const pid_t parent = getpid();
    fflush(NULL);
    child->process = fork();
    if (child->process == 0) {
        close(ends[0]);
        be_child(options, parent, ends[1]);
    }
    close(ends[1]);
    const bool started = child->process > 0 &&
                         read_all(ends[0], child->address, CLUMP_ADDRESS_TEXT) &&
                         read_all(ends[0], message, sizeof message) && child->address[0] != '\0';
    close(ends[0]);
    if (started)
        return EXIT_DONE;
    udp_stop(child);
    return error_failed(command, "cannot start a server: %s", message);
}

void udp_stop(udp_child *child)
{
    if (child->process <= 0)
        return;
    kill(child->process, SIGKILL);
    while (waitpid(child->process, NULL, 0) < 0 && errno == EINTR)
        ;
    child->process = 0;
}
