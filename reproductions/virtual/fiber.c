/* SPDX-License-Identifier: GPL-3.0-or-later */
#define _GNU_SOURCE /* MAP_ANONYMOUS, MAP_NORESERVE */
#include "reproductions/virtual/fiber.h"

#include <stdbool.h>
#include <stdint.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <ucontext.h>
#include <unistd.h>

/* Sanitizers have to be told that the stack changes. */
#if defined(__has_feature)
#if __has_feature(address_sanitizer)
#define FIBER_ASAN 1
#endif
#if __has_feature(thread_sanitizer)
#define FIBER_TSAN 1
#endif
#endif
#if defined(__SANITIZE_ADDRESS__) && !defined(FIBER_ASAN)
#define FIBER_ASAN 1
#endif
#if defined(__SANITIZE_THREAD__) && !defined(FIBER_TSAN)
#define FIBER_TSAN 1
#endif
#ifdef FIBER_ASAN
#include <sanitizer/asan_interface.h>
#include <sanitizer/common_interface_defs.h>
#endif
#ifdef FIBER_TSAN
#include <sanitizer/tsan_interface.h>
#endif

struct clump_fiber {
    ucontext_t context;
    void *mapped; /* guard page and stack; NULL: the thread's */
    size_t mapped_bytes;
    void (*run)(void *context);
    void *argument;
    void *stack; /* of the thread: as the sanitizer knows it */
    size_t stack_bytes;
#ifdef FIBER_ASAN
    void *fake_stack;
    struct clump_fiber *came_from;
#endif
#ifdef FIBER_TSAN
    void *tsan;
#endif
};

/* We are on the stack of `self`, for the first time or again. */
static void arrive(clump_fiber *self)
{
#ifdef FIBER_ASAN
    const void *stack;
    size_t bytes;
    __sanitizer_finish_switch_fiber(self->fake_stack, &stack, &bytes);
    if (self->came_from != NULL && self->came_from->stack == NULL) { /* the thread's */
        self->came_from->stack = (void *)stack;
        self->came_from->stack_bytes = bytes;
    }
#else
    (void)self;
#endif
}

/* makecontext() hands over ints only. */
static void enter(unsigned high, unsigned low)
{
    clump_fiber *self = (clump_fiber *)(((uintptr_t)high << 16 << 16) | low);
    arrive(self);
    self->run(self->argument);
}

/* To begin in enter(), on its own stack. */
static bool prepare(clump_fiber *fiber)
{
    const uintptr_t self = (uintptr_t)fiber;
    if (getcontext(&fiber->context) != 0)
        return false;
    fiber->context.uc_stack.ss_sp = fiber->stack;
    fiber->context.uc_stack.ss_size = fiber->stack_bytes;
    fiber->context.uc_link = NULL;
    makecontext(&fiber->context, (void (*)(void))enter, 2, (unsigned)(self >> 16 >> 16),
                (unsigned)self);
    return true;
}

clump_fiber *clump_fiber_open(size_t stack_bytes, void (*run)(void *context), void *context)
{
    const size_t page = (size_t)sysconf(_SC_PAGESIZE);
    clump_fiber *fiber = calloc(1, sizeof *fiber);
    if (fiber == NULL)
        return NULL;
    fiber->run = run;
    fiber->argument = context;
    fiber->stack_bytes = (stack_bytes + page - 1) / page * page;
    fiber->mapped_bytes = fiber->stack_bytes + page;
    fiber->mapped = mmap(NULL, fiber->mapped_bytes, PROT_READ | PROT_WRITE,
                         MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    fiber->stack = fiber->mapped != MAP_FAILED ? (char *)fiber->mapped + page : NULL;
    if (fiber->stack == NULL || mprotect(fiber->mapped, page, PROT_NONE) != 0 || !prepare(fiber)) {
        if (fiber->stack != NULL)
            munmap(fiber->mapped, fiber->mapped_bytes);
        free(fiber);
        return NULL;
    }
#ifdef FIBER_TSAN
    fiber->tsan = __tsan_create_fiber(0);
#endif
    return fiber;
}

clump_fiber *clump_fiber_of_thread(void)
{
    clump_fiber *fiber = calloc(1, sizeof *fiber);
#ifdef FIBER_TSAN
    if (fiber != NULL)
        fiber->tsan = __tsan_get_current_fiber();
#endif
    return fiber;
}

void clump_fiber_close(clump_fiber *fiber)
{
    if (fiber == NULL)
        return;
    if (fiber->mapped != NULL) {
#ifdef FIBER_TSAN
        __tsan_destroy_fiber(fiber->tsan);
#endif
#ifdef FIBER_ASAN
        /* Functions that never returned have left their marks, and others get this memory. */
        __asan_unpoison_memory_region(fiber->stack, fiber->stack_bytes);
#endif
        munmap(fiber->mapped, fiber->mapped_bytes);
    }
    free(fiber);
}

void clump_fiber_switch(clump_fiber *from, clump_fiber *to)
{
#ifdef FIBER_ASAN
    to->came_from = from;
    __sanitizer_start_switch_fiber(&from->fake_stack, to->stack, to->stack_bytes);
#endif
#ifdef FIBER_TSAN
    __tsan_switch_to_fiber(to->tsan, 0);
#endif
    swapcontext(&from->context, &to->context);
    arrive(from);
}
