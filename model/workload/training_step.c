/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "model/workload/training_step.h"

#include <math.h>

static bool is_whole(double x)
{
    return x >= 1 && x <= 0x1p30 && !(floor(x) < x);
}

/* ---- what is asked for */

typedef struct number {
    const char *name;
    double value;
} number;

static clump_status check_whole(const clump_training_step *s, clump_error *error)
{
    const number numbers[] = {
        {"tensor", s->tensor},  {"pipeline", s->pipeline},         {"data", s->data},
        {"expert", s->expert},  {"microbatches", s->microbatches}, {"chunks", s->chunks},
        {"buckets", s->buckets}};
    for (size_t i = 0; i < sizeof numbers / sizeof *numbers; i++)
        if (!is_whole(numbers[i].value))
            return clump_fail(error, CLUMP_BAD_ARGUMENT,
                              "%s is %g, expected a whole number, 1 to 2^30", numbers[i].name,
                              numbers[i].value);
    return s->tensor * s->pipeline * s->data <= 0x1p30
               ? CLUMP_OK
               : clump_fail(
                     error, CLUMP_BAD_ARGUMENT,
                     "tensor, pipeline and data are %g processors together, expected 2^30 at "
                     "most",
                     s->tensor * s->pipeline * s->data);
}

static clump_status check_positive(const clump_training_step *s, bool needs_layers,
                                   clump_error *error)
{
    const struct {
        number number;
        bool needed;
    } numbers[] = {{{"parameters", s->parameters}, true},
                   {{"bytes", s->gradient_bytes}, true},
                   {{"activation_bytes", s->activation_bytes}, true},
                   {{"choices", s->choices}, true},
                   {{"layers", s->layers}, needs_layers},
                   {{"hidden", s->hidden}, needs_layers},
                   {{"sequence", s->sequence}, needs_layers},
                   {{"batch", s->batch}, needs_layers},
                   {{"flops", s->flops}, isnan(s->computation_s)}};
    for (size_t i = 0; i < sizeof numbers / sizeof *numbers; i++) {
        const number *n = &numbers[i].number;
        if (numbers[i].needed && isnan(n->value))
            return clump_fail(error, CLUMP_BAD_ARGUMENT,
                              "%s is missing, expected a number above 0%s", n->name,
                              needs_layers ? ": what layers send follows from layers, hidden, "
                                             "sequence and batch"
                                           : "");
        if (!isnan(n->value) && !(n->value > 0 && n->value <= 1e30))
            return clump_fail(error, CLUMP_BAD_ARGUMENT,
                              "%s is %g, expected a number above 0, 1e30 at most", n->name,
                              n->value);
    }
    return CLUMP_OK;
}

static clump_status check_divides(const char *name, double divisor, const char *of, double whole,
                                  clump_error *error)
{
    if (isnan(whole) || fmod(whole, divisor) < 0.5)
        return CLUMP_OK;
    return clump_fail(error, CLUMP_BAD_ARGUMENT, "%s is %g, expected a divisor of %s, which is %g",
                      name, divisor, of, whole);
}

static clump_status check(const clump_training_step *s, clump_error *error)
{
    const bool layered = s->tensor > 1 || s->pipeline > 1 || s->expert > 1 ||
                         s->expert_layers > 0 || isnan(s->computation_s);
    clump_status status = check_whole(s, error);
    if (status == CLUMP_OK)
        status = check_positive(s, layered, error);
    if (status == CLUMP_OK)
        status = check_divides("pipeline times chunks", s->pipeline * s->chunks, "layers",
                               s->layers, error);
    if (status == CLUMP_OK)
        status = check_divides("tensor", s->tensor, "hidden", s->hidden, error);
    if (status == CLUMP_OK)
        status = check_divides("data times microbatches", s->data * s->microbatches, "batch",
                               s->batch, error);
    if (status == CLUMP_OK)
        status = check_divides("expert", s->expert, "data", s->data, error);
    if (status != CLUMP_OK)
        return status;
    if (!(s->expert_parameters >= 0 && s->expert_parameters <= s->parameters))
        return clump_fail(error, CLUMP_BAD_ARGUMENT,
                          "expert_parameters is %g, expected 0 to parameters, which is %g",
                          s->expert_parameters, s->parameters);
    if (!isnan(s->active_parameters) &&
        !(s->active_parameters > 0 && s->active_parameters <= s->parameters))
        return clump_fail(error, CLUMP_BAD_ARGUMENT,
                          "active_parameters is %g, expected above 0 to parameters, which is %g",
                          s->active_parameters, s->parameters);
    if (!(s->expert_layers >= 0) || s->expert_layers > s->layers)
        return clump_fail(error, CLUMP_BAD_ARGUMENT,
                          "expert_layers is %g, expected 0 to layers, which is %g",
                          s->expert_layers, s->layers);
    if (!isnan(s->computation_s) && !(s->computation_s >= 0 && s->computation_s <= 1e30))
        return clump_fail(error, CLUMP_BAD_ARGUMENT,
                          "computation is %g s, expected a number, 0 to 1e30", s->computation_s);
    const number constants[] = {{"heads", s->heads},
                                {"vocabulary", s->vocabulary},
                                {"activation_rate", s->activation_rate},
                                {"memory_rate", s->memory_rate},
                                {"layer_time", s->layer_s}};
    for (size_t i = 0; i < sizeof constants / sizeof *constants; i++)
        if (!(constants[i].value >= 0 && constants[i].value <= 1e30))
            return clump_fail(error, CLUMP_BAD_ARGUMENT, "%s is %g, expected a number, 0 to 1e30",
                              constants[i].name, constants[i].value);
    if (s->sharded < 0 || s->sharded > 3)
        return clump_fail(error, CLUMP_BAD_ARGUMENT, "sharded is %d, expected a stage, 0 to 3",
                          s->sharded);
    return CLUMP_OK;
}

/* ---- computation */

/* Two operations for a parameter and token forward, four back, two more if it is computed again; attention in
 * addition: 4 s h of a layer forward (Narayanan and others, appendix). */
static double operations_s(const clump_training_step *s)
{
    if (!isnan(s->computation_s))
        return s->computation_s;
    const double passes = s->recomputes ? 4 : 3, tokens = s->batch * s->sequence;
    const double active = isnan(s->active_parameters) ? s->parameters : s->active_parameters;
    const double operations =
        passes * tokens * (2 * active + 4 * s->layers * s->sequence * s->hidden);
    return operations / (s->tensor * s->pipeline * s->data * s->flops);
}

/* Bytes that Adam reads and writes for a parameter of mixed precision: its gradient (2), a copy of the parameter and two moments in
 * single precision (4 each, both ways), and the parameter (2). */
#define OPTIMIZER_BYTES 28

/* A layer's kernels start in no less than layer_s; those that only move activations move b s (34 h + 5 a s) bytes of a
 * micro-batch forward (Korthikanti and others, Reducing activation recomputation, MLSys 2023, equation 1). The logits of V words
 * are not computed again. `once_s`: what the pipeline's bubble does not stretch. */
static double computation_s(const clump_training_step *s, double *once_s)
{
    *once_s = 0;
    if (!isnan(s->computation_s) ||
        !(s->activation_rate > 0 || s->layer_s > 0 || s->vocabulary > 0 || s->memory_rate > 0))
        return operations_s(s);
    const double tokens = s->batch / (s->data * s->microbatches) * s->sequence;
    const double active = isnan(s->active_parameters) ? s->parameters : s->active_parameters;
    const double words = s->vocabulary * s->hidden, t = s->tensor;
    double layer_s = tokens / (t * s->flops) *
                     (2 * fmax(0, active - words) / s->layers + 4 * s->sequence * s->hidden);
    if (s->activation_rate > 0)
        layer_s +=
            tokens * (34 * s->hidden + 5 * s->heads * s->sequence) / (t * s->activation_rate);
    *once_s = s->microbatches * 6 * tokens * words / (t * s->flops);
    if (s->memory_rate > 0)
        *once_s += OPTIMIZER_BYTES * s->parameters /
                   (t * s->pipeline * (s->sharded > 0 ? s->data : 1) * s->memory_rate);
    return s->microbatches * s->layers / s->pipeline * (s->recomputes ? 4 : 3) *
           fmax(layer_s, s->layer_s);
}

/* ---- communication */

static void add(clump_training_work *w, clump_training_collective c)
{
    if (c.size > 1 && c.bytes > 0 && c.count > 0)
        w->collectives[w->count++] = c;
}

/* Copies of so many bytes of parameters: their gradients are added, or each has a share of the states. */
static void add_gradients(const clump_training_step *s, clump_training_work *w, double bytes,
                          double size, double stride)
{
    const double K = s->buckets, m = s->microbatches;
    const clump_training_collective whole = {
        CLUMP_TRAINING_DATA, CLUMP_COLLECTIVE_ALLREDUCE, false, bytes / K, K, size, stride};
    clump_training_collective scatter = whole, gather = whole;
    scatter.kind = CLUMP_COLLECTIVE_REDUCE_SCATTER;
    gather.kind = CLUMP_COLLECTIVE_ALLGATHER;
    gather.bytes = bytes / K / size; /* the part of one */
    if (s->sharded == 0) {
        add(w, whole);
        return;
    }
    scatter.count *= s->sharded >= 2 ? m : 1;
    gather.count *= s->sharded == 3 ? 2 * m : 1;
    add(w, scatter);
    add(w, gather);
}

clump_status clump_training_step_work(const clump_training_step *s, clump_training_work *work,
                                      clump_error *error)
{
    const clump_status status = check(s, error);
    if (status != CLUMP_OK)
        return status;
    const double t = s->tensor, p = s->pipeline, d = s->data, e = s->expert, m = s->microbatches;
    const double bubble = (p - 1) / (s->chunks * m), stretch = 1 + bubble;
    const double passes = s->recomputes ? 3 : 2; /* of a layer, in which it communicates */
    /* what one micro-batch passes on from layer to layer */
    const double activations = s->batch / (d * m) * s->sequence * s->hidden * s->activation_bytes;
    const double dense = (s->parameters - s->expert_parameters) / (t * p) * s->gradient_bytes;
    const double experts = s->expert_parameters / (t * p * e) * s->gradient_bytes;
    double once_s = 0;
    clump_training_work w = {.ranks = t * p * d, .bubble = bubble};
    w.computation_s = computation_s(s, &once_s) * stretch;
    w.computation_s += once_s;
    add(&w,
        (clump_training_collective){CLUMP_TRAINING_TENSOR, CLUMP_COLLECTIVE_ALLREDUCE, false,
                                    activations, 2 * passes * s->layers / p * m * stretch, t, 1});
    add(&w, (clump_training_collective){CLUMP_TRAINING_PIPELINE, CLUMP_COLLECTIVE_BROADCAST, true,
                                        activations, 2 * s->chunks * m * stretch, p, t * d});
    add(&w, (clump_training_collective){CLUMP_TRAINING_EXPERT, CLUMP_COLLECTIVE_ALLTOALL, false,
                                        activations * s->choices / e,
                                        2 * passes * s->expert_layers / p * m * stretch, e, t});
    add_gradients(s, &w, dense, d, t);
    add_gradients(s, &w, experts, d / e, t * e);
    *work = w;
    return CLUMP_OK;
}
