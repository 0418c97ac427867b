/* SPDX-License-Identifier: GPL-3.0-or-later */
/**
 * What an operation of each program's computation costs on the document's processors (UltraSPARC,
 * 167 MHz), in microseconds. These are the only numbers of the programs that are taken from measured
 * times, one number a program, from one run each, on the NOW of 8 workstations (table 7.7, last
 * column): with it the run takes as long as there. All other times are predicted.
 *
 *   clumpmodel run PROGRAM --virtual ultra170-now-8 --fit document
 *
 * finds them again, and tests/cli/reproductions/test_run.sh compares. CON's is that of its run bound by
 * computation, EM3D's that of its layout for 8 processors.
 */
#ifndef CLUMP_REPRODUCTIONS_APPLICATIONS_COSTS_H
#define CLUMP_REPRODUCTIONS_APPLICATIONS_COSTS_H

/* The second number of each is that of runs in which cache misses have a cost of their own, found in
 * the same way with --memory. */
#define CLUMP_PRICE_PLATFORM "ultra170-now-8"

#define CLUMP_PRICE_SAMPLE_US 0.06649
#define CLUMP_PRICE_SAMPLE_BESIDE_MEMORY_US 0.0556
#define CLUMP_PRICE_EM3D_US 0.3877
#define CLUMP_PRICE_EM3D_BESIDE_MEMORY_US 0.3218
#define CLUMP_PRICE_CON_US 0.3028
#define CLUMP_PRICE_CON_BESIDE_MEMORY_US 0.2700
#define CLUMP_PRICE_FFT_US 0.1566
#define CLUMP_PRICE_FFT_BESIDE_MEMORY_US 0.1247

#endif
