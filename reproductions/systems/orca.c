/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "reproductions/systems/orca.h"

#include <string.h>

enum { PORT = 0 };

/* Words of state (panda.c). */
enum {
    WORK_INVOKE = 24, /* arguments 6; object 4; locked and unlocked 4; operation 3; header 2; the
                         process that waits 3, and goes on 2 */
    WORK_APPLY = 15,  /* header 2; object 4; locked and unlocked 4; operation 2; guards 3 */
    WORK_GUARD = 4    /* the process, what it waits for, object, state */
};

typedef struct object {
    uint32_t home;
    void *state;
    clump_orca_operation *const *operations;
    unsigned count;
} object;

struct clump_orca {
    clump_panda *panda;
    clump_worker *worker;
    object *objects;
    unsigned count, room;
    /* What this worker waits for: its own operation on a replicated object. */
    bool done;
    void *answer;
    size_t most, answered;
};

static size_t apply(clump_orca *o, unsigned index, unsigned operation, uint32_t by,
                    const void *arguments, size_t size, void *answer)
{
    if (index >= o->count || operation >= o->objects[index].count)
        clump_worker_fail(o->worker, "an operation that no object has");
    const size_t answered = o->objects[index].operations[operation](o->objects[index].state, by,
                                                                    arguments, size, answer);
    if (answered > CLUMP_ORCA_ANSWER)
        clump_worker_fail(o->worker, "an answer of more than 256 bytes");
    clump_panda_charge(o->panda, WORK_APPLY, 0);
    return answered;
}

static void on_operation(clump_panda *panda, const clump_panda_message *m, void *context)
{
    enum { HEADER = 4 };
    clump_orca *o = context;
    unsigned char answer[CLUMP_ORCA_ANSWER];
    if (m->size < HEADER)
        clump_worker_fail(o->worker, "an operation without a header");
    const size_t answered = apply(o, m->data[0] | (unsigned)m->data[1] << 8, m->data[2], m->from,
                                  m->data + HEADER, m->size - HEADER, answer);
    if (m->call != 0) {
        clump_panda_answer(panda, m->from, m->call, (const clump_panda_piece[]){{answer, answered}},
                           1);
    } else if (m->from == o->worker->rank) {
        const size_t copied = answered < o->most ? answered : o->most;
        if (copied > 0)
            memcpy(o->answer, answer, copied);
        o->answered = answered;
        o->done = true;
    }
}

clump_orca *clump_orca_open(clump_worker *w)
{
    clump_orca *o = clump_worker_allocate(w, 1, sizeof *o);
    o->worker = w;
    o->panda = clump_panda_open(w, true);
    clump_panda_define(o->panda, PORT, on_operation, o);
    return o;
}

unsigned clump_orca_object(clump_orca *o, uint32_t home, void *state,
                           clump_orca_operation *const *operations)
{
    unsigned count = 0;
    if (o->count == CLUMP_ORCA_OBJECTS)
        clump_worker_fail(o->worker, "more than 8192 objects");
    if (o->count == o->room) {
        const unsigned room = o->room > 0 ? 2 * o->room : 16;
        object *larger = clump_worker_borrow(o->worker, room * sizeof *larger);
        if (o->count > 0)
            memcpy(larger, o->objects, o->count * sizeof *larger);
        clump_worker_give_back(o->worker, o->objects);
        o->objects = larger;
        o->room = room;
    }
    while (operations[count] != NULL)
        count++;
    o->objects[o->count] = (object){home, state, operations, count};
    return o->count++;
}

size_t clump_orca_invoke(clump_orca *o, unsigned index, unsigned operation, const void *arguments,
                         size_t size, void *answer, size_t most)
{
    const unsigned char header[] = {(unsigned char)index, (unsigned char)(index >> 8),
                                    (unsigned char)operation, 0};
    const clump_panda_piece pieces[] = {{header, sizeof header}, {arguments, size}};
    if (index >= o->count || operation > UINT8_MAX)
        clump_worker_fail(o->worker, "an operation that no object has");
    const uint32_t home = o->objects[index].home;
    clump_panda_charge(o->panda, WORK_INVOKE, 0);
    if (home == o->worker->rank) {
        unsigned char here[CLUMP_ORCA_ANSWER];
        const size_t answered = apply(o, index, operation, home, arguments, size, here);
        if (answer != NULL && answered > 0)
            memcpy(answer, here, answered < most ? answered : most);
        return answered;
    }
    if (home != CLUMP_ORCA_REPLICATED)
        return clump_panda_call(o->panda, home, PORT, pieces, 2, answer, most);
    o->done = false;
    o->answer = answer;
    o->most = answer != NULL ? most : 0;
    clump_panda_ordered(o->panda, PORT, pieces, 2);
    while (!o->done)
        clump_panda_wait(o->panda);
    return o->answered;
}

void clump_orca_await(clump_orca *o, unsigned index,
                      bool (*guard)(const void *state, void *context), void *context)
{
    if (index >= o->count)
        clump_worker_fail(o->worker, "an object that is not there");
    for (;;) {
        clump_panda_charge(o->panda, WORK_GUARD, 0);
        if (guard(o->objects[index].state, context))
            return;
        clump_panda_wait(o->panda);
    }
}
