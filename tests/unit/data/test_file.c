/* SPDX-License-Identifier: GPL-3.0-or-later */

/* Whole files: compressed ones are what was compressed, or are refused. */

#include "data/file.h"
#include "tests/unit/unit.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include <zlib.h>

static char path[] = "/tmp/clump-file-XXXXXX";

static int make_file(void **state)
{
    (void)state;
    return close(mkstemp(path));
}

static int remove_file(void **state)
{
    (void)state;
    return unlink(path);
}

/* "T" writes what is compressed already, or need not be. */
static void write_file(const char *mode, const void *bytes, size_t size)
{
    gzFile file = gzopen(path, mode);
    assert_non_null(file);
    assert_int_equal(gzwrite(file, bytes, (unsigned)size), (int)size);
    assert_int_equal(gzclose(file), Z_OK);
}

TEST(compressed_and_not)
{
    enum { MOST = 3 << 20 };
    static const size_t sizes[] = {1, 2, 3, 65535, 65536, 65537, (1 << 20) + 1, MOST};
    unsigned char *made = malloc(MOST);
    assert_non_null(made);
    for (size_t i = 0; i < MOST; i++)
        made[i] = (unsigned char)("GOAL 1,2\n"[i % 9] + (i * i >> 12) % 7);
    for (size_t i = 0; i < sizeof sizes / sizeof *sizes; i++)
        for (int compressed = 0; compressed < 2; compressed++) {
            char *bytes = NULL, begin[16];
            size_t size = 0;
            write_file(compressed ? "wb6" : "wbT", made, sizes[i]);
            assert_int_equal(clump_file_read(path, sizes[i], &bytes, &size), CLUMP_FILE_OK);
            assert_int_equal(size, sizes[i]);
            assert_memory_equal(bytes, made, size);
            assert_int_equal(bytes[size], '\0');
            free(bytes);
            assert_int_equal(clump_file_read(path, sizes[i] - 1, &bytes, &size),
                             CLUMP_FILE_TOO_LARGE);
            const size_t got = clump_file_begin(path, begin, sizeof begin);
            assert_int_equal(got, sizes[i] < sizeof begin ? sizes[i] : sizeof begin);
            assert_memory_equal(begin, made, got);
        }
    free(made);
}

/* Cut at any place, and with any bit of its data or checksum changed, it is not taken for whole. */
TEST(damaged)
{
    static const char text[] = "size,value,unit\n8,1,us\n16,1.25,us\n32,1.75,us\n";
    enum { HEADER = 10 };
    char *compressed = NULL, *bytes = NULL, words[CLUMP_FILE_WORDS];
    size_t length = 0, size = 0;
    write_file("wb9", text, sizeof text - 1);
    FILE *file = fopen(path, "rb");
    assert_non_null(file);
    assert_int_equal(clump_file_read_stream(file, 1000, &compressed, &length), CLUMP_FILE_OK);
    fclose(file);
    for (size_t cut = 2; cut < length; cut++) {
        write_file("wbT", compressed, cut);
        assert_int_equal(clump_file_read(path, 1000, &bytes, &size), CLUMP_FILE_DAMAGED);
    }
    for (size_t bit = HEADER * 8; bit < length * 8; bit++) {
        compressed[bit / 8] ^= (char)(1 << bit % 8);
        write_file("wbT", compressed, length);
        const clump_file_status status = clump_file_read(path, 1000, &bytes, &size);
        compressed[bit / 8] ^= (char)(1 << bit % 8);
        if (status == CLUMP_FILE_OK) { /* a bit that says nothing: of the last byte of data */
            assert_int_equal(size, sizeof text - 1);
            assert_memory_equal(bytes, text, size);
            free(bytes);
            continue;
        }
        assert_int_equal(status, CLUMP_FILE_DAMAGED);
        assert_non_null(strstr(clump_file_words(status, 1000, "a log", words), "damaged"));
    }
    free(compressed);
}

UNIT_MAIN(make_file, remove_file)
