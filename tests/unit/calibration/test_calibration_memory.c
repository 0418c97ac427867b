/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Every allocation of the protocols, of virtual time and of memory streams fails in turn: a status, nothing lost,
 * nothing written. */
#include "tests/unit/virtual_nodes.h"

#include "data/store/memory_curve.h"
#include "protocols/calibration/memory_calibration.h"
#include "protocols/calibration/udp_server.h"
#include "protocols/reliability/ssam.h"
#include "reproductions/measure/measure.h"
#include "reproductions/measure/measure_cells.h"
#include "reproductions/virtual/ordered.h"
#include "reproductions/virtual/translation.h"

#include <math.h>

static long until_failure = -1, living;

void *__real_malloc(size_t size);
void *__real_calloc(size_t count, size_t size);
void *__real_realloc(void *old, size_t size);
void __real_free(void *block);
void *__wrap_malloc(size_t size);
void *__wrap_calloc(size_t count, size_t size);
void *__wrap_realloc(void *old, size_t size);
void __wrap_free(void *block);

static bool fails(void)
{
    return until_failure >= 0 && until_failure-- == 0;
}

void *__wrap_malloc(size_t size)
{
    void *block = fails() ? NULL : __real_malloc(size);
    living += block != NULL;
    return block;
}

void *__wrap_calloc(size_t count, size_t size)
{
    void *block = fails() ? NULL : __real_calloc(count, size);
    living += block != NULL;
    return block;
}

void *__wrap_realloc(void *old, size_t size)
{
    if (fails())
        return NULL;
    const bool fresh = old == NULL;
    void *block = __real_realloc(old, size);
    living += fresh && block != NULL;
    return block;
}

void __wrap_free(void *block)
{
    living -= block != NULL;
    __real_free(block);
}

static const clump_hardware hardware = {.host_word_us = 0.1,
                                        .pio_word_us = 0.1,
                                        .nic_word_us = 0.1,
                                        .dma_write_us = 1,
                                        .link_byte_us = 0.01,
                                        .receive_buffer_bytes = 16384,
                                        .send_buffer_bytes = 8192};

static clump_protocol_status open_lci(void)
{
    const clump_lci_options o = {.nodes = 3,
                                 .mtu = 64,
                                 .window = 2,
                                 .send_buffers = 2,
                                 .receive_buffers = 4,
                                 .timeout_ns = 1,
                                 .timeout_most_ns = 1,
                                 .incarnation = 1};
    clump_lci *lci = NULL;
    const clump_protocol_status status = clump_lci_open(&o, &lci);
    assert_true((lci != NULL) == (status == CLUMP_PROTOCOL_OK));
    clump_lci_close(lci);
    return status;
}

static bool on_request(void *context, uint32_t handler, const unsigned char *data,
                       uint32_t *reply_handler, unsigned char *reply)
{
    (void)context, (void)handler, (void)data, (void)reply_handler, (void)reply;
    return false;
}

static clump_protocol_status open_ssam(void)
{
    const clump_ssam_options o = {
        .window = 4, .timeout_ns = 1, .incarnation = 1, .request = on_request};
    clump_ssam *ssam = NULL;
    const clump_protocol_status status = clump_ssam_open(&o, &ssam);
    assert_true((ssam != NULL) == (status == CLUMP_PROTOCOL_OK));
    clump_ssam_close(ssam);
    return status;
}

static clump_protocol_status open_ordered(void)
{
    clump_ordered *ordered = NULL;
    const clump_protocol_status status = clump_ordered_open(4, 8, 0, &ordered);
    assert_true((ordered != NULL) == (status == CLUMP_PROTOCOL_OK));
    clump_ordered_close(ordered);
    return status;
}

static clump_protocol_status measure(const char *protocol)
{
    clump_virtual_cluster_options o = {.hardware = hardware, .nodes = 3};
    double us = -1;
    assert_int_equal(clump_lci_protocol_parse(protocol, &o.protocol, NULL), CLUMP_PROTOCOL_OK);
    const clump_protocol_status status = clump_measure_multicast(&o, 16, 2, &us);
    assert_true((us >= 0) == (status == CLUMP_PROTOCOL_OK));
    return status;
}

static clump_protocol_status measure_nic(void)
{
    return measure("l-nirx-1k");
}

static clump_protocol_status measure_host(void)
{
    return measure("l-hrx-1k");
}

static clump_protocol_status measure_forward(void)
{
    return measure("l-pio-hmc-1k");
}

static clump_protocol_status measure_ssam(void)
{
    const clump_cell_hardware h = {.push_us = 1, .pull_us = 1, .cell_us = 3, .trap_us = 1};
    clump_cells_measured m;
    return clump_measure_cells(&h, 4, 5, &m);
}

static bool pin(void *context, uint64_t page, uint64_t *frame)
{
    (void)context;
    *frame = page;
    return true;
}

static void unpin(void *context, uint64_t page)
{
    (void)context, (void)page;
}

static clump_protocol_status open_tables(void)
{
    const clump_pinning pinning = {pin, unpin, NULL};
    clump_host_table *host = NULL;
    clump_nic_table *nic = NULL;
    clump_protocol_status status = clump_host_table_open(4, &pinning, &host);
    if (status == CLUMP_PROTOCOL_OK)
        status = clump_nic_table_open(4, 2, &nic);
    assert_true((nic != NULL) == (status == CLUMP_PROTOCOL_OK));
    clump_host_table_close(host);
    clump_nic_table_close(nic);
    return status;
}

/* Every page misses, at both ends. */
static clump_protocol_status measure_copies(void)
{
    clump_virtual_cluster_options o = {
        .hardware = hardware, .nodes = 2, .translations = 1, .copy_pages = 2, .interrupts = true};
    clump_busy_measured m = {.round_trip_us = -1};
    assert_int_equal(clump_lci_protocol_parse("l-rcpy-1k", &o.protocol, NULL), CLUMP_PROTOCOL_OK);
    const clump_protocol_status status = clump_measure_busy(&o, 16, 10, 2, &m);
    assert_true((m.round_trip_us >= 0) == (status == CLUMP_PROTOCOL_OK));
    return status;
}

static bool never_stop(void *context)
{
    (void)context;
    return false;
}

static clump_protocol_status start_streams(void)
{
    clump_memory_system system;
    clump_protocol_status status;
    char message[CLUMP_CALIBRATION_MESSAGE_BYTES] = "";
    assert_true(clump_memory_look(&system));
    const int cpu = system.processors[0].cpu;
    clump_memory_streams *streams = clump_memory_start(
        &(clump_memory_options){
            .count = 1, .cpus = &cpu, .array_bytes = 1, .window_ms = 1, .watch = never_stop},
        &status, message);
    assert_true((streams != NULL) == (status == CLUMP_PROTOCOL_OK));
    clump_memory_end(streams);
    return status;
}

/* Two processes beside one, one run. */
static clump_protocol_status derive_memory(void)
{
    static const unsigned counts[] = {1, 2};
    static clump_calibration_sample samples[2];
    clump_memory_question q = {.counts = counts, .count_count = 2, .kernels = {false, false, true}};
    clump_calibration c = {.kind = &clump_calibration_memory, .own = &q};
    for (unsigned i = 0; i < 2; i++)
        samples[i] = (clump_calibration_sample){.benchmark = CLUMP_BENCHMARK_MEMORY_STREAMS,
                                                .quantity = CLUMP_QUANTITY_MEMORY_BANDWIDTH,
                                                .variant = "triad",
                                                .value = 10 + i,
                                                .run = 1,
                                                .processes = counts[i]};
    c.samples.items = samples;
    c.samples.count = 2;
    const clump_calibration_status status = clump_calibration_memory.derive(&c);
    c.samples.items = NULL;
    clump_calibration_close(&c);
    return status == CLUMP_CALIBRATION_OK ? CLUMP_PROTOCOL_OK : CLUMP_PROTOCOL_FAILED;
}

/* The curve of a platform; SQLite keeps some of its memory. */
TEST(test_curve)
{
    clump_store *store = NULL;
    clump_store_memory_curve *curve = NULL;
    assert_int_equal(clump_store_open(NULL, CLUMP_STORE_WRITE, &store), CLUMP_STORE_OK);
    assert_int_equal(clump_store_begin(store), CLUMP_STORE_OK);
    assert_int_equal(clump_store_add_source(
                         store, &(clump_store_source){.name = "s", .kind = "inline", .title = "t"}),
                     CLUMP_STORE_OK);
    assert_int_equal(clump_store_add_platform(store, &(clump_store_platform){.name = "p",
                                                                             .title = "t",
                                                                             .nodes = 1,
                                                                             .processors = 1,
                                                                             .source = "s"}),
                     CLUMP_STORE_OK);
    for (int64_t k = 1; k <= 20; k++) { /* more than lists have room for at first */
        int64_t series = 0;
        assert_int_equal(
            clump_store_add_series(store,
                                   &(clump_store_series){.platform = "p",
                                                         .quantity = "memory_bandwidth",
                                                         .statistic = "single",
                                                         .source = "s",
                                                         .processes = k},
                                   &series),
            CLUMP_STORE_OK);
        assert_int_equal(clump_store_add_sample(
                             store, series,
                             &(clump_store_measurement){
                                 .value = 10, .half_width = NAN, .std_dev = NAN, .size_bytes = -1}),
                         CLUMP_STORE_OK);
    }
    clump_store_status status = CLUMP_STORE_FAILED;
    long nth = 0;
    while (status != CLUMP_STORE_OK && nth < 100000) {
        until_failure = nth++;
        status = clump_store_find_memory_curve(store, "p", NULL, NULL, &curve);
        const bool failed = until_failure < 0;
        until_failure = -1;
        assert_true((curve != NULL) == (status == CLUMP_STORE_OK));
        assert_true(failed || status == CLUMP_STORE_OK);
        assert_true(status == CLUMP_STORE_OK || status == CLUMP_STORE_FAILED);
    }
    assert_true(nth > 2);
    assert_int_equal(curve->processes, 20);
    clump_store_free(curve);
    clump_store_close(store);
}

TEST(test_failures)
{
    clump_protocol_status (*const all[])(void) = {
        open_lci,     open_ssam,   open_ordered,   measure_nic,   measure_host, measure_forward,
        measure_ssam, open_tables, measure_copies, start_streams, derive_memory};
    for (size_t i = 0; i < sizeof all / sizeof *all; i++) {
        long nth = 0;
        clump_protocol_status status;
        do {
            const long before = living;
            until_failure = nth++;
            status = all[i]();
            const bool failed = until_failure < 0;
            until_failure = -1;
            assert_int_equal(living, before); /* nothing is lost */
            assert_int_equal(status, failed ? CLUMP_PROTOCOL_FAILED : CLUMP_PROTOCOL_OK);
        } while (status != CLUMP_PROTOCOL_OK && nth < 100000);
        assert_true(nth > 2);
    }
}

/* The server of calibrations, on an endpoint that listens. */
TEST(test_service)
{
    const clump_service_options o = {.tag = 1};
    unsigned refused = 0;
    bool failed = true;
    for (long nth = 0; failed && nth < 1000; nth++) {
        char message[CLUMP_CALIBRATION_MESSAGE_BYTES] = "";
        clump_service *service = NULL;
        const long before = living;
        until_failure = nth;
        const clump_protocol_status status = clump_service_open(&o, &service, message);
        failed = until_failure < 0;
        until_failure = -1;
        assert_true((service != NULL) == (status == CLUMP_PROTOCOL_OK));
        assert_true((message[0] != '\0') == (status != CLUMP_PROTOCOL_OK));
        assert_true(failed || status == CLUMP_PROTOCOL_OK);
        refused += status != CLUMP_PROTOCOL_OK;
        clump_service_close(service);
        assert_int_equal(living, before);
    }
    assert_false(failed);
    assert_true(refused >= 4); /* itself, the endpoint, its network side, the socket */
}

UNIT_MAIN(NULL, NULL)
