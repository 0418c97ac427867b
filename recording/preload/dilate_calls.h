/* SPDX-License-Identifier: GPL-3.0-or-later */
/**
 * What each call of MPI does in a dilated program: dilate_calls.awk makes one for each that is recorded.
 */
#ifndef CLUMP_RECORDING_PRELOAD_DILATE_CALLS_H
#define CLUMP_RECORDING_PRELOAD_DILATE_CALLS_H

typedef void clump_any_function(void);

enum clump_dilate_kind {
    CLUMP_WAITS,  /**< it may wait for somebody */
    CLUMP_STARTS, /**< it starts something and comes back at once */
    CLUMP_LOOKS,  /**< it looks whether something came: programs call it over and over */
    CLUMP_OPENS,  /**< it opens MPI or a session: this and what closes it are not counted */
    CLUMP_CLOSES
};

/** What comes next, when the call of MPI has begun. @param next  keeps it */
clump_any_function *clump_dilate_enter(clump_any_function **next, const char *name,
                                       enum clump_dilate_kind kind);

/** When it ends. Passes its result on. */
long clump_dilate_leave(long result, enum clump_dilate_kind kind);

/* No function of MPI has more arguments, and all are integers and pointers: those that are too many
 * are whatever lies on the stack, and nobody looks at them. */
#define CLUMP_DILATE_PARAMETERS                                                                    \
    long a, long b, long c, long d, long e, long f, long g, long h, long i, long j, long k,        \
        long l, long m, long n, long o, long p
#define CLUMP_DILATE_ARGUMENTS a, b, c, d, e, f, g, h, i, j, k, l, m, n, o, p
typedef long clump_dilate_call(CLUMP_DILATE_PARAMETERS);

#define CLUMP_DILATE_PUBLIC __attribute__((visibility("default")))

#define CLUMP_PASS_ON(name, kind)                                                                  \
    long name(CLUMP_DILATE_PARAMETERS);                                                            \
    CLUMP_DILATE_PUBLIC long name(CLUMP_DILATE_PARAMETERS)                                         \
    {                                                                                              \
        static clump_any_function *next;                                                           \
        clump_dilate_call *call = (clump_dilate_call *)clump_dilate_enter(&next, #name, kind);     \
        return clump_dilate_leave(call(CLUMP_DILATE_ARGUMENTS), kind);                             \
    }

#endif
