/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "protocols/calibration/quantity.h"

static const struct {
    const char *name, *unit;
} quantities[CLUMP_QUANTITIES] = {
    [CLUMP_QUANTITY_NONE] = {"", ""},
    [CLUMP_QUANTITY_LATENCY] = {"latency", "us"},
    [CLUMP_QUANTITY_SEND_OVERHEAD] = {"send_overhead", "us"},
    [CLUMP_QUANTITY_RECEIVE_OVERHEAD] = {"receive_overhead", "us"},
    [CLUMP_QUANTITY_GAP] = {"gap", "us"},
    [CLUMP_QUANTITY_GAP_PER_BYTE] = {"gap_per_byte", "us/B"},
    [CLUMP_QUANTITY_BANDWIDTH] = {"bandwidth", "B/us"},
    [CLUMP_QUANTITY_HALF_POWER_SIZE] = {"half_power_size", "B"},
    [CLUMP_QUANTITY_HALF_ROUND_TRIP] = {"half_round_trip", "us"},
    [CLUMP_QUANTITY_ROUND_TRIP_TIME] = {"round_trip_time", "us"},
    [CLUMP_QUANTITY_ONE_WAY_TIME] = {"one_way_time", "us"},
    [CLUMP_QUANTITY_SEND_TIME] = {"send_time", "us"},
    [CLUMP_QUANTITY_RECEIVE_TIME] = {"receive_time", "us"},
    [CLUMP_QUANTITY_OPERATION_TIME] = {"operation_time", "us"},
    [CLUMP_QUANTITY_MESSAGE_GAP] = {"message_gap", "us"},
    [CLUMP_QUANTITY_TRANSFER_RATE] = {"transfer_rate", "B/us"},
    [CLUMP_QUANTITY_STRESS_GAP] = {"stress_gap", "us"},
    [CLUMP_QUANTITY_PARTIAL_SEND_TIME] = {"partial_send_time", "us"},
    [CLUMP_QUANTITY_SEND_COMPONENT] = {"send_component", "us"},
    [CLUMP_QUANTITY_POLL_COST] = {"poll_cost", "us"},
    [CLUMP_QUANTITY_LINE_TRANSFER] = {"line_transfer", "us"},
    [CLUMP_QUANTITY_DATAGRAM_LOSS] = {"datagram_loss", "ratio"},
    [CLUMP_QUANTITY_PACKETS_RESENT] = {"packets_resent", "ratio"},
    [CLUMP_QUANTITY_POLL_ACCEPTANCE] = {"poll_acceptance", "count"},
    [CLUMP_QUANTITY_POLL_ACCURACY] = {"poll_accuracy", "count"},
    [CLUMP_QUANTITY_POLL_DAMPING] = {"poll_damping", "count"},
    [CLUMP_QUANTITY_POLL_EQUALITY] = {"poll_equality", "count"},
    [CLUMP_QUANTITY_POLL_MINIMUM_SKIP] = {"poll_minimum_skip", "count"},
    [CLUMP_QUANTITY_POLL_MAXIMUM_SKIP] = {"poll_maximum_skip", "count"},
    [CLUMP_QUANTITY_MEMORY_BANDWIDTH] = {"memory_bandwidth", "B/us"},
    [CLUMP_QUANTITY_SLOWEST_MEMORY_BANDWIDTH] = {"slowest_memory_bandwidth", "B/us"},
    [CLUMP_QUANTITY_MEMORY_FEEDS] = {"memory_feeds", "ratio"},
    [CLUMP_QUANTITY_CYCLE_TIME] = {"cycle_time", "us"},
    [CLUMP_QUANTITY_FETCH_ADD_LATENCY] = {"fetch_add_latency", "us"},
    [CLUMP_QUANTITY_SOURCE_MISS_RATE] = {"source_miss_rate", "ratio"},
    [CLUMP_QUANTITY_DESTINATION_MISS_RATE] = {"destination_miss_rate", "ratio"},
    [CLUMP_QUANTITY_CROSSOVER_SIZE] = {"crossover_size", "B"},
    [CLUMP_QUANTITY_BUSY_ROUND_TRIP_POLLING] = {"busy_round_trip_polling", "us"},
    [CLUMP_QUANTITY_BUSY_ROUND_TRIP] = {"busy_round_trip", "us"},
    [CLUMP_QUANTITY_BUSY_INTERRUPTS] = {"busy_interrupts", "ratio"},
    [CLUMP_QUANTITY_MULTICAST_LATENCY] = {"multicast_latency", "us"},
    [CLUMP_QUANTITY_MULTICAST_RATE] = {"multicast_rate", "B/us"},
    [CLUMP_QUANTITY_ORDERED_LATENCY] = {"ordered_latency", "us"},
    [CLUMP_QUANTITY_ORDERED_RATE] = {"ordered_rate", "B/us"},
    [CLUMP_QUANTITY_ORDERED_TOGETHER] = {"ordered_together", "us"},
    [CLUMP_QUANTITY_PEER_MEMORY] = {"peer_memory", "B"},
    [CLUMP_QUANTITY_CELL_WRITE_TRAP] = {"cell_write_trap", "us"},
    [CLUMP_QUANTITY_CELL_READ_TRAP] = {"cell_read_trap", "us"},
    [CLUMP_QUANTITY_CELL_READ_CELL] = {"cell_read_cell", "us"},
    [CLUMP_QUANTITY_CELL_WRITE_READ_TRAP] = {"cell_write_read_trap", "us"},
    [CLUMP_QUANTITY_CELL_SEND_REQUEST] = {"cell_send_request", "us"},
    [CLUMP_QUANTITY_CELL_HANDLE_REQUEST] = {"cell_handle_request", "us"},
    [CLUMP_QUANTITY_CELL_HANDLE_REQUEST_REPLY] = {"cell_handle_request_reply", "us"},
    [CLUMP_QUANTITY_CELL_HANDLE_ACKNOWLEDGE] = {"cell_handle_acknowledge", "us"},
    [CLUMP_QUANTITY_CELL_HANDLE_REPLY] = {"cell_handle_reply", "us"},
    [CLUMP_QUANTITY_CELL_WRITE_CALL] = {"cell_write_call", "us"},
    [CLUMP_QUANTITY_CELL_READ_CALL] = {"cell_read_call", "us"},
    [CLUMP_QUANTITY_CELL_READ_CALL_EMPTY] = {"cell_read_call_empty", "us"},
};

static const char *const benchmarks[CLUMP_BENCHMARKS] = {
    [CLUMP_BENCHMARK_NONE] = "",
    [CLUMP_BENCHMARK_ROUND_TRIP] = "round trip",
    [CLUMP_BENCHMARK_SEND_BURST] = "send burst",
    [CLUMP_BENCHMARK_APART] = "send and receive apart",
    [CLUMP_BENCHMARK_LONG_BURST] = "long burst",
    [CLUMP_BENCHMARK_EMPTY_POLL] = "empty poll",
    [CLUMP_BENCHMARK_FULL_POLL] = "poll with a message",
    [CLUMP_BENCHMARK_EMPTY_POLL_AGAIN] = "empty poll after a message",
    [CLUMP_BENCHMARK_CACHE_LINE] = "cache line",
    [CLUMP_BENCHMARK_WINDOW] = "window",
    [CLUMP_BENCHMARK_WINDOW_BACK] = "window",
    [CLUMP_BENCHMARK_PIECES] = "pieces of 8 kB",
    [CLUMP_BENCHMARK_PIECES_BACK] = "pieces of 8 kB",
    [CLUMP_BENCHMARK_SEND_BREAKDOWN] = "send breakdown",
    [CLUMP_BENCHMARK_STRESS] = "stress test",
    [CLUMP_BENCHMARK_QUEUE_LENGTH] = "queue length",
    [CLUMP_BENCHMARK_BULK_QUEUE_LENGTH] = "bulk queue length",
    [CLUMP_BENCHMARK_BACKOFF] = "backoff",
    [CLUMP_BENCHMARK_PARALLEL_JOBS] = "parallel jobs",
    [CLUMP_BENCHMARK_SEQUENTIAL_JOBS] = "sequential jobs",
    [CLUMP_BENCHMARK_SESSION] = "session",
    [CLUMP_BENCHMARK_ALL_TO_ALL_SHORT] = "all-to-all short",
    [CLUMP_BENCHMARK_NEIGHBOUR] = "neighbour",
    [CLUMP_BENCHMARK_MANY_TO_ONE] = "many-to-one",
    [CLUMP_BENCHMARK_ALL_TO_ALL_BULK] = "all-to-all bulk",
    [CLUMP_BENCHMARK_SHARED_MEMORY] = "shared memory",
    [CLUMP_BENCHMARK_NETWORK] = "network",
    [CLUMP_BENCHMARK_MEMORY_STREAMS] = "memory streams",
    [CLUMP_BENCHMARK_EMULATED_CLUMP] = "emulated Clump",
    [CLUMP_BENCHMARK_VIRTUAL_TIME] = "calibrate virtual",
};

const char *clump_quantity_name(clump_quantity quantity)
{
    return quantities[quantity].name;
}

const char *clump_quantity_unit(clump_quantity quantity)
{
    return quantities[quantity].unit;
}

const char *clump_benchmark_name(clump_benchmark benchmark)
{
    return benchmarks[benchmark];
}
