# clumpmodel. `make help` lists the targets; `make run` and `make check` do everything on a fresh
# Debian machine. Variables: CC, BUILD, CFLAGS, SANITIZE=1, WERROR=1, PREFIX, LIBDIR, DESTDIR, V=1, jobs.

BUILD ?= build
PREFIX ?= /usr/local
LIBDIR ?= $(PREFIX)/lib
ifeq ($(origin CC),default)
CC := gcc
endif
# -g1: functions and lines, for backtraces and profiles, in four fifths of the time. For variables: make CFLAGS='-Og -g'
CFLAGS ?= -O3 -g1
# Errors for developers only (.ci/run, or WERROR=1): the next compiler warns of something new, and that stops nobody.
WARNINGS := -Wall -Wextra -Wpedantic -Wshadow -Wstrict-prototypes -Wmissing-prototypes -Wvla $(if $(WERROR),-Werror)
VERSION := $(shell sed -n 's/^.define CLUMPMODEL_VERSION "\(.*\)"/\1/p' clumpmodel.h)
SOVERSION := 0
Q := $(if $(V),,@)
# Says what is made, and makes its folder: by one shell, for each object.
say = @$(if $(V),,printf '  %-8s %s\n' '$(1)' '$(patsubst $(BUILD)/%,%,$(2))';) [ -d $(@D) ] || mkdir -p $(@D)

# As many jobs as there are processors, unless -j says otherwise: as a flag, not in the value of a variable, which
# follows "--". Not with several goals: 'make clean all' means one after the other.
jobs ?= $(shell nproc 2>/dev/null || echo 1)
ifeq ($(MAKELEVEL)$(word 2,$(MAKECMDGOALS))$(findstring j,$(filter-out --%,$(shell echo "$${MAKEFLAGS%% -- *}"))),0)
MAKEFLAGS += -j$(jobs)
endif
# What a make below this one is told, unless it takes its jobs from this one.
parallel = $(if $(findstring -j,$(MAKEFLAGS)),,-j$(jobs))

# Recipes and their scripts compute with awk, which in some locales reads and writes commas.
export LC_ALL := C

PKG_CONFIG ?= pkg-config
export PKG_CONFIG
packages := sqlite3 lua5.4 gsl jansson smartcols hwloc libxml-2.0 nettle zlib
package_flags := $(shell $(PKG_CONFIG) --cflags $(packages) 2>/dev/null)
library_libs := $(shell $(PKG_CONFIG) --libs sqlite3 lua5.4 gsl hwloc libxml-2.0 nettle zlib 2>/dev/null) -lm
program_libs := $(shell $(PKG_CONFIG) --libs jansson smartcols 2>/dev/null)
# What nothing can be compiled without: it is said once, instead of by the compiler for each file.
there = $(shell { $(1); } >/dev/null 2>&1 && echo yes)
test_libs = $(eval test_libs := $(shell $(PKG_CONFIG) --libs cmocka))$(test_libs)
missing_build := $(if $(call there,$(PKG_CONFIG) --exists $(packages) && command -v $(firstword $(CC))),,missing-build)
missing_check := $(if $(call there,$(PKG_CONFIG) --exists cmocka),,missing-check)

scenario_dir := $(PREFIX)/share/clumpmodel/scenarios
ifdef SANITIZE
sanitizer := -fsanitize=address,undefined -fno-sanitize-recover=all -fno-omit-frame-pointer
endif
ifdef FUZZ
sanitizer += -fsanitize=fuzzer-no-link
endif
compile = $(CC) -std=c11 -D_POSIX_C_SOURCE=200809L -I. $(package_flags) $(WARNINGS) -fPIC \
          -ffp-contract=off -fopenmp $(CFLAGS) $(sanitizer) -MMD -MP
link = $(CC) -fopenmp $(CFLAGS) $(sanitizer) $(LDFLAGS)
# A hundred tests are linked by a quicker linker where there is one, in half of the time; a fifth less if it neither divides its
# work nor merges strings. With sanitizers, which leave a hundred thousand addresses to relocate at each of thousands of starts,
# where they stay: a quarter of a start's time.
comma := ,
link_test = $(link) $(quick_linker) $(if $(SANITIZE),-no-pie)
quick_linker = $(eval quick_linker := $(if $(call there,command -v ld.lld),-fuse-ld=lld -Wl$(comma)--threads=1$(comma)-O0))$(quick_linker)

# What the objects were built with: when it changes they are built again. And no spaces in folders:
# make splits its words there, and an uninstall must never remove half a name.
$(foreach v,BUILD PREFIX DESTDIR LIBDIR,$(if $(word 2,$($(v))),$(error $(v) is '$($(v))': folders with spaces cannot be used)))
settings := $(CC) $(CFLAGS) $(sanitizer) $(LDFLAGS)
ifneq ($(settings),$(shell cat $(BUILD)/settings 2>/dev/null))
$(shell mkdir -p $(BUILD) && printf '%s\n' '$(settings)' > $(BUILD)/settings)
endif

# Only two objects know where things are installed.
ifneq ($(PREFIX) $(LIBDIR),$(shell cat $(BUILD)/prefix 2>/dev/null))
$(shell mkdir -p $(BUILD) && printf '%s\n' '$(PREFIX) $(LIBDIR)' > $(BUILD)/prefix)
endif

reference_csv := $(sort $(wildcard data/reference/*.csv))
library_rooms := model model/workload model/simulation data data/store data/import \
    fitting fitting/clusters fitting/loggp fitting/node fitting/slowdown \
    fitting/validation \
    scenarios scenarios/recorded exploring topology
program_rooms := cli $(addprefix cli/,data fitting recording topology validation options output pictures)
library_sources := $(filter-out data/store/mkreference.c,$(wildcard $(library_rooms:%=%/*.c)))
library_objects := $(library_sources:%.c=$(BUILD)/%.o)
objects_of = $(patsubst %.c,$(BUILD)/%.o,$(wildcard $(1:%=%/*.c)))
program_objects := $(call objects_of,$(program_rooms))
# The programs: the product's, and those that components add, which `clumpmodel NAME` starts.
programs := $(BUILD)/clumpmodel
# Pages of the components, which stand with the others.
component_pages := $(wildcard $(patsubst %,docs/man/clumpmodel-%*,calibrate record emulate run))
# The components beside the product, each with its own part of this Makefile; the product is built and tested without them.
components := $(wildcard $(foreach c,protocols recording reproductions,$(c)/$(c).mk))
loader_objects := $(filter-out %/reference_blob.o,$(filter $(BUILD)/data/%,$(library_objects)))
# In the folder of the room that they test; the programs are together.
tests_in = $(patsubst %.c,$(BUILD)/tests/%,$(notdir $(wildcard $(1:%=tests/unit/%/test_*.c))))
product_tests := $(call tests_in,cli data exploring fitting model scenarios topology)
unit_sources := $(wildcard tests/unit/*/test_*.c)
unit_tests := $(patsubst %.c,$(BUILD)/tests/%,$(notdir $(unit_sources)))
# The promise to other programs: what these include, directly or not.
promised := clumpmodel.h
public_headers = $(sort $(patsubst ./%,%,$(filter %.h,$(foreach h,$(promised),$(shell $(CC) -I. -MM -x c $(h))))))
shipped_scenarios := $(wildcard scenarios/*.lua)

# Of all components, in the order in which one needs the next: each puts its own where it belongs.
archives := $(BUILD)/libclumpmodel.a
static_libraries := $(BUILD)/libclumpmodel.a
define archive
$(BUILD)/lib$(1).a: $(2)
	$$(call say,AR,$$@)
	$$(Q)rm -f $$@ && ar rcs $$@ $$^
endef

.DEFAULT_GOAL := all
include $(components)

.PHONY: cluster-facts all bench bench-messages bench-record bench-store build-again build-sanitize check check-cli \
        check-applications check-clump check-clump-programs check-collectives check-database check-deb check-emulation check-docs check-fits check-install check-long check-lossy check-memory check-mpi \
        check-programs check-namespaces check-page check-program-threads check-product check-protocols check-reproductions check-sanitize check-sanitize-all \
        check-sanitize-cli check-sanitize-unit check-properties check-soak check-solver check-spin check-threads check-unit \
        check-unit-again check-unit-measuring clean collective-errors deb figures fit-hardware format fuzz fuzz-run help install measuring-tests missing-build \
        missing-check model-error mpi-programs product run run-program-threads run-threads setup uninstall unit-tests web-engine
.DELETE_ON_ERROR:
.SECONDARY:

all: product $(programs) $(static_libraries) $(helpers) ## build the program, its companions and the libraries
product: $(BUILD)/clumpmodel $(BUILD)/libclumpmodel.so.$(SOVERSION) ## build the program and the library alone

run: ## install what is missing, build, and compare the thesis's Clump with its NOW
	@.ci/packages build
	@$(MAKE) --no-print-directory all
	@.ci/first-look $(BUILD)/clumpmodel

setup: ## install the packages that building and testing need
	@.ci/packages check

# ---- building

missing-build missing-check:
	@.ci/packages missing $(@:missing-%=%)
missing-check: | $(missing_build)

$(unit_sources:%.c=$(BUILD)/%.o): | $(missing_check)

$(BUILD)/%.o: %.c $(BUILD)/settings | $(missing_build)
	$(call say,CC,$@)
	$(Q)$(compile) $(extra_flags) -c $< -o $@

# With our own flags: what reads options, shows results and writes files computes nothing that anybody waits for, and a
# compiler that tries less hard is done earlier. What prints rows by the million is not among it.
ifeq ($(origin CFLAGS),file)
$(BUILD)/cli/%.o $(patsubst %,$(BUILD)/%/command/%.o,recording protocols reproductions) $(BUILD)/protocols/emulation/%.o: extra_flags = -O1
$(BUILD)/cli/output/%.o $(BUILD)/cli/explore%.o: extra_flags =
# Of the rest -O3 is a third dearer than -O2: it stays where the model's loops are, and rows are made by the million.
$(BUILD)/recording/%.o $(BUILD)/topology/%.o $(BUILD)/data/store/%.o $(BUILD)/data/import/%.o: extra_flags = -O2
$(BUILD)/protocols/calibration/%.o $(BUILD)/fitting/%.o $(BUILD)/reproductions/%.o $(BUILD)/scenarios/%.o: extra_flags = -O2
$(patsubst %,$(BUILD)/scenarios/%.o,evaluate plan run setup): extra_flags =
endif

# What is built only to be tried waits less for the compiler: no time is spent in it.
$(BUILD)/tests/unit/%.o: extra_flags = -O0
# But for one that integrates for longer than it compiles.
$(BUILD)/tests/unit/model/test_transient.o: extra_flags = -O1
ifdef SANITIZE
$(BUILD)/cli/%.o $(patsubst %,$(BUILD)/%/command/%.o,recording protocols reproductions): extra_flags = -O0
$(BUILD)/scenarios/%.o: extra_flags = -O0
# A quarter of the compiler's time. What is left out, and what is fuzzed, computes for longer than that.
ifndef FUZZ
$(BUILD)/protocols/calibration/%.o $(BUILD)/data/%.o $(BUILD)/exploring/%.o: extra_flags = -O0
$(BUILD)/fitting/clusters/%.o $(BUILD)/fitting/validation/%.o: extra_flags = -O0
endif
endif

$(BUILD)/cli/scenario_files.o: extra_flags = -DCLUMP_SCENARIO_DIR='"$(scenario_dir)"'
$(BUILD)/cli/scenario_files.o: $(BUILD)/prefix
$(BUILD)/cli/companion_files.o: extra_flags = -DCLUMP_LIBRARY_DIR='"$(LIBDIR)/clumpmodel"'
$(BUILD)/cli/companion_files.o: $(BUILD)/prefix
$(BUILD)/data/store/reference_blob.o: extra_flags = -DCLUMP_REFERENCE_DB='"$(BUILD)/reference.db"'
$(BUILD)/data/store/reference_blob.o: $(BUILD)/reference.db
$(BUILD)/scenarios/language.o: scenarios/library/library.lua

$(BUILD)/data/store/schema.o: data/store/schema.sql
$(BUILD)/data/import/import_formats.o: $(wildcard data/import/formats/*.lua)

# Objects with files in them (cli/output/embedded.h).
$(BUILD)/cli/pictures/page.o: $(wildcard web/*)
$(BUILD)/cli/completion.o: $(wildcard cli/completion/*)

$(BUILD)/mkreference: $(BUILD)/data/store/mkreference.o $(loader_objects)
	$(call say,LINK,$@)
	$(Q)$(link) $^ $(library_libs) -o $@

$(BUILD)/reference.db: $(BUILD)/mkreference $(reference_csv)
	$(call say,DATA,$@)
	$(Q)$(BUILD)/mkreference $@ $(reference_csv)

$(BUILD)/libclumpmodel.a: $(library_objects)
	$(call say,AR,$@)
	$(Q)rm -f $@ && ar rcs $@ $^

# What commands have in common, for the programs of all components.
$(eval $(call archive,clumpcli,$(filter-out $(BUILD)/cli/main.o,$(program_objects))))

# Of the functions that files share among each other those that the public headers name, and nothing else.
$(BUILD)/clumpmodel.map: clumpmodel.h $(library_objects)
	$(call say,MAP,$@)
	$(Q)$(CC) -I. -E -P -x c clumpmodel.h > $@.headers && grep -ow 'clump_[a-z0-9_]*' $@.headers | sort -u > $@.names
	$(Q){ echo 'CLUMPMODEL_$(SOVERSION) { global:'; nm -gP --defined-only $(library_objects) | sed 's/ .*//' | sort -u | \
	    grep -xFf $@.names | sed 's/$$/;/'; echo 'local: *; };'; } > $@.part && mv $@.part $@

$(BUILD)/libclumpmodel.so.$(SOVERSION): $(library_objects) $(BUILD)/clumpmodel.map
	$(call say,LINK,$@)
	$(Q)$(link) -shared -Wl,-soname,$(@F) -Wl,--version-script=$(BUILD)/clumpmodel.map \
	    $(library_objects) $(library_libs) -o $@

# What the tables of options and columns say stands where a page has a line with .\"= and what `clumpmodel help man` is asked.
man_pages := $(patsubst docs/man/%,$(BUILD)/man/%,$(filter-out $(component_pages),$(wildcard docs/man/*.1 docs/man/*.5)) $(pages))
all: $(man_pages)
$(BUILD)/man/%: docs/man/% $(programs)
	$(call say,MAN,$@)
	$(Q)awk -v ask='$(BUILD)/clumpmodel help man ' '/^\.\\"= / { fflush(); if (system(ask substr($$0, 6))) exit 1; next } { print }' $< > $@

$(BUILD)/clumpmodel: $(program_objects) $(BUILD)/libclumpmodel.a
$(programs):
	$(call say,LINK,$@)
	$(Q)$(if $(SANITIZE),$(link_test),$(link)) $^ $(program_libs) $(library_libs) -o $@

$(foreach source,$(unit_sources),$(eval $(BUILD)/tests/$(notdir $(source:%.c=%)): $(source:%.c=$(BUILD)/%.o)))

$(product_tests): $(BUILD)/libclumpmodel.a
$(filter-out $(product_tests) $(protocol_tests),$(unit_tests)): $(archives)
$(filter-out $(protocol_tests),$(unit_tests)):
	$(call say,LINK,$@)
	$(Q)$(link_test) $(filter %.o,$^) $(filter %.a,$^) $(library_libs) $(test_libs) -o $@

$(BUILD)/tests/test_columns: $(addprefix $(BUILD)/cli/output/,cells.o results.o terminal.o)
$(BUILD)/tests/test_options: $(addprefix $(BUILD)/cli/,options/numbers.o options/options.o options/parse.o options/read.o \
    output/errors.o output/escape.o output/file_output.o output/terminal.o)
# Reads back what was exported with another parser.
$(BUILD)/tests/test_trace_export: private library_libs += $(program_libs)

# These tests make every allocation fail in turn (tests/unit/failing_memory.h).
failing_memory_tests := $(patsubst %,$(BUILD)/tests/test_%,clusters data_memory data_remove fit_memory fit_slowdown_memory import_memory model_memory \
    recording_memory scenario_memory simulation_memory topology_memory validation validation_freeze)
$(failing_memory_tests): private LDFLAGS += -Wl,--wrap=malloc,--wrap=calloc,--wrap=realloc,--wrap=strdup
# This one counts what is not freed.
$(BUILD)/tests/test_calibration_memory: private LDFLAGS += -Wl,--wrap=malloc,--wrap=calloc,--wrap=realloc,--wrap=free

# ---- testing

# Reports name files and lines; what a debugger needs beside them takes a tenth of the compiler's time.
sanitize := $(MAKE) --no-print-directory CC=clang SANITIZE=1 CFLAGS='-O1 -gline-tables-only' BUILD=$(BUILD)/sanitize
unit-tests: $(unit_tests)

check: setup ## everything that has to pass: gcc, clang, sanitizers, the command line, the installed library
	@tests/check.sh $(MAKE) $(parallel)

check-unit: $(unit_tests) ## unit, golden and property tests
	@CLUMP_TEST_DIR=tests CLUMP_SCENARIO_DIR=scenarios tests/run-unit.sh $(unit_tests)

# Of the product alone: its unit tests, its scripts, and the documents that ask it only.
product_documents := $(filter-out docs/calibration.md docs/recording.md docs/reproductions.md,$(wildcard *.md docs/*.md)) \
    $(filter-out $(component_pages),$(wildcard docs/man/*.1 docs/man/*.5))
check-product: product $(product_tests) ## what has to pass of the product, which knows no other component
	@CLUMP_TEST_DIR=tests CLUMP_SCENARIO_DIR=scenarios tests/run-unit.sh $(product_tests)
	@CLUMPMODEL_SCENARIOS=scenarios CLUMP_TEST_PRODUCT=1 tests/cli/run.sh $(BUILD)/clumpmodel
	@CLUMPMODEL_SCENARIOS=scenarios tests/docs/run.sh $(BUILD)/clumpmodel $(product_documents)

check-cli: $(programs) $(helpers) ## the program as a user meets it
	@CLUMPMODEL_SCENARIOS=scenarios tests/cli/run.sh $(BUILD)/clumpmodel

check-docs: $(programs) ## every command that the documents show
	@CLUMPMODEL_SCENARIOS=scenarios tests/docs/run.sh $(BUILD)/clumpmodel

lsan := LSAN_OPTIONS=suppressions=$(CURDIR)/tests/lsan.supp:print_suppressions=0
# A unit test runs once in `make check`: with sanitizers, or as it is if it takes its time by measuring or comparing and has little
# memory of its own to spoil. check-long runs all of them both ways.
measuring_tests := $(patsubst %,$(BUILD)/tests/test_%,calibration_polling calibration_service calibration_shm \
    calibration_virtual inputs least_nics lossy_scenario lossy_virtual message_machines message_queues model_error \
    protocol_flood protocol_kill protocol_stress stream_rates transient validation)
measuring-tests: $(measuring_tests)

build-sanitize:
	+@$(sanitize) $(parallel) build-again

check-sanitize: ## the same with clang, address and undefined behaviour sanitizers
	@$(MAKE) --no-print-directory check-sanitize-unit
	@$(MAKE) --no-print-directory check-sanitize-cli

check-sanitize-unit: build-sanitize
	+@$(lsan) CLUMP_TEST_LABEL='unit, sanitizers' $(sanitize) check-unit-again

check-sanitize-cli: build-sanitize
	+@$(lsan) CLUMP_TEST_LABEL='cli, sanitizers' CLUMP_TEST_AGAIN=1 $(sanitize) check-cli

tests_again := $(filter-out $(measuring_tests),$(unit_tests))
# Fuzzers only run when somebody asks for them, and are compiled here: what they call may change.
fuzz_objects := $(patsubst %.c,$(BUILD)/%.o,$(wildcard tests/fuzz/fuzz_*.c))
build-again: $(programs) $(helpers) $(tests_again) $(fuzz_objects)

check-unit-measuring: $(measuring_tests)
	@CLUMP_TEST_DIR=tests CLUMP_SCENARIO_DIR=scenarios tests/run-unit.sh $(measuring_tests)

check-unit-again: $(tests_again)
	@CLUMP_TEST_DIR=tests CLUMP_SCENARIO_DIR=scenarios tests/run-unit.sh $(tests_again)

check-sanitize-all: build-sanitize ## with sanitizers, all of it
	+@$(lsan) $(sanitize) check-unit
	+@$(lsan) $(sanitize) check-cli

check-install: all ## the installed library, used by a small program of somebody else
	@tests/install/run.sh $(BUILD)/install-test

check-deb: ## the Debian packages: built, looked at by lintian, and used
	@jobs=$(jobs) tests/install/deb.sh $(BUILD)/deb-test

check-database: build-sanitize ## every column of a database is set to what nobody writes, with sanitizers
	@$(lsan) tests/fuzz/database_cells.sh $(BUILD)/sanitize/clumpmodel

FUZZ_SECONDS ?= 60
fuzz: ## fuzz every entrance, FUZZ_SECONDS=60 each
	@$(MAKE) --no-print-directory CC=clang SANITIZE=1 FUZZ=1 CFLAGS='-O1 -g' BUILD=$(BUILD)/fuzzing fuzz-run

fuzz_programs := $(patsubst tests/fuzz/%.c,$(BUILD)/fuzz/%,$(wildcard tests/fuzz/fuzz_*.c))

fuzz-run: $(fuzz_programs)
	@tests/fuzz/run.sh $(BUILD) $(FUZZ_SECONDS)

$(BUILD)/fuzz/%: $(BUILD)/tests/fuzz/%.o $(archives)
	$(call say,LINK,$@)
	$(Q)$(link) -fsanitize=fuzzer $^ $(library_libs) -o $@

long_checks := check check-unit check-deb check-sanitize-all check-solver check-properties check-collectives check-fits check-memory check-protocols check-program-threads check-reproductions check-lossy check-applications check-clump-programs check-mpi check-page check-namespaces check-soak check-database fuzz
LONG_MINUTES ?= 120
check-long: ## each at most LONG_MINUTES=120, and all of them whatever becomes of one: check, made-up measurements, kills at every instruction, ten minutes of kills and loss, the page in a browser, and fuzzing
	@tests/check-long.sh $(MAKE) $(LONG_MINUTES) $(long_checks)

check-fits: $(filter $(BUILD)/tests/test_fit%,$(unit_tests)) ## fits of many made-up measurements: do intervals cover?
	@CLUMP_TEST_LONG=1 CLUMP_TEST_DIR=tests CLUMP_SCENARIO_DIR=scenarios tests/run-unit.sh $^

check-properties: $(BUILD)/tests/test_properties $(programs) ## what holds whatever the question: random nodes and programs through every entrance
	@CLUMP_TEST_LONG=1 CLUMP_SCENARIO_DIR=scenarios tests/run-unit.sh $<
	@CLUMP_TEST_LONG=1 tests/cli/run.sh $(BUILD)/clumpmodel test_properties

check-solver: $(BUILD)/tests/test_own_solver ## 150,000 random nodes against a solver of our own: all subsets, event by event, linear programmes
	@CLUMP_TEST_LONG=1 tests/run-unit.sh $<

collective-errors: $(BUILD)/tests/test_collective_time ## the table of MODEL.md 33: closed forms of collectives against their simulation
	@CLUMP_TEST_LONG=1 CLUMP_TEST_TABLE=1 $< 2> /dev/null | grep '^|'

check-collectives: $(BUILD)/tests/test_collective_time ## closed forms of collectives against their simulation, 2 to 33 ranks, all nodes of 1 to 4
	@CLUMP_TEST_LONG=1 tests/run-unit.sh $<

check-kills: $(programs) ## kill -9 at every system call of import, explore --shard and --merge that can change a file
	@CLUMP_TEST_LONG=1 CLUMPMODEL_SCENARIOS=scenarios tests/cli/run.sh $< kills

long_checks += check-kills
.PHONY: check-kills

memory_tests = $(patsubst $(BUILD)/%,$(BUILD)/sanitize/%,$(filter %memory %/test_data_files,$(unit_tests)))
check-memory: ## every allocation of every scenario, store and fit fails once, and files are damaged, with sanitizers
	+@$(sanitize) $(parallel) $(memory_tests)
	@CLUMP_TEST_LONG=1 CLUMP_TEST_DIR=tests CLUMP_SCENARIO_DIR=scenarios tests/run-unit.sh $(memory_tests)

check-page: $(programs) ## the page of --html: its engine built again, and used in Chromium
	@.ci/packages page
	@CLUMPMODEL_SCENARIOS=scenarios tests/page/run.sh $(BUILD)/clumpmodel $(BUILD)/page

web-engine: ## build web/engine.wasm anew from model/, which every page carries
	@.ci/packages page
	@web/build.sh web/engine.wasm && web/build.sh sum > web/engine.sum && ls -l web/engine.wasm

model-error: $(programs) ## model/model_error_table.h anew from what validate finds; the tables of errors in documents must say the same
	@fitting/validation/model_error.sh $< > $(BUILD)/model_error_table.h
	@clang-format $(BUILD)/model_error_table.h > model/model_error_table.h && cat model/model_error_table.h
	@sh fitting/clusters/shipped_errors.sh $< > $(BUILD)/shipped_errors.h
	@clang-format $(BUILD)/shipped_errors.h > fitting/clusters/shipped_errors.h && cat fitting/clusters/shipped_errors.h
	@for page in docs/clusters.md docs/validation.md README.md; do tests/docs/run.sh $(BUILD)/clumpmodel $$page || exit 1; done

LOGS ?= ../shared/clusters
cluster-facts: $(programs) ## compare docs/clusters/ with the raw logs below LOGS, as the importers read them; WRITE=--write: write it anew
	@docs/clusters/facts.sh $(BUILD)/clumpmodel $(LOGS) $(WRITE)

figures: $(programs) ## draw the figures of the documents anew (needs gnuplot)
	@CLUMPMODEL_SCENARIOS=scenarios docs/figures/draw.sh $(BUILD)/clumpmodel

bench_programs := $(patsubst tests/bench/bench_%.c,$(BUILD)/bench-%,$(filter-out %/bench_messages.c,$(wildcard tests/bench/bench_*.c)))
bench: all $(bench_programs) bench-store bench-messages bench-record ## speed of everything, against the goals and beside peers
# Nothing is compiled while something is measured.
bench-store: all $(bench_programs) $(BUILD)/bench-messages
	@for program in $(bench_programs); do $$program && echo || exit 1; done
	@tests/bench/store.sh $(abspath $(BUILD)/clumpmodel)
	@tests/bench/explore.sh $(abspath $(BUILD)/clumpmodel)

$(BUILD)/bench-%: $(BUILD)/tests/bench/bench_%.o $(archives)
	$(Q)$(link) $^ $(library_libs) -o $@

# ---- installing

root := $(DESTDIR)$(PREFIX)
libraries := $(DESTDIR)$(LIBDIR)
headers := $(root)/include/clumpmodel
# Where each shell looks for completions.
bash_completion := $(root)/share/bash-completion/completions/clumpmodel
zsh_completion := $(root)/share/zsh/site-functions/_clumpmodel
fish_completion := $(root)/share/fish/vendor_completions.d/clumpmodel.fish
man_page = $(root)/share/man/man$(subst .,,$(suffix $(1)))/$(notdir $(1))
# Which folders were made here, so that uninstall removes no other.
folder_list := $(root)/share/clumpmodel/folders
mpi_bench_folder := $(root)/share/clumpmodel/mpi-bench
install_folders := $(root)/bin $(libraries)/pkgconfig $(libraries)/clumpmodel $(root)/include $(DESTDIR)$(scenario_dir) $(mpi_bench_folder) \
    $(sort $(dir $(bash_completion) $(zsh_completion) $(fish_completion) \
    $(foreach page,$(man_pages),$(call man_page,$(page)))))

install: all ## install below PREFIX (default /usr/local)
	@.ci/folders make $(folder_list) '$(DESTDIR)' $(install_folders) $(sort $(dir $(public_headers:%=$(headers)/%)))
	install -m 755 $(programs) $(root)/bin/
	install -m 644 $(static_libraries) $(libraries)/
	install -m 755 $(BUILD)/libclumpmodel.so.$(SOVERSION) $(libraries)/
	ln -sf libclumpmodel.so.$(SOVERSION) $(libraries)/libclumpmodel.so
	$(if $(filter %.so,$(helpers)),install -m 644 $(filter %.so,$(helpers)) $(libraries)/clumpmodel/)
	$(if $(filter-out %.so,$(helpers)),install -m 755 $(filter-out %.so,$(helpers)) $(libraries)/clumpmodel/)
	for h in $(public_headers); do install -m 644 $$h $(headers)/$$h || exit 1; done
	install -m 644 $(shipped_scenarios) $(DESTDIR)$(scenario_dir)/
	$(if $(mpi_bench_files),install -m 644 $(mpi_bench_files) $(mpi_bench_folder)/)
	$(foreach page,$(man_pages),install -m 644 $(page) $(call man_page,$(page)) &&) true
	$(BUILD)/clumpmodel completion bash > $(bash_completion)
	$(BUILD)/clumpmodel completion zsh > $(zsh_completion)
	$(BUILD)/clumpmodel completion fish > $(fish_completion)
	@.ci/loader installed $(VERSION) '$(DESTDIR)' $(PREFIX) $(LIBDIR)

uninstall: ## remove what install has put there, and the folders that it made and that are empty now
	rm -f $(patsubst $(BUILD)/%,$(root)/bin/%,$(programs)) $(libraries)/libclumpmodel.* $(libraries)/libclumpprotocols.a $(libraries)/clumpmodel/libclumpdilate.so
	rm -f $(libraries)/pkgconfig/clumpmodel.pc $(libraries)/pkgconfig/clumpmodel-static.pc
	rm -f $(libraries)/clumpmodel/libclumprecord-*.so $(libraries)/clumpmodel/clumpmodel-otf2
	rm -rf $(headers) $(DESTDIR)$(scenario_dir) $(mpi_bench_folder)
	rm -f $(bash_completion) $(zsh_completion) $(fish_completion) $(foreach page,$(man_pages),$(call man_page,$(page)))
	@.ci/folders remove $(folder_list) '$(DESTDIR)' $(install_folders)
	@.ci/loader removed $(VERSION) '$(DESTDIR)' $(PREFIX) $(LIBDIR)

deb: ## build Debian packages of program, library and development files, in build/deb
	@.ci/packages deb
	@jobs=$(jobs) .ci/deb $(BUILD)/deb

format: ## apply clang-format to all C files
	clang-format -i $(wildcard *.h $(addsuffix /*.[ch],$(library_rooms) $(program_rooms) $(component_rooms) tests/* tests/unit/*))

clean: ## remove what was built
	rm -rf $(BUILD)

help: ## this list
	@sed -n 's/^\([a-z-]*\):.*## \(.*\)/  \1\t\2/p' $(MAKEFILE_LIST) | expand -t 18

-include $(shell find $(BUILD) -name '*.d' 2>/dev/null)
