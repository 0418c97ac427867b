# SPDX-License-Identifier: GPL-3.0-or-later
# The protocols, what measures with them, and `clumpmodel calibrate`.
protocol_rooms := protocols $(addprefix protocols/,queue endpoint network reliability)
calibration_rooms := $(addprefix protocols/,calibration emulation)
component_rooms += $(protocol_rooms) $(calibration_rooms) $(addprefix protocols/,command mpi-bench)
$(eval $(call archive,clumpprotocols,$(call objects_of,$(protocol_rooms))))
$(eval $(call archive,clumpcalibration,$(call objects_of,$(calibration_rooms))))
archives := $(BUILD)/libclumpcalibration.a $(archives) $(BUILD)/libclumpprotocols.a
static_libraries += $(BUILD)/libclumpprotocols.a

programs += $(BUILD)/clumpmodel-calibrate
$(BUILD)/clumpmodel-calibrate: $(call objects_of,protocols/command) $(BUILD)/libclumpcli.a $(archives)
promised += clumpprotocols.h
pages += $(filter-out %-virtual.1,$(filter docs/man/clumpmodel-calibrate%,$(component_pages)))

# The benchmark that `calibrate mpi` prints, to be compiled where it runs.
mpi_bench_files := $(wildcard protocols/mpi-bench/*)
$(BUILD)/protocols/command/calibrate_mpi.o: $(mpi_bench_files)

# A library on its own: its tests link nothing else of ours.
protocol_tests = $(filter $(BUILD)/tests/test_protocol_%,$(unit_tests))
$(protocol_tests): $(BUILD)/libclumpreproductions.a $(BUILD)/libclumpprotocols.a
	$(call say,LINK,$@)
	$(Q)$(link_test) $(filter %.o,$^) $(filter %.a,$^) -pthread -lz -lm $(test_libs) -o $@

# ---- testing

check-threads: ## the queues of protocols/ among threads, with the thread sanitizer
	@$(MAKE) --no-print-directory CFLAGS='-O1 -g -fsanitize=thread' BUILD=$(BUILD)/threads run-threads

run-threads: $(BUILD)/queue_threads
	@TSAN_OPTIONS=halt_on_error=1 CLUMP_TEST_LABEL=threads tests/run-unit.sh $(BUILD)/queue_threads

$(BUILD)/queue_threads: $(BUILD)/tests/threads/queue_threads.o $(BUILD)/libclumpreproductions.a $(BUILD)/libclumpprotocols.a
	$(call say,LINK,$@)
	$(Q)$(link) $^ -pthread -lz -o $@

check-spin: ## the protocols as Promela models: what holds, and the counterexamples
	@tests/spin/run.sh

PROTOCOL_SECONDS ?= 20
check-protocols: $(BUILD)/tests/test_protocol_kill $(BUILD)/tests/test_protocol_stress $(BUILD)/tests/test_lossy_virtual ## kill -9 at every instruction, pauses and kills at random, all to all: PROTOCOL_SECONDS=20 a queue; the model of losses over its whole grid
	@CLUMP_STRESS_SECONDS=$(PROTOCOL_SECONDS) $(BUILD)/tests/test_protocol_kill
	@CLUMP_STRESS_SECONDS=$(PROTOCOL_SECONDS) $(BUILD)/tests/test_protocol_stress
	@CLUMP_TEST_LONG=1 tests/spin/run.sh
	@CLUMP_TEST_LONG=1 $(BUILD)/tests/test_lossy_virtual

SOAK_SECONDS ?= 600
check-soak: $(BUILD)/soak ## endpoints over shared memory and lossy UDP, killed and started again: SOAK_SECONDS=600
	@$(BUILD)/soak $(SOAK_SECONDS)

$(BUILD)/soak: $(patsubst %,$(BUILD)/tests/soak/%.o,soak lossy) $(BUILD)/libclumpprotocols.a
	$(call say,LINK,$@)
	$(Q)$(link) $^ -pthread -lz -o $@

lossy_tests := $(addprefix $(BUILD)/tests/test_protocol_,lci ssam ordered named fragments translation)
check-lossy: $(lossy_tests) ## a million messages through loss for every protocol, restarts at every two moments, invariants after every step
	@CLUMP_TEST_LONG=1 tests/run-unit.sh $(lossy_tests)

check-namespaces: $(BUILD)/tests/test_protocol_both $(programs) ## endpoints in two network namespaces, with packets lost (root, iproute2)
	@tests/namespaces/run.sh $<
	@tests/namespaces/calibrate.sh $(BUILD)/clumpmodel

CLUMP_SECONDS ?= 5
check-clump: $(programs) ## emulated Clumps against the model, CLUMP_SECONDS=5 each (root or user namespaces, iproute2)
	@tests/clump/run.sh $< $(CLUMP_SECONDS)

# Open MPI is compared with where its compiler is installed.
bench-messages: $(BUILD)/bench-messages bench-store ## the shared-memory protocol beside its floor, UCX and Open MPI
	@if command -v mpicc >/dev/null; then mpicc -O2 tests/bench/mpi_latency.c -o $(BUILD)/mpi-latency; fi
	@$(BUILD)/bench-messages tests/bench/peer.sh $(BUILD)/mpi-latency

$(BUILD)/bench-messages: $(patsubst %,$(BUILD)/tests/bench/%.o,bench_messages pair layer) $(archives)
	$(Q)$(link) $^ $(library_libs) -o $@
