/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef CLUMP_TESTS_UNIT_H
#define CLUMP_TESTS_UNIT_H

/* What every unit test is made of: cmocka with the headers that it asks for, and tests that list themselves. */

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

enum { UNIT_MOST_TESTS = 64 };
static struct CMUnitTest unit_tests[UNIT_MOST_TESTS];
static int unit_lines[UNIT_MOST_TESTS];
static size_t unit_count;

/* Lists a test, in the order of the file: compilers call constructors in any order. */
static inline void unit_add(struct CMUnitTest test, int line)
{
    size_t i = unit_count++;
    for (; i > 0 && unit_lines[i - 1] > line; i--) {
        unit_tests[i] = unit_tests[i - 1];
        unit_lines[i] = unit_lines[i - 1];
    }
    unit_tests[i] = test;
    unit_lines[i] = line;
}

/* TEST_WITH(name, before, after) { ... }: a test between two functions of cmocka's fixtures; either may be NULL. */
#define TEST_WITH(name, before, after)                                                             \
    static void name(void **unit_state);                                                           \
    __attribute__((constructor)) static void name##_is_a_test(void)                                \
    {                                                                                              \
        unit_add((struct CMUnitTest){#name, name, before, after, NULL}, __LINE__);                 \
    }                                                                                              \
    static void name(__attribute__((unused)) void **unit_state)

/* TEST(name) { ... }: a test. */
#define TEST(name) TEST_WITH(name, NULL, NULL)

/* Runs all tests of the file between `before` and `after`, which may be NULL. Returns how many failed. */
static inline int unit_run(CMFixtureFunction before, CMFixtureFunction after)
{
    return _cmocka_run_group_tests("tests", unit_tests, unit_count, before, after);
}

/* The program of a file that has nothing else to do. */
#define UNIT_MAIN(before, after)                                                                   \
    int main(void)                                                                                 \
    {                                                                                              \
        return unit_run(before, after);                                                            \
    }

#endif
