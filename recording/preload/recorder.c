/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The recorder inside a rank: from MPI_Init to MPI_Finalize, or to the end of the program. */
#include "recording/ending.h"
#include "recording/preload/entry.h"
#include "recording/preload/members.h"
#include "recording/preload/place.h"
#include "recording/preload/shared_count.h"
#include "recording/writer.h"

#include <fcntl.h>
#include <limits.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

enum { OFF, ON, ENDED };
enum { REUSED = 64 }; /* numbers of threads that are given again */

static struct recorder {
    _Atomic int state;
    bool threads; /* MPI_THREAD_MULTIPLE: the lock is needed */
    pthread_mutex_t lock;
    clump_recording_writer writer;
    clump_node_count count;
    clump_requests requests, messages;
    uint64_t request; /* number of the last one */
    int64_t zero_ns;  /* steady clock when the library was loaded */
    int64_t utc_ns;
    int64_t flushed_ns, flush_every_ns;
    double dilation; /* of the program's time; waits for processors are not divided by it */
    uint32_t inside; /* threads */
    uint32_t threads_seen;
    uint64_t given_back; /* numbers of threads that have ended: a bit each */
    bool heeds_ending;   /* of threads: the key is there */
    pthread_key_t ending;
    _Atomic bool initialized;  /* by MPI_Init */
    _Atomic int open;          /* MPI_Init and sessions that have not been finalized */
    clump_recorded_call polls; /* tests in a row that found nothing; calls 0: none */
} recorder = {.lock = PTHREAD_MUTEX_INITIALIZER};

/* A thread, and what it knows of its processor time. */
static _Thread_local struct thread {
    bool inside, known;
    uint32_t number;
    int64_t left_ns;      /* when it last left MPI */
    int64_t processor_ns; /* its processor time at that moment, as far as it is known */
    int64_t read_ns;      /* when processor time was last read */
    int64_t process_ns;   /* processor time of all threads then */
    int64_t delayed_ns;   /* and how long it had been ready to run in vain */
    double elsewhere,
        delayed; /* s of the gap before the call in hand: others computed while it slept; it waited for a processor */
    int schedstat; /* file, or -1 */
    bool fresh;    /* they were read when it left */
    bool was_long; /* the gap before was */
    struct {
        void *memory;
        size_t size;
    } scratch[CLUMP_SCRATCHES];
} thread;

#define SHORT_GAP_NS ((int64_t)(CLUMP_CALL_SHORT_GAP * 1e9))

static int64_t clock_ns(clockid_t clock)
{
    struct timespec now;
    clock_gettime(clock, &now);
    return (int64_t)now.tv_sec * 1000000000 + now.tv_nsec;
}

static int64_t now_ns(void)
{
    return clock_ns(CLOCK_MONOTONIC);
}

int64_t clump_entry_now(void)
{
    return now_ns();
}

__attribute__((constructor)) static void loaded(void)
{
    recorder.zero_ns = now_ns();
    recorder.utc_ns = clock_ns(CLOCK_REALTIME);
}

/* ---- entering and leaving */

/* How long the thread has been ready to run while others had the processors: the second number of its schedstat; 0 where the system does not say. */
static int64_t delay_ns(void)
{
    char text[80];
    const ssize_t size =
        thread.schedstat >= 0 ? pread(thread.schedstat, text, sizeof text - 1, 0) : 0;
    text[size > 0 ? size : 0] = '\0';
    const char *second = strchr(text, ' ');
    return second != NULL ? (int64_t)(strtod(second, NULL) / recorder.dilation) : 0;
}

/* What a gap that may be long is held against. */
static void read_processors(int64_t now)
{
    thread.processor_ns = clock_ns(CLOCK_THREAD_CPUTIME_ID);
    thread.process_ns = clock_ns(CLOCK_PROCESS_CPUTIME_ID);
    thread.delayed_ns = delay_ns();
    thread.read_ns = now;
}

/*
 * Processor time of a gap. A system call is worth it for long gaps only; short ones are taken as spent computing. When a thread leaves, its
 * processor time is read if a long gap is likely to follow or it may have slept: after a long call or a long gap. While it slept, and was not
 * kept from a processor, it may have waited for threads that do not call MPI: what these computed, up to the time that it slept, is computation, too.
 */
static double gap_processor(int64_t begin)
{
    const int64_t gap = begin - thread.left_ns;
    thread.elsewhere = thread.delayed = 0;
    thread.was_long = gap > SHORT_GAP_NS;
    if (!thread.was_long)
        return (double)(gap > 0 ? gap : 0) * 1e-9;
    const int64_t processor = thread.processor_ns, process = thread.process_ns,
                  delayed = thread.delayed_ns;
    read_processors(begin);
    int64_t used = thread.processor_ns - processor;
    used = used < 0 ? 0 : used < gap ? used : gap;
    int64_t waited = thread.delayed_ns - delayed;
    waited = waited < 0 ? 0 : waited < gap - used ? waited : gap - used;
    int64_t others = thread.process_ns - process - (thread.processor_ns - processor);
    if (others > gap - used - waited)
        others = gap - used - waited;
    if (others < 0 || recorder.threads_seen > 1 || !thread.fresh)
        others = 0;
    thread.fresh = false;
    thread.delayed = (double)waited * 1e-9;
    thread.elsewhere = (double)others * 1e-9;
    return (double)(used + others) * 1e-9;
}

static void note_leaving(int64_t begin, int64_t end)
{
    if (end - begin > SHORT_GAP_NS || thread.was_long || end - thread.read_ns > 50 * SHORT_GAP_NS) {
        read_processors(end);
        thread.fresh = true;
    } else /* it has computed since, or waited for less than it takes to sleep */
        thread.processor_ns += end - thread.left_ns;
    thread.left_ns = end;
}

static void count_move(int by, int64_t now)
{
    if (recorder.count.shared == NULL)
        return;
    const clump_counted_time counted = clump_node_count_move(&recorder.count, by, now);
    if (counted.q < recorder.writer.account.q_count && counted.ns > 0)
        clump_account_q(&recorder.writer.account, counted.q, (double)counted.ns * 1e-9);
}

/* False: nobody gave it back for a second. A handler of a signal that ends the program may have interrupted its owner. */
static bool lock_in_time(void)
{
    enum { PATIENCE_SECONDS = 1 };
    struct timespec limit;
    if (!recorder.threads)
        return true;
    clock_gettime(CLOCK_REALTIME, &limit);
    limit.tv_sec += PATIENCE_SECONDS;
    return pthread_mutex_timedlock(&recorder.lock, &limit) == 0;
}

static void lock(void)
{
    if (recorder.threads)
        pthread_mutex_lock(&recorder.lock);
}

static void unlock(void)
{
    if (recorder.threads)
        pthread_mutex_unlock(&recorder.lock);
}

/* A number that nobody has, of those that a trace holds: those of threads that have ended first, since a program may make and end more
 * threads than there are numbers. */
static uint32_t take_number(void)
{
    for (uint32_t i = 0; i < REUSED && recorder.given_back != 0; i++)
        if (recorder.given_back >> i & 1) {
            recorder.given_back &= ~(UINT64_C(1) << i);
            return i;
        }
    return recorder.threads_seen < CLUMP_CALL_THREADS_MOST ? recorder.threads_seen++
                                                           : CLUMP_CALL_THREADS_MOST - 1;
}

/* Its thread ends. */
static void forget_thread(void *which)
{
    struct thread *ended = which;
    if (ended->schedstat > 0)
        close(ended->schedstat);
    ended->schedstat = -1;
    for (int i = 0; i < CLUMP_SCRATCHES; i++) {
        free(ended->scratch[i].memory);
        ended->scratch[i].memory = NULL;
        ended->scratch[i].size = 0;
    }
    lock();
    if (ended->known && ended->number < REUSED)
        recorder.given_back |= UINT64_C(1) << ended->number;
    ended->known = false;
    unlock();
}

static void know_thread(void)
{
    thread.known = true;
    lock();
    thread.number = take_number();
    unlock();
    if (recorder.heeds_ending)
        pthread_setspecific(recorder.ending, &thread);
    if (thread.left_ns == 0) {
        /* Its life before is no gap between calls. */
        thread.left_ns = now_ns();
        thread.schedstat = open("/proc/thread-self/schedstat", O_RDONLY | O_CLOEXEC);
        read_processors(thread.left_ns);
    }
}

/* Nothing is recorded: not yet, not any more, or it is MPI that calls. */
static bool pass_on(int state)
{
    if (state == OFF)
        clump_library_find();
    return false;
}

bool clump_entry_begin(clump_entry *entry, clump_call_kind kind)
{
    const int state = atomic_load_explicit(&recorder.state, memory_order_relaxed);
    if (state != ON || thread.inside)
        return pass_on(state);
    thread.inside = true;
    if (!thread.known)
        know_thread();
    const int64_t begin = now_ns();
    entry->begin_ns = begin;
    entry->locked = false;
    entry->before = NULL;
    entry->numbers = NULL;
    entry->before_count = 0;
    entry->message = entry->message_number = 0;
    entry->room = 0;
    entry->neighbours = (clump_neighbour_messages){0, 0, NULL};
    entry->call = clump_call_of(kind, (double)(begin - recorder.zero_ns) * 1e-9, 0);
    entry->call.thread = thread.number;
    entry->call.processor = gap_processor(begin);
    lock();
    /* What MPI_Finalize waits for is no communication of the program. */
    if (recorder.inside++ == 0 && kind != CLUMP_CALL_FINALIZE)
        count_move(1, begin);
    unlock();
    return true;
}

/* Polls that follow each other at once are one entry: a loop of them would fill the trace with nothing. */
#define POLL_GAP 2e-6

static void add_polls(void)
{
    if (recorder.polls.calls > 0)
        clump_writer_add(&recorder.writer, &recorder.polls);
    recorder.polls.calls = 0;
}

static void add(const clump_recorded_call *call)
{
    clump_recorded_call *polls = &recorder.polls;
    if (call->kind != CLUMP_CALL_TEST || call->requests > 0) {
        add_polls();
        clump_writer_add(&recorder.writer, call);
    } else if (polls->calls > 0 && polls->calls < UINT32_MAX && call->thread == polls->thread &&
               call->begin - polls->end < POLL_GAP) {
        polls->calls++;
        polls->end = call->end;
    } else {
        add_polls();
        *polls = *call;
    }
}

static void flush(int64_t now)
{
    add_polls();
    if (recorder.count.shared != NULL) {
        clump_node_count_bury(&recorder.count);
        recorder.writer.account.q_dead = recorder.count.dead;
        recorder.writer.account.q_mistrusted = (uint32_t)recorder.count.mistrusted;
    }
    clump_writer_flush(&recorder.writer);
    recorder.flushed_ns = now;
}

static void leave(clump_entry *entry)
{
    const int64_t end = now_ns();
    entry->call.end = (double)(end - recorder.zero_ns) * 1e-9;
    if (atomic_load_explicit(&recorder.state, memory_order_relaxed) == ON) {
        recorder.writer.account.elsewhere += thread.elsewhere;
        recorder.writer.account.delayed += thread.delayed;
        thread.elsewhere = thread.delayed = 0;
        if (--recorder.inside == 0 && entry->call.kind != CLUMP_CALL_FINALIZE)
            count_move(entry->call.kind == CLUMP_CALL_INIT ? 0 : -1, end);
        add(&entry->call);
        if (end - recorder.flushed_ns > recorder.flush_every_ns)
            flush(end);
    }
    note_leaving(entry->begin_ns, end);
    thread.inside = false;
}

void clump_entry_end(clump_entry *entry)
{
    lock();
    leave(entry);
    unlock();
}

void clump_entry_more(clump_entry *entry, const clump_recorded_call *call)
{
    clump_recorded_call more = *call;
    more.begin = more.end = entry->call.begin;
    more.thread = entry->call.thread;
    /* The gap before the call stands before the first of them, and so does what was computed in it. */
    more.processor = entry->call.processor;
    entry->call.processor = 0;
    if (atomic_load_explicit(&recorder.state, memory_order_relaxed) == ON)
        add(&more);
}

void clump_entry_lock(clump_entry *entry)
{
    entry->locked = true;
    lock();
}

void clump_entry_unlock(clump_entry *entry)
{
    if (entry->locked)
        unlock();
    entry->locked = false;
}

clump_requests *clump_entry_requests(void)
{
    return &recorder.requests;
}

clump_requests *clump_entry_messages(void)
{
    return &recorder.messages;
}

bool clump_entry_threads(void)
{
    return recorder.threads;
}

uint64_t clump_entry_next_request(void)
{
    return ++recorder.request;
}

void clump_entry_lost_request(void)
{
    recorder.writer.account.requests_lost++;
}

void *clump_entry_scratch(int which, size_t count, size_t size)
{
    if (count > SIZE_MAX / size)
        return NULL;
    if (count * size > thread.scratch[which].size) {
        void *more = realloc(thread.scratch[which].memory, 2 * count * size);
        if (more == NULL)
            return NULL;
        thread.scratch[which].memory = more;
        thread.scratch[which].size = 2 * count * size;
    }
    return thread.scratch[which].memory;
}

/* ---- beginning and ending */

static void define(uint32_t number, uint32_t ordinal, const uint32_t *ranks, size_t count)
{
    clump_writer_communicator(&recorder.writer, number, ordinal, ranks, count);
}

/* A child of fork has its parent's recorder: it must leave it alone. */
static void in_child(void)
{
    if (atomic_load(&recorder.state) != ON)
        return;
    atomic_store(&recorder.state, ENDED);
    clump_writer_drop(&recorder.writer);
    recorder.count.shared = NULL;
}

/* Other threads may be in MPI: what they call from here on is not recorded, and who is about to record a call is waited for. If in
 * vain, the recording stays as it was written last. */
static void end_recording(clump_recording_end end)
{
    int expected = ON;
    if (!atomic_compare_exchange_strong(&recorder.state, &expected, ENDED) || !lock_in_time())
        return;
    if (recorder.count.shared != NULL) {
        clump_node_count_bury(&recorder.count);
        recorder.writer.account.q_dead = recorder.count.dead;
        recorder.writer.account.q_mistrusted = (uint32_t)recorder.count.mistrusted;
        clump_node_count_leave(&recorder.count);
    }
    add_polls();
    clump_writer_close(&recorder.writer, end);
    clump_requests_free(&recorder.requests);
    clump_requests_free(&recorder.messages);
    unlock();
}

bool clump_entry_is_off(void)
{
    return atomic_load(&recorder.state) == OFF;
}

void clump_entry_opened(void)
{
    atomic_fetch_add(&recorder.open, 1);
}

void clump_entry_closed(void)
{
    atomic_fetch_sub(&recorder.open, 1);
}

__attribute__((destructor)) static void unloaded(void)
{
    end_recording(CLUMP_RECORDING_EXITED);
}

int64_t clump_entry_before_init(void)
{
    clump_library_find();
    thread.inside = true;
    return now_ns();
}

void clump_entry_after_init(int64_t begin_ns, bool done, MPI_Comm all)
{
    clump_rank_place place;
    int level = 0;
    /* Once, though the entry point of Fortran may call that of C. */
    if (done && all == MPI_COMM_WORLD && !atomic_exchange(&recorder.initialized, true))
        clump_entry_opened();
    if (!done || atomic_load(&recorder.state) != OFF) {
        thread.inside = false;
        return;
    }
    PMPI_Query_thread(&level);
    recorder.threads = level == MPI_THREAD_MULTIPLE;
    recorder.heeds_ending = pthread_key_create(&recorder.ending, forget_thread) == 0;
    recorder.flush_every_ns = clump_place_flush_ns();
    recorder.dilation = clump_place_dilation();
    if (clump_place_find(&place, all)) {
        clump_rank_header header = place.header;
        header.pid = (uint64_t)getpid();
        header.start_ns = recorder.utc_ns;
        header.steady_ns = recorder.zero_ns;
        header.thread_level = level == MPI_THREAD_MULTIPLE     ? 3
                              : level == MPI_THREAD_SERIALIZED ? 2
                              : level == MPI_THREAD_FUNNELED   ? 1
                                                               : 0;
        const int reason =
            clump_writer_open(&recorder.writer, place.path, &header, clump_place_trace_limit());
        if (reason == 0) {
            if (place.counted && clump_account_count_q(&recorder.writer.account, header.node_ranks))
                recorder.count = place.count;
            clump_members_start(define, all);
            pthread_atfork(NULL, NULL, in_child);
            clump_entry entry = {.begin_ns = begin_ns};
            entry.call =
                clump_call_of(CLUMP_CALL_INIT, (double)(begin_ns - recorder.zero_ns) * 1e-9, 0);
            entry.call.processor = entry.call.begin;
            thread.known = true;
            thread.schedstat = open("/proc/thread-self/schedstat", O_RDONLY | O_CLOEXEC);
            recorder.threads_seen = recorder.inside = 1;
            recorder.flushed_ns = now_ns();
            atomic_store(&recorder.state, ON);
            leave(&entry);
        } else
            clump_place_complain(place.path, reason);
    }
    clump_place_free(&place);
    thread.inside = false;
}

bool clump_entry_begin_end(clump_entry *entry)
{
    const bool last = atomic_load(&recorder.open) <= 1;
    return clump_entry_begin(entry, last ? CLUMP_CALL_FINALIZE : CLUMP_CALL_OTHER);
}

void clump_entry_finalized(clump_entry *entry)
{
    clump_entry_end(entry);
    if (entry->call.kind == CLUMP_CALL_FINALIZE)
        end_recording(CLUMP_RECORDING_FINALIZED);
}

void clump_entry_abort(void)
{
    end_recording(CLUMP_RECORDING_ABORTED);
}
