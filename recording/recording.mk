# SPDX-License-Identifier: GPL-3.0-or-later
# MPI programs in: `clumpmodel record` and `emulate`, on the namespaces of protocols/emulation/, and what is preloaded into programs.
# What reads OTF2 archives is a program of its own, where its library is.
otf2_reader := $(wildcard recording/otf2/*.c)
otf2_programs := $(if $(call there,$(PKG_CONFIG) --exists otf2),$(BUILD)/clumpmodel-otf2)
recording_rooms := recording recording/emulation recording/otf2
component_rooms += $(recording_rooms) $(addprefix recording/,command preload programs inputs)
$(eval $(call archive,clumprecording,$(call objects_of,$(filter-out recording/otf2,$(recording_rooms)))))
archives := $(BUILD)/libclumprecording.a $(archives)

programs += $(BUILD)/clumpmodel-record
$(BUILD)/clumpmodel-record: $(call objects_of,recording/command) $(BUILD)/libclumpcli.a $(archives)
pages += $(filter docs/man/clumpmodel-record% docs/man/clumpmodel-emulate%,$(component_pages))

# What is preloaded into MPI programs, for each MPI library whose compiler is here. It runs inside of other people's programs: no
# OpenMP, no sanitizer; what it needs of MPI it finds there, and where there is none (a shell that inherits LD_PRELOAD) nothing.
MPICC_openmpi ?= mpicc.openmpi
MPICC_mpich ?= mpicc.mpich
OBJCOPY ?= objcopy
mpi_libraries := $(foreach m,openmpi mpich,$(if $(call there,command -v $(MPICC_$(m)) && command -v $(OBJCOPY)),$(m)))
preloads := $(mpi_libraries:%=$(BUILD)/libclumprecord-%.so)
preload_sources := $(filter-out %/dilate.c,$(wildcard recording/preload/*.c)) $(patsubst %,recording/%.c,account account_pack call format open_table pack writer)
compile_preload = OMPI_CC="$(CC)" MPICH_CC="$(CC)" $(MPICC_$(1)) -std=c11 -D_POSIX_C_SOURCE=200809L -I. $(WARNINGS) -O2 -g1 \
    -fPIC -fvisibility=hidden -ftls-model=initial-exec -MMD -MP
helpers += $(preloads) $(otf2_programs) $(BUILD)/libclumpdilate.so

define preload_rules
$(BUILD)/preload-$(1)/%.o: %.c $(BUILD)/settings | $(missing_build)
	$$(call say,MPICC,$$@)
	$$(Q)$$(call compile_preload,$(1)) -c $$< -o $$@

$(BUILD)/preload-$(1)/c_entries.c: recording/preload/wrappers.awk recording/preload/calls.table
	@mkdir -p $$(@D)
	$$(Q)awk -f $$^ > $$@

$(BUILD)/preload-$(1)/fortran_entries.c: recording/preload/wrappers.awk recording/preload/calls.table
	@mkdir -p $$(@D)
	$$(Q)awk -v fortran=1 -f $$^ > $$@

# Hundreds of functions that pass on: what they tell is compiled with the rest.
$(BUILD)/preload-$(1)/c_entries.o $(BUILD)/preload-$(1)/fortran_entries.o: extra_flags = -O1

$(BUILD)/preload-$(1)/%entries.o: $(BUILD)/preload-$(1)/%entries.c $(BUILD)/settings | $(missing_build)
	$$(call say,MPICC,$$@)
	$$(Q)$$(call compile_preload,$(1)) $$(extra_flags) -c $$< -o $$@

$(BUILD)/libclumprecord-$(1).so: $(preload_sources:%.c=$(BUILD)/preload-$(1)/%.o) $(BUILD)/preload-$(1)/c_entries.o $(BUILD)/preload-$(1)/fortran_entries.o
	$$(call say,LINK,$$@)
	$$(Q)$(LD) -r -o $(BUILD)/preload-$(1)/all.o $$^
	$$(Q)$(OBJCOPY) --wildcard --weaken-symbol='PMPI_*' --weaken-symbol='PMPIX_*' --weaken-symbol='pmpi_*' --weaken-symbol='pmpix_*' --weaken-symbol='ompi*_*' \
	    --weaken-symbol='MPI_F*' --weaken-symbol='pmpir_*' $(BUILD)/preload-$(1)/all.o
	$$(Q)$(CC) -shared $(LDFLAGS) -Wl,-z,lazy -o $$@ $(BUILD)/preload-$(1)/all.o -pthread -lrt
endef
$(foreach m,$(mpi_libraries),$(eval $(call preload_rules,$(m))))

# Preloaded into MPI programs: no header of MPI, no library of ours, no sanitizer.
$(BUILD)/dilate_entries.c: recording/preload/dilate_calls.awk recording/preload/calls.table | $(missing_build)
	$(call say,AWK,$@)
	$(Q)awk -f $^ > $@.part && mv $@.part $@
compile_dilate = $(CC) -std=c11 -D_POSIX_C_SOURCE=200809L -I. $(WARNINGS) -g1 -fPIC -fvisibility=hidden
# A thousand functions that pass their arguments on: an optimizer takes three times as long, and gains nothing beside what a call costs.
$(BUILD)/dilate_entries.o: $(BUILD)/dilate_entries.c recording/preload/dilate_calls.h $(BUILD)/settings
	$(call say,CC,$@)
	$(Q)$(compile_dilate) -O0 -c $< -o $@
$(BUILD)/libclumpdilate.so: recording/preload/dilate.c $(BUILD)/dilate_entries.o recording/preload/dilate_calls.h recording/dilation.h $(BUILD)/settings | $(missing_build)
	$(call say,LINK,$@)
	$(Q)$(compile_dilate) -O1 -shared $(filter %.c %.o,$^) -ldl -o $@

$(BUILD)/recording/otf2/%.o: extra_flags = $(shell $(PKG_CONFIG) --cflags otf2 2>/dev/null)
$(BUILD)/clumpmodel-otf2: $(otf2_reader:%.c=$(BUILD)/%.o) $(BUILD)/libclumprecording.a $(BUILD)/libclumpmodel.a
	$(call say,LINK,$@)
	$(Q)$(link) $^ $(shell $(PKG_CONFIG) --libs otf2) $(library_libs) -o $@

# ---- testing

check-mpi: $(programs) ## what needs MPI, with each library that is there and other numbers of ranks
	@CLUMP_TEST_LONG=1 CLUMPMODEL_SCENARIOS=scenarios tests/cli/run.sh $< mpi

PROGRAMS ?= halo allreduce
check-programs: $(programs) mpi-programs ## MPI programs predicted, simulated and emulated: PROGRAMS="halo allreduce", or =all for all of them with P=2,4,8 and N=1,2,4 (root or user namespaces, MPI)
	@tests/programs/run.sh $< $(BUILD)/programs $(BUILD)/check-programs $(PROGRAMS)

check-emulation: $(programs) $(BUILD)/libclumpdilate.so ## emulated MPI programs: rates, twice the dilation and none (root or user namespaces, Open MPI, MPICH; a quiet machine)
	@tests/emulation/run.sh $<
	@tests/emulation/mpi_bench.sh $<

bench-record: all bench-network ## what recording costs a call of MPI
	@tests/bench/record.sh $(abspath $(BUILD)/clumpmodel)

# Our MPI programs, once for each MPI library that is there.
mpi_programs := $(filter-out program,$(patsubst recording/programs/%.c,%,$(wildcard recording/programs/*.c)))
mpi_compilers := $(foreach mpi,openmpi mpich,$(if $(call there,command -v mpicc.$(mpi)),$(mpi)))
mpi-programs: $(foreach mpi,$(mpi_compilers),$(mpi_programs:%=$(BUILD)/programs/$(mpi)/%)) ## build recording/programs/ with Open MPI and MPICH, whichever are there
	$(if $(mpi_compilers),,@echo "No mpicc.openmpi or mpicc.mpich: install libopenmpi-dev or libmpich-dev" >&2; exit 1)

# Headers of MPICH have addresses such as 1, which gcc takes for an array of no size.
define mpi_rule
$$(BUILD)/programs/$(1)/%: recording/programs/%.c recording/programs/program.c recording/programs/program.h
	$$(call say,MPICC,$$@)
	$$(Q)mpicc.$(1) -std=c11 -I. -D_XOPEN_SOURCE=700 $$(WARNINGS) -Wno-stringop-overflow -O2 -g $$(filter %.c,$$^) -lm -o $$@
endef
$(foreach mpi,$(mpi_compilers),$(eval $(call mpi_rule,$(mpi))))
