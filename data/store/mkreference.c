/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Build time only: mkreference OUT.db FILES... makes the reference database from CSV files. The same files give the same bytes. Links with all of data/ but reference_blob.c. */
#include "data/file.h"
#include "data/store/handle.h"
#include "data/store/reference.h"

#include <stdio.h>
#include <stdlib.h>

/* There is none yet. */
const unsigned char *clump_reference_image(size_t *size)
{
    *size = 0;
    return NULL;
}

static void print_error(const char *message, void *context)
{
    (void)context;
    fprintf(stderr, "%s\n", message);
}

static int read_file(const char *path, clump_reference_text *text)
{
    static const size_t largest = 1 << 24;
    char *bytes = NULL;
    size_t size = 0;
    if (clump_file_read(path, largest, &bytes, &size) != CLUMP_FILE_OK) {
        fprintf(stderr, "%s: cannot be read, or is larger than 16 MiB\n", path);
        return 1;
    }
    *text = (clump_reference_text){.name = path, .bytes = bytes, .size = size};
    return 0;
}

/* Under another name first: a build that is interrupted leaves no half database. */
static int write_image(const char *path, const unsigned char *bytes, size_t size)
{
    char temporary[4096];
    if (snprintf(temporary, sizeof temporary, "%s.tmp", path) >= (int)sizeof temporary)
        return 1;
    FILE *file = fopen(temporary, "wb");
    int failed = file == NULL;
    if (!failed) {
        failed = fwrite(bytes, 1, size, file) != size;
        failed |= fclose(file) != 0;
    }
    failed = failed || rename(temporary, path) != 0;
    if (failed)
        perror(path);
    return failed;
}

static int make(const char *path, const clump_reference_text *files, size_t count)
{
    clump_store *store = NULL;
    clump_store_status status = clump_store_open(NULL, CLUMP_STORE_WRITE, &store);
    if (status == CLUMP_STORE_OK)
        status = clump_reference_load(store, files, count, print_error, NULL);
    int failed = status != CLUMP_STORE_OK;
    if (failed) {
        fprintf(stderr, "%s\n", clump_store_message(store));
    } else {
        sqlite3_int64 size = 0;
        unsigned char *image = sqlite3_serialize(store->db, "main", &size, 0);
        failed = image == NULL || write_image(path, image, (size_t)size);
        sqlite3_free(image);
    }
    clump_store_close(store);
    return failed;
}

int main(int argc, char **argv)
{
    if (argc < 3) {
        fprintf(stderr, "usage: mkreference OUT.db FILES...\n");
        return 2;
    }
    const size_t count = (size_t)argc - 2;
    clump_reference_text *files = calloc(count, sizeof *files);
    int failed = files == NULL;
    for (size_t i = 0; i < count && !failed; i++)
        failed = read_file(argv[i + 2], &files[i]);
    if (!failed)
        failed = make(argv[1], files, count);
    for (size_t i = 0; files != NULL && i < count; i++)
        free((char *)(uintptr_t)files[i].bytes);
    free(files);
    return failed ? 1 : 0;
}
