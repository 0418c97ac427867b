# SPDX-License-Identifier: GPL-3.0-or-later
"""Does the histogram of q of tests/programs/independent.c follow the equilibrium distribution of the closed network?

histogram.py TRACE PAIRS ITERATIONS COMPUTE_MS SIZE MBIT [NICS]: TRACE is what `clumpmodel record --export perfetto` makes of a recording of
`independent --iterations ... --compute ... --size ...` whose senders, ranks 0 to PAIRS - 1, share a node with one NIC of MBIT Mbit/s. NICS is how
many the model has (1): with another number it must not fit.

q(t) is counted here, from the calls of the senders, between the moment when all of them have done a tenth of their cycles and the first
end of one. The model is written down here once more: P processors that compute for c on average, N servers that need S for a message;
q is a birth-death chain with rates (P-q)/c and min(q,N)/S. In equilibrium q does not depend on how c is distributed, nor, where NICs are
shared fairly, S.

c is the mean of the times between stays in MPI, S the time in which anybody is in MPI over the messages in it (one NIC works that long). Both are
those of this run, so that the machine's load does not matter; how far they are from what the program drew (its random numbers are
known: drand48 with the rank as seed) says how much of them is the machine. With shares p of the time and distribution pi,

    X2 = T (p - pi)' Sigma^-1 (p - pi)

where Sigma is the asymptotic covariance of the shares of a Markov chain, Sigma_ij = pi_i D_ij + pi_j D_ji with the deviation matrix
D = (Pi - Q)^-1 - Pi. As c and S are those of the run and tie the throughput, one of the P degrees of freedom is lost: X2 is chi-square
distributed with P - 1 of them, on average 3 with four processors. Of 3,000,000 simulated runs of 200 cycles, in which a tenth of S was latency,
which is not the NIC's, 18 were above 30 and one above 40; each further 5 are a ninth of it, so that LIMIT = 45 is exceeded with a probability of some 4e-8.

Prints a line of names and one of values. Exit status 0 if X2 is at most LIMIT, 1 if not, 3 if computations or messages were so late that
the machine is seen, and not the program.
"""
import json
import math
import sys

LIMIT = 45
LATE, SLOW = 0.02, 0.1


def draws(rank, iterations):
    """The program's exponential times and sizes, means 1: drand48 after srand48(rank + 1)."""
    state = ((rank + 1) << 16) + 0x330E
    drawn = []
    for _ in range(iterations):
        pair = []
        for _ in range(2):
            state = (0x5DEECE66D * state + 0xB) % 2**48
            pair.append(-math.log(1 - state / 2**48))
        drawn.append(pair)
    return drawn


def solve(matrix, right):
    """Gauss with pivots; columns of `right`."""
    n = len(matrix)
    rows = [list(matrix[i]) + list(right[i]) for i in range(n)]
    for i in range(n):
        best = max(range(i, n), key=lambda r: abs(rows[r][i]))
        rows[i], rows[best] = rows[best], rows[i]
        for r in range(n):
            if r != i:
                factor = rows[r][i] / rows[i][i]
                rows[r] = [x - factor * y for x, y in zip(rows[r], rows[i])]
    return [[rows[i][n + k] / rows[i][i] for k in range(len(right[0]))] for i in range(n)]


def equilibrium(processors, nics, compute, service):
    """Distribution of q, and the covariance of shares of the time, times the time."""
    n = processors + 1
    up = [(processors - q) / compute for q in range(n)]
    down = [min(q, nics) / service for q in range(n)]
    weight = [1.0]
    for q in range(1, n):
        weight.append(weight[-1] * up[q - 1] / down[q])
    pi = [w / sum(weight) for w in weight]
    rates = [[up[i] if j == i + 1 else down[i] if j == i - 1 else -up[i] - down[i] if j == i else 0.0 for j in range(n)]
             for i in range(n)]
    inverse = solve([[pi[j] - rates[i][j] for j in range(n)] for i in range(n)],
                    [[float(i == j) for j in range(n)] for i in range(n)])
    deviation = [[inverse[i][j] - pi[j] for j in range(n)] for i in range(n)]
    return pi, [[pi[i] * deviation[i][j] + pi[j] * deviation[j][i] for j in range(n)] for i in range(n)]


def chi_square(shares, seconds, pi, covariance):
    d = [s - p for s, p in zip(shares, pi)][1:]
    x = solve([row[1:] for row in covariance[1:]], [[v] for v in d])
    return seconds * sum(a * b[0] for a, b in zip(d, x))


def cycles(trace, pairs, iterations):
    """Of each sender: (begin, end) of each cycle's stay in MPI, s. A message is a send and the receive of its answer."""
    stays = {}
    for event in trace["traceEvents"] if isinstance(trace, dict) else trace:
        if event.get("ph") == "X" and event["name"] in ("send", "receive"):
            stays.setdefault((event["pid"], event["tid"]), []).append((event["ts"] * 1e-6, (event["ts"] + event["dur"]) * 1e-6, event["name"]))
    senders = []
    for calls in (sorted(stays[k]) for k in sorted(stays)):
        if calls[0][2] == "send":
            senders.append([(calls[i][0], calls[i + 1][1]) for i in range(0, len(calls) - 1, 2)])
    if len(senders) != pairs or any(len(s) != iterations for s in senders):
        sys.exit("histogram.py: found %s cycles, expected %d of %d senders" % ([len(s) for s in senders], iterations, pairs))
    return senders


def main():
    pairs, iterations = (int(a) for a in sys.argv[2:4])
    compute, size, mbit = (float(a) for a in sys.argv[4:7])
    nics = int(sys.argv[7]) if len(sys.argv) > 7 else 1
    compute /= 1000
    with open(sys.argv[1], encoding="ascii") as file:
        senders = cycles(json.load(file), pairs, iterations)
    begin = max(s[iterations // 10][1] for s in senders)
    end = min(s[-1][1] for s in senders)
    steps, drawn_compute, computed, drawn_service, count = [], 0.0, 0.0, 0.0, 0
    for rank, stays in enumerate(senders):
        drawn = draws(rank, iterations)
        for i in range(1, iterations):
            if stays[i - 1][1] >= begin and stays[i][1] <= end:
                count += 1
                drawn_compute += drawn[i][0] * compute
                computed += stays[i][0] - stays[i - 1][1]
                drawn_service += min(drawn[i][1], 20) * size * 8e-6 / mbit
        for enter, leave in stays:
            if leave > begin and enter < end:
                steps += [(max(enter, begin), 1), (min(leave, end), -1)]
    shares, q, at = [0.0] * (pairs + 1), 0, begin
    for time, by in sorted(steps):
        shares[q] += time - at
        q, at = q + by, time
    shares[q] += end - at
    seconds = end - begin
    shares = [s / seconds for s in shares]
    late = computed / drawn_compute - 1
    served = (1 - shares[0]) * seconds
    slow = served / drawn_service - 1
    pi, covariance = equilibrium(pairs, nics, computed / count, served / count)
    x2 = chi_square(shares, seconds, pi, covariance)
    print("seconds messages late slow x2", *("p%d pi%d" % (k, k) for k in range(pairs + 1)))
    print("%.4f %d %.4f %.4f %.2f" % (seconds, count, late, slow, x2), *("%.4f %.4f" % v for v in zip(shares, pi)))
    if late > LATE or slow > SLOW:
        return 3
    return int(not x2 <= LIMIT)


sys.exit(main())
