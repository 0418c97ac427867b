/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Fast Fourier transform in three dimensions (thesis, 5.3.3). Slices of the lattice (values of one z)
 * go round-robin to processors. First each row x of a slice is transformed and the slice transposed, so
 * that y is next to each other; then as many subphases as processors, in each of which a processor
 * transforms lines y and sends them to one other, the owner of their x; then z is transformed there; and
 * as many subphases bring the lines back. A barrier ends each subphase.
 *
 * Lines are bulk transfers of 16 bytes a value: 2 KiB with 128 values, as tables 5.6 to 5.8 have them.
 */
#include "reproductions/applications/application.h"
#include "reproductions/applications/costs.h"
#include "reproductions/systems/global_space.h"
#include "reproductions/virtual/splitmix.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { VALUES, MOST = 1024 };

typedef struct value {
    double re, im;
} value;

enum { WORDS = sizeof(value) / sizeof(uint32_t) };

/* What the transform of a line needs to know. */
typedef struct line_plan {
    uint32_t n, bits;
    value roots[MOST / 2]; /* exp(-2 pi i k/n) */
} line_plan;

static void plan_lines(uint32_t n, line_plan *plan)
{
    plan->n = n;
    for (plan->bits = 0; UINT32_C(1) << plan->bits < n;)
        plan->bits++;
    for (uint32_t k = 0; k < n / 2; k++) {
        const double angle = -2 * acos(-1) * k / n;
        plan->roots[k] = (value){cos(angle), sin(angle)};
    }
}

/* In place, radix 2: values in the order of reversed bits, then butterflies. */
static void transform_line(const line_plan *plan, value *line)
{
    const uint32_t n = plan->n;
    for (uint32_t i = 0, j = 0; i < n; i++) {
        if (i < j) {
            const value kept = line[i];
            line[i] = line[j];
            line[j] = kept;
        }
        uint32_t bit = n >> 1;
        for (; bit > 0 && (j & bit) != 0; bit >>= 1)
            j ^= bit;
        j |= bit;
    }
    for (uint32_t half = 1; half < n; half *= 2)
        for (uint32_t k = 0; k < half; k++) {
            const value root = plan->roots[k * (n / 2 / half)];
            for (uint32_t i = k; i < n; i += 2 * half) {
                value *a = &line[i], *b = &line[i + half];
                const value t = {root.re * b->re - root.im * b->im,
                                 root.re * b->im + root.im * b->re};
                *b = (value){a->re - t.re, a->im - t.im};
                *a = (value){a->re + t.re, a->im + t.im};
            }
        }
}

/* Butterflies of a line. */
static double line_operations(const line_plan *plan)
{
    return 0.5 * plan->n * plan->bits;
}

static void transpose(value *slice, uint32_t n)
{
    for (uint32_t i = 0; i < n; i++)
        for (uint32_t j = i + 1; j < n; j++) {
            const value kept = slice[i * n + j];
            slice[i * n + j] = slice[j * n + i];
            slice[j * n + i] = kept;
        }
}

static void make_slice(const clump_application_input *input, uint32_t z, value *slice)
{
    const size_t count = (size_t)input->sizes[VALUES] * (size_t)input->sizes[VALUES];
    uint64_t state = clump_application_seed(input->seed, 0, z);
    for (size_t i = 0; i < count; i++) {
        slice[i].re = clump_splitmix_real(&state) - 0.5;
        slice[i].im = clump_splitmix_real(&state) - 0.5;
    }
}

static uint64_t digest_value(uint64_t place, const value *v)
{
    uint64_t bits[2];
    memcpy(bits, v, sizeof bits);
    return clump_application_mix(place, clump_application_mix(bits[0], bits[1]));
}

/* ---- a worker */

typedef struct lattice {
    clump_space *space;
    line_plan plan;
    uint32_t n, own; /* slices of a worker */
    uint32_t by_z_place, by_x_place;
    value *by_z; /* slices of one z: first y and x, then x and y */
    value *by_x; /* of one x: z and y */
} lattice;

static size_t slices_bytes(const lattice *l)
{
    return (size_t)l->own * l->n * l->n * sizeof(value);
}

/* All slices are read, changed and written back. */
static void walk_slices(const lattice *l, double operations)
{
    const size_t bytes = slices_bytes(l);
    clump_worker_walk(clump_space_worker(l->space), operations, bytes, (double)bytes,
                      (double)bytes);
}

/* Lines of one transpose, subphase by subphase: line (s, t) of my slice s, t counting through all
 * slices of the other kind, goes to the owner of t. */
static void exchange(const lattice *l, value *from, uint32_t to_place, bool transform, double done)
{
    clump_worker *w = clump_space_worker(l->space);
    const uint32_t n = l->n, count = w->count;
    const double line_bytes = (double)n * sizeof *from;
    for (uint32_t phase = 0; phase < count; phase++) {
        const uint32_t to = (w->rank + phase) % count;
        for (uint32_t s = 0; s < l->own; s++)
            for (uint32_t t = to; t < n; t += count) {
                value *line = from + ((size_t)s * n + t) * n;
                const uint32_t mine = s * count + w->rank; /* the slice among all */
                if (transform)
                    transform_line(&l->plan, line);
                clump_worker_walk(w, transform ? line_operations(&l->plan) : 0, slices_bytes(l),
                                  line_bytes, transform ? line_bytes : 0);
                clump_space_store_bulk(l->space, to,
                                       to_place + ((t / count * n + mine) * n) * WORDS, line,
                                       n * sizeof *line);
            }
        clump_space_all_store_sync(l->space);
        clump_worker_progress(w, done + 0.5 * (phase + 1) / count);
    }
}

/* Rows of all slices. */
static void transform_rows(const lattice *l, value *slices)
{
    for (size_t row = 0; row < (size_t)l->own * l->n; row++)
        transform_line(&l->plan, slices + row * l->n);
    walk_slices(l, (double)l->own * l->n * line_operations(&l->plan));
}

static void transpose_all(const lattice *l, value *slices)
{
    for (uint32_t s = 0; s < l->own; s++)
        transpose(slices + (size_t)s * l->n * l->n, l->n);
    walk_slices(l, (double)l->own * l->n * l->n);
}

static void work(clump_worker *w, const clump_application_input *input,
                 clump_application_result *result)
{
    const uint32_t n = (uint32_t)input->sizes[VALUES];
    lattice l = {.n = n, .own = n / w->count};
    const size_t slice = (size_t)n * n, bytes = l.own * slice * sizeof(value);
    l.space = clump_space_open(w, 2 * bytes + 256);
    l.by_z_place = clump_space_allocate(l.space, bytes);
    l.by_x_place = clump_space_allocate(l.space, bytes);
    l.by_z = clump_space_at(l.space, l.by_z_place);
    l.by_x = clump_space_at(l.space, l.by_x_place);
    plan_lines(n, &l.plan);
    for (uint32_t s = 0; s < l.own; s++)
        make_slice(input, s * w->count + w->rank, l.by_z + s * slice);
    clump_space_barrier(l.space);

    clump_worker_begin(w);
    clump_space_barrier(l.space);
    transform_rows(&l, l.by_z);
    transpose_all(&l, l.by_z);
    exchange(&l, l.by_z, l.by_x_place, true, 0);
    transpose_all(&l, l.by_x);
    transform_rows(&l, l.by_x);
    transpose_all(&l, l.by_x);
    exchange(&l, l.by_x, l.by_z_place, false, 0.5);
    clump_space_barrier(l.space);
    clump_worker_end(w);

    result->items = l.own * slice;
    for (uint32_t s = 0; s < l.own; s++)
        for (size_t i = 0; i < slice; i++)
            result->digest +=
                digest_value((s * w->count + w->rank) * slice + i, &l.by_z[s * slice + i]);
}

/* ---- one processor: all lines in x, in y, in z */

/* All lines of a dimension, whose values are `stride` apart. */
static void transform_dimension(const line_plan *plan, value *all, size_t stride)
{
    value line[MOST];
    const size_t n = plan->n, count = n * n;
    for (size_t k = 0; k < count; k++) {
        value *first = all + k / stride * stride * n + k % stride;
        for (size_t i = 0; i < n; i++)
            line[i] = first[i * stride];
        transform_line(plan, line);
        for (size_t i = 0; i < n; i++)
            first[i * stride] = line[i];
    }
}

static bool expect(const clump_application_input *input, clump_application_result *result)
{
    const uint32_t n = (uint32_t)input->sizes[VALUES];
    const size_t slice = (size_t)n * n;
    value *all = malloc(slice * n * sizeof *all);
    line_plan plan;
    if (all == NULL)
        return false;
    plan_lines(n, &plan);
    for (uint32_t z = 0; z < n; z++)
        make_slice(input, z, all + z * slice);
    transform_dimension(&plan, all, 1);
    transform_dimension(&plan, all, n);
    transform_dimension(&plan, all, slice);
    *result = (clump_application_result){.items = slice * n};
    for (size_t z = 0; z < n; z++) /* the result lies as (z, x, y) */
        for (size_t x = 0; x < n; x++)
            for (size_t y = 0; y < n; y++)
                result->digest += digest_value(z * slice + x * n + y, &all[z * slice + y * n + x]);
    free(all);
    return true;
}

static bool check(const clump_application_input *input, char message[CLUMP_APPLICATION_MESSAGE])
{
    const uint32_t n = (uint32_t)input->sizes[VALUES];
    if ((n & (n - 1)) == 0 && n % input->workers == 0)
        return true;
    snprintf(
        message, CLUMP_APPLICATION_MESSAGE,
        "found %u values in each dimension and %u processors, expected a power of two that the "
        "number of processors divides",
        n, input->workers);
    return false;
}

static const clump_application_size sizes[] = {
    {"values", "values in each of the three dimensions, a power of two", 128, 2, MOST, true},
    {.name = NULL}};

const clump_application clump_application_fft = {
    .name = "fft",
    .run = "3-D FFT",
    .title = "Fast Fourier transform in three dimensions",
    .text =
        "Processors have slices of a cubic lattice. They transform them in two dimensions,\n"
        "exchange lines by bulk transfers, one partner after the other with a barrier between,\n"
        "transform the third dimension, and exchange them back.",
    .operation = "a butterfly, or a value moved by a transpose",
    .operation_us = CLUMP_PRICE_FFT_US,
    .beside_memory_us = CLUMP_PRICE_FFT_BESIDE_MEMORY_US,
    .cost_run = "3-D FFT",
    .style = "streaming",
    .lockstep = true,
    .sizes = sizes,
    .check = check,
    .work = work,
    .expect = expect,
};
