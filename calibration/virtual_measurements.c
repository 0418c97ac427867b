/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "calibration/virtual_measurements.h"

#include "calibration/virtual/measure.h"
#include "calibration/virtual/measure_cells.h"
#include "cli/output/errors.h"
#include "protocols/reliability/ssam.h"

static const uint32_t sizes[] = {16, 64, 256, 1024, 2048, 4096, 16384, 65536};
enum { SIZES = sizeof sizes / sizeof *sizes, STEPS = 2 * SIZES + 4 };

static void add(clump_virtual_rows *rows, const char *quantity, const char *unit, int64_t size,
                int64_t processes, double value)
{
    if (rows->count < CLUMP_VIRTUAL_MOST)
        rows->rows[rows->count++] = (clump_virtual_row){.quantity = quantity,
                                                        .unit = unit,
                                                        .size_bytes = size,
                                                        .processes = processes,
                                                        .value = value};
}

static int explain(const virtual_request *r, clump_protocol_status status)
{
    if (status == CLUMP_PROTOCOL_FAILED)
        return error_memory(r->command);
    if (status == CLUMP_PROTOCOL_BAD_INPUT)
        return error_input(r->command,
                           "hardware '%.80s' cannot be used: found costs that are "
                           "negative or not finite, or no room for a packet",
                           r->hardware_name);
    if (r->machine.protocol.reliability == CLUMP_RELIABILITY_CREDITS && r->machine.faults.loss > 0)
        return error_failed(r->command,
                            "%.80s came to a stop: it relies on links that lose nothing; "
                            "l-nirx and l-hrx send again what is lost",
                            r->protocol_name);
    return error_failed(r->command, "%.80s came to a stop", r->protocol_name);
}

static int measure_cells(const virtual_request *r, const clump_virtual_hardware *h,
                         clump_virtual_rows *rows)
{
    clump_cells_measured m;
    const uint16_t window = r->machine.window > 0 ? r->machine.window : 32;
    const clump_protocol_status status = clump_measure_cells(&h->cells, window, r->rounds, &m);
    if (status != CLUMP_PROTOCOL_OK)
        return explain(r, status);
    const struct {
        const char *quantity;
        double value;
    } all[] = {{"cell_write_trap", m.write_trap_us},
               {"cell_read_trap", m.read_trap_us},
               {"cell_read_cell", m.read_cell_us},
               {"cell_write_read_trap", m.write_read_trap_us},
               {"cell_send_request", m.send_request_us},
               {"cell_handle_request", m.handle_request_us},
               {"cell_handle_request_reply", m.handle_request_reply_us},
               {"cell_handle_acknowledge", m.handle_acknowledge_us},
               {"cell_handle_reply", m.handle_reply_us},
               {"round_trip_time", m.round_trip_us},
               {"one_way_time", m.one_way_us}};
    for (size_t i = 0; i < sizeof all / sizeof *all; i++)
        add(rows, all[i].quantity, "us", -1, 2, all[i].value);
    add(rows, "bandwidth", "B/us", -1, 2, m.bytes_per_us);
    add(rows, "peer_memory", "B", -1, 2, (double)clump_ssam_buffer_bytes(window));
    return EXIT_DONE;
}

static clump_protocol_status measure_logp(const virtual_request *r,
                                          const clump_virtual_cluster_options *o,
                                          clump_virtual_rows *rows)
{
    clump_logp_measured m;
    const clump_protocol_status status = clump_measure_logp(o, r->size, r->rounds, &m);
    if (status == CLUMP_PROTOCOL_OK) {
        const bool copies = o->protocol.transfer == CLUMP_TRANSFER_COPY;
        add(rows, "send_overhead", "us", -1, 2, m.send_overhead_us);
        add(rows, "receive_overhead", "us", -1, 2, m.receive_overhead_us);
        add(rows, "latency", "us", -1, 2, m.latency_us);
        add(rows, "gap", "us", -1, 2, m.gap_us);
        add(rows, "half_round_trip", "us", r->size, 2, m.half_round_trip_us);
        add(rows, "fetch_add_latency", "us", -1, 2, m.fetch_add_us);
        if (copies) {
            add(rows, "source_miss_rate", "ratio", r->size, 2, m.source_miss_rate);
            add(rows, "destination_miss_rate", "ratio", r->size, 2, m.destination_miss_rate);
        }
        add(rows, "peer_memory", "B", -1, o->nodes, (double)clump_virtual_cluster_peer_bytes(o));
    }
    return status;
}

/* Throughput over sizes; from one packet and eight, G. */
static clump_protocol_status measure_sizes(const virtual_request *r,
                                           const clump_virtual_cluster_options *o,
                                           progress_bar *progress, clump_virtual_rows *rows)
{
    clump_protocol_status status = CLUMP_PROTOCOL_OK;
    clump_logp_measured m;
    for (size_t i = 0; i < SIZES && status == CLUMP_PROTOCOL_OK; i++) {
        if (sizes[i] > o->protocol.mtu || sizes[i] == r->size)
            continue;
        status = clump_measure_logp(o, (uint16_t)sizes[i], r->rounds, &m);
        if (status == CLUMP_PROTOCOL_OK)
            add(rows, "half_round_trip", "us", sizes[i], 2, m.half_round_trip_us);
        progress_update(progress, 1 + i, STEPS);
    }
    double rate = 0;
    for (size_t i = 0; i < SIZES && status == CLUMP_PROTOCOL_OK; i++) {
        status = clump_measure_throughput(o, sizes[i], true, r->rounds, &rate);
        if (status == CLUMP_PROTOCOL_OK)
            add(rows, "transfer_rate", "B/us", sizes[i], 2, rate);
        progress_update(progress, 1 + SIZES + i, STEPS);
    }
    if (status == CLUMP_PROTOCOL_OK && rate > 0)
        add(rows, "gap_per_byte", "us/B", -1, 2, 1 / rate);
    return status;
}

/* Where DMA becomes as quick as programmed I/O, if it does. */
static clump_protocol_status measure_crossover(const clump_virtual_cluster_options *o,
                                               clump_virtual_rows *rows)
{
    uint16_t bytes;
    if (o->protocol.transfer != CLUMP_TRANSFER_DMA || o->faults.loss > 0)
        return CLUMP_PROTOCOL_OK;
    const clump_protocol_status status = clump_measure_crossover(o, 20, &bytes);
    if (status == CLUMP_PROTOCOL_NOT_FOUND)
        return CLUMP_PROTOCOL_OK;
    if (status == CLUMP_PROTOCOL_OK)
        add(rows, "crossover_size", "B", -1, 2, bytes);
    return status;
}

/* Requests to a host that computes, and is interrupted or not. */
static clump_protocol_status measure_busy(const virtual_request *r,
                                          const clump_virtual_cluster_options *options,
                                          clump_virtual_rows *rows)
{
    clump_virtual_cluster_options o = *options;
    clump_busy_measured polling, interrupted;
    o.interrupts = false;
    clump_protocol_status status =
        clump_measure_busy(&o, r->size, r->compute_us, r->rounds, &polling);
    o.interrupts = true;
    if (status == CLUMP_PROTOCOL_OK)
        status = clump_measure_busy(&o, r->size, r->compute_us, r->rounds, &interrupted);
    if (status == CLUMP_PROTOCOL_OK) {
        add(rows, "busy_round_trip_polling", "us", r->size, 2, polling.round_trip_us);
        add(rows, "busy_round_trip", "us", r->size, 2, interrupted.round_trip_us);
        add(rows, "busy_interrupts", "ratio", r->size, 2, interrupted.interrupts);
    }
    return status;
}

int clump_virtual_measure(const virtual_request *r, const clump_virtual_hardware *h,
                          progress_bar *progress, clump_virtual_rows *rows)
{
    clump_virtual_cluster_options o = r->machine;
    double value = 0;
    rows->count = 0;
    if (r->cells)
        return measure_cells(r, h, rows);
    o.hardware = h->node;
    clump_protocol_status status = measure_logp(r, &o, rows);
    progress_update(progress, 1, STEPS);
    if (status == CLUMP_PROTOCOL_OK)
        status = measure_sizes(r, &o, progress, rows);
    if (status == CLUMP_PROTOCOL_OK)
        status = measure_crossover(&o, rows);
    if (status == CLUMP_PROTOCOL_OK && r->compute_us > 0)
        status = measure_busy(r, &o, rows);
    const uint32_t few = r->rounds < 50 ? r->rounds : 50; /* of the whole cluster each */
    if (status == CLUMP_PROTOCOL_OK)
        status = clump_measure_multicast(&o, r->size, few, &value);
    if (status == CLUMP_PROTOCOL_OK)
        add(rows, "multicast_latency", "us", r->size, o.nodes, value);
    progress_update(progress, STEPS - 1, STEPS);
    if (status == CLUMP_PROTOCOL_OK)
        status = clump_measure_multicast_throughput(&o, o.protocol.mtu, true, few, &value);
    if (status == CLUMP_PROTOCOL_OK)
        add(rows, "multicast_rate", "B/us", o.protocol.mtu, o.nodes, value);
    return status == CLUMP_PROTOCOL_OK ? EXIT_DONE : explain(r, status);
}
