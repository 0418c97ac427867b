# SPDX-License-Identifier: GPL-3.0-or-later
# The documents' hardware, protocols, programming systems and programs in virtual time, live and emulated: `clumpmodel run`.
reproduction_rooms := $(addprefix reproductions/,virtual systems applications measure runs)
component_rooms += $(reproduction_rooms) reproductions/command
$(eval $(call archive,clumpreproductions,$(call objects_of,$(reproduction_rooms))))
archives := $(BUILD)/libclumpreproductions.a $(archives)

programs += $(BUILD)/clumpmodel-run
$(BUILD)/clumpmodel-run: $(call objects_of,reproductions/command) $(BUILD)/protocols/command/calibrate_run.o $(BUILD)/libclumpcli.a $(archives)
pages += $(filter docs/man/clumpmodel-run% docs/man/clumpmodel-calibrate-virtual%,$(component_pages))

# ---- testing

check-program-threads: ## the documents' programs over endpoints, threads in place of processes, with the thread sanitizer
	@$(MAKE) --no-print-directory CFLAGS='-O1 -g -fsanitize=thread' BUILD=$(BUILD)/threads run-program-threads

run-program-threads: $(BUILD)/program_threads
	@TSAN_OPTIONS=halt_on_error=1:suppressions=tests/threads/suppressions CLUMP_TEST_LABEL='threads of programs' \
	    tests/run-unit.sh $<

$(BUILD)/program_threads: $(patsubst %,$(BUILD)/tests/threads/%.o,program_threads process_threads) $(archives)
	$(call say,LINK,$@)
	$(Q)$(link) -Wl,--wrap=getpid,--wrap=mmap,--wrap=munmap $^ $(library_libs) -pthread -o $@

check-reproductions: $(programs) ## the documents' programs again: do the tables of docs/reproductions.md show what comes out?
	@tests/docs/reproductions.sh $<

application_tests := $(addprefix $(BUILD)/tests/test_,programs panda regions)
check-applications: $(application_tests) ## the documents' programs with all numbers of workers, and regions at length
	@CLUMP_TEST_LONG=1 CLUMP_TEST_DIR=tests tests/run-unit.sh $(application_tests)

CLUMP_REPETITIONS ?= 3
check-clump-programs: $(programs) ## the thesis's programs on emulated Clumps, against the model: CLUMP_REPETITIONS=3 (root or user namespaces, iproute2)
	@tests/clump/programs.sh $< $(CLUMP_REPETITIONS)

fit-hardware: $(BUILD)/fit-hardware $(BUILD)/fit-e5000 ## the costs of virtual hardware from the tables of l-sdma and l-pio
	@$(BUILD)/fit-hardware
	@$(BUILD)/fit-e5000

$(BUILD)/fit-%: $(BUILD)/tests/bench/fit_%.o $(archives)
	$(Q)$(link) $^ $(library_libs) -o $@
