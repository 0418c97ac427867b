/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Options by table: what becomes of the words of a command line, and what is said about wrong ones. */
#include "tests/unit/unit.h"

#include "cli/options/parse.h"
#include "cli/options/read.h"
#include "cli/output/errors.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum colour { RED, GREEN, BLUE };

typedef struct inner {
    double real;
    bool flag;
} inner;

typedef struct settings {
    inner inner;
    double share;
    option_reals reals;
    option_wholes wholes;
    option_texts texts;
    const char *text, *word, *output;
    uint64_t bytes;
    int whole;
    int64_t wide;
    bool second;
    enum colour colour;
    unsigned custom;
} settings;

static int count_letters(command_line *line, const option_entry *option, const char *text,
                         void *field)
{
    *(unsigned *)field += (unsigned)strlen(text);
    return *text != '!' ? EXIT_DONE : option_wrong(line, option->name, text, "no sign");
}

static const option_entry inner_options[] = {
    {.name = "real",
     .argument = "X",
     .help = "from 1 on",
     OPTION_OF(inner, real),
     .least = 1,
     .most = 10,
     .above = true},
    {.name = "flag", .letter = 'f', .help = "a flag", OPTION_OF(inner, flag)},
    {0},
};

static const option_entry own_options[] = {
    {.name = "share",
     .argument = "SHARE",
     .help = "(default: {})",
     OPTION_AS(SHARE, settings, share),
     .preset = "5%",
     .most = 1,
     .expected = "0 to 100%"},
    {.name = "reals",
     .help = "a list",
     OPTION_OF(settings, reals),
     .most = 1,
     .expected = "numbers from 0 to 1"},
    {.name = "wholes", .help = "a list", OPTION_OF(settings, wholes), .to = 9},
    {.name = "texts",
     .letter = 't',
     .argument = "TEXT",
     .help = "texts",
     .repeated = true,
     OPTION_OF(settings, texts)},
    {.name = "text",
     .argument = "TEXT",
     .help = "a text",
     OPTION_OF(settings, text),
     .preset = "nothing"},
    {.name = "word", .argument = "this|that", .help = "a word", OPTION_AS(WORD, settings, word)},
    {.name = "output",
     .help = "a file",
     OPTION_AS(OUTPUT, settings, output),
     .expected = "the name of a file"},
    {.name = "bytes",
     .argument = "SIZE",
     .help = "of memory",
     OPTION_AS(BYTES, settings, bytes),
     .to = 1 << 20},
    {.name = "whole",
     .argument = "N",
     .help = "a number",
     OPTION_OF(settings, whole),
     .from = 2,
     .to = 7},
    {.name = "wide", .argument = "N", .help = "any number", OPTION_OF(settings, wide)},
    {.name = "second",
     .argument = "first|second",
     .help = "one of two",
     OPTION_AS(CHOICE, settings, second)},
    {.name = "colour",
     .argument = "red|green|blue",
     .help = "one of three",
     OPTION_AS(CHOICE, settings, colour),
     .preset = "green"},
    {.name = "custom",
     .argument = "TEXT",
     .help = "how many letters",
     .repeated = true,
     OPTION_READ(count_letters, settings, custom)},
    {0},
};

static const option_table tables[] = {
    {inner_options, offsetof(settings, inner)}, {own_options, 0}, {0}};

/* ---- */

static command_line line;
static settings found;
static char said[1000];

/* Read "words with blanks between", keep what is said on stderr. */
static int read_words(const char *words)
{
    char copy[400], *argv[40] = {"command"};
    command_line shared = {.tables = NULL};
    int argc = 1, end;
    FILE *file = tmpfile();
    const int before = dup(STDERR_FILENO);
    static char kept[400];
    assert_non_null(file);
    snprintf(copy, sizeof copy, "%s", words);
    memcpy(kept, copy, sizeof kept); /* values point into it */
    for (char *word = strtok(kept, " "); word != NULL; word = strtok(NULL, " "))
        argv[argc++] = word;
    fflush(stderr);
    dup2(fileno(file), STDERR_FILENO);
    command_line_free(&line);
    line = (command_line){.command = "command", .tables = tables};
    found = (settings){.wide = -1};
    int status = options_parse(&(option_parser){&line, &shared, false}, argc, argv, &end);
    if (status == EXIT_DONE)
        status = options_read(&line, &found);
    fflush(stderr);
    dup2(before, STDERR_FILENO);
    close(before);
    rewind(file);
    said[fread(said, 1, sizeof said - 1, file)] = '\0';
    fclose(file);
    command_line_free(&shared);
    return status;
}

static void assert_refused(const char *words, const char *message)
{
    assert_int_equal(read_words(words), EXIT_INPUT);
    if (strstr(said, message) == NULL)
        fail_msg("%s: found '%s', expected '%s'", words, said, message);
}

TEST(test_presets)
{
    assert_int_equal(read_words(""), EXIT_DONE);
    assert_true(found.share > 0.0499 && found.share < 0.0501);
    assert_string_equal(found.text, "nothing");
    assert_int_equal(found.colour, GREEN);
    assert_int_equal(found.wide, -1);
    assert_false(found.inner.flag);
    assert_null(found.word);
    assert_int_equal(found.texts.count, 0);
    assert_false(option_is_given(&line, "share"));
}

TEST(test_values)
{
    assert_int_equal(read_words("-f --real 1.5 --share 0.25 --reals 0,0.5,1 --wholes 3,9 -t a -t b "
                                "--word that --bytes 4k --whole 7 --wide 123456789012 --second "
                                "second --colour blue --custom xyz --custom yz operand"),
                     EXIT_DONE);
    assert_true(found.inner.flag);
    assert_true(found.inner.real > 1.49 && found.inner.real < 1.51);
    assert_true(found.share > 0.249 && found.share < 0.251);
    assert_int_equal(found.reals.count, 3);
    assert_true(found.reals.values[1] > 0.49 && found.reals.values[1] < 0.51);
    assert_int_equal(found.wholes.count, 2);
    assert_int_equal(found.wholes.values[1], 9);
    assert_int_equal(found.texts.count, 2);
    assert_string_equal(found.texts.items[1], "b");
    assert_string_equal(found.word, "that");
    assert_int_equal(found.bytes, 4096);
    assert_int_equal(found.whole, 7);
    assert_int_equal(found.wide, 123456789012);
    assert_true(found.second);
    assert_int_equal(found.colour, BLUE);
    assert_int_equal(found.custom, 5);
    assert_int_equal(line.operand_count, 1);
    assert_string_equal(option_text(&line, "whole"), "7");
    assert_string_equal(option_any_given(&line, inner_options)->name, "real");
}

TEST(test_refusals)
{
    assert_refused("--real 1", "--real: found '1', expected a number from 1 to 10\n");
    assert_refused("--real 1x", "--real: found '1x', expected a number from 1 to 10\n");
    assert_refused("--share 101%", "--share: found '101%', expected 0 to 100%\n");
    assert_refused("--reals 0,50", "--reals: found '0,50', expected numbers from 0 to 1; a decimal "
                                   "point, not a comma: 0.50\n");
    assert_refused("--reals 1,48",
                   "--reals: found '48', expected numbers from 0 to 1; 48% is 0.48");
    assert_refused("--reals 1,148%", "--reals: found '148%', expected numbers from 0 to 1\n");
    assert_refused("--real 2%", "--real: found '2%', expected a number from 1 to 10\n");
    assert_refused("--reals 1,%", "--reals: found '%', expected numbers from 0 to 1\n");
    assert_refused("--reals 0:1:-0.1", "expected numbers from 0 to 1; a range FIRST:LAST or ");
    assert_refused("--reals 0:1:1e-300", "--reals: found more than 10000000 numbers");
    assert_refused("--wholes 3:1", "--wholes: found '3:1', expected a range FIRST:LAST or ");
    assert_refused("--wholes 1:3:0", "--wholes: found '1:3:0', expected a range FIRST:LAST or ");
    assert_refused("--wholes 1:3:1:1",
                   "--wholes: found '1:3:1:1', expected a range FIRST:LAST or ");
    assert_refused("--wholes 3:12", "--wholes: found '12', expected a whole number from 0 to 9\n");
    assert_refused("--wholes 1,,2", "--wholes: found '', expected a whole number from 0 to 9\n");
    assert_refused("--wholes 1,10", "--wholes: found '10', expected a whole number from 0 to 9\n");
    assert_refused("--word thad", "--word: found 'thad', expected this or that; did you mean ");
    assert_refused("--colour pink", "--colour: found 'pink', expected red, green or blue\n");
    assert_refused("--output -", "--output: found '-', expected the name of a file\n");
    assert_refused("--output . .", "expected another file than the one to be read\n");
    assert_refused("--bytes 2M",
                   "--bytes: found '2M', expected a whole number from 0 to 1048576\n");
    assert_refused("--whole 8", "--whole: found '8', expected a whole number from 2 to 7\n");
    assert_refused("--wide -1", "--wide: found '-1', expected a whole number\n");
    assert_refused("--custom a --custom !", "--custom: found '!', expected no sign\n");
}

/* Ranges and percentages. */
TEST(test_lists)
{
    static const double tenths[] = {0.48, 0.1, 0.2, 0.3, 1, 0.5};
    static const size_t wholes[] = {1, 2, 3, 4, 9, 2, 4, 6};
    assert_int_equal(read_words("--reals 48%,0.1:0.3:0.1,100%,5e1% --wholes 1:4,9,2:7:2"),
                     EXIT_DONE);
    assert_int_equal(found.reals.count, 6);
    for (size_t i = 0; i < 6; i++) /* the very same doubles */
        assert_true(!(found.reals.values[i] < tenths[i]) && !(found.reals.values[i] > tenths[i]));
    assert_int_equal(found.wholes.count, 8);
    for (size_t i = 0; i < 8; i++)
        assert_int_equal(found.wholes.values[i], wholes[i]);
    assert_int_equal(read_words("--reals 10%:30%:10%"), EXIT_DONE);
    assert_int_equal(found.reals.count, 3);
    assert_true(!(found.reals.values[2] < 0.3) && !(found.reals.values[2] > 0.3));
}

static char list_path[] = "/tmp/test_options_XXXXXX";

static void write_list(const char *bytes, size_t size)
{
    FILE *file = fopen(list_path, "wb");
    assert_non_null(file);
    assert_int_equal(fwrite(bytes, 1, size, file), size);
    assert_int_equal(fclose(file), 0);
}

#define WRITE_LIST(bytes) write_list(bytes, sizeof(bytes) - 1)

TEST(test_files)
{
    char words[80], expected[200];
    const int made = mkstemp(list_path);
    assert_true(made >= 0);
    close(made);
    snprintf(words, sizeof words, "--reals @%s --wholes @%s", list_path, list_path);
    WRITE_LIST("\xEF\xBB\xBF# both\n1, 0\t1\r\n\n,0:1 # and 7\n1#7");
    assert_int_equal(read_words(words), EXIT_DONE);
    assert_int_equal(found.reals.count, 6);
    assert_int_equal(found.wholes.count, 6);
    assert_int_equal(found.wholes.values[3], 0);
    assert_int_equal(found.wholes.values[5], 1);
    WRITE_LIST("0.5 # half\n\n25% 1.5\n");
    snprintf(words, sizeof words, "--reals @%s", list_path);
    snprintf(expected, sizeof expected,
             "--reals: %s:3: found '1.5', expected numbers from 0 to 1\n", list_path);
    assert_refused(words, expected);
    WRITE_LIST("0.5\n0\0001\n");
    snprintf(expected, sizeof expected, "--reals: %s:2: found '0', expected numbers", list_path);
    assert_refused(words, expected);
    WRITE_LIST("\n# nothing\n");
    snprintf(expected, sizeof expected, "--reals: %s: found no number", list_path);
    assert_refused(words, expected);
    char large[400];
    memset(large, '0', sizeof large); /* 400 digits that begin like a number */
    write_list(large, sizeof large);
    snprintf(expected, sizeof expected, "--reals: %s:1: found '000", list_path);
    assert_refused(words, expected);
    remove(list_path);
    assert_refused(words, "No such file or directory, expected a file with numbers\n");
    assert_refused("--reals @/", "--reals: /: is a directory, expected a file with numbers\n");
    assert_refused("--reals @", "--reals: found '@', expected the name of a file after it\n");
    assert_refused("--reals @/dev/zero", "--reals: /dev/zero: larger than 64 MiB, expected");
}

TEST(test_parsing)
{
    assert_refused("--whole 3 --whole 4", "--whole: found twice, expected once at most\n");
    assert_refused("--whole", "--whole: found nothing after it, expected N\n");
    assert_refused("--flag=1", "--flag: found a value, expected none\n");
    assert_refused("--w 1", "option '--w' can mean ");
    assert_refused("-x", "unknown option '-x'\n");
    assert_int_equal(read_words("-- --whole"), EXIT_DONE);
    assert_string_equal(line.operands[0], "--whole");
}

TEST(test_help)
{
    char text[OPTION_HELP_SIZE];
    assert_string_equal(option_help(&own_options[0], text), "(default: 5%)");
    assert_string_equal(option_help(&inner_options[1], text), "a flag");
}

int main(void)
{
    const int failed = unit_run(NULL, NULL);
    command_line_free(&line);
    return failed;
}
