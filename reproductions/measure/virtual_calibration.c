/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "reproductions/measure/virtual_calibration.h"

#include "protocols/reliability/ssam.h"
#include "reproductions/measure/measure.h"
#include "reproductions/measure/measure_cells.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

/* ---- hardware from the store */

typedef struct reader {
    clump_virtual_question *question;
    clump_hardware_reading node, cells, calls;
} reader;

static int take_sample(const clump_store_sample *s, void *context)
{
    reader *r = context; /* the user's samples come first */
    clump_virtual_question *q = r->question;
    const double value = s->measured.value;
    if (clump_hardware_take(clump_hardware_fields, clump_hardware_field_count, &q->cluster.hardware,
                            &r->node, s->quantity, value) ||
        clump_hardware_take(clump_cell_hardware_fields, clump_cell_hardware_field_count,
                            &q->cell_hardware, &r->cells, s->quantity, value) ||
        clump_hardware_take(clump_cell_call_fields, clump_cell_call_field_count, &q->cell_hardware,
                            &r->calls, s->quantity, value))
        return 0;
    if (s->reference && q->printed_count < CLUMP_VIRTUAL_PRINTED) {
        clump_virtual_printed *p = &q->printed[q->printed_count++];
        snprintf(p->variant, sizeof p->variant, "%s", s->variant);
        snprintf(p->quantity, sizeof p->quantity, "%s", s->quantity);
        p->value = s->measured.value;
    }
    return 0;
}

static clump_calibration_status read_hardware(clump_calibration *c)
{
    clump_virtual_question *q = c->own;
    clump_store *store = c->store.store;
    clump_store_platform *platform = NULL;
    reader r = {.question = q};
    clump_store_status status = clump_store_find_platform(store, q->hardware, &platform);
    if (status != CLUMP_STORE_OK)
        return clump_calibration_fail_store(c, status);
    q->nodes = platform->nodes;
    clump_store_free(platform);
    const clump_store_filter filter = {.platform = q->hardware};
    status = clump_store_each_sample(store, &filter, take_sample, &r);
    if (status != CLUMP_STORE_OK)
        return clump_calibration_fail_store(c, status);
    if (r.node.known + r.cells.known == 0)
        return clump_calibration_fail(
            c, CLUMP_CALIBRATION_BAD_INPUT,
            "platform '%.80s' has no description of hardware, expected one of ppro-myrinet, "
            "p3-myrinet, e5000-myrinet, ss20-atm, ss1-atm, or samples of hardware_... of your own",
            q->hardware);
    /* Whether the description has what the protocol needs. */
    size_t known = q->cells ? r.cells.known : r.node.known,
           needed = q->cells ? clump_cell_hardware_field_count : clump_hardware_field_count;
    if (q->calls) {
        known += r.calls.known;
        needed += clump_cell_call_field_count;
    }
    if (known < needed)
        return clump_calibration_fail(
            c, CLUMP_CALIBRATION_BAD_INPUT,
            "hardware '%.80s': found %zu of the %zu costs that %.40s needs%s", q->hardware, known,
            needed, q->protocol,
            known == 0 && q->cells ? "; ssam runs on ss20-atm and ss1-atm"
            : known == 0           ? "; only ssam runs on it"
                                   : "; see 'clumpmodel data show'");
    if (q->cluster.nodes == 0)
        q->cluster.nodes = (uint16_t)(q->nodes < 2 ? 2 : q->nodes > 1024 ? 1024 : q->nodes);
    return CLUMP_CALIBRATION_OK;
}

static double find_printed(const clump_virtual_question *q, const char *variant,
                           const char *quantity)
{
    for (size_t i = 0; i < q->printed_count; i++)
        if (strcmp(q->printed[i].variant, variant) == 0 &&
            strcmp(q->printed[i].quantity, quantity) == 0)
            return q->printed[i].value;
    return NAN;
}

double clump_virtual_find_printed(const clump_virtual_question *q,
                                  const clump_calibration_sample *s)
{
    const clump_virtual_cluster_options *o = &q->cluster;
    const bool usual = q->cells
                           ? o->window == 0 || o->window == 32
                           : o->faults.loss == 0 && o->copy_pages == 0 && o->translations == 0 &&
                                 o->window == 0 && q->size == 16 && o->nodes == q->nodes;
    const char *quantity = clump_quantity_name(s->quantity);
    char both[60];
    const bool packets = s->quantity == CLUMP_QUANTITY_MULTICAST_RATE ||
                         s->quantity == CLUMP_QUANTITY_ORDERED_RATE; /* that are full */
    if (!usual || (!packets && s->size_bytes >= 0 && s->size_bytes != 16))
        return NAN;
    if (s->quantity != CLUMP_QUANTITY_CROSSOVER_SIZE)
        return find_printed(q, q->protocol, quantity);
    snprintf(both, sizeof both, "l-pio to %.40s", q->protocol);
    return find_printed(q, both, quantity);
}

/* ---- measuring, one after the other */

static const uint32_t sizes[] = {16, 64, 256, 1024, 2048, 4096, 16384, 65536};
enum { SIZES = sizeof sizes / sizeof *sizes, STEPS = 2 * SIZES + 5 };

static void add(clump_calibration *c, clump_quantity quantity, int64_t size, unsigned processes,
                double value)
{
    const clump_virtual_question *q = c->own;
    c->no_memory |= !clump_calibration_add(
        &c->samples, &(clump_calibration_sample){.benchmark = CLUMP_BENCHMARK_VIRTUAL_TIME,
                                                 .quantity = quantity,
                                                 .variant = q->protocol,
                                                 .value = value,
                                                 .size_bytes = size,
                                                 .iterations = q->rounds,
                                                 .window = q->cluster.window,
                                                 .processes = processes});
}

static void step(clump_calibration *c, size_t done)
{
    c->done = (double)done;
    clump_calibration_watch(0, c);
}

static clump_calibration_status explain(clump_calibration *c, clump_protocol_status status)
{
    const clump_virtual_question *q = c->own;
    if (status == CLUMP_PROTOCOL_FAILED)
        return clump_calibration_fail_memory(c);
    if (status == CLUMP_PROTOCOL_BAD_INPUT)
        return clump_calibration_fail(c, CLUMP_CALIBRATION_BAD_INPUT,
                                      "hardware '%.80s' cannot be used: found costs that are "
                                      "negative or not finite, or no room for a packet",
                                      q->hardware);
    if (!q->cells && q->cluster.protocol.reliability == CLUMP_RELIABILITY_CREDITS &&
        q->cluster.faults.loss > 0)
        return clump_calibration_fail(c, CLUMP_CALIBRATION_FAILED,
                                      "%.80s came to a stop: it relies on links that lose nothing; "
                                      "l-nirx and l-hrx send again what is lost",
                                      q->protocol);
    return clump_calibration_fail(c, CLUMP_CALIBRATION_FAILED, "%.80s came to a stop", q->protocol);
}

typedef struct cell_row {
    clump_quantity quantity;
    double value;
} cell_row;

static void add_cells(clump_calibration *c, const cell_row *rows, size_t count,
                      const clump_cell_messages *m, uint16_t window)
{
    for (size_t i = 0; i < count; i++)
        add(c, rows[i].quantity, -1, 2, rows[i].value);
    add(c, CLUMP_QUANTITY_ROUND_TRIP_TIME, -1, 2, m->round_trip_us);
    add(c, CLUMP_QUANTITY_ONE_WAY_TIME, -1, 2, m->one_way_us);
    add(c, CLUMP_QUANTITY_BANDWIDTH, -1, 2, m->bytes_per_us);
    add(c, CLUMP_QUANTITY_PEER_MEMORY, -1, 2, (double)clump_ssam_buffer_bytes(window));
}

static clump_protocol_status measure_calls(clump_calibration *c, uint16_t window)
{
    const clump_virtual_question *q = c->own;
    clump_cell_calls_measured m;
    const clump_protocol_status status =
        clump_measure_cell_calls(&q->cell_hardware, window, q->rounds, &m);
    if (status != CLUMP_PROTOCOL_OK)
        return status;
    const cell_row rows[] = {{CLUMP_QUANTITY_CELL_WRITE_CALL, m.write_us},
                             {CLUMP_QUANTITY_CELL_READ_CALL, m.read_us},
                             {CLUMP_QUANTITY_CELL_READ_CALL_EMPTY, m.read_empty_us}};
    add_cells(c, rows, sizeof rows / sizeof *rows, &m.messages, window);
    return status;
}

static clump_protocol_status measure_traps(clump_calibration *c, uint16_t window)
{
    const clump_virtual_question *q = c->own;
    clump_cells_measured m;
    const clump_protocol_status status =
        clump_measure_cells(&q->cell_hardware, window, q->rounds, &m);
    if (status != CLUMP_PROTOCOL_OK)
        return status;
    const cell_row rows[] = {{CLUMP_QUANTITY_CELL_WRITE_TRAP, m.write_trap_us},
                             {CLUMP_QUANTITY_CELL_READ_TRAP, m.read_trap_us},
                             {CLUMP_QUANTITY_CELL_READ_CELL, m.read_cell_us},
                             {CLUMP_QUANTITY_CELL_WRITE_READ_TRAP, m.write_read_trap_us},
                             {CLUMP_QUANTITY_CELL_SEND_REQUEST, m.send_request_us},
                             {CLUMP_QUANTITY_CELL_HANDLE_REQUEST, m.handle_request_us},
                             {CLUMP_QUANTITY_CELL_HANDLE_REQUEST_REPLY, m.handle_request_reply_us},
                             {CLUMP_QUANTITY_CELL_HANDLE_ACKNOWLEDGE, m.handle_acknowledge_us},
                             {CLUMP_QUANTITY_CELL_HANDLE_REPLY, m.handle_reply_us}};
    add_cells(c, rows, sizeof rows / sizeof *rows, &m.messages, window);
    return status;
}

static clump_protocol_status measure_cells(clump_calibration *c)
{
    const clump_virtual_question *q = c->own;
    const uint16_t window = q->cluster.window > 0 ? q->cluster.window : 32;
    return q->calls ? measure_calls(c, window) : measure_traps(c, window);
}

static clump_protocol_status measure_logp(clump_calibration *c)
{
    const clump_virtual_question *q = c->own;
    const clump_virtual_cluster_options *o = &q->cluster;
    clump_logp_measured m;
    const clump_protocol_status status = clump_measure_logp(o, q->size, q->rounds, &m);
    if (status == CLUMP_PROTOCOL_OK) {
        const bool copies = o->protocol.transfer == CLUMP_TRANSFER_COPY;
        add(c, CLUMP_QUANTITY_SEND_OVERHEAD, -1, 2, m.send_overhead_us);
        add(c, CLUMP_QUANTITY_RECEIVE_OVERHEAD, -1, 2, m.receive_overhead_us);
        add(c, CLUMP_QUANTITY_LATENCY, -1, 2, m.latency_us);
        add(c, CLUMP_QUANTITY_GAP, -1, 2, m.gap_us);
        add(c, CLUMP_QUANTITY_HALF_ROUND_TRIP, q->size, 2, m.half_round_trip_us);
        add(c, CLUMP_QUANTITY_FETCH_ADD_LATENCY, -1, 2, m.fetch_add_us);
        if (copies) {
            add(c, CLUMP_QUANTITY_SOURCE_MISS_RATE, q->size, 2, m.source_miss_rate);
            add(c, CLUMP_QUANTITY_DESTINATION_MISS_RATE, q->size, 2, m.destination_miss_rate);
        }
        add(c, CLUMP_QUANTITY_PEER_MEMORY, -1, o->nodes,
            (double)clump_virtual_cluster_peer_bytes(o));
    }
    return status;
}

/* Throughput over sizes; from one packet and eight, G. */
static clump_protocol_status measure_sizes(clump_calibration *c)
{
    const clump_virtual_question *q = c->own;
    const clump_virtual_cluster_options *o = &q->cluster;
    clump_protocol_status status = CLUMP_PROTOCOL_OK;
    clump_logp_measured m;
    for (size_t i = 0; i < SIZES && status == CLUMP_PROTOCOL_OK; i++) {
        if (sizes[i] > o->protocol.mtu || sizes[i] == q->size)
            continue;
        status = clump_measure_logp(o, (uint16_t)sizes[i], q->rounds, &m);
        if (status == CLUMP_PROTOCOL_OK)
            add(c, CLUMP_QUANTITY_HALF_ROUND_TRIP, sizes[i], 2, m.half_round_trip_us);
        step(c, 1 + i);
    }
    double rate = 0;
    for (size_t i = 0; i < SIZES && status == CLUMP_PROTOCOL_OK; i++) {
        status = clump_measure_throughput(o, sizes[i], true, q->rounds, &rate);
        if (status == CLUMP_PROTOCOL_OK)
            add(c, CLUMP_QUANTITY_TRANSFER_RATE, sizes[i], 2, rate);
        step(c, 1 + SIZES + i);
    }
    if (status == CLUMP_PROTOCOL_OK && rate > 0)
        add(c, CLUMP_QUANTITY_GAP_PER_BYTE, -1, 2, 1 / rate);
    return status;
}

/* Where DMA becomes as quick as programmed I/O, if it does. */
static clump_protocol_status measure_crossover(clump_calibration *c)
{
    const clump_virtual_cluster_options *o = &((clump_virtual_question *)c->own)->cluster;
    uint16_t bytes;
    if (o->protocol.transfer != CLUMP_TRANSFER_DMA || o->faults.loss > 0)
        return CLUMP_PROTOCOL_OK;
    const clump_protocol_status status = clump_measure_crossover(o, 20, &bytes);
    if (status == CLUMP_PROTOCOL_NOT_FOUND)
        return CLUMP_PROTOCOL_OK;
    if (status == CLUMP_PROTOCOL_OK)
        add(c, CLUMP_QUANTITY_CROSSOVER_SIZE, -1, 2, bytes);
    return status;
}

/* Requests to a host that computes, and is interrupted or not. */
static clump_protocol_status measure_busy(clump_calibration *c)
{
    const clump_virtual_question *q = c->own;
    const clump_virtual_cluster_options *options = &q->cluster;
    clump_virtual_cluster_options o = *options;
    clump_busy_measured polling, interrupted;
    o.interrupts = false;
    clump_protocol_status status =
        clump_measure_busy(&o, q->size, q->compute_us, q->rounds, &polling);
    o.interrupts = true;
    if (status == CLUMP_PROTOCOL_OK)
        status = clump_measure_busy(&o, q->size, q->compute_us, q->rounds, &interrupted);
    if (status == CLUMP_PROTOCOL_OK) {
        add(c, CLUMP_QUANTITY_BUSY_ROUND_TRIP_POLLING, q->size, 2, polling.round_trip_us);
        add(c, CLUMP_QUANTITY_BUSY_ROUND_TRIP, q->size, 2, interrupted.round_trip_us);
        add(c, CLUMP_QUANTITY_BUSY_INTERRUPTS, q->size, 2, interrupted.interrupts);
    }
    return status;
}

static clump_protocol_status measure_ordered(clump_calibration *c, uint32_t rounds)
{
    const clump_virtual_question *q = c->own;
    const clump_virtual_cluster_options *o = &q->cluster;
    clump_ordered_measured m;
    const clump_protocol_status status = clump_measure_ordered(o, q->size, rounds, &m);
    if (status == CLUMP_PROTOCOL_OK) {
        add(c, CLUMP_QUANTITY_ORDERED_LATENCY, q->size, o->nodes, m.latency_us);
        add(c, CLUMP_QUANTITY_ORDERED_RATE, o->protocol.mtu, o->nodes, m.bytes_per_us);
        add(c, CLUMP_QUANTITY_ORDERED_TOGETHER, q->size, o->nodes, m.together_us);
    }
    return status;
}

static clump_protocol_status measure_multicasts(clump_calibration *c)
{
    const clump_virtual_question *q = c->own;
    const clump_virtual_cluster_options *o = &q->cluster;
    const uint32_t few = q->rounds < 50 ? q->rounds : 50; /* of the whole cluster each */
    double value = 0;
    clump_protocol_status status = clump_measure_multicast(o, q->size, few, &value);
    if (status == CLUMP_PROTOCOL_OK)
        add(c, CLUMP_QUANTITY_MULTICAST_LATENCY, q->size, o->nodes, value);
    step(c, STEPS - 2);
    if (status == CLUMP_PROTOCOL_OK)
        status = clump_measure_multicast_throughput(o, o->protocol.mtu, true, few, &value);
    if (status == CLUMP_PROTOCOL_OK)
        add(c, CLUMP_QUANTITY_MULTICAST_RATE, o->protocol.mtu, o->nodes, value);
    step(c, STEPS - 1);
    return status == CLUMP_PROTOCOL_OK ? measure_ordered(c, few) : status;
}

static clump_protocol_status measure(clump_calibration *c)
{
    const clump_virtual_question *q = c->own;
    if (q->cells)
        return measure_cells(c);
    clump_protocol_status status = measure_logp(c);
    step(c, 1);
    if (status == CLUMP_PROTOCOL_OK)
        status = measure_sizes(c);
    if (status == CLUMP_PROTOCOL_OK)
        status = measure_crossover(c);
    if (status == CLUMP_PROTOCOL_OK && q->compute_us > 0)
        status = measure_busy(c);
    return status == CLUMP_PROTOCOL_OK ? measure_multicasts(c) : status;
}

/* All samples are stored, or none. */
static clump_calibration_status run(clump_calibration *c)
{
    clump_virtual_question *q = c->own;
    clump_calibration_status status = clump_calibration_open(c);
    if (status == CLUMP_CALIBRATION_OK)
        status = read_hardware(c);
    if (status != CLUMP_CALIBRATION_OK)
        return status;
    snprintf(c->title, sizeof c->title, "%.40s in virtual time on %.60s", q->protocol, q->hardware);
    c->store.source.platform = q->hardware;
    c->store.source.note = "Computed, not measured: a model of the hardware";
    c->estimate = STEPS;
    const clump_protocol_status measured = measure(c);
    if (measured != CLUMP_PROTOCOL_OK)
        return explain(c, measured);
    return c->no_memory ? clump_calibration_fail_memory(c) : clump_calibration_keep(c);
}

const clump_calibration_kind clump_calibration_virtual = {
    .name = "calibrate virtual",
    .title = "Virtual time",
    .transport = "virtual",
    .run = run,
};
