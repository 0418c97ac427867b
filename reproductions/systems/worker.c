/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "reproductions/systems/worker.h"

#include <stdlib.h>

typedef struct clump_worker_block {
    struct clump_worker_block *next;
    void *memory;
} clump_worker_block;

/* What is borrowed lies behind it. */
typedef struct clump_worker_loan {
    struct clump_worker_loan *next, *before;
    size_t bytes;
    max_align_t memory[];
} clump_worker_loan;

void clump_worker_open(clump_worker *w)
{
    for (unsigned i = 0; i < CLUMP_WORKER_HANDLERS; i++)
        w->handlers[i].function = NULL;
    w->traffic = w->counted = (clump_worker_traffic){.replies = 0};
    w->take_packet = NULL;
    w->packet_context = NULL;
    w->unanswered = 0;
    w->far = false;
    w->blocks = NULL;
    w->loans = NULL;
    w->memory_bytes = w->most_memory_bytes = 0;
    w->began_us = w->time_us = 0;
    w->phase_began_us = w->phase_us = 0;
    w->began = w->parts = (clump_time_parts){.wait_us = 0};
}

void clump_worker_settle(clump_worker *w)
{
    while (w->unanswered > 0)
        clump_worker_wait(w);
}

void clump_worker_close(clump_worker *w)
{
    while (w->blocks != NULL) {
        clump_worker_block *first = w->blocks;
        w->blocks = first->next;
        free(first->memory);
        free(first);
    }
    while (w->loans != NULL)
        clump_worker_give_back(w, w->loans->memory);
}

void clump_worker_fail(clump_worker *w, const char *reason)
{
    for (;;) /* it does not return */
        w->ways->fail(w, reason);
}

static void count_memory(clump_worker *w, size_t bytes)
{
    w->memory_bytes += bytes;
    if (w->memory_bytes > w->most_memory_bytes)
        w->most_memory_bytes = w->memory_bytes;
}

void *clump_worker_allocate(clump_worker *w, size_t count, size_t size)
{
    clump_worker_block *block = malloc(sizeof *block);
    void *memory = calloc(count > 0 ? count : 1, size);
    if (block == NULL || memory == NULL) {
        free(block);
        free(memory);
        clump_worker_fail(w, "no memory for what the program computes with");
    }
    *block = (clump_worker_block){w->blocks, memory};
    w->blocks = block;
    count_memory(w, count * size);
    return memory;
}

void *clump_worker_borrow(clump_worker *w, size_t bytes)
{
    clump_worker_loan *loan = bytes < SIZE_MAX / 2 ? malloc(sizeof *loan + bytes) : NULL;
    if (loan == NULL)
        clump_worker_fail(w, "no memory for messages");
    loan->before = NULL;
    loan->bytes = bytes;
    count_memory(w, bytes);
    loan->next = w->loans;
    if (w->loans != NULL)
        w->loans->before = loan;
    w->loans = loan;
    return loan->memory;
}

void clump_worker_give_back(clump_worker *w, void *memory)
{
    if (memory == NULL)
        return;
    clump_worker_loan *loan =
        (clump_worker_loan *)((char *)memory - offsetof(clump_worker_loan, memory));
    if (loan->before != NULL)
        loan->before->next = loan->next;
    else
        w->loans = loan->next;
    if (loan->next != NULL)
        loan->next->before = loan->before;
    w->memory_bytes -= loan->bytes;
    free(loan);
}

/* ---- messages */

void clump_worker_set_handler(clump_worker *w, unsigned index, clump_worker_handler *handler,
                              void *context)
{
    if (index >= CLUMP_WORKER_HANDLERS)
        clump_worker_fail(w, "a handler beyond 63");
    w->handlers[index].function = handler;
    w->handlers[index].context = context;
}

void clump_worker_take(clump_worker *w, const clump_worker_arrival *arrival)
{
    const unsigned index = arrival->message->handler;
    if (index >= CLUMP_WORKER_HANDLERS || w->handlers[index].function == NULL)
        clump_worker_fail(w, "a message for which there is no handler");
    if (arrival->token == NULL && w->unanswered-- == 0)
        clump_worker_fail(w, "an answer to nothing");
    w->handlers[index].function(w, arrival, w->handlers[index].context);
}

static void count_message(clump_worker *w, bool local, unsigned arguments, size_t size)
{
    clump_worker_traffic *t = &w->traffic;
    clump_worker_messages *class = size > 0 ? local ? &t->bulk_local : &t->bulk_remote
                                   : local  ? &t->short_local
                                            : &t->short_remote;
    class->messages++;
    class->bytes += size > 0 ? size : arguments * sizeof(uint32_t);
}

bool clump_worker_is_local(const clump_worker *w, uint32_t rank)
{
    return rank / w->per_node == w->rank / w->per_node;
}

void clump_worker_request(clump_worker *w, uint32_t to, unsigned handler, const uint32_t *arguments,
                          unsigned count, const void *data, size_t size)
{
    if (to >= w->count || to == w->rank || count > CLUMP_MESSAGE_ARGUMENTS ||
        size > CLUMP_MESSAGE_BULK_BYTES)
        clump_worker_fail(w, "a message to nobody, to itself, or one that is too long");
    if (w->ways->request == NULL)
        clump_worker_fail(w, "a request where only packets are carried");
    count_message(w, clump_worker_is_local(w, to), count, size);
    w->unanswered++;
    w->ways->request(w, to, handler, arguments, count, data, size);
}

void clump_worker_reply(clump_worker *w, const clump_worker_arrival *arrival, unsigned handler,
                        const uint32_t *arguments, unsigned count, const void *data, size_t size)
{
    if (arrival->token == NULL || count > CLUMP_MESSAGE_ARGUMENTS ||
        size > CLUMP_MESSAGE_BULK_BYTES)
        clump_worker_fail(w, "an answer to an answer, or one that is too long");
    count_message(w, arrival->local, count, size);
    w->traffic.replies++;
    w->ways->reply(w, arrival->token, handler, arguments, count, data, size);
}

void clump_worker_poll(clump_worker *w)
{
    w->ways->poll(w);
}

void clump_worker_wait(clump_worker *w)
{
    w->ways->wait(w);
}

/* ---- time */

void clump_worker_compute(clump_worker *w, double operations)
{
    w->ways->work(w, operations * w->operation_us);
}

void clump_worker_walk(clump_worker *w, double operations, size_t array_bytes, double loaded,
                       double written)
{
    if (w->ways->walk != NULL && w->cache_bytes > 0 && (double)array_bytes > w->cache_bytes)
        w->ways->walk(w, operations * w->operation_us, loaded, written);
    else
        clump_worker_compute(w, operations);
}

void clump_worker_set_reuse_distance(clump_worker *w, size_t bytes)
{
    w->far = w->l2_bytes > 0 && bytes > w->l2_bytes;
}

void clump_worker_progress(clump_worker *w, double share)
{
    if (w->ways->progress != NULL)
        w->ways->progress(w, share);
}

void clump_worker_begin(clump_worker *w)
{
    w->traffic = (clump_worker_traffic){.replies = 0};
    w->phase_us = 0;
    w->began = w->ways->parts(w);
    w->began_us = w->ways->now_us(w);
}

void clump_worker_end(clump_worker *w)
{
    const clump_time_parts parts = w->ways->parts(w);
    w->time_us = w->ways->now_us(w) - w->began_us;
    w->parts = (clump_time_parts){.compute_us = parts.compute_us - w->began.compute_us,
                                  .send_us = parts.send_us - w->began.send_us,
                                  .receive_us = parts.receive_us - w->began.receive_us,
                                  .wait_us = parts.wait_us - w->began.wait_us};
    w->counted = w->traffic;
}

void clump_worker_phase_begin(clump_worker *w)
{
    w->phase_began_us = w->ways->now_us(w);
}

void clump_worker_phase_end(clump_worker *w)
{
    w->phase_us += w->ways->now_us(w) - w->phase_began_us;
}
