/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Volumes of training steps, against what the papers print. */
#include "model/workload/training_step.h"

#include <math.h>
#include <string.h>

#include "tests/unit/unit.h"

static const clump_training_step plain = {.parameters = 1e9,
                                          .active_parameters = NAN,
                                          .layers = 24,
                                          .hidden = 2048,
                                          .sequence = 1024,
                                          .batch = 512,
                                          .microbatches = 1,
                                          .chunks = 1,
                                          .tensor = 1,
                                          .pipeline = 1,
                                          .data = 1,
                                          .expert = 1,
                                          .choices = 1,
                                          .gradient_bytes = 2,
                                          .activation_bytes = 2,
                                          .flops = 1e14,
                                          .computation_s = NAN,
                                          .buckets = 1};

static clump_training_work work_of(const clump_training_step *s)
{
    clump_training_work w;
    clump_error error = {0};
    if (clump_training_step_work(s, &w, &error) != CLUMP_OK)
        fail_msg("%s", error.message);
    return w;
}

/* By hand: 2 layers of 4 numbers, 3 words, 8 tokens a micro-batch; 2 micro-batches, 2 stages. */
TEST(test_constants)
{
    clump_training_step s = plain;
    s.layers = 2;
    s.hidden = 4;
    s.sequence = 2;
    s.batch = 8;
    s.microbatches = 2;
    s.pipeline = 2;
    s.heads = 2;
    s.vocabulary = 3;
    s.parameters = 12 * 2 * 16 + 3 * 4;
    s.flops = 1000;
    s.activation_rate = 500;
    s.memory_rate = 100;
    /* A layer: 8 (24 16 + 4 2 4) / 1000 and 8 (34 4 + 5 2 2) / 500, 3 times, 2 micro-batches, stretched by 1.5. */
    const double layer = 8 * (24 * 16 + 32) / 1000.0 + 8 * (136 + 20) / 500.0;
    const double once = 2 * 6 * 8 * 12 / 1000.0 + 28 * 396 / (2 * 100.0);
    assert_float_equal(work_of(&s).computation_s, 2 * 3 * layer * 1.5 + once, 1e-9);
    s.layer_s = 100; /* kernels start slowly */
    assert_float_equal(work_of(&s).computation_s, 2 * 3 * 100 * 1.5 + once, 1e-9);
    s.recomputes = true;
    s.vocabulary = s.memory_rate = 0;
    assert_float_equal(work_of(&s).computation_s, 2 * 4 * 100 * 1.5, 1e-9);
    s.heads = -1;
    clump_training_work w;
    assert_int_equal(clump_training_step_work(&s, &w, NULL), CLUMP_BAD_ARGUMENT);
}

/* Narayanan and others, SC 2021, equation (3): F = 96 B s l h^2 (1 + s/(6h) + V/(16 l h)), activations computed
 * again; 12 l h^2 + V h parameters of which the last, logits of V words, are not computed again. */
TEST(test_operations)
{
    clump_training_step s = plain;
    const double l = 96, h = 12288, seq = 2048, B = 1536;
    s.layers = l;
    s.hidden = h;
    s.sequence = seq;
    s.batch = B;
    s.parameters = 12 * l * h * h;
    s.recomputes = true;
    const double F = 96 * B * seq * l * h * h * (1 + seq / (6 * h));
    assert_float_equal(work_of(&s).computation_s / (F / 1e14), 1, 1e-12);
    s.recomputes = false;
    assert_float_equal(work_of(&s).computation_s / (0.75 * F / 1e14), 1, 1e-12);
    s.computation_s = 3;
    s.pipeline = 8;
    s.microbatches = 16;
    s.chunks = 2;
    assert_float_equal(work_of(&s).bubble, 7.0 / 32, 1e-12); /* its section 2.2.2 */
    assert_float_equal(work_of(&s).computation_s, 3 * (1 + 7.0 / 32), 1e-12);
}

/* Its section 3.2: 8 b s h (t-1)/t elements a layer, device and micro-batch; 2 b s h between two stages. */
TEST(test_volumes)
{
    clump_training_step s = plain;
    s.tensor = 8;
    s.pipeline = 4;
    s.data = 16;
    s.microbatches = 8;
    const clump_training_work w = work_of(&s);
    const double b = 512.0 / 16 / 8, bsh = b * 1024 * 2048, stretch = 1 + 3.0 / 8;
    assert_float_equal(w.ranks, 512, 0);
    assert_int_equal(w.count, 3);
    const clump_training_collective *tensor = &w.collectives[0], *pipe = &w.collectives[1],
                                    *data = &w.collectives[2];
    assert_int_equal(tensor->kind, CLUMP_COLLECTIVE_ALLREDUCE);
    assert_float_equal(tensor->count * tensor->bytes * 2 * 7 / 8,
                       stretch * 8 * (24 / 4) * 2 * 8 * bsh * 7 / 8, 1);
    assert_float_equal(tensor->size, 8, 0);
    assert_float_equal(tensor->stride, 1, 0);
    assert_true(pipe->sends);
    assert_float_equal(pipe->count * pipe->bytes, stretch * 8 * 2 * bsh * 2, 1);
    assert_float_equal(pipe->stride, 128, 0);
    assert_int_equal(data->kind, CLUMP_COLLECTIVE_ALLREDUCE);
    assert_float_equal(data->bytes, 2e9 / 32, 1e-3);
    assert_float_equal(data->size, 16, 0);
    assert_float_equal(data->stride, 8, 0);
}

/* Elements that a processor sends in rings, Rajbhandari and others, section 7: 2 Psi, 2 Psi and 3 Psi. */
TEST(test_sharded)
{
    static const double volumes[] = {2, 2, 2, 3};
    clump_training_step s = plain;
    s.data = 64;
    s.buckets = 4;
    for (int stage = 0; stage < 4; stage++) {
        double sent = 0;
        s.sharded = stage;
        const clump_training_work w = work_of(&s);
        for (size_t i = 0; i < w.count; i++) {
            const clump_training_collective *c = &w.collectives[i];
            const double laps = c->kind == CLUMP_COLLECTIVE_ALLREDUCE ? 2 : 1;
            const double all = c->kind == CLUMP_COLLECTIVE_ALLGATHER ? 64 * c->bytes : c->bytes;
            sent += laps * 63 / 64 * c->count * all;
        }
        assert_float_equal(sent / (2e9 * 63 / 64), volumes[stage], 1e-12);
    }
}

/* Tokens go to their experts and back, in both passes; gradients of experts meet those of d/e copies. */
TEST(test_experts)
{
    clump_training_step s = plain;
    s.tensor = 2;
    s.data = 16;
    s.expert = 8;
    s.expert_layers = 12;
    s.expert_parameters = 8e8;
    s.active_parameters = 3e8;
    const clump_training_work w = work_of(&s);
    assert_int_equal(w.count, 4);
    const clump_training_collective *a = &w.collectives[1];
    assert_int_equal(a->kind, CLUMP_COLLECTIVE_ALLTOALL);
    assert_float_equal(a->count, 4 * 12, 1e-12);
    assert_float_equal(a->bytes * 8, 32.0 * 1024 * 2048 * 2, 1e-6);
    assert_float_equal(a->stride, 2, 0);
    assert_float_equal(w.collectives[2].bytes, 2e8 / 2 * 2, 1e-6);
    assert_float_equal(w.collectives[3].bytes, 8e8 / 16 * 2, 1e-6);
    assert_float_equal(w.collectives[3].size, 2, 0);
    assert_float_equal(w.collectives[3].stride, 16, 0);
    s.data = 8; /* one copy of each expert: nothing to add */
    assert_int_equal(work_of(&s).count, 3);
}

/* Without layers: gradients, and a time that was measured. */
TEST(test_gradients_alone)
{
    clump_training_step s = plain;
    s.layers = s.hidden = s.sequence = s.batch = s.flops = NAN;
    s.computation_s = 0.29;
    s.data = 8;
    s.gradient_bytes = 4;
    s.buckets = 54;
    const clump_training_work w = work_of(&s);
    assert_int_equal(w.count, 1);
    assert_float_equal(w.collectives[0].count * w.collectives[0].bytes, 4e9, 1e-3);
    assert_float_equal(w.computation_s, 0.29, 0);
    s.data = 1;
    assert_int_equal(work_of(&s).count, 0);
}

TEST(test_refused)
{
    static const struct {
        size_t field;
        double value;
        const char *problem;
    } cases[] = {
        {offsetof(clump_training_step, tensor), 0, "tensor is 0"},
        {offsetof(clump_training_step, tensor), -8, "tensor is -8"},
        {offsetof(clump_training_step, tensor), 1.5, "tensor is 1.5"},
        {offsetof(clump_training_step, tensor), 3, "divisor of hidden"},
        {offsetof(clump_training_step, tensor), 1e300, "tensor is 1e+300"},
        {offsetof(clump_training_step, pipeline), 5, "divisor of layers"},
        {offsetof(clump_training_step, data), 7, "divisor of batch"},
        {offsetof(clump_training_step, expert), 2, "divisor of data"},
        {offsetof(clump_training_step, parameters), 0, "parameters is 0"},
        {offsetof(clump_training_step, parameters), 1e300, "1e30 at most"},
        {offsetof(clump_training_step, parameters), NAN, "parameters is missing"},
        {offsetof(clump_training_step, layers), NAN, "layers is missing"},
        {offsetof(clump_training_step, flops), NAN, "flops is missing"},
        {offsetof(clump_training_step, flops), -1, "flops is -1"},
        {offsetof(clump_training_step, expert_layers), 25, "0 to layers"},
        {offsetof(clump_training_step, expert_parameters), 2e9, "0 to parameters"},
        {offsetof(clump_training_step, active_parameters), 0, "active_parameters is 0"},
        {offsetof(clump_training_step, computation_s), -1, "computation is -1"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        clump_training_step s = plain;
        clump_training_work w;
        clump_error error = {0};
        memcpy((char *)&s + cases[i].field, &cases[i].value, sizeof cases[i].value);
        if (clump_training_step_work(&s, &w, &error) != CLUMP_BAD_ARGUMENT ||
            strstr(error.message, cases[i].problem) == NULL)
            fail_msg("case %zu: %s", i, error.message);
    }
}

UNIT_MAIN(NULL, NULL)
