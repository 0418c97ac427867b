/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef CLUMP_CLI_COMPANIONS_H
#define CLUMP_CLI_COMPANIONS_H

/*
 * Commands that are not in this program: `clumpmodel NAME` becomes the program of the component that has it, with the same
 * command line. Its name and what help says of it stand here, for both sides.
 */

#define CALIBRATE_NAME "calibrate"
#define CALIBRATE_SUMMARY "Measure communication and store every sample"
#define CALIBRATE_OPERANDS "shm|udp|multi|memory|mpi|clump|virtual"
#define CALIBRATE_PROGRAM "clumpmodel-calibrate"

#define CALIBRATE_VIRTUAL_NAME "calibrate virtual"
#define CALIBRATE_VIRTUAL_SUMMARY                                                                  \
    "Run a communication protocol in virtual time on modelled hardware"
#define CALIBRATE_VIRTUAL_OPERANDS NULL
#define CALIBRATE_VIRTUAL_PROGRAM RUN_PROGRAM

#define RECORD_NAME "record"
#define RECORD_OPERANDS "[--] COMMAND..."
#define RECORD_SUMMARY "Run an MPI program and record its communication"
#define RECORD_PROGRAM "clumpmodel-record"

#define EMULATE_NAME "emulate"
#define EMULATE_OPERANDS "-- PROGRAM [ARGUMENT]..."
#define EMULATE_SUMMARY "Run an MPI program on an emulated Clump and on its NOW"
#define EMULATE_PROGRAM RECORD_PROGRAM

#define RUN_NAME "run"
#define RUN_SUMMARY "Run a program of the documents, live or in virtual time"
#define RUN_OPERANDS "[PROGRAM]"
#define RUN_PROGRAM "clumpmodel-run"

/** The entry in a table of commands of a program that has not got the command itself. */
#define COMPANION_ENTRY(WHICH)                                                                     \
    {                                                                                              \
        .name = WHICH##_NAME, .operands = WHICH##_OPERANDS, .summary = WHICH##_SUMMARY,            \
        .companion = WHICH##_PROGRAM                                                               \
    }

#endif
