/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * What clumpmodel-mpi-bench makes of the moments at which senders note how far they are: a network that
 * carries 100 MB/s in all and serves pairs unevenly in time, simulated here half window by half window, must be found to
 * carry 100 MB/s. Prints what is wrong; MPI is not started.
 */
#define main bench_main
#include "protocols/mpi-bench/clumpmodel-mpi-bench.c"
#undef main

enum { PAIRS = 5, CAPACITY = 100 };

static int wrong;

static void expect(const char *what, double found, double expected, double tolerance)
{
    const double off = found > expected ? found - expected : expected - found;
    if (off <= tolerance * expected)
        return;
    printf("%s: found %.6g, expected %.6g\n", what, found, expected);
    wrong++;
}

/* Pairs that have something to send share the capacity by their weights; each begins at a moment of its own. */
static void share(const point *p, const double *weights, const double *begins, long halves,
                  double *times)
{
    const int marks = halves < MARKS ? (int)halves : MARKS;
    double done[PAIRS] = {0}, now_s = 0; /* halves */
    int mark[PAIRS] = {0}, left = p->units;
    const double half_mb = (double)p->size * (p->window / 2) / 1e6;
    memset(times, 0, PAIRS * (MARKS + 1) * sizeof *times);
    while (left > 0) {
        double sum = 0, step = 1e9;
        for (int i = 0; i < p->units; i++)
            if (now_s >= begins[i] && done[i] < (double)halves)
                sum += weights[i];
            else if (now_s < begins[i] && begins[i] - now_s < step)
                step = begins[i] - now_s;
        /* Until somebody has finished half a window, or begins. */
        for (int i = 0; i < p->units; i++)
            if (now_s >= begins[i] && done[i] < (double)halves) {
                const double rate = CAPACITY * weights[i] / sum / half_mb;
                const double rest = (double)(long)(done[i] + 1 + 1e-9) - done[i];
                step = rest / rate < step ? rest / rate : step;
            }
        for (int i = 0; i < p->units; i++) {
            double *own = times + (size_t)i * (MARKS + 1);
            if (now_s < begins[i] || done[i] >= (double)halves)
                continue;
            if (mark[i] == 0) {
                own[0] = now_s;
                mark[i] = 1;
            }
            done[i] += CAPACITY * weights[i] / sum / half_mb * step;
            while (mark[i] <= marks && done[i] >= (double)(mark[i] * halves / marks) - 1e-9)
                own[mark[i]++] = now_s + step;
            if (done[i] >= (double)halves - 1e-9) {
                done[i] = (double)halves;
                left--;
            }
        }
        now_s += step;
    }
}

int main(void)
{
    static double times[PAIRS * (MARKS + 1)];
    static const double even[PAIRS] = {1, 1, 1, 1, 1}, uneven[PAIRS] = {1, 1.5, 1, 2, 1.2},
                        none[PAIRS] = {0}, late[PAIRS] = {0, 1e-3, 3e-3, 2e-3, 1e-4};
    point p = {.what = ONE_WAY, .units = PAIRS, .size = 65536, .window = 64};
    sample s;
    for (long halves = LEAST_HALVES; halves < 200; halves += 7) {
        const int marks = halves < MARKS ? (int)halves : MARKS;
        share(&p, even, none, halves, times);
        rate_of_pairs(&p, times, marks, halves, &s);
        expect("even", s.value, CAPACITY, 1e-6);
        expect("even, least", s.least, CAPACITY / (double)PAIRS, 1e-6);
        share(&p, uneven, none, halves, times);
        rate_of_pairs(&p, times, marks, halves, &s);
        expect("uneven", s.value, CAPACITY, 1e-6);
        expect("uneven, least", s.least, CAPACITY / 6.7, 1e-6);
        share(&p, uneven, late, halves, times);
        rate_of_pairs(&p, times, marks, halves, &s);
        expect("late", s.value, CAPACITY, 1e-4);
        p.what = BOTH_WAYS;
        rate_of_pairs(&p, times, marks, halves, &s);
        expect("both ways", s.value, 2 * CAPACITY, 1e-4);
        p.what = ONE_WAY;
    }
    /* Of too few to leave out beginning and end it is everything that was sent over the whole time. */
    p.units = 1;
    share(&p, even, none, 5, times);
    rate_of_pairs(&p, times, 5, 5, &s);
    expect("one pair", s.value, CAPACITY, 1e-9);

    /* Median and interval of five, of which one is beside the others and one was disturbed: by hand. */
    sample samples[] = {{.value = 10, .probe = 4},
                        {.value = 11, .probe = 4},
                        {.value = 12, .probe = 4},
                        {.value = 50, .probe = 4, .switches = 2},
                        {.value = 99, .probe = 7}};
    point q = {.samples = samples, .count = 5};
    double middle, half;
    expect("samples that count", judge(&q, &middle, &half), 3, 0);
    expect("median", middle, 11, 0);
    expect("interval", half, 18.59, 1e-9); /* three: 1, 0 and 1 from it */
    return wrong > 0;
}
