/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Preloaded into MPI programs: time passes D times slower than the program thinks.
 *
 * What a rank computes lasts D times its processor time: before each call of MPI it sleeps until that
 * time is over. So D ranks share a processor, as long as they do not all compute at the same moment
 * for long. What MPI itself does with the processor lasts as long as it lasts, which is D times too
 * short; but calls that only look whether something came count as
 * computation, or programs that make them over and over would leave nothing for others.
 *
 * Waiting inside MPI costs little: where the library would look again at once, it sleeps until a
 * socket has something, or a little while, which is the longer the longer it has waited already.
 *
 * No header of MPI is needed: arguments are passed on as they are, to whichever library the program
 * is linked with, or to a recorder that is preloaded after this.
 */
#define _GNU_SOURCE /* RTLD_NEXT, ppoll */
#include "recording/dilation.h"
#include "recording/preload/dilate_calls.h"

#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <sched.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <sys/time.h>
#include <time.h>
#include <unistd.h>

enum {
    MOST_EVENT_SETS = 32,
    LEAST_NAP_NS = 50000,    /* what is owed below it is kept: waking up takes as long */
    MOST_CREDIT_NS = 20000,  /* by the program's clock: lateness that later sleeps make good */
    SHORTEST_POLL_NS = 2000, /* between two looks, by the program's clock */
    LONGEST_POLL_NS = 50000,
    PATIENCE = 16, /* a look that comes late lengthens a wait by a 32nd on average */
    MOST_OVERSHOOT_NS = 200000,
    ENDING_NAP_NS = 200000,
    ARRIVAL_SECONDS = 120,
    SETTLE_SECONDS = 10,
    CLOSE_SECONDS = 300
};

static struct {
    double factor; /* D; 0: nothing is dilated */
    struct clump_dilation_board *board;
    struct clump_dilation_rank *rank;
    bool alone;   /* no other rank is on this node: sockets tell of everything */
    bool ending;  /* in MPI_Finalize */
    bool running; /* between MPI_Init and MPI_Finalize */
    int64_t begin_ns, processor_ns;
    void *worker;          /* of UCX */
    _Atomic int threads;   /* that called MPI */
    int opened;            /* MPI_Init, and sessions that are open */
    int64_t connections;   /* of UCX, that are open */
    uint64_t settled;      /* how often everything under way was waited for */
    int64_t origin_ns[16]; /* of each clock, when time began to be divided; 0: not yet */
} self;

static __thread struct {
    int64_t wall_ns, processor_ns;                     /* until here all is accounted for */
    int64_t process_ns;                                /* processor time of all threads there */
    int64_t enter_ns, enter_work_ns, enter_process_ns; /* when the outermost call of MPI began */
    bool known;
    int depth;                   /* calls of MPI inside calls */
    enum clump_dilate_kind kind; /* of the outermost one */
    int64_t idle_since_ns;
    int event_sets[MOST_EVENT_SETS];
    int event_set_count;
    bool found;          /* sockets had something since the library last yielded */
    bool false_alarm;    /* a set told of something that was nothing */
    double overshoot_ns; /* by which sleeps are too long, mean */
} thread;

#define PUBLIC CLUMP_DILATE_PUBLIC

/* ---- the system, which our own names hide */

#define NEXT(name) next_of(&name##_next, #name)

static clump_any_function *next_of(clump_any_function **kept, const char *name)
{
    if (*kept == NULL) {
        void *found = dlsym(RTLD_NEXT, name);
        memcpy(kept, &found, sizeof found); /* ISO C has no other way to make it a function */
    }
    return *kept;
}

static clump_any_function *clock_gettime_next, *gettimeofday_next, *sched_yield_next,
    *epoll_wait_next, *clock_nanosleep_next, *ucp_worker_progress_next, *ucp_ep_create_next,
    *ucp_disconnect_nb_next;

static int64_t real_ns(clockid_t clock)
{
    struct timespec t = {0};
    ((int (*)(clockid_t, struct timespec *))NEXT(clock_gettime))(clock, &t);
    return (int64_t)t.tv_sec * 1000000000 + t.tv_nsec;
}

static struct timespec timespec_of(int64_t ns)
{
    return (struct timespec){.tv_sec = ns / 1000000000, .tv_nsec = ns % 1000000000};
}

static void sleep_until(int64_t due_ns)
{
    const struct timespec due = timespec_of(due_ns);
    while (((int (*)(clockid_t, int, const struct timespec *, struct timespec *))NEXT(
               clock_nanosleep))(CLOCK_MONOTONIC, TIMER_ABSTIME, &due, NULL) == EINTR)
        continue;
}

/* ---- computing */

static void count(_Atomic int64_t *counter, int64_t by)
{
    atomic_fetch_add_explicit(counter, by, memory_order_relaxed);
}

static void account(void)
{
    thread.wall_ns = real_ns(CLOCK_MONOTONIC);
    thread.processor_ns = real_ns(CLOCK_THREAD_CPUTIME_ID);
    thread.process_ns = real_ns(CLOCK_PROCESS_CPUTIME_ID);
    self.threads += !thread.known;
    thread.known = true;
}

/* Processor time since then: its own, and what threads that do not call MPI computed while it slept. */
static int64_t work_since(void)
{
    const int64_t own = real_ns(CLOCK_THREAD_CPUTIME_ID) - thread.processor_ns,
                  others = real_ns(CLOCK_PROCESS_CPUTIME_ID) - thread.process_ns - own,
                  slept = real_ns(CLOCK_MONOTONIC) - thread.wall_ns - own;
    const int64_t waited = others < slept ? others : slept;
    return self.threads == 1 && waited > 0 ? own + waited : own;
}

/*
 * Sleep until what the processor did lasts D times as long: until `due`, which is where the next
 * reckoning begins, so that who wakes up a little late sleeps less the next time. True: it slept.
 */
static bool reckon(void)
{
    const int64_t done = work_since();
    const int64_t due = thread.wall_ns + (int64_t)(self.factor * (double)done);
    const int64_t early = due - real_ns(CLOCK_MONOTONIC);
    const int64_t late = -early - (int64_t)(self.factor * MOST_CREDIT_NS);
    if (late > 0) {
        count(&self.rank->late_ns, late);
        if (late > atomic_load_explicit(&self.rank->latest_ns, memory_order_relaxed))
            atomic_store_explicit(&self.rank->latest_ns, late, memory_order_relaxed);
        thread.wall_ns += late;
    }
    if (early < LEAST_NAP_NS)
        return false;
    sleep_until(due - (int64_t)thread.overshoot_ns);
    const double over = thread.overshoot_ns + (double)(real_ns(CLOCK_MONOTONIC) - due);
    if (over < MOST_OVERSHOOT_NS)
        thread.overshoot_ns += (over - thread.overshoot_ns) / 16;
    count(&self.rank->work_ns, done);
    thread.wall_ns = due;
    thread.processor_ns = real_ns(CLOCK_THREAD_CPUTIME_ID);
    thread.process_ns = real_ns(CLOCK_PROCESS_CPUTIME_ID);
    return true;
}

/* ---- waiting */

static bool something_came(int64_t ns)
{
    struct pollfd sets[MOST_EVENT_SETS];
    const struct timespec limit = timespec_of(ns);
    if (thread.event_set_count == 0 || thread.false_alarm) {
        sleep_until(real_ns(CLOCK_MONOTONIC) + ns);
        return false;
    }
    for (int i = 0; i < thread.event_set_count; i++)
        sets[i] = (struct pollfd){.fd = thread.event_sets[i], .events = POLLIN};
    return ppoll(sets, (nfds_t)thread.event_set_count, &limit, NULL) > 0;
}

static bool may_sleep(void)
{
    return self.running && thread.depth > 0 && thread.kind == CLUMP_WAITS;
}

/* The library found nothing, and would look again. */
static void idle(void)
{
    if (self.ending)
        sleep_until(real_ns(CLOCK_MONOTONIC) + ENDING_NAP_NS);
    if (!may_sleep())
        return;
    if (thread.found) {
        /* It may be all that was waited for: the library yields before it looks at that. */
        thread.found = false;
        thread.idle_since_ns = 0;
        return;
    }
    const int64_t now = real_ns(CLOCK_MONOTONIC);
    if (thread.idle_since_ns == 0) {
        thread.idle_since_ns = now;
        thread.false_alarm = false;
    }
    const double shortest = self.factor * SHORTEST_POLL_NS, longest = self.factor * LONGEST_POLL_NS;
    double nap = (double)(now - thread.idle_since_ns) / PATIENCE;
    nap = self.alone || nap > longest ? longest : nap < shortest ? shortest : nap;
    thread.false_alarm = something_came((int64_t)nap);
    count(&self.rank->wait_ns, real_ns(CLOCK_MONOTONIC) - now);
    count(&self.rank->polls, 1);
}

/* Open MPI, told to yield when idle. */
PUBLIC int sched_yield(void)
{
    if (!self.running && !self.ending)
        return ((int (*)(void))NEXT(sched_yield))();
    idle();
    return 0;
}

/* MPICH with UCX: 0 if nothing came. */
unsigned ucp_worker_progress(void *worker);
PUBLIC unsigned ucp_worker_progress(void *worker)
{
    const unsigned came = ((unsigned (*)(void *))NEXT(ucp_worker_progress))(worker);
    self.worker = worker;
    if (came == 0)
        idle();
    return came;
}

/* MPICH counts on others that make progress while it closes its connections in MPI_Finalize, which they do not in the barrier
 * that follows: so nobody goes there before all have closed theirs. */
static bool is_under_way(void *request)
{
    enum { IN_PROGRESS = 1 };
    void *check_of = dlsym(RTLD_DEFAULT, "ucp_request_check_status");
    int (*check)(void *);
    if ((intptr_t)request <= 0 || check_of == NULL) /* done, or an error */
        return false;
    memcpy(&check, &check_of, sizeof check);
    return check(request) == IN_PROGRESS;
}

int ucp_ep_create(void *worker, const void *parameters, void **connection);
PUBLIC int ucp_ep_create(void *worker, const void *parameters, void **connection)
{
    const int failed = ((int (*)(void *, const void *, void **))NEXT(ucp_ep_create))(
        worker, parameters, connection);
    self.connections += failed == 0;
    return failed;
}

void *ucp_disconnect_nb(void *connection);
PUBLIC void *ucp_disconnect_nb(void *connection)
{
    void *request = ((void *(*)(void *))NEXT(ucp_disconnect_nb))(connection);
    self.connections--;
    if (!self.ending || self.worker == NULL)
        return request;
    const int64_t limit = real_ns(CLOCK_MONOTONIC) + INT64_C(1000000000) * CLOSE_SECONDS;
    while (is_under_way(request) && real_ns(CLOCK_MONOTONIC) < limit)
        ucp_worker_progress(self.worker);
    if (self.connections != 0)
        return request;
    atomic_fetch_add(&self.board->closed, 1);
    while (atomic_load(&self.board->closed) < self.board->ranks && real_ns(CLOCK_MONOTONIC) < limit)
        ucp_worker_progress(self.worker);
    return request;
}

/* Both look at their sockets with it: it tells which sets of them are to be watched. */
PUBLIC int epoll_wait(int set, struct epoll_event *events, int most, int timeout_ms)
{
    const int came = ((int (*)(int, struct epoll_event *, int, int))NEXT(epoll_wait))(
        set, events, most, timeout_ms);
    if (timeout_ms != 0 || !self.running || thread.depth == 0)
        return came;
    if (came > 0) {
        thread.found = true;
        thread.false_alarm = false;
    }
    int i = 0;
    while (i < thread.event_set_count && thread.event_sets[i] != set)
        i++;
    if (i == thread.event_set_count && i < MOST_EVENT_SETS)
        thread.event_sets[thread.event_set_count++] = set;
    return came;
}

/* ---- clocks and sleeps of the program */

static bool is_divided(clockid_t clock)
{
    return clock == CLOCK_REALTIME || clock == CLOCK_MONOTONIC || clock == CLOCK_MONOTONIC_RAW ||
           clock == CLOCK_REALTIME_COARSE || clock == CLOCK_MONOTONIC_COARSE ||
           clock == CLOCK_BOOTTIME;
}

PUBLIC int clock_gettime(clockid_t clock, struct timespec *time)
{
    const int failed = ((int (*)(clockid_t, struct timespec *))NEXT(clock_gettime))(clock, time);
    if (failed || !is_divided(clock) || self.origin_ns[clock] == 0)
        return failed;
    const int64_t origin = self.origin_ns[clock];
    const int64_t ns = (int64_t)time->tv_sec * 1000000000 + time->tv_nsec;
    *time = timespec_of(origin + (int64_t)((double)(ns - origin) / self.factor));
    return 0;
}

/* The declaration in <sys/time.h> differs between versions of the system. */
int divided_gettimeofday(struct timeval *time, void *zone) __asm__("gettimeofday");
PUBLIC int divided_gettimeofday(struct timeval *time, void *zone)
{
    struct timespec now;
    if (self.origin_ns[CLOCK_REALTIME] == 0)
        return ((int (*)(struct timeval *, void *))NEXT(gettimeofday))(time, zone);
    clock_gettime(CLOCK_REALTIME, &now);
    *time = (struct timeval){.tv_sec = now.tv_sec, .tv_usec = now.tv_nsec / 1000};
    return 0;
}

PUBLIC time_t time(time_t *kept)
{
    struct timespec now;
    clock_gettime(CLOCK_REALTIME, &now);
    if (kept != NULL)
        *kept = now.tv_sec;
    return now.tv_sec;
}

double MPI_Wtime(void);
PUBLIC double MPI_Wtime(void)
{
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}

#define FORTRAN_CLOCK(name)                                                                        \
    double name(void);                                                                             \
    PUBLIC double name(void)                                                                       \
    {                                                                                              \
        return MPI_Wtime();                                                                        \
    }
FORTRAN_CLOCK(mpi_wtime_)
FORTRAN_CLOCK(mpi_wtime__)
FORTRAN_CLOCK(mpi_wtime_f08_)

/* From `origin_ns` on, which is the same moment for all ranks: their clocks agree. */
static void divide_clocks(int64_t origin_ns)
{
    for (clockid_t clock = 0; clock < 16; clock++)
        if (is_divided(clock)) {
            const int64_t since = real_ns(CLOCK_MONOTONIC) - origin_ns;
            self.origin_ns[clock] = real_ns(clock) - since;
        }
    self.origin_ns[CLOCK_MONOTONIC] = origin_ns;
}

/* The program's own sleeps last longer; those of the MPI library are its own affair. */
PUBLIC int clock_nanosleep(clockid_t clock, int flags, const struct timespec *request,
                           struct timespec *left)
{
    struct timespec longer = *request;
    if (self.running && thread.depth == 0 && is_divided(clock)) {
        int64_t ns = (int64_t)request->tv_sec * 1000000000 + request->tv_nsec;
        if ((flags & TIMER_ABSTIME) != 0 && self.origin_ns[clock] != 0)
            ns = self.origin_ns[clock] +
                 (int64_t)(self.factor * (double)(ns - self.origin_ns[clock]));
        else
            ns = (int64_t)(self.factor * (double)ns);
        longer = timespec_of(ns);
    }
    return ((int (*)(clockid_t, int, const struct timespec *, struct timespec *))NEXT(
        clock_nanosleep))(clock, flags, &longer, left);
}

PUBLIC int nanosleep(const struct timespec *request, struct timespec *left)
{
    const int failed = clock_nanosleep(CLOCK_REALTIME, 0, request, left);
    if (failed != 0)
        errno = failed;
    return failed == 0 ? 0 : -1;
}

int usleep(unsigned us);
PUBLIC int usleep(unsigned us)
{
    const struct timespec request = timespec_of(INT64_C(1000) * us);
    return nanosleep(&request, NULL);
}

PUBLIC unsigned sleep(unsigned seconds)
{
    const struct timespec request = {.tv_sec = seconds};
    struct timespec left = {0};
    return nanosleep(&request, &left) == 0 ? 0 : (unsigned)left.tv_sec;
}

/* ---- the ranks */

static long number_of(const char *const *names)
{
    for (; *names != NULL; names++) {
        const char *text = getenv(*names);
        if (text != NULL && *text != '\0')
            return strtol(text, NULL, 10);
    }
    return -1;
}

static void find_board(long rank)
{
    const char *path = getenv(CLUMP_DILATION_BOARD);
    struct stat status;
    const int file = path != NULL ? open(path, O_RDWR | O_CLOEXEC) : -1;
    if (file < 0)
        return;
    if (fstat(file, &status) == 0 && status.st_size >= (off_t)sizeof *self.board) {
        struct clump_dilation_board *board =
            mmap(NULL, (size_t)status.st_size, PROT_READ | PROT_WRITE, MAP_SHARED, file, 0);
        if (board != MAP_FAILED && board->magic == CLUMP_DILATION_MAGIC &&
            rank < (long)board->ranks &&
            (size_t)status.st_size >= sizeof *board + board->ranks * sizeof *board->rank) {
            self.board = board;
            self.rank = &board->rank[rank];
        } else if (board != MAP_FAILED)
            munmap(board, (size_t)status.st_size);
    }
    close(file);
}

static int64_t processor_now(void)
{
    return real_ns(CLOCK_PROCESS_CPUTIME_ID);
}

/* Wait for all ranks, and until the moment that the last of them names. */
static int64_t meet(void)
{
    const int64_t limit = real_ns(CLOCK_MONOTONIC) + INT64_C(1000000000) * ARRIVAL_SECONDS;
    int64_t origin;
    if (atomic_fetch_add(&self.board->arrived, 1) + 1 == self.board->ranks)
        atomic_store(&self.board->origin_ns, real_ns(CLOCK_MONOTONIC) + 2000000);
    while ((origin = atomic_load(&self.board->origin_ns)) == 0) {
        if (real_ns(CLOCK_MONOTONIC) > limit)
            return real_ns(CLOCK_MONOTONIC);
        sleep_until(real_ns(CLOCK_MONOTONIC) + 200000);
    }
    sleep_until(origin);
    return origin;
}

/* All begin together. Who starts MPI outside of an emulation is left alone. */
static void begin(void)
{
    static const char *const ranks[] = {"OMPI_COMM_WORLD_RANK", "PMI_RANK", NULL};
    static const char *const here[] = {CLUMP_DILATION_RANKS_HERE, NULL};
    const char *factor = getenv(CLUMP_DILATION_FACTOR);
    const long rank = number_of(ranks);
    const double D = factor != NULL ? strtod(factor, NULL) : 0;
    if (self.board != NULL || rank < 0 || !(D >= 1 && D <= 10000))
        return;
    find_board(rank);
    if (self.board == NULL)
        return;
    self.factor = D;
    self.alone = number_of(here) == 1;
    prctl(PR_SET_TIMERSLACK, 1UL, 0UL, 0UL, 0UL);
    self.begin_ns = meet();
    self.processor_ns = processor_now();
    atomic_store(&self.rank->begin_ns, self.begin_ns);
    divide_clocks(self.begin_ns);
    account();
    self.running = true;
}

static void end(bool finalized)
{
    if (!self.running)
        return;
    const struct sched_param none = {.sched_priority = 0};
    reckon();
    self.running = false;
    sched_setscheduler(0, SCHED_OTHER, &none);
    atomic_store(&self.rank->processor_ns, processor_now() - self.processor_ns);
    atomic_store(&self.rank->finalized, finalized);
    atomic_store(&self.rank->end_ns, real_ns(CLOCK_MONOTONIC));
}

static void nothing(void *request, int status)
{
    (void)request;
    (void)status;
}

/*
 * MPICH 4.0 with UCX over TCP can wait for ever in MPI_Finalize: a rank waits until another has
 * acknowledged what was put into its memory, and that one waits in a barrier that takes in no messages.
 * So nothing is under way any more when it begins.
 */
static void settle(void)
{
    enum { IN_PROGRESS = 1 };
    void *flush_of = dlsym(RTLD_DEFAULT, "ucp_worker_flush_nb"),
         *check_of = dlsym(RTLD_DEFAULT, "ucp_request_check_status"),
         *free_of = dlsym(RTLD_DEFAULT, "ucp_request_free");
    void *(*flush)(void *, unsigned, void (*)(void *, int));
    int (*check)(void *);
    void (*give_back)(void *);
    if (self.board == NULL || self.worker == NULL || flush_of == NULL || check_of == NULL ||
        free_of == NULL)
        return;
    memcpy(&flush, &flush_of, sizeof flush);
    memcpy(&check, &check_of, sizeof check);
    memcpy(&give_back, &free_of, sizeof give_back);
    void *request = flush(self.worker, 0, nothing);
    bool is_request = (intptr_t)request > 0; /* neither NULL nor an error */
    bool done = false;
    const uint64_t all = ++self.settled * self.board->ranks;
    const int64_t limit = real_ns(CLOCK_MONOTONIC) + INT64_C(1000000000) * SETTLE_SECONDS;
    while (atomic_load(&self.board->settled) < all && real_ns(CLOCK_MONOTONIC) < limit) {
        ucp_worker_progress(self.worker);
        if (is_request && check(request) != IN_PROGRESS) {
            give_back(request);
            is_request = false;
        }
        if (!is_request && !done) {
            done = true;
            atomic_fetch_add(&self.board->settled, 1);
        }
        sleep_until(real_ns(CLOCK_MONOTONIC) + ENDING_NAP_NS);
    }
}

__attribute__((destructor)) static void end_of_process(void)
{
    end(false);
}

/* ---- the calls of MPI */

static void open_mpi(void)
{
    if (thread.depth == 0)
        self.opened++; /* not again for the other name */
    begin();
    if (thread.depth == 0 && self.running)
        account(); /* what a recorder did meanwhile is no computation */
}

/* A recorder may send before it calls the other name; sessions may be several. */
static void close_mpi(void)
{
    if (thread.depth == 0 && --self.opened > 0)
        return;
    end(true);
    settle();
    self.ending = self.board != NULL;
}

clump_any_function *clump_dilate_enter(clump_any_function **next, const char *name,
                                       enum clump_dilate_kind kind)
{
    clump_any_function *call = next_of(next, name);
    if (kind == CLUMP_CLOSES)
        close_mpi();
    if (thread.depth++ > 0 || !self.running)
        return call;
    if (!thread.known)
        account();
    const bool counts = kind <= CLUMP_LOOKS;
    thread.kind = counts ? kind : CLUMP_WAITS;
    thread.idle_since_ns = 0;
    if (!counts)
        return call;
    count(&self.rank->calls, 1);
    reckon();
    thread.enter_ns = real_ns(CLOCK_MONOTONIC);
    thread.enter_work_ns = real_ns(CLOCK_THREAD_CPUTIME_ID);
    thread.enter_process_ns = real_ns(CLOCK_PROCESS_CPUTIME_ID);
    return call;
}

/* What is owed, or was late, when the call began is so when it ends. */
long clump_dilate_leave(long result, enum clump_dilate_kind kind)
{
    thread.depth--;
    if (kind == CLUMP_OPENS)
        open_mpi();
    if (thread.depth > 0 || !self.running || thread.kind == CLUMP_LOOKS || kind > CLUMP_LOOKS)
        return result;
    thread.wall_ns += real_ns(CLOCK_MONOTONIC) - thread.enter_ns;
    thread.processor_ns += real_ns(CLOCK_THREAD_CPUTIME_ID) - thread.enter_work_ns;
    thread.process_ns += real_ns(CLOCK_PROCESS_CPUTIME_ID) - thread.enter_process_ns;
    return result;
}
