/* SPDX-License-Identifier: GPL-3.0-or-later */

/* What a process owns: other processes end with it, temporary files go with it or after it. And budgets as texts. */

#include "data/budget.h"
#include "data/owned.h"
#include "tests/unit/unit.h"

#include "tests/unit/children.h"

#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

static char place[] = "/tmp/clump-owned-XXXXXX";

static int make_place(void **state)
{
    (void)state;
    return mkdtemp(place) != NULL ? 0 : -1;
}

static int remove_place(void **state)
{
    (void)state;
    return rmdir(place);
}

static bool is_there(const char *path)
{
    return access(path, F_OK) == 0;
}

/* Tells the test something about itself, and waits. */
static void tell_and_wait(int line, const char *text, size_t size)
{
    if (write(line, text, size) == (ssize_t)size)
        for (;;)
            pause();
    _exit(1);
}

TEST(children_end_with_their_parent)
{
    static const int ends[] = {SIGKILL, SIGTERM, SIGINT, SIGHUP, SIGALRM};
    for (size_t i = 0; i < sizeof ends / sizeof *ends; i++) {
        int line[2];
        pid_t grandchild = 0;
        assert_int_equal(pipe(line), 0);
        const pid_t child = fork_child();
        if (child == 0) {
            static const char *const words[] = {"sleep", "1000", NULL};
            const clump_child_plan plan = {.words = words, .signal = SIGTERM};
            const int wrong = clump_child_start(&plan, &grandchild);
            tell_and_wait(line[1], wrong == 0 ? (const char *)&grandchild : "", sizeof grandchild);
        }
        assert_int_equal(read(line[0], &grandchild, sizeof grandchild), sizeof grandchild);
        assert_int_equal(kill(grandchild, 0), 0);
        kill(child, ends[i]);
        assert_int_not_equal(clump_child_wait(child), 0);
        /* It has the other end of the pipe until it ends. */
        close(line[1]);
        char nothing;
        assert_int_equal(read(line[0], &nothing, 1), 0);
        close(line[0]);
    }
}

TEST(what_cannot_be_started)
{
    static const char *const words[] = {"/no/such/program", NULL};
    const clump_child_plan plan = {
        .words = words, .streams = {CLUMP_STREAM_NOWHERE, CLUMP_STREAM_KEPT, CLUMP_STREAM_KEPT}};
    clump_heard heard;
    pid_t child;
    assert_int_equal(clump_child_start(&plan, &child), ENOENT);
    assert_int_equal(clump_heard_start(&heard, &plan, 1), ENOENT);
    assert_int_equal(waitpid(-1, NULL, WNOHANG), -1); /* nobody is left */
}

/* However much it says, its beginning and its end. */
TEST(heard)
{
    for (int lines = 0; lines < 3000; lines = 3 * lines + 7) {
        char command[100], text[200];
        snprintf(command, sizeof command, "echo first; seq %d; echo last; exit 3", lines);
        const char *const words[] = {"/bin/sh", "-c", command, NULL};
        const clump_child_plan plan = {.words = words, .streams = {[2] = CLUMP_STREAM_NOWHERE}};
        clump_heard heard;
        assert_int_equal(clump_heard_start(&heard, &plan, 1), 0);
        clump_heard_all(&heard, text, sizeof text);
        assert_int_equal(WEXITSTATUS(clump_heard_end(&heard)), 3);
        const size_t length = strlen(text);
        assert_true(length < sizeof text);
        assert_memory_equal(text, "first\n", 6);
        assert_string_equal(text + length - 5, "last\n");
        assert_int_equal(strstr(text, "\n...\n") != NULL, lines > 60);
    }
}

/* A process that makes a folder with a file in it and a file beside, and then is killed. */
static void leave(int signal_number, char folder[PATH_MAX], char file[PATH_MAX])
{
    int line[2];
    char both[2 * PATH_MAX], beside[60];
    assert_int_equal(pipe(line), 0);
    const pid_t child = fork_child();
    if (child == 0) {
        char inside[PATH_MAX + 8];
        snprintf(beside, sizeof beside, "%s/", place);
        memset(both, 0, sizeof both);
        if (clump_temporary_folder(place, both) != 0 ||
            clump_temporary_file(beside, both + PATH_MAX, PATH_MAX) < 0)
            _exit(1);
        snprintf(inside, sizeof inside, "%.*s/rank", PATH_MAX - 1, both);
        close(open(inside, O_CREAT | O_WRONLY, 0600));
        tell_and_wait(line[1], both, sizeof both);
    }
    for (size_t got = 0; got < sizeof both;) {
        const ssize_t more = read(line[0], both + got, sizeof both - got);
        assert_true(more > 0);
        got += (size_t)more;
    }
    memcpy(folder, both, PATH_MAX);
    memcpy(file, both + PATH_MAX, PATH_MAX);
    close(line[0]);
    close(line[1]);
    kill(child, signal_number);
    clump_child_wait(child);
}

TEST(temporary_files_go)
{
    static const int ends[] = {SIGTERM, SIGINT, SIGHUP};
    char folder[PATH_MAX], file[PATH_MAX];
    for (size_t i = 0; i < sizeof ends / sizeof *ends; i++) {
        leave(ends[i], folder, file);
        assert_false(is_there(folder));
        assert_false(is_there(file));
    }
}

/* Those of the dead go when the next one is made; those of the living and what is not ours stay. */
TEST(remains_go_later)
{
    char folder[PATH_MAX], file[PATH_MAX], mine[PATH_MAX], second[PATH_MAX], other[PATH_MAX],
        beside[60];
    snprintf(beside, sizeof beside, "%s/", place);
    snprintf(other, sizeof other, "%s/.clumpmodel-tmp-file-of-somebody", place);
    close(open(other, O_CREAT | O_WRONLY, 0600));
    leave(SIGKILL, folder, file);
    assert_true(is_there(folder) && is_there(file));
    assert_int_equal(clump_temporary_folder(place, mine), 0);
    assert_false(is_there(folder));
    const int descriptor = clump_temporary_file(beside, second, sizeof second);
    assert_true(descriptor >= 0);
    assert_false(is_there(file));
    leave(SIGTERM, folder, file); /* who looked at ours, too */
    assert_true(is_there(mine) && is_there(second) && is_there(other));
    close(descriptor);
    leave(SIGTERM, folder, file); /* the lock stays until it is kept or removed */
    assert_true(is_there(second));
    clump_temporary_remove(mine);
    clump_temporary_remove(second);
    assert_false(is_there(mine) || is_there(second));
    unlink(other);
}

TEST(budgets_are_texts)
{
    srand(1);
    for (int i = 0; i < 1000; i++) {
        const clump_budget made = {.memory = (UINT64_C(1) << 20) + (uint64_t)rand(),
                                   .disk = (uint64_t)rand() << i % 20,
                                   .seconds = 1 + (uint64_t)rand() % 31536000,
                                   .ranks = 1 + (uint64_t)rand() % (1 << 24)};
        clump_budget again = {.memory = 0};
        char text[CLUMP_BUDGET_TEXT], message[CLUMP_BUDGET_MESSAGE];
        clump_budget_print(&made, text);
        assert_true(clump_budget_parse(text, &again, message));
        assert_memory_equal(&made, &again, sizeof made);
    }
    static const char *const wrong[] = {
        "",           "memory",           "memory=",
        "memory=1K",  "disk=1X",          "ranks=0",
        "ranks=17M",  "seconds=0",        "seconds=1,",
        ",seconds=1", "disk=-1",          "disk=1e3",
        "time=5",     "memory=99999999G", "seconds=31536001",
        "ranks=1 ",   "ranks= 1",         "disk=18446744073709551616"};
    for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++) {
        clump_budget usual = CLUMP_BUDGET_USUAL, kept = usual;
        char message[CLUMP_BUDGET_MESSAGE] = "";
        assert_false(clump_budget_parse(wrong[i], &kept, message));
        assert_memory_equal(&usual, &kept, sizeof usual);
        assert_non_null(strstr(message, "expected memory=BYTES"));
    }
    clump_budget some = CLUMP_BUDGET_USUAL;
    char message[CLUMP_BUDGET_MESSAGE];
    assert_true(clump_budget_parse("disk=3M,memory=2G", &some, message));
    assert_int_equal(some.disk, 3 << 20);
    assert_int_equal(some.memory, UINT64_C(2) << 30);
    assert_int_equal(some.seconds, 3600);
}

UNIT_MAIN(make_place, remove_place)
