/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * The queues of protocols/ among threads of one process, for ThreadSanitizer: it knows which
 * accesses are ordered by the memory orders that the code states, and reports all others. The
 * payload is plain memory, so a missing acquire or release shows as a data race.
 *
 * usage: queue_threads [MESSAGES]  (each of 3 senders to each queue; default 500)
 */
#include "protocols/queue/queue.h"
#include "reproductions/systems/wait_free.h"

#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { SENDERS = 3, LENGTH = 8, BLOCKS = 2 };

static uint32_t messages = 500;
static struct clump_sender_place *places;
static void *memory;
static const struct clump_queue_algorithm *algorithm;
static _Atomic unsigned problems;

static void *send_all(void *argument)
{
    uint32_t self = (uint32_t)(uintptr_t)argument;
    struct clump_queue q;
    struct clump_sender sender;
    clump_queue_attach(&q, algorithm, memory, LENGTH, BLOCKS, places, 0);
    if (clump_sender_join(places, "thread", &sender) != CLUMP_PROTOCOL_OK) {
        problems++;
        return NULL;
    }
    for (uint32_t n = 0; n < messages; n++) {
        struct clump_waiter waiter = {
            .first_us = 1, .limit_us = 15, .timeout_ms = 600000, .recovery_ms = 1000};
        uint32_t packet, block = 0;
        bool bulk = n % 3 == 1;
        if (algorithm->claim(&q, &sender, &waiter, &packet, bulk ? &block : NULL) !=
            CLUMP_PROTOCOL_OK) {
            problems++;
            break;
        }
        struct clump_packet *p = &q.packets[packet];
        p->arguments[0] = self;
        p->arguments[1] = n;
        p->arguments[2] = self * 77 + n;
        if (bulk) {
            p->block = (uint16_t)block;
            p->size = 64;
            memset(clump_bulk_data(&q, block), (int)(self + n) & 0xff, 64);
        }
        algorithm->publish(&q, &sender, packet, bulk ? CLUMP_READY_BULK : CLUMP_READY);
    }
    clump_sender_leave(&sender);
    return NULL;
}

static unsigned receive_all(void)
{
    struct clump_queue q;
    clump_queue_attach(&q, algorithm, memory, LENGTH, BLOCKS, places, 0);
    unsigned char *seen = calloc(SENDERS, messages);
    uint32_t last[SENDERS] = {0};
    unsigned wrong = seen == NULL;
    uint64_t received = 0, idle = 0, now = 1;
    while (seen != NULL && received < (uint64_t)SENDERS * messages && problems == 0) {
        uint32_t packet = algorithm->peek(&q);
        if (packet == CLUMP_NONE) {
            if (++idle % 256 == 0) /* the sweep must be free of races, too */
                clump_queue_recover(&q, now += 1000, 1);
            clump_relax();
            continue;
        }
        const struct clump_packet *p = &q.packets[packet];
        uint32_t from = p->arguments[0], n = p->arguments[1];
        bool bulk = clump_word_state(atomic_load_explicit(&p->word, memory_order_relaxed)) ==
                    CLUMP_READY_BULK;
        if (from >= SENDERS || n >= messages || p->arguments[2] != from * 77 + n ||
            seen[from * messages + n]++ != 0 || bulk != (n % 3 == 1)) {
            wrong++;
        } else {
            wrong += algorithm->fifo && n != last[from];
            last[from] = n + 1;
            for (int i = 0; bulk && i < 64; i++)
                wrong += clump_bulk_data(&q, p->block)[i] != ((from + n) & 0xff);
        }
        if (bulk)
            clump_bulk_release(&q, p->block);
        algorithm->release(&q, packet);
        received++;
    }
    free(seen);
    if (q.rejected > 0 || q.recovered > 0)
        wrong++;
    return wrong;
}

/* The counter of figure 9.3: every value once, with whatever was written before it. */
static void *count_all(void *argument)
{
    const uint32_t self = (uint32_t)(uintptr_t)argument;
    struct clump_wait_free_user u;
    unsigned char *seen = memory;
    void *counter = seen + (size_t)CLUMP_LINE * messages * SENDERS;
    if (clump_wait_free_join(&u, counter, SENDERS, self) != CLUMP_PROTOCOL_OK) {
        problems++;
        return NULL;
    }
    for (uint32_t n = 0; n < messages; n++) {
        const uint64_t value = clump_wait_free_increment(&u);
        if (value >= (uint64_t)messages * SENDERS || seen[value]++ != 0)
            problems++;
    }
    problems += u.tries > 2 * (uint64_t)messages;
    return NULL;
}

static unsigned check_counter(void)
{
    const size_t before = (size_t)CLUMP_LINE * messages * SENDERS;
    pthread_t threads[SENDERS];
    memory = aligned_alloc(CLUMP_LINE, before + clump_wait_free_bytes(SENDERS));
    if (memory == NULL)
        return 1;
    memset(memory, 0, before);
    clump_wait_free_open((unsigned char *)memory + before, SENDERS, 0);
    for (uintptr_t s = 0; s < SENDERS; s++)
        if (pthread_create(&threads[s], NULL, count_all, (void *)s) != 0)
            return 1;
    for (unsigned s = 0; s < SENDERS; s++)
        pthread_join(threads[s], NULL);
    free(memory);
    printf("%s - the wait-free counter\n", problems == 0 ? "ok" : "not ok");
    return problems;
}

int main(int argc, char **argv)
{
    if (argc > 1)
        messages = (uint32_t)strtoul(argv[1], NULL, 10);
    unsigned failed = check_counter();
    for (unsigned i = 0; (algorithm = clump_queue_algorithm_at(i)) != NULL; i++) {
        size_t size = clump_queue_bytes(LENGTH, BLOCKS);
        memory = aligned_alloc(CLUMP_LINE, size);
        places = aligned_alloc(CLUMP_LINE, CLUMP_SENDERS * sizeof *places);
        if (memory == NULL || places == NULL)
            return 1;
        memset(memory, 0, size);
        memset(places, 0, CLUMP_SENDERS * sizeof *places);
        struct clump_queue q;
        clump_queue_attach(&q, algorithm, memory, LENGTH, BLOCKS, places, 0);
        clump_queue_initialise(&q);
        pthread_t threads[SENDERS];
        for (uintptr_t s = 0; s < SENDERS; s++)
            if (pthread_create(&threads[s], NULL, send_all, (void *)s) != 0)
                return 1;
        unsigned wrong = receive_all();
        for (unsigned s = 0; s < SENDERS; s++)
            pthread_join(threads[s], NULL);
        wrong += problems;
        problems = 0;
        if (wrong > 0) {
            printf("not ok - %s: %u messages lost, damaged, repeated or out of order\n",
                   algorithm->name, wrong);
            failed++;
        } else {
            printf("ok - %s\n", algorithm->name);
        }
        free(memory);
        free(places);
    }
    return failed == 0 ? 0 : 1;
}
