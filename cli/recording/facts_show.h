/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef CLUMP_CLI_RECORDING_FACTS_SHOW_H
#define CLUMP_CLI_RECORDING_FACTS_SHOW_H

#include "cli/output/output.h"
#include "data/store/recorded_facts.h"

/** What the tables of a report are made of; facts must outlive it. */
typedef struct facts_report facts_report;

/** NULL without memory. */
facts_report *facts_report_new(const clump_facts *facts);
void facts_report_free(facts_report *report);

/** One screen for eyes: where the time goes, how ranks of a node meet in MPI, traffic, phases, what cannot be known. Returns the
 *  exit code. */
int facts_report_show(const facts_report *report);

/** The tables for JSON: times, collisions, traffic, phases, ranks, nodes, notes. */
enum { FACTS_SETS = 8 };
size_t facts_report_sets(const facts_report *report, const table_rows *sets[FACTS_SETS]);

/** All of it in any format; CSV has the times. Returns the exit code. */
int facts_report_print(const clump_facts *facts, output_format format, const char *command);

#endif
