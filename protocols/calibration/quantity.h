/* SPDX-License-Identifier: GPL-3.0-or-later */
/**
 * What calibrations measure, and by which benchmark. The names are those of the store
 * (data/reference/quantities.csv), where each quantity has one unit.
 */
#ifndef CLUMP_PROTOCOLS_CALIBRATION_QUANTITY_H
#define CLUMP_PROTOCOLS_CALIBRATION_QUANTITY_H

/** Each with its name and its unit. */
#define CLUMP_EACH_QUANTITY(EACH)                                                                  \
    /* LogGP: L, o_s, o_r, g, G, 1/G, and the size from which half of 1/G is reached */            \
    EACH(LATENCY, "latency", "us")                                                                 \
    EACH(SEND_OVERHEAD, "send_overhead", "us")                                                     \
    EACH(RECEIVE_OVERHEAD, "receive_overhead", "us")                                               \
    EACH(GAP, "gap", "us")                                                                         \
    EACH(GAP_PER_BYTE, "gap_per_byte", "us/B")                                                     \
    EACH(BANDWIDTH, "bandwidth", "B/us")                                                           \
    EACH(HALF_POWER_SIZE, "half_power_size", "B")                                                  \
    /* messages of one size */                                                                     \
    EACH(HALF_ROUND_TRIP, "half_round_trip", "us")                                                 \
    EACH(ROUND_TRIP_TIME, "round_trip_time", "us")                                                 \
    EACH(ONE_WAY_TIME, "one_way_time", "us")                                                       \
    EACH(SEND_TIME, "send_time", "us")                                                             \
    EACH(RECEIVE_TIME, "receive_time", "us")                                                       \
    EACH(OPERATION_TIME, "operation_time", "us")                                                   \
    EACH(MESSAGE_GAP, "message_gap", "us")                                                         \
    EACH(TRANSFER_RATE, "transfer_rate", "B/us")                                                   \
    EACH(STRESS_GAP, "stress_gap", "us")                                                           \
    EACH(PARTIAL_SEND_TIME, "partial_send_time", "us")                                             \
    /* difference of two partial send times; not in the store */                                   \
    EACH(SEND_COMPONENT, "send_component", "us")                                                   \
    EACH(POLL_COST, "poll_cost", "us")                                                             \
    EACH(LINE_TRANSFER, "line_transfer", "us")                                                     \
    EACH(DATAGRAM_LOSS, "datagram_loss", "ratio")                                                  \
    EACH(PACKETS_RESENT, "packets_resent", "ratio")                                                \
    /* settings of adaptive polling */                                                             \
    EACH(POLL_ACCEPTANCE, "poll_acceptance", "count")                                              \
    EACH(POLL_ACCURACY, "poll_accuracy", "count")                                                  \
    EACH(POLL_DAMPING, "poll_damping", "count")                                                    \
    EACH(POLL_EQUALITY, "poll_equality", "count")                                                  \
    EACH(POLL_MINIMUM_SKIP, "poll_minimum_skip", "count")                                          \
    EACH(POLL_MAXIMUM_SKIP, "poll_maximum_skip", "count")                                          \
    /* memory of a node */                                                                         \
    EACH(MEMORY_BANDWIDTH, "memory_bandwidth", "B/us")                                             \
    EACH(SLOWEST_MEMORY_BANDWIDTH, "slowest_memory_bandwidth", "B/us")                             \
    EACH(MEMORY_FEEDS, "memory_feeds", "ratio")                                                    \
    /* emulated Clumps */                                                                          \
    EACH(CYCLE_TIME, "cycle_time", "us")                                                           \
    /* virtual time */                                                                             \
    EACH(FETCH_ADD_LATENCY, "fetch_add_latency", "us")                                             \
    EACH(SOURCE_MISS_RATE, "source_miss_rate", "ratio")                                            \
    EACH(DESTINATION_MISS_RATE, "destination_miss_rate", "ratio")                                  \
    EACH(CROSSOVER_SIZE, "crossover_size", "B")                                                    \
    EACH(BUSY_ROUND_TRIP_POLLING, "busy_round_trip_polling", "us")                                 \
    EACH(BUSY_ROUND_TRIP, "busy_round_trip", "us")                                                 \
    EACH(BUSY_INTERRUPTS, "busy_interrupts", "ratio")                                              \
    EACH(MULTICAST_LATENCY, "multicast_latency", "us")                                             \
    EACH(MULTICAST_RATE, "multicast_rate", "B/us")                                                 \
    EACH(ORDERED_LATENCY, "ordered_latency", "us")                                                 \
    EACH(ORDERED_RATE, "ordered_rate", "B/us")                                                     \
    EACH(ORDERED_TOGETHER, "ordered_together", "us")                                               \
    EACH(PEER_MEMORY, "peer_memory", "B")                                                          \
    EACH(CELL_WRITE_TRAP, "cell_write_trap", "us")                                                 \
    EACH(CELL_READ_TRAP, "cell_read_trap", "us")                                                   \
    EACH(CELL_READ_CELL, "cell_read_cell", "us")                                                   \
    EACH(CELL_WRITE_READ_TRAP, "cell_write_read_trap", "us")                                       \
    EACH(CELL_SEND_REQUEST, "cell_send_request", "us")                                             \
    EACH(CELL_HANDLE_REQUEST, "cell_handle_request", "us")                                         \
    EACH(CELL_HANDLE_REQUEST_REPLY, "cell_handle_request_reply", "us")                             \
    EACH(CELL_HANDLE_ACKNOWLEDGE, "cell_handle_acknowledge", "us")                                 \
    EACH(CELL_HANDLE_REPLY, "cell_handle_reply", "us")                                             \
    EACH(CELL_WRITE_CALL, "cell_write_call", "us")                                                 \
    EACH(CELL_READ_CALL, "cell_read_call", "us")                                                   \
    EACH(CELL_READ_CALL_EMPTY, "cell_read_call_empty", "us")

typedef enum clump_quantity {
    CLUMP_QUANTITY_NONE = 0,
#define CLUMP_NUMBER_QUANTITY(id, name, unit) CLUMP_QUANTITY_##id,
    CLUMP_EACH_QUANTITY(CLUMP_NUMBER_QUANTITY)
#undef CLUMP_NUMBER_QUANTITY
        CLUMP_QUANTITIES
} clump_quantity;

/** "half_round_trip". */
const char *clump_quantity_name(clump_quantity quantity);
/** "us", "B", "us/B", "B/us", "ratio" or "count". */
const char *clump_quantity_unit(clump_quantity quantity);

/** Each with its name; the way back has the name of the way there. */
#define CLUMP_EACH_BENCHMARK(EACH)                                                                 \
    EACH(ROUND_TRIP, "round trip")                                                                 \
    EACH(SEND_BURST, "send burst")                                                                 \
    /* send, compute for longer than a round trip, receive */                                      \
    EACH(APART, "send and receive apart")                                                          \
    EACH(LONG_BURST, "long burst")                                                                 \
    EACH(EMPTY_POLL, "empty poll")                                                                 \
    EACH(FULL_POLL, "poll with a message")                                                         \
    /* right after one that found a message */                                                     \
    EACH(EMPTY_POLL_AGAIN, "empty poll after a message")                                           \
    EACH(CACHE_LINE, "cache line")                                                                 \
    EACH(WINDOW, "window")                                                                         \
    EACH(WINDOW_BACK, "window") /* the same from the server to the client */                       \
    EACH(PIECES, "pieces of 8 kB")                                                                 \
    EACH(PIECES_BACK, "pieces of 8 kB")                                                            \
    EACH(SEND_BREAKDOWN, "send breakdown")                                                         \
    EACH(STRESS, "stress test")                                                                    \
    EACH(QUEUE_LENGTH, "queue length")                                                             \
    EACH(BULK_QUEUE_LENGTH, "bulk queue length")                                                   \
    EACH(BACKOFF, "backoff")                                                                       \
    EACH(PARALLEL_JOBS, "parallel jobs")                                                           \
    EACH(SEQUENTIAL_JOBS, "sequential jobs")                                                       \
    EACH(SESSION, "session")                                                                       \
    /* patterns of traffic of two protocols */                                                     \
    EACH(ALL_TO_ALL_SHORT, "all-to-all short")                                                     \
    EACH(NEIGHBOUR, "neighbour")                                                                   \
    EACH(MANY_TO_ONE, "many-to-one")                                                               \
    EACH(ALL_TO_ALL_BULK, "all-to-all bulk")                                                       \
    EACH(SHARED_MEMORY, "shared memory")                                                           \
    EACH(NETWORK, "network")                                                                       \
    EACH(MEMORY_STREAMS, "memory streams")                                                         \
    EACH(EMULATED_CLUMP, "emulated Clump")                                                         \
    EACH(VIRTUAL_TIME, "calibrate virtual")

typedef enum clump_benchmark {
    CLUMP_BENCHMARK_NONE = 0,
#define CLUMP_NUMBER_BENCHMARK(id, name) CLUMP_BENCHMARK_##id,
    CLUMP_EACH_BENCHMARK(CLUMP_NUMBER_BENCHMARK)
#undef CLUMP_NUMBER_BENCHMARK
        CLUMP_BENCHMARKS
} clump_benchmark;

/** "round trip". */
const char *clump_benchmark_name(clump_benchmark benchmark);

#endif
