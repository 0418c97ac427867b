/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * clumpmodel-mpi-bench: what messages and memory of a cluster's nodes cost, measured by one batch job.
 *
 *     mpicc -O2 clumpmodel-mpi-bench.c -o clumpmodel-mpi-bench
 *     srun --nodes=2 --ntasks-per-node=P ./clumpmodel-mpi-bench          or mpirun, see --help
 *     clumpmodel import auto clumpmodel-mpi-bench.txt --platform NAME
 *     clumpmodel fit loggp --platform NAME --transport network
 *
 * It needs MPI 3 and nothing else. Messages go between the first two nodes that it finds, and inside the
 * first one. Other ranks sleep.
 *
 * What a row of its file is of:
 *   round-trip  half the time from sending a message until one of the same size is back, us
 *   send        time of MPI_Send of a message while no other is under way, us: o_s of its size
 *   receive     time of MPI_Recv of a message that has had time to arrive, us: o_r of its size
 *   one-way     MB/s (10^6 bytes) of all pairs together: each sender has up to `window` messages under way; when
 *               half of them are answered, by one short message, it sends as many more
 *   both-ways   both processes of each pair send each other `window` messages, and again when all have arrived; both
 *               directions added up
 *   copy, triad MB/s that processes stream through memory of their own, a = b and a = b + s c, added up
 * `where` is between two nodes or inside one. With `blocked` placement the first ranks of each node take
 * part (those of one socket, where ranks are bound to sockets; inside, pairs are neighbours), with `spread`
 * as many over the whole node (inside, pairs are half a node apart).
 *
 * The file (version 1) is text. Lines with '#' say what, where and when; '# round N' is followed by the
 * samples of that round, '# end' is its last line. What a killed job left behind can be used as far as it
 * goes. Columns:
 *   what where placement processes size window repeats value least switches probe
 * processes that take part, bytes of a message, messages under way (0: does not apply), repetitions that the
 * sample is the mean of, the value, the rate of the pair or process that got least, how often the system took
 * a processor away from one of the processes, and the us that a fixed computation took. '-': there is none.
 *
 * Method. A round measures everything once, so that a change of the machine's speed meets all alike and no
 * number depends on one moment. After eight rounds a point (a row's first six columns) is left out of
 * further ones when the 95% interval of the median of its samples is narrow enough; the interval follows from
 * the median distance of the samples from their median. Samples are doubtful, and in no median, where the
 * fixed computation took more than 1.5 times as long, or less than 1/1.5, than it usually does beside this
 * point, and, if three others of the point were not disturbed, where a processor was taken away. Outliers stay.
 * Rates of pairs are those of the time in which all of them send, from the moment at which the last has had a
 * quarter of its messages answered to that at which the first has only two half windows (or 1/16) to go.
 *   L, o_s and o_r: T. Kielmann, H. E. Bal, K. Verstoep: Fast Measurement of LogP Parameters for Message Passing
 *   Platforms, 2000; D. Culler, L. T. Liu, R. Martin, C. Yoshikawa: LogP Performance Assessment of Fast Network
 *   Interfaces, 1996. `clumpmodel fit loggp` finds them, and g and G, from the rows.
 */
#define _XOPEN_SOURCE 700
#include <errno.h>
#include <mpi.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <time.h>
#include <unistd.h>

enum {
    FORMAT = 1,
    RUNS = 200,       /* most samples of a point */
    LEAST_HALVES = 8, /* half windows of a sample */
    MARKS = 32,       /* moments at which a sender notes how far it is */
    WINDOW = 64,      /* most messages under way */
    SHORT = 32768,    /* largest size of which o_s and o_r are measured */
    DATA = 1,
    ANSWER = 2,
    UNDER_WAY = 4 << 20, /* most bytes under way of a pair, but for two messages */
    BLOCK = 8192,        /* elements of memory between two looks at the clock */
    NAME = 256
};

typedef enum what { ROUND_TRIP, SEND, RECEIVE, ONE_WAY, BOTH_WAYS, COPY, TRIAD } what;
typedef enum where { BETWEEN, INSIDE } where;
typedef enum placement { BLOCKED, SPREAD } placement;

static const char *const what_names[] = {"round-trip", "send", "receive", "one-way",
                                         "both-ways",  "copy", "triad"};
static const char *const where_names[] = {"between", "inside"};
static const char *const placement_names[] = {"blocked", "spread"};

typedef struct sample {
    double value, least, probe;
    int switches;
    double seconds; /* that the measurement took */
} sample;

typedef struct point {
    what what;
    where where;
    placement placement;
    int units; /* pairs, or processes that stream */
    long size;
    int window;
    long repeats; /* of a sample; 0: not known yet */
    long pause_ns;
    double seconds; /* that a sample takes */
    sample *samples;
    int count;
    bool done, left_out;
} point;

typedef struct settings {
    double precision; /* half width of the interval over the median */
    double limit;     /* seconds */
    double target;    /* seconds of a sample of messages */
    int least_runs, most_rounds;
    bool quick, full;
    long smallest, largest; /* bytes of a message */
    int most;               /* processes of a node; 0: all */
    int nodes_of;           /* ranks that are taken for a node; 0: as they are */
    long array;             /* bytes of an array; 0: by the cache */
    bool parts[3];          /* between, inside, memory */
    char output[NAME];      /* name of the file */
    bool help;
} settings;

static settings set = {.precision = 0.02,
                       .limit = 300,
                       .target = 0.01,
                       .least_runs = 8,
                       .most_rounds = RUNS,
                       .smallest = 8,
                       .largest = 4 << 20,
                       .parts = {true, true, true},
                       .output = "clumpmodel-mpi-bench.txt"};
static int world_rank, world_size;
static int node_count, per_node; /* nodes; processes of each that can take part */
static int *members[2];          /* world ranks of the first two nodes, in order */
static int bound;                /* whether ranks are bound to sockets */
static point *points;
static int point_count, point_room;
static char *outgoing, *incoming; /* buffers of messages */
static double *arrays[3];         /* of memory */
static size_t elements;           /* of each */
static double clock_cost;         /* seconds to read the clock */
static double begun;              /* when the program did */

/* ---- small things */

static double now(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

static void die(const char *text)
{
    fprintf(stderr, "clumpmodel-mpi-bench: %s\n", text);
    MPI_Abort(MPI_COMM_WORLD, 1);
    exit(1);
}

static void *allocate(size_t count, size_t size)
{
    void *block = calloc(count > 0 ? count : 1, size);
    if (block == NULL)
        die("out of memory");
    return block;
}

/* Without the mathematics library, which some compilers do not link by themselves. */
static double square_root(double x)
{
    double root = x > 1 ? x : 1;
    for (int i = 0; i < 60; i++)
        root = (root + x / root) / 2;
    return root;
}

static int compare_doubles(const void *a, const void *b)
{
    const double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

static double median(double *values, int count)
{
    qsort(values, (size_t)count, sizeof *values, compare_doubles);
    return count % 2 ? values[count / 2] : (values[count / 2 - 1] + values[count / 2]) / 2;
}

/*
 * Half of the 95% interval of the median of so many normal samples, over the median distance from it. Of many the standard deviation is
 * 1.4826 such distances, and the median scatters 1.2533 times as much as the mean; of few the distance is known badly itself, and is too
 * short. By 10^6 draws for each number.
 */
static double median_multiplier(int count)
{
    static const double of_few[] = {0,     0,     12.706, 18.59, 4.760, 4.218,  2.660,
                                    2.486, 1.933, 1.861,  1.574, 1.525, 1.354,  1.325,
                                    1.199, 1.185, 1.090,  1.077, 1.006, 0.9967, 0.9365};
    return count <= 20 ? of_few[count]
                       : 1.95996 * 1.2533 * 1.4826 * (1 + 3.1 / count) /
                             square_root(count); /* within 1.5% */
}

/* ---- which samples count, and what they say */

/* Median and half width of its 95% interval. Returns how many samples they are of. */
static int judge(const point *p, double *middle, double *half)
{
    double values[RUNS];
    int count = 0, calm = 0;
    *middle = *half = 0;
    if (p->count == 0)
        return 0;
    for (int i = 0; i < p->count; i++) {
        values[i] = p->samples[i].probe;
        calm += p->samples[i].switches == 0;
    }
    const double usual = median(values, p->count);
    for (int i = 0; i < p->count; i++) {
        const sample *s = &p->samples[i];
        const bool other_speed = s->probe > 1.5 * usual || s->probe < usual / 1.5;
        if (!other_speed && !(s->switches > 0 && calm >= 3))
            values[count++] = s->value;
    }
    if (count == 0)
        return 0;
    *middle = median(values, count);
    for (int i = 0; i < count; i++)
        values[i] = values[i] > *middle ? values[i] - *middle : *middle - values[i];
    if (count > 1)
        *half = median_multiplier(count) * median(values, count);
    return count;
}

/* ---- options */

static const char help_text[] =
    "Usage: mpirun -n NUMBER clumpmodel-mpi-bench [OPTION]...\n"
    "Measures messages between two nodes and inside one, and memory, with 1 to P processes of a\n"
    "node, and writes a file for 'clumpmodel import'. Start it on two nodes, with a process on\n"
    "each core or for each GPU.\n"
    "\n"
    "  --output FILE        file to be written (default clumpmodel-mpi-bench.txt; one that is\n"
    "                       there stays, and a number is added to the name)\n"
    "  --precision PERCENT  half width of the 95% interval of a median (default 2)\n"
    "  --time-limit SECONDS end after so long, with what there is (default 300)\n"
    "  --rounds NUMBER      most rounds, 1 to 200 (default 200)\n"
    "  --quick              seconds: fewer sizes, 5%, at most 20 s\n"
    "  --full               all sizes and numbers of processes, 1%, at most 1800 s\n"
    "  --smallest BYTES     smallest message, 1 to 67108864 (default 8)\n"
    "  --largest BYTES      largest message, 1 to 67108864 (default 4194304)\n"
    "  --processes NUMBER   most processes of a node that take part (default all)\n"
    "  --only PARTS         of between,inside,memory, with commas (default all)\n"
    "  --memory BYTES       size of a process's arrays, of which it has three (default 4 times\n"
    "                       the largest cache, 128 MiB at most)\n"
    "  --nodes-of NUMBER    take each NUMBER ranks for a node, to try it on one machine\n"
    "  --help               this text\n";

static bool read_number(const char *text, double from, double to, double *number)
{
    char *end;
    *number = strtod(text, &end);
    return end != text && *end == '\0' && *number >= from && *number <= to;
}

static bool read_parts(const char *text)
{
    static const char *const names[] = {"between", "inside", "memory"};
    memset(set.parts, 0, sizeof set.parts);
    while (*text != '\0') {
        const size_t length = strcspn(text, ",");
        int i = 0;
        while (i < 3 && (strlen(names[i]) != length || strncmp(names[i], text, length) != 0))
            i++;
        if (i == 3)
            return false;
        set.parts[i] = true;
        text += length + (text[length] == ',');
    }
    return true;
}

/* False with a complaint. */
static bool read_options(int argc, char **argv, char *complaint, size_t room)
{
    static const char *const valued[] = {"--output",    "--precision", "--time-limit", "--largest",
                                         "--processes", "--memory",    "--nodes-of",   "--only",
                                         "--rounds",    "--smallest"};
    enum { OPTIONS = sizeof valued / sizeof *valued };
    for (int i = 1; i < argc; i++) {
        double number = 0;
        int which = 0;
        if (strcmp(argv[i], "--quick") == 0) {
            set.quick = true;
            set.precision = 0.05;
            set.limit = 20;
            set.target = 0.003;
            continue;
        }
        if (strcmp(argv[i], "--full") == 0) {
            set.full = true;
            set.precision = 0.01;
            set.limit = 1800;
            continue;
        }
        if (strcmp(argv[i], "--help") == 0) {
            set.help = true;
            return true;
        }
        while (which < OPTIONS && strcmp(argv[i], valued[which]) != 0)
            which++;
        if (which == OPTIONS) {
            snprintf(complaint, room, "found '%.60s', expected an option (--help)", argv[i]);
            return false;
        }
        const char *text = i + 1 < argc ? argv[++i] : "";
        bool good = true;
        if (which == 0) {
            good = *text != '\0' && strlen(text) < NAME - 8;
            snprintf(set.output, sizeof set.output, "%.*s", NAME - 8, text);
        } else if (which == 1 && (good = read_number(text, 0.01, 50, &number)))
            set.precision = number / 100;
        else if (which == 2 && (good = read_number(text, 1, 1e6, &number)))
            set.limit = number;
        else if (which == 3 && (good = read_number(text, 1, 64 << 20, &number)))
            set.largest = (long)number;
        else if (which == 4 && (good = read_number(text, 1, 1e6, &number)))
            set.most = (int)number;
        else if (which == 5 && (good = read_number(text, 1 << 20, 1e12, &number)))
            set.array = (long)number;
        else if (which == 6 && (good = read_number(text, 1, 1e6, &number)))
            set.nodes_of = (int)number;
        else if (which == 7)
            good = read_parts(text);
        else if (which == 8 && (good = read_number(text, 1, RUNS, &number)))
            set.most_rounds = (int)number;
        else if (which == 9 && (good = read_number(text, 1, 64 << 20, &number)))
            set.smallest = (long)number;
        if (!good) {
            snprintf(complaint, room, "%s: found '%.60s', expected %s (--help)", valued[which],
                     text,
                     which == 0   ? "the name of a file"
                     : which == 7 ? "between, inside, memory, with commas"
                                  : "a number in its range");
            return false;
        }
    }
    if (set.smallest > set.largest)
        snprintf(complaint, room, "--smallest: found %ld, expected at most --largest, %ld",
                 set.smallest, set.largest);
    return set.smallest <= set.largest;
}

/* ---- nodes */

/* The first line of a file, or of it that with which it begins, after that; "" if there is none. */
static void read_line(const char *path, const char *beginning, char *text, size_t room)
{
    char line[1024];
    FILE *file = fopen(path, "r");
    *text = '\0';
    while (file != NULL && fgets(line, sizeof line, file) != NULL)
        if (strncmp(line, beginning, strlen(beginning)) == 0) {
            const char *rest = line + strlen(beginning);
            rest += strspn(rest, " \t:");
            snprintf(text, room, "%.*s", (int)strcspn(rest, "\n"), rest);
            break;
        }
    if (file != NULL)
        fclose(file);
}

static int socket_of(long processor)
{
    char path[128], text[32];
    snprintf(path, sizeof path, "/sys/devices/system/cpu/cpu%ld/topology/physical_package_id",
             processor);
    read_line(path, "", text, sizeof text);
    return *text != '\0' ? atoi(text) : -1;
}

/* The socket that this process is bound to; -1: it may use several, or none is known. */
static int own_socket(void)
{
    char list[512];
    read_line("/proc/self/status", "Cpus_allowed_list", list, sizeof list);
    int socket = -1;
    for (char *at = list; *at >= '0' && *at <= '9';) {
        const long first = strtol(at, &at, 10);
        const long last = *at == '-' ? strtol(at + 1, &at, 10) : first;
        const int one = socket_of(first);
        if (one != socket_of(last) || (socket >= 0 && one != socket))
            return -1;
        socket = one;
        at += *at == ',';
    }
    return socket;
}

/* Ranks of the first two nodes: in the order of their sockets, that of the node's first rank first. */
static void find_nodes(void)
{
    int own[2] = {0, own_socket()}; /* first rank of the node, socket */
    MPI_Comm node;
    if (set.nodes_of > 0) {
        own[0] = world_rank / set.nodes_of * set.nodes_of;
    } else {
        MPI_Comm_split_type(MPI_COMM_WORLD, MPI_COMM_TYPE_SHARED, world_rank, MPI_INFO_NULL, &node);
        own[0] = world_rank;
        MPI_Bcast(own, 1, MPI_INT, 0, node);
        MPI_Comm_free(&node);
    }
    int *all = allocate(2 * (size_t)world_size, sizeof *all);
    MPI_Allgather(own, 2, MPI_INT, all, 2, MPI_INT, MPI_COMM_WORLD);
    int second = -1, sizes[2] = {0, 0}, sockets = 0;
    for (int r = 0; r < world_size; r++) {
        node_count += all[2 * r] == r;
        if (second < 0 && all[2 * r] != all[0])
            second = all[2 * r];
    }
    bound = 1;
    for (int n = 0; n < 2; n++) {
        const int first = n == 0 ? 0 : second;
        members[n] = allocate((size_t)world_size, sizeof **members);
        /* Sockets one after the other, beginning with that of the first rank. */
        for (int pass = 0; first >= 0 && pass < world_size; pass++) {
            if (all[2 * pass] != first)
                continue;
            bool earlier = false; /* the same socket */
            for (int r = 0; r < pass; r++)
                earlier |= all[2 * r] == first && all[2 * r + 1] == all[2 * pass + 1];
            if (earlier)
                continue;
            sockets += n == 0;
            for (int r = pass; r < world_size; r++)
                if (all[2 * r] == first && all[2 * r + 1] == all[2 * pass + 1]) {
                    members[n][sizes[n]++] = r;
                    bound &= all[2 * r + 1] >= 0;
                }
        }
    }
    bound = bound ? sockets : 0;
    per_node = second >= 0 && sizes[1] < sizes[0] ? sizes[1] : sizes[0];
    if (set.most > 0 && per_node > set.most)
        per_node = set.most;
    free(all);
}

/* World ranks that take part, senders first; returns how many. */
static int take_part(const point *p, int *ranks)
{
    const int k = p->units;
    for (int i = 0; i < k; i++) {
        const int at = p->placement == SPREAD ? (int)((long)i * per_node / k) : i;
        if (p->what >= COPY)
            ranks[i] = members[0][at];
        else if (p->where == BETWEEN) {
            ranks[i] = members[0][at];
            ranks[k + i] = members[1][at];
        } else if (p->placement == SPREAD) {
            const int half = per_node / 2, left = (int)((long)i * half / k);
            ranks[i] = members[0][left];
            ranks[k + i] = members[0][left + half];
        } else {
            ranks[i] = members[0][2 * i];
            ranks[k + i] = members[0][2 * i + 1];
        }
    }
    return p->what >= COPY ? k : 2 * k;
}

/* ---- what is measured */

static void add_point(what kind, where place, placement how, int units, long size)
{
    if (point_count == point_room) {
        point_room = point_room > 0 ? 2 * point_room : 256;
        points = realloc(points, (size_t)point_room * sizeof *points);
        if (points == NULL)
            die("out of memory");
    }
    point *p = &points[point_count++];
    *p = (point){.what = kind, .where = place, .placement = how, .units = units, .size = size};
    if (kind == ONE_WAY || kind == BOTH_WAYS) {
        const long fit = UNDER_WAY / size;
        p->window = fit > WINDOW ? WINDOW : fit < 2 ? 2 : (int)(fit / 2 * 2);
    }
}

/* 1 to 8, then four in each doubling; or powers of two. And the last. */
static int next_count(int count, int most, bool coarse)
{
    int next = coarse ? 2 * count : count + 1;
    if (!coarse && !set.full && count >= 8) {
        int step = 2;
        while (count >= 8 * step)
            step *= 2;
        next = count + step;
    }
    return count < most && next > most ? most : next;
}

static bool next_size(long *size, int factor, long largest)
{
    if (*size >= largest)
        return false;
    *size = *size * factor > largest ? largest : *size * factor;
    return true;
}

/* One pair, or one number of pairs, at all sizes. */
static void add_sizes(what kind, where place, placement how, int units, int factor, long largest)
{
    long size = set.smallest;
    do {
        if (size <= largest)
            add_point(kind, place, how, units, size);
    } while (next_size(&size, factor, largest));
}

/* What matters most comes first: the first round may be the only one. */
static void make_points(void)
{
    const int fine = set.quick ? 4 : 2, coarse = set.full ? 2 : 4, rough = set.full ? 4 : 16;
    const long small = set.largest < SHORT ? set.largest : SHORT;
    for (int w = 0; w < 2; w++) {
        const where place = (where)w;
        const int most = place == BETWEEN ? per_node : per_node / 2;
        if (!set.parts[w] || most < 1 || (place == BETWEEN && node_count < 2))
            continue;
        add_sizes(ROUND_TRIP, place, BLOCKED, 1, fine, set.largest);
        add_sizes(SEND, place, BLOCKED, 1, 4, small);
        add_sizes(RECEIVE, place, BLOCKED, 1, 4, small);
        add_sizes(ONE_WAY, place, BLOCKED, 1, fine, set.largest);
        add_sizes(BOTH_WAYS, place, BLOCKED, 1, coarse, set.largest);
        const bool few = place == INSIDE || set.quick;
        for (int k = next_count(1, most, few); k <= most; k = next_count(k, most, few)) {
            add_sizes(ONE_WAY, place, BLOCKED, k, coarse, set.largest);
            add_sizes(BOTH_WAYS, place, BLOCKED, k, coarse, set.largest);
        }
    }
    for (int k = 1; set.parts[2] && k <= per_node; k = next_count(k, per_node, set.quick)) {
        add_point(COPY, INSIDE, BLOCKED, k, -1);
        add_point(TRIAD, INSIDE, BLOCKED, k, -1);
        if (k > 1 && k < per_node) {
            add_point(COPY, INSIDE, SPREAD, k, -1);
            add_point(TRIAD, INSIDE, SPREAD, k, -1);
        }
    }
    for (int w = 0; w < 2; w++) {
        const where place = (where)w;
        const int most = place == BETWEEN ? per_node : per_node / 2;
        if (!set.parts[w] || most < 1 || (place == BETWEEN && node_count < 2))
            continue;
        if (place == INSIDE && most > 1)
            add_sizes(ROUND_TRIP, place, SPREAD, 1, coarse, set.largest);
        for (int k = place == INSIDE ? 1 : 2; k < most; k = next_count(k, most, true)) {
            add_sizes(ONE_WAY, place, SPREAD, k, rough, set.largest);
            add_sizes(BOTH_WAYS, place, SPREAD, k, rough, set.largest);
        }
    }
}

/* Rates of memory need arrays that no cache holds. */
static long array_bytes(void)
{
    char path[128], text[64];
    long largest = 0;
    for (int i = 0; i < 8; i++) {
        snprintf(path, sizeof path, "/sys/devices/system/cpu/cpu0/cache/index%d/size", i);
        read_line(path, "", text, sizeof text);
        char *end;
        long size = strtol(text, &end, 10);
        size *= *end == 'M' ? 1 << 20 : *end == 'K' ? 1 << 10 : 1;
        largest = size > largest ? size : largest;
    }
    long bytes = set.array > 0 ? set.array : largest > 0 ? 4 * largest : 64 << 20;
    const long most = set.quick ? 32 << 20 : 128 << 20;
    if (set.array == 0 && bytes > most)
        bytes = most;
    read_line("/proc/meminfo", "MemAvailable", text, sizeof text);
    const double available = strtod(text, NULL) * 1024;
    if (available > 0 && 3.0 * per_node * (double)bytes > available / 4)
        bytes = (long)(available / 4 / 3 / per_node);
    return bytes;
}

/* ---- measuring: what those do that take part */

/* us that a fixed computation takes: the least of three, so that an interruption does not look like
 * another speed. */
static double probe(void)
{
    double least = 1e9;
    for (int i = 0; i < 3; i++) {
        volatile double x = 1;
        const double start = now();
        for (int n = 0; n < 1000; n++)
            x = x * 0.999 + 0.001;
        const double time = now() - start;
        least = time < least ? time : least;
    }
    return least * 1e6;
}

static void pause_for(double seconds)
{
    const double until = now() + seconds;
    while (now() < until)
        ;
}

/* Of two processes; mean seconds, on the first one. */
static double round_trip(int size, MPI_Comm pair, int me, long repeats)
{
    const double start = now();
    for (long i = 0; i < repeats; i++) {
        if (me == 0)
            MPI_Send(outgoing, size, MPI_BYTE, 1, DATA, pair);
        MPI_Recv(incoming, size, MPI_BYTE, 1 - me, DATA, pair, MPI_STATUS_IGNORE);
        if (me == 1)
            MPI_Send(outgoing, size, MPI_BYTE, 0, DATA, pair);
    }
    return (now() - start) / (double)repeats;
}

/* Who answers what the first of two processes sends, or asks for. */
static void answer(int size, int answer_size, MPI_Comm pair, long repeats)
{
    for (long i = 0; i < repeats; i++) {
        MPI_Recv(incoming, size, MPI_BYTE, 0, DATA, pair, MPI_STATUS_IGNORE);
        MPI_Send(outgoing, answer_size, MPI_BYTE, 0, ANSWER, pair);
    }
}

/* Mean seconds of MPI_Send; the answer says that nothing is under way any more. */
static double send_time(int size, MPI_Comm pair, long repeats)
{
    double sum = 0;
    for (long i = 0; i < repeats; i++) {
        const double start = now();
        MPI_Send(outgoing, size, MPI_BYTE, 1, DATA, pair);
        sum += now() - start - clock_cost;
        MPI_Recv(incoming, 0, MPI_BYTE, 1, ANSWER, pair, MPI_STATUS_IGNORE);
    }
    return sum / (double)repeats;
}

/* Mean seconds of MPI_Recv; the pause is longer than the message takes. */
static double receive_time(int size, MPI_Comm pair, long repeats, double pause)
{
    double sum = 0;
    for (long i = 0; i < repeats; i++) {
        MPI_Send(outgoing, 0, MPI_BYTE, 1, DATA, pair);
        pause_for(pause);
        const double start = now();
        MPI_Recv(incoming, size, MPI_BYTE, 1, ANSWER, pair, MPI_STATUS_IGNORE);
        sum += now() - start - clock_cost;
    }
    return sum / (double)repeats;
}

static double time_messages(const point *p, MPI_Comm pair, int me, long repeats, double pause)
{
    const int size = (int)p->size;
    if (p->what == ROUND_TRIP)
        return round_trip(size, pair, me, repeats);
    if (me == 1)
        answer(p->what == SEND ? size : 0, p->what == SEND ? 0 : size, pair, repeats);
    else if (p->what == SEND)
        return send_time(size, pair, repeats);
    else
        return receive_time(size, pair, repeats, pause);
    return 0;
}

/* Half a window of messages that are under way. */
typedef struct burst {
    MPI_Request requests[WINDOW / 2];
    MPI_Status statuses[WINDOW / 2]; /* compilers complain of MPICH's constant for none */
} burst;

static void start_half(burst *b, const point *p, MPI_Comm all, int peer, bool send, long index)
{
    const size_t size = (size_t)p->size, count = (size_t)p->window / 2,
                 first = index % 2 == 0 ? 0 : count * size;
    for (size_t i = 0; i < count; i++)
        if (send)
            MPI_Isend(outgoing + first + i * size, (int)size, MPI_BYTE, peer, DATA, all,
                      &b->requests[i]);
        else
            MPI_Irecv(incoming + first + i * size, (int)size, MPI_BYTE, peer, DATA, all,
                      &b->requests[i]);
}

/* When shares of the halves were done. */
static void note(double *times, int marks, int *mark, long done, long halves)
{
    while (*mark <= marks && done >= *mark * halves / marks)
        times[(*mark)++] = now();
}

/* One way. While one half is answered the other is under way, so that nothing waits for answers. */
static void stream(const point *p, MPI_Comm all, int me, long halves, int marks, double *times)
{
    burst bursts[2];
    const bool sends = me < p->units;
    const int peer = sends ? me + p->units : me - p->units;
    char done = 0;
    int mark = 1;
    times[0] = now();
    for (long h = 0; h < 2 && h < halves; h++)
        start_half(&bursts[h], p, all, peer, sends, h);
    for (long h = 0; h < halves; h++) {
        burst *b = &bursts[h % 2];
        MPI_Waitall(p->window / 2, b->requests, b->statuses);
        if (sends)
            MPI_Recv(&done, 1, MPI_BYTE, peer, ANSWER, all, MPI_STATUS_IGNORE);
        if (h + 2 < halves)
            start_half(b, p, all, peer, sends, h + 2);
        if (!sends)
            MPI_Send(&done, 1, MPI_BYTE, peer, ANSWER, all);
        note(times, marks, &mark, h + 1, halves);
    }
}

/* Both ways: a whole window after the other. Over one connection requests to send wait behind what is sent the
 * other way: they must all be out before it is. */
static void stream_both(const point *p, MPI_Comm all, int me, long halves, int marks, double *times)
{
    burst sent[2], received[2];
    const int peer = me < p->units ? me + p->units : me - p->units;
    int mark = 1;
    times[0] = now();
    for (long h = 0; h < halves; h += 2) {
        const int count = h + 1 < halves ? 2 : 1;
        for (int i = 0; i < count; i++)
            start_half(&received[i], p, all, peer, false, i);
        for (int i = 0; i < count; i++)
            start_half(&sent[i], p, all, peer, true, i);
        for (int i = 0; i < count; i++) {
            MPI_Waitall(p->window / 2, received[i].requests, received[i].statuses);
            MPI_Waitall(p->window / 2, sent[i].requests, sent[i].statuses);
        }
        note(times, marks, &mark, h + count, halves);
    }
}

/* Half windows that a sender has done at a time, in between of those that it has noted. */
static double halves_at(const double *times, int marks, long halves, double time)
{
    int mark = 1;
    if (time <= times[0])
        return 0;
    if (time >= times[marks])
        return (double)halves;
    while (mark < marks && times[mark] < time)
        mark++;
    const double before = (double)((mark - 1) * halves / marks),
                 after = (double)(mark * halves / marks), length = times[mark] - times[mark - 1];
    return length > 0 ? before + (after - before) * (time - times[mark - 1]) / length : after;
}

/* The rate of all pairs, of the time in which all of them send. It begins when each has had a quarter of its
 * messages answered, so that what buffers swallow at first, and receivers that begin late, are not in it, and
 * ends when one of them has two shares to go: nobody is hurried by others who have not begun, or have ended. */
static void rate_of_pairs(const point *p, const double *times, int marks, long halves, sample *s)
{
    const bool enough = marks >= LEAST_HALVES;
    const int start = enough ? marks / 4 : 0, stop = enough ? marks - 2 : marks;
    double from = times[start], to = times[stop];
    for (int i = 1; i < p->units; i++) {
        const double *own = times + (size_t)i * (MARKS + 1);
        from = own[start] > from ? own[start] : from;
        to = own[stop] < to ? own[stop] : to;
    }
    if (to <= from) { /* one ended before another had begun */
        for (int i = 0; i < p->units; i++) {
            const double *own = times + (size_t)i * (MARKS + 1);
            from = own[0] < from ? own[0] : from;
            to = own[marks] > to ? own[marks] : to;
        }
    }
    const double bytes = (double)p->size * (p->window / 2) * (p->what == BOTH_WAYS ? 2 : 1) / 1e6;
    s->value = 0;
    s->least = -1;
    for (int i = 0; i < p->units; i++) {
        const double *own = times + (size_t)i * (MARKS + 1);
        const double done = halves_at(own, marks, halves, to) - halves_at(own, marks, halves, from);
        const double rate = bytes * done / (to - from);
        s->value += rate;
        s->least = s->least < 0 || rate < s->least ? rate : s->least;
    }
}

static void copy_block(double *restrict a, const double *restrict b)
{
    for (size_t i = 0; i < BLOCK; i++)
        a[i] = b[i];
}

static void triad_block(double *restrict a, const double *restrict b, const double *restrict c)
{
    for (size_t i = 0; i < BLOCK; i++)
        a[i] = b[i] + 3 * c[i];
}

/* MB/s of this process, for so many milliseconds. */
static double stream_memory(what kind, long milliseconds)
{
    if (arrays[0] == NULL)
        for (int i = 0; i < 3; i++) {
            arrays[i] = malloc(elements * sizeof(double));
            if (arrays[i] == NULL)
                die("out of memory: give a smaller --memory");
            for (size_t e = 0; e < elements; e++)
                arrays[i][e] = (double)e;
        }
    static void (*volatile copy)(double *restrict, const double *restrict) = copy_block;
    static void (*volatile triad)(double *restrict, const double *restrict,
                                  const double *restrict) = triad_block;
    size_t at = 0;
    double blocks = 0, end;
    const double start = now();
    do {
        if (kind == COPY)
            copy(arrays[0] + at, arrays[1] + at);
        else
            triad(arrays[0] + at, arrays[1] + at, arrays[2] + at);
        at = at + 2 * BLOCK <= elements ? at + BLOCK : 0;
        blocks++;
        end = now();
    } while (end - start < 1e-3 * (double)milliseconds);
    return blocks * BLOCK * sizeof(double) * (kind == COPY ? 2 : 3) / (end - start) / 1e6;
}

/* Communicators of those that take part, made when they are first needed. */
static MPI_Comm group_of(const point *p, const int *ranks, int count)
{
    static struct {
        bool memory;
        where where;
        placement placement;
        int units;
        MPI_Comm comm;
    } * known;
    static int known_count;
    for (int i = 0; i < known_count; i++)
        if (known[i].memory == (p->what >= COPY) && known[i].where == p->where &&
            known[i].placement == p->placement && known[i].units == p->units)
            return known[i].comm;
    known = realloc(known, (size_t)(known_count + 1) * sizeof *known);
    if (known == NULL)
        die("out of memory");
    MPI_Group world, group;
    MPI_Comm comm;
    MPI_Comm_group(MPI_COMM_WORLD, &world);
    MPI_Group_incl(world, count, ranks, &group);
    MPI_Comm_create_group(MPI_COMM_WORLD, group, 0, &comm);
    MPI_Group_free(&group);
    MPI_Group_free(&world);
    known[known_count].memory = p->what >= COPY;
    known[known_count].where = p->where;
    known[known_count].placement = p->placement;
    known[known_count].units = p->units;
    known[known_count].comm = comm;
    return known[known_count++].comm;
}

static long switches(void)
{
    struct rusage usage;
    getrusage(RUSAGE_SELF, &usage);
    return usage.ru_nivcsw;
}

/* One sample, by all that take part; rank 0 has it. */
static void measure(const point *p, long repeats, long pause_ns, sample *s)
{
    static int *ranks;
    static double *times;
    double own[MARKS + 1] = {0}, least = -1;
    if (ranks == NULL)
        ranks = allocate(2 * (size_t)per_node, sizeof *ranks);
    if (times == NULL && world_rank == 0)
        times = allocate(2 * (size_t)per_node * (MARKS + 1), sizeof *times);
    const int count = take_part(p, ranks);
    int me = 0;
    while (me < count && ranks[me] != world_rank)
        me++;
    if (me == count)
        return;
    const MPI_Comm comm = group_of(p, ranks, count);
    double seen[2] = {0, probe()}, most[2] = {0, 0};
    MPI_Barrier(comm);
    const double start = now();
    const long before = switches();
    const int marks = repeats < MARKS ? (int)repeats : MARKS;
    if (p->what <= RECEIVE)
        own[0] = time_messages(p, comm, me, repeats, 1e-9 * (double)pause_ns);
    else if (p->what == ONE_WAY)
        stream(p, comm, me, repeats, marks, own);
    else if (p->what == BOTH_WAYS)
        stream_both(p, comm, me, repeats, marks, own);
    else
        own[0] = stream_memory(p->what, repeats);
    seen[0] = (double)(switches() - before);
    const double seconds = now() - start;
    MPI_Reduce(seen, most, 2, MPI_DOUBLE, MPI_MAX, 0, comm);
    if (p->what > RECEIVE)
        MPI_Gather(own, MARKS + 1, MPI_DOUBLE, times, MARKS + 1, MPI_DOUBLE, 0, comm);
    if (me > 0)
        return;
    *s = (sample){.value = own[0] > 0 ? own[0] * 1e6 : 0,
                  .least = -1,
                  .probe = most[1],
                  .switches = (int)most[0],
                  .seconds = seconds};
    if (p->what == ROUND_TRIP)
        s->value /= 2;
    else if (p->what == ONE_WAY || p->what == BOTH_WAYS)
        rate_of_pairs(p, times, marks, repeats, s);
    else if (p->what >= COPY) {
        s->value = 0;
        for (int i = 0; i < count; i++) {
            const double one = times[(size_t)i * (MARKS + 1)];
            s->value += one;
            least = least < 0 || one < least ? one : least;
        }
        s->least = least;
    }
}

/* ---- who does what when: rank 0 says it, and who has nothing to do sleeps */

enum { STOP = -1 };

static void tell_all(long order[3])
{
    MPI_Request request;
    int done = 0;
    long rest = 10000; /* ns */
    MPI_Ibcast(order, 3, MPI_LONG, 0, MPI_COMM_WORLD, &request);
    for (int turn = 0; !done; turn++) {
        MPI_Test(&request, &done, MPI_STATUS_IGNORE);
        if (done || turn < 20 || world_rank == 0)
            continue;
        nanosleep(&(struct timespec){.tv_nsec = rest}, NULL);
        rest = rest < 500000 ? 2 * rest : 500000;
    }
}

static void follow(void)
{
    for (;;) {
        long order[3];
        sample unused;
        tell_all(order);
        if (order[0] == STOP)
            return;
        measure(&points[order[0]], order[1], order[2], &unused);
    }
}

/* Rank 0: have a point measured once. Returns the seconds that it took. */
static double have_measured(int index, long repeats, sample *s)
{
    long order[3] = {index, repeats, points[index].pause_ns};
    const double start = now();
    tell_all(order);
    measure(&points[index], repeats, order[2], s);
    return now() - start;
}

/* How often a sample repeats what it measures, so that it takes long enough: from a first one, which
 * also makes connections, and a second. False: it takes too long. */
static bool prepare(int index)
{
    point *p = &points[index];
    sample s;
    if (p->what >= COPY) {
        p->repeats = set.quick ? 15 : 40;
        have_measured(index, 1, &s);
        return true;
    }
    have_measured(index, 1, &s);
    if (p->what == RECEIVE) { /* without a pause it takes as long as question and answer */
        have_measured(index, 3, &s);
        p->pause_ns = (long)(2e3 * s.value) + 2000;
    }
    have_measured(index, 2, &s);
    const double each = s.seconds / 2;
    /* The more halves the less their beginning and end matter; a slow network must do with fewer. */
    const long most = 100000, least = p->what <= RECEIVE              ? 4
                                      : 2 * LEAST_HALVES * each < 0.5 ? 2 * LEAST_HALVES
                                                                      : LEAST_HALVES;
    p->repeats = each > 0 && set.target / each < (double)most ? (long)(set.target / each) : most;
    p->repeats = p->repeats < least ? least : p->repeats;
    if ((double)p->repeats * each <= set.limit / 20)
        return true;
    fprintf(stderr,
            "clumpmodel-mpi-bench: left out: %s %s, %d pair%s of %ld bytes: a sample would take "
            "%.3g s\n",
            what_names[p->what], where_names[p->where], p->units, p->units == 1 ? "" : "s", p->size,
            (double)p->repeats * each);
    return false;
}

/* ---- the file */

static void print_number(FILE *file, double number)
{
    if (number < 0)
        fputs(" -", file);
    else
        fprintf(file, " %.7g", number);
}

static void print_point(FILE *file, const point *p)
{
    fprintf(file, "%s %s %s %d ", what_names[p->what],
            p->what >= COPY ? where_names[INSIDE] : where_names[p->where],
            placement_names[p->placement], p->what >= COPY ? p->units : 2 * p->units);
    if (p->size < 0)
        fputs("-", file);
    else
        fprintf(file, "%ld", p->size);
    fprintf(file, " %d", p->window);
}

static void print_row(FILE *file, const point *p, const sample *s)
{
    print_point(file, p);
    fprintf(file, " %ld", p->repeats);
    print_number(file, s->value);
    print_number(file, s->least);
    fprintf(file, " %d %.4g\n", s->switches, s->probe);
}

/* A file that was not there before. */
static FILE *open_output(void)
{
    char name[NAME + 32];
    const char *slash = strrchr(set.output, '/'), *dot = strrchr(set.output, '.');
    const int stem = dot != NULL && (slash == NULL || dot > slash + 1) && dot != set.output
                         ? (int)(dot - set.output)
                         : (int)strlen(set.output);
    snprintf(name, sizeof name, "%s", set.output);
    for (int i = 2; i < 1000; i++) {
        FILE *file = fopen(name, "wx");
        if (file != NULL || errno != EEXIST) {
            if (file != NULL)
                snprintf(set.output, sizeof set.output, "%.*s", NAME - 1, name);
            return file;
        }
        snprintf(name, sizeof name, "%.*s-%d%s", stem, set.output, i, set.output + stem);
    }
    return NULL;
}

/* One line whatever others have put into it. */
static void print_fact(FILE *file, const char *name, const char *text)
{
    fprintf(file, "# %s ", name);
    for (; *text != '\0' && *text != '\n'; text++)
        fputc(*text == '\t'                                              ? ' '
              : (unsigned char)*text < ' ' || (unsigned char)*text > '~' ? '?'
                                                                         : *text,
              file);
    fputc('\n', file);
}

static void print_head(FILE *file, int argc, char **argv, const char *hosts)
{
    char text[MPI_MAX_LIBRARY_VERSION_STRING + 64];
    int length, version = 0, part = 0;
    const time_t seconds = time(NULL);
    fprintf(file, "# clumpmodel-mpi-bench %d\n", FORMAT);
    strftime(text, sizeof text, "%Y-%m-%dT%H:%M:%SZ", gmtime(&seconds));
    print_fact(file, "date", text);
    text[0] = '\0';
    for (int i = 0; i < argc; i++) {
        const size_t used = strlen(text);
        snprintf(text + used, 1000 - used, "%s%s", i > 0 ? " " : "", argv[i]);
        if (strlen(text) > 900)
            break;
    }
    print_fact(file, "command", text);
    MPI_Get_library_version(text, &length);
    print_fact(file, "mpi", text);
    MPI_Get_version(&version, &part);
    fprintf(file, "# mpi-standard %d.%d\n", version, part);
    read_line("/proc/cpuinfo", "model name", text, sizeof text);
    print_fact(file, "cpu", *text != '\0' ? text : "unknown");
    fprintf(file, "# nodes %d\n# ranks %d\n# processes %d\n", node_count, world_size, per_node);
    for (int n = 0; n < 2 && n < node_count; n++) {
        snprintf(text, sizeof text, "%d %.*s", n + 1, MPI_MAX_PROCESSOR_NAME,
                 hosts + (size_t)members[n][0] * MPI_MAX_PROCESSOR_NAME);
        print_fact(file, "host", text);
    }
    if (set.nodes_of > 0)
        fprintf(file, "# nodes-of %d\n", set.nodes_of);
    fprintf(file, "# sockets %d\n", bound);
    fprintf(file, "# precision %g\n# time-limit %g\n# array %zu\n", set.precision, set.limit,
            elements * sizeof(double));
    if (node_count < 2)
        fputs("# missing between: there is one node\n", file);
    if (per_node < 2)
        fputs("# missing inside: there is one process on a node\n", file);
    fputs("# columns what where placement processes size window repeats value least switches "
          "probe\n",
          file);
}

/* Medians with their intervals, for whoever reads the file. */
static void print_medians(FILE *file)
{
    fputs("# medians: what where placement processes size window median half-width samples "
          "doubtful\n",
          file);
    for (int i = 0; i < point_count; i++) {
        const point *p = &points[i];
        double middle, half;
        const int count = judge(p, &middle, &half);
        if (count == 0) {
            if (p->count == 0) {
                fputs("#  ", file);
                print_point(file, p);
                fputs(p->left_out ? " takes too long\n" : " no time was left\n", file);
            }
            continue;
        }
        fputs("#  ", file);
        print_point(file, p);
        fprintf(file, " %.5g", middle);
        print_number(file, count > 1 ? half : -1);
        fprintf(file, " %d %d\n", count, p->count - count);
    }
}

/* ---- rounds */

/* Whether a point is known well enough. */
static bool is_precise(const point *p)
{
    double middle, half;
    const int count = judge(p, &middle, &half);
    return p->count == RUNS || (count >= set.least_runs && half <= set.precision * middle);
}

static void tell_progress(int round, double share, double *last)
{
    if (now() - *last < 5)
        return;
    *last = now();
    fprintf(stderr, "clumpmodel-mpi-bench: round %d, %.0f%% of it, %.0f s of at most %.0f s\n",
            round, 100 * share, now() - begun, set.limit);
}

/* Rank 0: rounds until all is precise or time is over. Returns how many points are not precise. */
static int make_rounds(FILE *file)
{
    double last = now();
    int open = point_count;
    bool late = false;
    for (int round = 1; open > 0 && !late && round <= set.most_rounds; round++) {
        const double start = now();
        fprintf(file, "# round %d\n", round);
        for (int i = 0; i < point_count; i++) {
            point *p = &points[i];
            if (p->done)
                continue;
            late = now() - begun > set.limit;
            if (late)
                break;
            if (p->samples == NULL) {
                p->samples = allocate(RUNS, sizeof *p->samples);
                p->left_out = p->done = !prepare(i);
                if (p->done)
                    continue;
            }
            sample *s = &p->samples[p->count];
            p->seconds = have_measured(i, p->repeats, s);
            p->count++;
            print_row(file, p, s);
            tell_progress(round, (double)(i + 1) / point_count, &last);
        }
        fflush(file);
        if (round == 1 && !late) {
            double sum = 0;
            for (int i = 0; i < point_count; i++)
                sum += points[i].seconds;
            fprintf(stderr,
                    "clumpmodel-mpi-bench: the first round took %.3g s, further ones take %.3g s; "
                    "%d at least, then only what is not precise yet\n",
                    now() - start, sum, set.least_runs);
        }
        open = 0;
        for (int i = 0; i < point_count; i++) {
            points[i].done = points[i].done || (points[i].count > 0 && is_precise(&points[i]));
            open += !points[i].done;
        }
    }
    print_medians(file);
    int missing = 0;
    for (int i = 0; i < point_count; i++)
        missing += points[i].count == 0;
    if (missing > 0)
        fprintf(file, "# missing %d of %d points: they take too long, or no time was left\n",
                missing, point_count);
    fputs("# end\n", file);
    return open;
}

/* A few of the medians. */
static void show(void)
{
    printf("%-12s %-9s %-8s %9s %9s %10s %8s  %s\n", "What", "Where", "Placed", "Processes",
           "Bytes", "Median", "+-", "Unit");
    for (int i = 0; i < point_count; i++) {
        const point *p = &points[i];
        double middle, half;
        const bool memory = p->what >= COPY,
                   end = p->units == 1 || p->placement == SPREAD ||
                         p->units == (p->where == BETWEEN || memory ? per_node : per_node / 2);
        if (p->placement == SPREAD || !end ||
            (!memory && p->size != set.smallest && p->size != set.largest) ||
            judge(p, &middle, &half) == 0)
            continue;
        printf("%-12s %-9s %-8s %9d ", what_names[p->what], where_names[p->where],
               placement_names[p->placement], memory ? p->units : 2 * p->units);
        if (memory)
            printf("%9s", "-");
        else
            printf("%9ld", p->size);
        printf(" %10.5g %8.2g  %s\n", middle, half, p->what <= RECEIVE ? "us" : "MB/s");
    }
}

static int lead(int argc, char **argv, const char *hosts)
{
    FILE *file = open_output();
    long stop[3] = {STOP, 0, 0};
    int open = 0;
    if (file == NULL) {
        fprintf(stderr, "clumpmodel-mpi-bench: %s: %s\n", set.output, strerror(errno));
        tell_all(stop);
        return 1;
    }
    fprintf(stderr, "clumpmodel-mpi-bench: %d ranks on %d node%s, %d of each measured\n",
            world_size, node_count, node_count == 1 ? "" : "s", per_node);
    if (node_count < 2)
        fputs("clumpmodel-mpi-bench: there is one node: nothing between nodes can be measured\n",
              stderr);
    else if (node_count > 2)
        fputs("clumpmodel-mpi-bench: the first two nodes are measured, the others are idle\n",
              stderr);
    if (per_node < 2)
        fputs("clumpmodel-mpi-bench: one process on a node: nothing inside of it can be measured\n",
              stderr);
    fprintf(stderr, "clumpmodel-mpi-bench: %d points to %g%%; it takes at most %.0f s; file %s\n",
            point_count, 100 * set.precision, set.limit, set.output);
    print_head(file, argc, argv, hosts);
    fflush(file);
    open = make_rounds(file);
    tell_all(stop);
    const bool written = (ferror(file) == 0) & (fclose(file) == 0);
    show();
    if (open > 0)
        printf("\n%d of %d points are less precise than %g%%: their intervals tell; --time-limit "
               "gives more time.\n",
               open, point_count, 100 * set.precision);
    printf("\nIn %.0f s %s was written. Next: clumpmodel import auto %s --platform NAME\n",
           now() - begun, set.output, set.output);
    if (!written)
        fprintf(stderr, "clumpmodel-mpi-bench: %s: cannot be written\n", set.output);
    return written ? 0 : 1;
}

int main(int argc, char **argv)
{
    char complaint[256] = "", host[MPI_MAX_PROCESSOR_NAME] = "";
    int length = 0, status = 0;
    MPI_Init(&argc, &argv);
    begun = now();
    MPI_Comm_rank(MPI_COMM_WORLD, &world_rank);
    MPI_Comm_size(MPI_COMM_WORLD, &world_size);
    const bool good = read_options(argc, argv, complaint, sizeof complaint);
    if (!good || set.help) {
        if (world_rank == 0 && set.help)
            fputs(help_text, stdout);
        else if (world_rank == 0)
            fprintf(stderr, "clumpmodel-mpi-bench: %s\n", complaint);
        MPI_Finalize();
        return good ? 0 : 2;
    }
    char *hosts = world_rank == 0 ? allocate((size_t)world_size, MPI_MAX_PROCESSOR_NAME) : NULL;
    MPI_Get_processor_name(host, &length);
    MPI_Gather(host, MPI_MAX_PROCESSOR_NAME, MPI_CHAR, hosts, MPI_MAX_PROCESSOR_NAME, MPI_CHAR, 0,
               MPI_COMM_WORLD);
    find_nodes();
    make_points();
    const size_t buffer = 2 * (size_t)(set.largest > UNDER_WAY / 2 ? set.largest : UNDER_WAY / 2);
    outgoing = allocate(buffer, 1);
    incoming = allocate(buffer, 1);
    memset(outgoing, 1, buffer); /* pages of zeroes may be shared */
    memset(incoming, 2, buffer);
    long bytes = array_bytes();
    MPI_Bcast(&bytes, 1, MPI_LONG, 0, MPI_COMM_WORLD);
    elements = (size_t)bytes / sizeof(double);
    elements = elements < 2 * BLOCK ? 2 * BLOCK : elements;
    double read = 1e9;
    for (int i = 0; i < 1000; i++) {
        const double start = now(), time = now() - start;
        read = time < read ? time : read;
    }
    clock_cost = read;
    if (world_rank == 0)
        status = lead(argc, argv, hosts);
    else
        follow();
    MPI_Finalize();
    return status;
}
