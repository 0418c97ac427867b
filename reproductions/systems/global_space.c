/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "reproductions/systems/global_space.h"

#include <string.h>

enum { WORD = 4, ALIGNMENT = 64, CHILDREN = 2 };

/* Handlers of messages. Each request is answered: by DONE, with what kind it was, or by GOT. */
enum { PUT = 1, STORE, GET, STORE_BULK, GET_BULK, CALL, UP, DOWN, DONE, GOT, GOT_BULK };

struct clump_space {
    clump_worker *worker;
    unsigned char *memory;
    size_t bytes, used;
    uint64_t unanswered;        /* puts, gets and calls of mine */
    uint64_t unanswered_stores; /* stores and messages of the tree */
    uint64_t stored;            /* bytes that stores have brought and nobody has waited for */
    struct {
        clump_space_function *function;
        void *context;
    } functions[CLUMP_SPACE_FUNCTIONS];
    /* The tree: what children have brought, and what the parent says. */
    unsigned children, children_here;
    uint64_t brought[CHILDREN];
    bool told;
    uint64_t said;
};

clump_worker *clump_space_worker(const clump_space *s)
{
    return s->worker;
}

/* ---- memory */

uint32_t clump_space_allocate(clump_space *s, size_t bytes)
{
    const size_t place = s->used;
    if (bytes > s->bytes - place)
        clump_worker_fail(s->worker, "the global memory is full");
    s->used += (bytes + ALIGNMENT - 1) / ALIGNMENT * ALIGNMENT;
    if (s->used > s->bytes)
        s->used = s->bytes;
    return (uint32_t)(place / WORD);
}

/* Of others, who may be wrong. */
static unsigned char *reach(clump_space *s, uint32_t place, size_t bytes)
{
    const size_t begin = (size_t)place * WORD;
    if (begin > s->bytes || bytes > s->bytes - begin)
        clump_worker_fail(s->worker, "an access beyond the global memory");
    return s->memory + begin;
}

void *clump_space_at(clump_space *s, uint32_t place)
{
    return reach(s, place, 0);
}

/* ---- what others ask for */

/* The words behind the first two arguments. */
static unsigned words_of(clump_space *s, const clump_message *m)
{
    if (m->count < 2)
        clump_worker_fail(s->worker, "a message without a place");
    return m->count - 2;
}

static void answer(clump_worker *w, const clump_worker_arrival *a, bool store)
{
    clump_worker_reply(w, a, DONE, (uint32_t[]){store}, 1, NULL, 0);
}

static void on_words(clump_worker *w, const clump_worker_arrival *a, void *context)
{
    clump_space *s = context;
    const clump_message *m = a->message;
    const size_t bytes = (size_t)words_of(s, m) * WORD;
    const bool store = m->handler == STORE;
    memcpy(reach(s, m->arguments[0], bytes), m->arguments + 2, bytes);
    if (store)
        s->stored += bytes;
    answer(w, a, store);
}

static void on_bulk(clump_worker *w, const clump_worker_arrival *a, void *context)
{
    clump_space *s = context;
    const clump_message *m = a->message;
    const bool store = m->handler == STORE_BULK;
    words_of(s, m);
    memcpy(reach(s, m->arguments[0], m->size), m->data, m->size);
    if (store)
        s->stored += m->size;
    answer(w, a, store);
}

/* Arguments of GET and GET_BULK: place, the asker's place, bytes. */
static void on_get(clump_worker *w, const clump_worker_arrival *a, void *context)
{
    clump_space *s = context;
    const clump_message *m = a->message;
    const bool bulk = m->handler == GET_BULK;
    const size_t most = bulk ? CLUMP_MESSAGE_BULK_BYTES : CLUMP_SPACE_WORDS * WORD;
    if (words_of(s, m) != 1 || m->arguments[2] > most || m->arguments[2] % WORD != 0)
        clump_worker_fail(w, "a get of more than fits into a message");
    const size_t bytes = m->arguments[2];
    const unsigned char *data = reach(s, m->arguments[0], bytes);
    uint32_t back[2 + CLUMP_SPACE_WORDS] = {m->arguments[1], 0};
    if (bulk) {
        clump_worker_reply(w, a, GOT_BULK, back, 2, data, bytes);
    } else {
        memcpy(back + 2, data, bytes);
        clump_worker_reply(w, a, GOT, back, 2 + (unsigned)(bytes / WORD), NULL, 0);
    }
}

static void on_call(clump_worker *w, const clump_worker_arrival *a, void *context)
{
    clump_space *s = context;
    const clump_message *m = a->message;
    const unsigned count = words_of(s, m), index = m->arguments[0];
    if (index >= CLUMP_SPACE_FUNCTIONS || s->functions[index].function == NULL)
        clump_worker_fail(w, "a call of a function that is not defined");
    s->functions[index].function(s, m->arguments + 2, count, s->functions[index].context);
    answer(w, a, false);
}

/* ---- what comes back */

static void on_done(clump_worker *w, const clump_worker_arrival *a, void *context)
{
    clump_space *s = context;
    const bool store = a->message->count == 1 && a->message->arguments[0] != 0;
    uint64_t *pending = store ? &s->unanswered_stores : &s->unanswered;
    if (a->token != NULL || *pending == 0)
        clump_worker_fail(w, "an answer to nothing");
    --*pending;
}

static void on_got(clump_worker *w, const clump_worker_arrival *a, void *context)
{
    clump_space *s = context;
    const clump_message *m = a->message;
    const size_t bytes = m->size > 0 ? m->size : (size_t)words_of(s, m) * WORD;
    if (a->token != NULL || s->unanswered == 0)
        clump_worker_fail(w, "an answer to nothing");
    memcpy(reach(s, m->arguments[0], bytes), m->size > 0 ? m->data : m->arguments + 2, bytes);
    s->unanswered--;
}

/* ---- the tree */

static uint64_t value_of(const clump_message *m)
{
    return m->count == 3 ? (uint64_t)m->arguments[1] << 32 | m->arguments[2] : 0;
}

static void on_up(clump_worker *w, const clump_worker_arrival *a, void *context)
{
    clump_space *s = context;
    const uint32_t child = a->message->count == 3 ? a->message->arguments[0] : CHILDREN;
    if (child >= CHILDREN)
        clump_worker_fail(w, "a child that there is not");
    s->brought[child] = value_of(a->message);
    s->children_here++;
    answer(w, a, true);
}

static void on_down(clump_worker *w, const clump_worker_arrival *a, void *context)
{
    clump_space *s = context;
    s->said = value_of(a->message);
    s->told = true;
    answer(w, a, true);
}

static void send_value(clump_space *s, uint32_t to, unsigned handler, uint32_t child,
                       uint64_t value)
{
    s->unanswered_stores++;
    clump_worker_request(s->worker, to, handler,
                         (uint32_t[]){child, (uint32_t)(value >> 32), (uint32_t)value}, 3, NULL, 0);
}

uint64_t clump_space_reduce(clump_space *s, uint64_t value, clump_space_combine combine)
{
    clump_worker *w = s->worker;
    while (s->children_here < s->children)
        clump_worker_wait(w);
    for (unsigned i = 0; i < s->children; i++)
        value = combine == CLUMP_SPACE_SUM ? value + s->brought[i]
                : s->brought[i] > value    ? s->brought[i]
                                           : value;
    s->children_here = 0; /* before any child can come again */
    if (w->rank > 0) {
        s->told = false;
        send_value(s, (w->rank - 1) / CHILDREN, UP, (w->rank - 1) % CHILDREN, value);
        while (!s->told)
            clump_worker_wait(w);
        value = s->said;
    }
    for (unsigned i = 0; i < s->children; i++)
        send_value(s, CHILDREN * w->rank + 1 + i, DOWN, 0, value);
    return value;
}

void clump_space_barrier(clump_space *s)
{
    clump_space_reduce(s, 0, CLUMP_SPACE_SUM);
}

/* ---- accesses */

static void send_words(clump_space *s, uint32_t to, unsigned handler, uint32_t place,
                       const void *words, unsigned count)
{
    uint32_t arguments[2 + CLUMP_SPACE_WORDS] = {place, 0};
    if (count > CLUMP_SPACE_WORDS)
        clump_worker_fail(s->worker, "more than six words in a short access");
    if (count > 0)
        memcpy(arguments + 2, words, (size_t)count * WORD);
    clump_worker_request(s->worker, to, handler, arguments, 2 + count, NULL, 0);
}

void clump_space_put(clump_space *s, uint32_t to, uint32_t place, const void *words, unsigned count)
{
    if (to == s->worker->rank) {
        memmove(reach(s, place, (size_t)count * WORD), words, (size_t)count * WORD);
        return;
    }
    s->unanswered++;
    send_words(s, to, PUT, place, words, count);
}

void clump_space_store(clump_space *s, uint32_t to, uint32_t place, const void *words,
                       unsigned count)
{
    if (to == s->worker->rank) {
        memmove(reach(s, place, (size_t)count * WORD), words, (size_t)count * WORD);
        s->stored += (uint64_t)count * WORD;
        return;
    }
    s->unanswered_stores++;
    send_words(s, to, STORE, place, words, count);
}

void clump_space_call(clump_space *s, uint32_t to, unsigned function, const uint32_t *words,
                      unsigned count)
{
    if (function >= CLUMP_SPACE_FUNCTIONS ||
        (to == s->worker->rank && s->functions[function].function == NULL))
        clump_worker_fail(s->worker, "a call of a function that is not defined");
    if (to == s->worker->rank) {
        s->functions[function].function(s, words, count, s->functions[function].context);
        return;
    }
    s->unanswered++;
    send_words(s, to, CALL, function, words, count);
}

/* Pieces of what is asked for, or sent: `data` is NULL for a get. */
static void send_pieces(clump_space *s, uint32_t to, unsigned handler, uint32_t place,
                        uint32_t mine, const unsigned char *data, size_t bytes, uint64_t *pending)
{
    if (bytes % WORD != 0)
        clump_worker_fail(s->worker, "a bulk access of a part of a word");
    for (size_t at = 0; at < bytes; at += CLUMP_MESSAGE_BULK_BYTES) {
        const size_t left = bytes - at,
                     size = left < CLUMP_MESSAGE_BULK_BYTES ? left : CLUMP_MESSAGE_BULK_BYTES;
        const uint32_t step = (uint32_t)(at / WORD);
        const uint32_t arguments[] = {place + step, mine + step, (uint32_t)size};
        ++*pending;
        if (data == NULL)
            clump_worker_request(s->worker, to, handler, arguments, 3, NULL, 0);
        else
            clump_worker_request(s->worker, to, handler, arguments, 2, data + at, size);
    }
}

void clump_space_store_bulk(clump_space *s, uint32_t to, uint32_t place, const void *data,
                            size_t bytes)
{
    if (to == s->worker->rank) {
        memmove(reach(s, place, bytes), data, bytes);
        s->stored += bytes;
    } else {
        send_pieces(s, to, STORE_BULK, place, 0, data, bytes, &s->unanswered_stores);
    }
}

void clump_space_get(clump_space *s, uint32_t from, uint32_t place, uint32_t mine, unsigned count)
{
    const uint32_t bytes = count * WORD;
    if (count > CLUMP_SPACE_WORDS)
        clump_worker_fail(s->worker, "more than six words in a short access");
    if (from == s->worker->rank) {
        memmove(reach(s, mine, bytes), reach(s, place, bytes), bytes);
        return;
    }
    s->unanswered++;
    clump_worker_request(s->worker, from, GET, (uint32_t[]){place, mine, bytes}, 3, NULL, 0);
}

void clump_space_get_bulk(clump_space *s, uint32_t from, uint32_t place, uint32_t mine,
                          size_t bytes)
{
    if (from == s->worker->rank)
        memmove(reach(s, mine, bytes), reach(s, place, bytes), bytes);
    else
        send_pieces(s, from, GET_BULK, place, mine, NULL, bytes, &s->unanswered);
}

/* ---- completion */

void clump_space_sync(clump_space *s)
{
    while (s->unanswered > 0)
        clump_worker_wait(s->worker);
}

void clump_space_store_sync(clump_space *s, uint64_t bytes)
{
    while (s->stored < bytes)
        clump_worker_wait(s->worker);
    s->stored -= bytes;
}

void clump_space_quiet(clump_space *s)
{
    while (s->unanswered > 0 || s->unanswered_stores > 0)
        clump_worker_wait(s->worker);
}

void clump_space_all_store_sync(clump_space *s)
{
    clump_space_quiet(s);
    clump_space_barrier(s);
}

/* ---- the beginning */

void clump_space_define(clump_space *s, unsigned index, clump_space_function *function,
                        void *context)
{
    if (index >= CLUMP_SPACE_FUNCTIONS)
        clump_worker_fail(s->worker, "a function beyond 15");
    s->functions[index].function = function;
    s->functions[index].context = context;
}

clump_space *clump_space_open(clump_worker *w, size_t bytes)
{
    static const struct {
        unsigned index;
        clump_worker_handler *handler;
    } handlers[] = {{PUT, on_words},    {STORE, on_words}, {STORE_BULK, on_bulk}, {GET, on_get},
                    {GET_BULK, on_get}, {CALL, on_call},   {UP, on_up},           {DOWN, on_down},
                    {DONE, on_done},    {GOT, on_got},     {GOT_BULK, on_got}};
    clump_space *s = clump_worker_allocate(w, 1, sizeof *s);
    s->worker = w;
    s->bytes = (bytes + ALIGNMENT - 1) / ALIGNMENT * ALIGNMENT;
    s->memory = clump_worker_allocate(w, s->bytes, 1);
    for (uint64_t child = CHILDREN * (uint64_t)w->rank + 1;
         child < w->count && s->children < CHILDREN; child++)
        s->children++;
    for (size_t i = 0; i < sizeof handlers / sizeof *handlers; i++)
        clump_worker_set_handler(w, handlers[i].index, handlers[i].handler, s);
    return s;
}
