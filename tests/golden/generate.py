#!/usr/bin/python3
# SPDX-License-Identifier: GPL-3.0-or-later
"""Reference values for the tests of clumpmodel, independent of the C code.

Needs Python 3.9, mpmath 1.2, numpy and scipy.  Without arguments it rewrites every CSV file beside it and prints the
largest disagreement between the methods used for each file; with names ("transient relaxation") only those.
Each file is computed by one method and checked by at least one other; a disagreement stops the script.

A station serves q active processors at the total rate mu(q) = min(q m, N) E(q), E(q) = 1/(1 + a (q-1)); m = 0 means
no limit, min(q m, N) -> N.  U is the utilization, w = U/(1-U).  The slowdown of processor p is, by its definition in
section 8.3.2 of the thesis, 1/(P(p idle) + E[1{p active} mu(q)/q]).
Every number of the input is an IEEE double, and the computation uses exactly that double.
"""
import itertools
import math
import os
import random
import sys
from fractions import Fraction

import mpmath
import numpy
import scipy.linalg
import scipy.optimize
from mpmath import mp, mpf
from mpmath.matrices.eigen_symmetric import tridiag_eigen

mp.dps = 60
HERE = os.path.dirname(os.path.abspath(__file__))
residuals = {}


def check(name, got, want, tolerance):
    """Record and limit the relative disagreement of two methods."""
    error = abs(mpf(got) - mpf(want)) / max(abs(mpf(want)), mpf(10) ** -30)
    residuals[name] = max(residuals.get(name, mpf(0)), error)
    assert error <= tolerance, (name, mp.nstr(got, 25), mp.nstr(want, 25))


def text(value):
    if isinstance(value, mpf):
        return mp.nstr(value, 20, strip_zeros=False)
    return repr(value) if isinstance(value, float) else str(value)


def write(name, about, header, rows):
    with open(os.path.join(HERE, name + ".csv"), "w", encoding="ascii") as out:
        out.write("# %s\n%s\n" % (about, header))
        for row in rows:
            out.write(",".join(text(value) for value in row) + "\n")
    print("%-20s %5d rows" % (name, len(rows)))


def rates(P, N, m, a):
    """mu(0), ..., mu(P)"""
    return [mpf(0)] + [(mpf(min(q * m, N)) if m else mpf(N)) / (1 + mpf(a) * (q - 1)) for q in range(1, P + 1)]


# 1. Equal processors --------------------------------------------------------------------------------------------------
# Primary: the equilibrium distribution pi(C_q) = C(P,q) q!/M(q) w^q / Z summed term by term with 60 digits.
# Checks: global balance pi Q = 0 solved by LU; enumeration of all 2^P states; incomplete gamma and beta functions;
# the conservation of cycles, X = P(1-U)/(P-E[q]).

def measures(P, N, pi, mu):
    """Slowdown, E[q] and E[mu]/N of a distribution pi of q."""
    q_mean = mpmath.fsum(q * x for q, x in enumerate(pi))
    served = mpmath.fsum(mu[q] * x for q, x in enumerate(pi))
    return P / (P - q_mean + served), q_mean, served / N


def distribution(P, N, m, a, U):
    """P(q), q = 0, 1, ...; cut once log-concave terms (a = 0) are negligible."""
    U = mpf(U)
    mu = rates(P, N, m, a)
    if U == 0 or U == 1:
        return [mpf(int(q == P * U)) for q in range(P + 1)], mu
    w, term, total, terms = U / (1 - U), mpf(1), mpf(1), [mpf(1)]
    for q in range(1, P + 1):
        previous, term = term, term * (P - q + 1) * w / mu[q]
        terms.append(term)
        total += term
        if a == 0 and term < previous and term < total * mpf(10) ** -70:
            break
    return [x / total for x in terms], mu


def balance_solution(P, mu, U):
    """The same from the linear equations pi Q = 0, sum pi = 1."""
    U = mpf(U)
    A = mp.zeros(P + 1, P + 1)
    for q in range(P + 1):
        up, down = (P - q) / (1 - U), mu[q] / U
        A[q, q] -= up + down
        if q < P:
            A[q + 1, q] += up
        if q > 0:
            A[q - 1, q] += down
    for q in range(P + 1):
        A[P, q] = 1
    return list(mp.lu_solve(A, mp.matrix([0] * P + [1])))


def z_gamma(P, c):
    """Z_P = integral_0^inf exp(-t) (1 + c t)^P dt = exp(1/c) c^P Gamma(P+1, 1/c), real P"""
    return mp.exp(1 / c) * c ** P * mp.gammainc(P + 1, 1 / c)


def z_capped(P, N, w):
    """Z_P for mu = min(q,N), N < P: an incomplete beta integral (q <= N) and an incomplete gamma sum (q > N)."""
    n, x, c = P - N, N / w, w / N
    beta = integral(lambda t: t ** (n - 1) * (1 - t) ** N, 0, 1 / (1 + w), mpf(n - 1) / (P - 1), 1 / mp.sqrt(8 * P))
    gamma = integral(lambda t: mp.exp(x - t + (n - 1) * mp.log(t)), x, 3 * max(x, n) + 200, n - 1, mp.sqrt(n) / 2)
    low, scale = (1 + w) ** P * n * mp.binomial(P, N) * beta, mp.factorial(P) / mp.factorial(N) * mpf(N) ** N * c ** P
    return low + scale * gamma / mp.gamma(n)  # sum_{j<n} x^j/j! = exp(x) Gamma(n,x)/Gamma(n)


def integral(f, low, high, mode, width):
    """Quadrature of a function with one maximum of the given width, cut into panels that double away from it."""
    mode = min(max(mpf(mode), low), high)
    points, step = {mpf(low), mpf(high), mode}, mpf(width)
    while step < high - low:
        points |= {x for x in (mode - step, mode + step) if low < x < high}
        step *= 2
    top = f(mode)  # mp.quad stops at an absolute error
    return top * mp.quad(lambda x: f(x) / top, sorted(points))


def homogeneous():
    shapes = [(0, 0.0), (1, 0.0), (2, 0.0), (0, 0.05), (3, 0.05), (0, 0.5)]
    extremes = [0.0, 1e-12, 1e-3, 0.1, 0.3, 0.48, 0.7, 0.9, 0.999, 1 - 1e-12, 1.0]
    cases = [(8, 4, 0, 0.0, u / 50) for u in range(1, 50)] + [(2, 1, 0, 0.0, 0.5)]
    for P in (1, 2, 3, 4, 5, 8, 13, 16, 32, 64):
        for N in sorted({1, max(1, P // 4), max(1, P // 2), P, P + 3}):
            for m, a in shapes if P in (2, 8, 64) else shapes[:2] + shapes[4:5]:
                if m < N:
                    cases += [(P, N, m, a, U) for U in (extremes if P in (1, 2, 8, 64) else extremes[2:-2:2])]
    for P in (1000, 10000):
        for N in (1, P // 4, P // 2, P):
            cases += [(P, N, 0, 0.0, U) for U in (1e-6, 0.2, 0.48, 0.9)]
        cases += [(P, P // 2, 1, 0.0, U) for U in (0.3, 0.48, 0.5, 0.52, 0.8)]
    cases += [(64, 32, 1, 0.0, U) for U in (0.5, 0.52)] + [(1000, 500, 0, 0.001, 0.48), (1000, 500, 2, 0.001, 0.3)]
    cases += [(10 ** 6, 250000, 0, 0.0, 0.2), (10 ** 6, 250000, 0, 0.0, 0.1)]
    rows = []
    for P, N, m, a, U in dict.fromkeys(cases):
        pi, mu = distribution(P, N, m, a, U)
        X, active, used = measures(P, N, pi, mu)
        rows.append((P, N, m, a, U, X, active, used))
        if 0 < U < 1:
            check("homogeneous: P(1-U)/(P-E[q])", P * (1 - mpf(U)) / (P - active), X, 1e-40)
            if P <= 16 or P == 64 and U == 0.48 and N in (1, 32):
                for got, want in zip(measures(P, N, balance_solution(P, mu, U), mu), (X, active, used)):
                    check("homogeneous: balance equations", got, want, 1e-25)
            if P <= 5:
                check("homogeneous: all 2^P states", subsets([U] * P, N, m, a)[0][0], X, 1e-40)
            w = mpf(U) / (1 - mpf(U))
            if P >= 1000 and m == 0 and a == 0:
                check("homogeneous: gamma function", (1 - mpf(U)) * z_gamma(P, w / N) / z_gamma(P - 1, w / N), X, 1e-40)
            if P >= 64 and m == 1 and N == P // 2:
                ratio = z_capped(P, N, w) / z_capped(P - 1, N, w)
                check("homogeneous: min(q,N) integrals", (1 - mpf(U)) * ratio, X, 1e-25)
    write("homogeneous", "equal processors: slowdown, mean number active E[q], NIC utilization E[mu(q)]/N",
          "processors,nics,max_nics,efficiency_slope,utilization,slowdown,mean_active,nic_utilization", rows)


# 2. Mixed processors --------------------------------------------------------------------------------------------------
# Primary: the sum over all 2^P sets of active processors.  Checks: the probabilities satisfy the global balance
# pi Q = 0 in every state; for P <= 4 they are found a second time from pi Q = 0 by LU; X_p = (1-U_p) Z/Z(without p).

def subsets(U, N, m, a):
    """Slowdowns and probabilities {set: pi} by enumeration; U = 0 and U = 1 as in section 8.2.3."""
    P, U = len(U), [mpf(u) for u in U]
    mu = rates(P, N, m, a)
    weight = {}
    for bits in range(2 ** P):
        inside = [bits >> p & 1 for p in range(P)]
        if all(not (u == 0 and x) and not (u == 1 and not x) for u, x in zip(U, inside)):
            q = sum(inside)
            value = mpf(math.factorial(q)) / mpmath.fprod(mu[1:q + 1])
            weight[bits] = value * mpmath.fprod(u / (1 - u) for u, x in zip(U, inside) if x and u < 1)
    total = mpmath.fsum(weight.values())
    pi = {bits: x / total for bits, x in weight.items()}
    X = []
    for p in range(P):
        gain = (x * (mu[bin(bits).count("1")] / bin(bits).count("1") if bits >> p & 1 else 1) for bits, x in pi.items())
        X.append(1 / mpmath.fsum(gain))
    return X, pi


def check_global_balance(U, N, m, a, pi):
    P, mu, U = len(U), rates(len(U), N, m, a), [mpf(u) for u in U]
    free = [p for p in range(P) if 0 < U[p] < 1]

    def rate(bits, p):  # at which processor p changes between idle (mean 1-U) and active (mean U q/mu)
        q = bin(bits).count("1")
        return mu[q] / q / U[p] if bits >> p & 1 else 1 / (1 - U[p])

    for bits, x in pi.items():
        out = x * mpmath.fsum(rate(bits, p) for p in free)
        into = mpmath.fsum(pi[bits ^ 1 << p] * rate(bits ^ 1 << p, p) for p in free)
        check("heterogeneous: pi Q = 0", into, out, 1e-40)
    if P <= 4 and free:
        index = {bits: i for i, bits in enumerate(pi)}
        A = mp.zeros(len(pi), len(pi))
        for bits, p in itertools.product(pi, free):
            A[index[bits], index[bits]] -= rate(bits, p)
            A[index[bits ^ 1 << p], index[bits]] += rate(bits, p)
        for i in range(len(pi)):
            A[len(pi) - 1, i] = 1
        solved = mp.lu_solve(A, mp.matrix([0] * (len(pi) - 1) + [1]))
        for bits, i in index.items():
            check("heterogeneous: LU", solved[i], pi[bits], 1e-40)


def mixes(seed, count, largest):
    """Random utilizations on a random station, every seventh one at a limit 0 or 1; first the mix .1, .2, ..., .8."""
    dice = random.Random(seed)
    yield [0.1, 0.2, 0.3, 0.4, 0.5, 0.6, 0.7, 0.8], 4, 0, 0.0
    for case in range(count):
        P = 1 + case % largest
        U = [dice.choice([0.0, 1.0]) if dice.random() < 1 / 7 else dice.random() for _ in range(P)]
        yield U, dice.randint(1, P + 2), dice.choice([0, 0, 1, 2, 3]), dice.choice([0.0, 0.0, 0.05, 0.5])


def heterogeneous():
    rows = []
    for case, (U, N, m, a) in enumerate(mixes(8, 60, 12), 1):
        X, pi = subsets(U, N, m, a)
        check_global_balance(U, N, m, a, pi)
        rows += [(case, len(U), N, m, a, p, u, x) for p, (u, x) in enumerate(zip(U, X), 1)]
        for u, x, p in zip(U, X, range(len(U))):
            if max(U) < 1:
                both = [elementary_sum([mpf(v) / (1 - mpf(v)) for v in mix], N, m, a) for mix in (U, U[:p] + U[p + 1:])]
                check("heterogeneous: (1-U)Z/Z(without p)", (1 - mpf(u)) * both[0] / both[1], x, 1e-40)
    write("heterogeneous", "random mixes of processors on one station, case 1 is .1 to .8 on 4 NICs",
          "case,processors,nics,max_nics,efficiency_slope,processor,utilization,slowdown", rows)


# 3. Large mixes -------------------------------------------------------------------------------------------------------
# Primary: every U is a multiple of 2^-54, so prod_p ((1-U_p) + U_p x) has exact integer coefficients; leave-one-out
# products are multiplied out separately, never divided.  X_p then comes from its definition.  Checks: for mu = N the
# integral Z = int exp(-t) prod(1 + w_p t/N) dt; otherwise (1-U)Z/Z(without p) by 60-digit convolution (P = 64).

def elementary_sum(w, N, m, a):
    e = [mpf(1)]
    for x in w:
        e = [(e[q] if q < len(e) else 0) + (e[q - 1] * x if q else 0) for q in range(len(e) + 1)]
    mu, weight, total = rates(len(w), N, m, a), mpf(1), e[0]
    for q in range(1, len(e)):
        weight *= q / mu[q]
        total += weight * e[q]
    return total


def multiply(coefficients, numerators):
    for n in numerators:
        rest = 2 ** 54 - n
        coefficients = [x * rest + y * n for x, y in zip(coefficients + [0], [0] + coefficients)]
    return coefficients


def linear_mix(P):
    return [0.3 + 0.4 * (p - 1) / (P - 1) for p in range(1, P + 1)]


def heterogeneous_large():
    rows = []
    for P, N in ((64, 32), (1000, 500)):
        U = linear_mix(P)
        numerators = [int(Fraction(u) * 2 ** 54) for u in U]
        assert all(Fraction(n, 2 ** 54) == Fraction(u) for n, u in zip(numerators, U))
        selected = sorted({1 + (P - 1) * k // 11 for k in range(12)})
        common = multiply([1], [n for p, n in enumerate(numerators, 1) if p not in selected])
        exact = {p: multiply(common, [numerators[s - 1] for s in selected if s != p]) for p in selected}
        w = [mpf(u) / (1 - mpf(u)) for u in U]

        def quadrature(skip):
            few = [x / N for p, x in enumerate(w, 1) if p != skip]
            mode = scipy.optimize.brentq(lambda t: sum(float(x) / (1 + float(x) * t) for x in few) - 1, 0, 10 * P)
            return integral(lambda t: mp.exp(-t) * mpmath.fprod(1 + x * t for x in few), 0, 4 * P, mode, math.sqrt(P))

        for m in (0, 1):
            mu, weight = rates(P, N, m, 0.0), [mpf(1)]
            for q in range(1, P + 1):
                weight.append(weight[-1] * q / mu[q])
            if m == 0:
                mp.dps = 30
                whole = quadrature(0)
                mp.dps = 60
            elif P == 64:
                whole = elementary_sum(w, N, m, 0.0)
            for p in selected:
                u = mpf(U[p - 1])
                idle = [(1 - u) * mpf(x) for x in exact[p]]    # q others active and p idle
                active = [u * mpf(x) for x in exact[p]]        # q others active and p active: q+1 in all
                total = mpmath.fsum(weight[q] * idle[q] + weight[q + 1] * active[q] for q in range(P))
                share = [mu[q + 1] / (q + 1) for q in range(P)]
                X = total / mpmath.fsum(weight[q] * idle[q] + weight[q + 1] * active[q] * share[q] for q in range(P))
                rows.append((P, N, m, p, U[p - 1], X))
                if m == 0 and (P == 64 or p in (1, P)):
                    mp.dps = 30
                    check("heterogeneous_large: integral", (1 - u) * whole / quadrature(p), X, 1e-18)
                    mp.dps = 60
                elif m == 1 and P == 64:
                    rest = elementary_sum(w[:p - 1] + w[p:], N, m, 0.0)
                    check("heterogeneous_large: convolution", (1 - u) * whole / rest, X, 1e-40)
    write("heterogeneous_large", "selected processors of the mix U_p = 0.3 + 0.4*(p-1)/(P-1)",
          "processors,nics,max_nics,processor,utilization,slowdown", rows)


# 4. Real numbers of processors ----------------------------------------------------------------------------------------
# Primary: Z_P by quadrature of int_0^inf exp(-t) (1 + c t)^P dt.  Checks: the incomplete gamma function, and for
# whole P the distribution of file 1.

def z_integral(P, c):
    return integral(lambda t: mp.exp(-t) * (1 + c * t) ** P, 0, 20 * P + 200, max(P - 1 / c, 0), mp.sqrt(P + 1) / 2)


def real_processors():
    sizes = [(P, N) for P in (1.0, 1.5, 2.25, 8 / 3, math.pi, 7.0, 12.5, 25.75, 50.0) for N in (1.0, P / 2, P / 3, 4.5)]
    sizes += [(8 / s, 4 / s) for s in (1.0, 1.5, 2.0, 3.0, 5.0, 8.0)] + [(32 / s, 8 / s) for s in (1.25, 1.7, 4.0, 9.9)]
    rows = []
    for (P, N), U in itertools.product(dict.fromkeys(sizes), (0.05, 0.2, 0.48, 0.75, 0.95)):
        p, u = mpf(P), mpf(U)
        c = u / (1 - u) / mpf(N)
        mp.dps = 35
        X = (1 - u) * z_integral(p, c) / z_integral(p - 1, c)
        mp.dps = 60
        check("real_processors: gamma function", (1 - u) * z_gamma(p, c) / z_gamma(p - 1, c), X, 1e-24)
        if P == int(P):
            pi, mu = distribution(int(P), mpf(N), 0, 0.0, U)
            check("real_processors: whole P", measures(int(P), mpf(N), pi, mu)[0], X, 1e-24)
        rows.append((P, N, U, X))
    write("real_processors", "slowdown for real numbers of processors and NICs, mu = N",
          "processors,nics,utilization,slowdown", rows)


# 5. Transients --------------------------------------------------------------------------------------------------------
# Primary: eigenvalues of the symmetrized birth-death generator with the projections on q = 0 and on the reward r,
# with as many more digits as the equilibrium distribution spans; T' by Newton's method inside a bracket.
# Checks: scipy.linalg.expm of the generator bordered by r, in double precision; the relaxation time by bisection on
# the Sturm sequence; X_T against X of file 1 when T is long.

def chain(P, N, m, a, U):
    U, mu = mpf(U), rates(P, N, m, a)
    up = [(P - q) / (1 - U) for q in range(P + 1)]
    down = [x / U for x in mu]
    return up, down, [(P - q + mu[q]) / P for q in range(P + 1)]


def spectrum(P, N, m, a, U):
    """Decay rates and amplitudes: r(t) = sum_k amplitude_k exp(-rate_k t)."""
    def stationary():
        weights = [mpf(1)]
        for q in range(P):
            weights.append(weights[-1] * up[q] / down[q + 1])
        return weights

    up, down, reward = chain(P, N, m, a, U)
    mp.dps = 60 + int(mp.log10(max(stationary()) / min(stationary())))
    up, down, reward = chain(P, N, m, a, U)
    pi = stationary()
    diagonal = mp.matrix([x + y for x, y in zip(up, down)])
    beside = mp.matrix([-mp.sqrt(up[q] * down[q + 1]) for q in range(P)] + [0])
    rows = mp.matrix([[int(q == 0) for q in range(P + 1)], [r * mp.sqrt(x) for r, x in zip(reward, pi)]])
    tridiag_eigen(mp, diagonal, beside, rows)
    modes = sorted((diagonal[k], rows[0, k] * rows[1, k]) for k in range(P + 1))
    assert abs(modes[0][0]) < mpf(10) ** -50
    return [(mpf(0), modes[0][1])] + modes[1:]


def finish_time(modes, reward, T):
    """T' with the integral of r from 0 to T' equal to T."""
    low, high = T / max(reward), T / min(reward)
    t = T
    for _ in range(200):
        decay = [mp.exp(-rate * t) for rate, _ in modes]
        done = mpmath.fsum(c * (t if rate == 0 else (1 - x) / rate) for (rate, c), x in zip(modes, decay)) - T
        low, high = (low, t) if done > 0 else (t, high)
        step = done / mpmath.fsum(c * x for (_, c), x in zip(modes, decay))
        if abs(step) < t * mpf(10) ** -45:
            return t - step
        t = t - step if low < t - step < high else (low + high) / 2
    raise ArithmeticError("no convergence")


def bordered_generator(P, N, m, a, U):
    up, down, reward = chain(P, N, m, a, U)
    A = numpy.zeros((P + 2, P + 2))
    for q in range(P + 1):
        A[q, q] = -float(up[q] + down[q])
        A[q, P + 1] = float(reward[q])
        if q < P:
            A[q, q + 1] = float(up[q])
        if q > 0:
            A[q, q - 1] = float(down[q])
    return A


def transient():
    rows = []
    for P in (1, 2, 3, 8, 16, 64):
        half = max(1, P // 2)
        cases = [(half, 0, 0.0, 0.1), (half, 0, 0.0, 0.48), (half, 0, 0.0, 0.9), (1, 0, 0.0, 0.3), (P, 0, 0.0, 0.48),
                 (half, 1, 0.0, 0.48), (half, 2, 0.05, 0.6)] + ([(32, 0, 1.0, 0.05)] if P == 64 else [])
        for N, m, a, U in dict.fromkeys(cases):
            modes, reward = spectrum(P, N, m, a, U), chain(P, N, m, a, U)[2]
            A = bordered_generator(P, N, m, a, U)
            for T in (0.001, 0.1, 1.0, 5.0, 20.0, 1000.0):
                X = finish_time(modes, reward, mpf(T)) / mpf(T)
                rows.append((P, N, m, a, U, T, X))
                check("transient: expm", scipy.linalg.expm(A * float(X * mpf(T)))[0, P + 1], mpf(T), 1e-9)
            check("transient: amplitude of X", 1 / modes[0][1], equilibrium(P, N, m, a, U), 1e-40)
            mp.dps = 60
    write("transient", "slowdown of a phase of length phase_cycles (R+S=1) that starts with no processor active",
          "processors,nics,max_nics,efficiency_slope,utilization,phase_cycles,slowdown", rows)


def equilibrium(P, N, m, a, U):
    pi, mu = distribution(P, N, m, a, U)
    return measures(P, N, pi, mu)[0]


# 6. Scheduled demands -------------------------------------------------------------------------------------------------
# The shortest fluid schedule: spend tau_q with q active, minimize X = sum tau_q under sum tau_q mu(q) >= P U and
# sum tau_q (P-q) >= P (1-U).  Primary: all basic solutions (at most two tau_q > 0) compared.  Checks: scipy's linprog
# (HiGHS), and (8.10) when mu = N.

def best_schedule(P, mu, U):
    work, idle = P * U, P * (1 - U)
    best = [mpf("inf")]
    for q in range(P + 1):  # one population; if a constraint has slack the other decides
        if (mu[q] > 0 or work == 0) and (q < P or idle == 0):
            best.append(max(work / mu[q] if work else 0, idle / (P - q) if idle else 0))
    for q, k in itertools.combinations(range(P + 1), 2):
        det = mu[q] * (P - k) - mu[k] * (P - q)
        if det != 0:
            x, y = (work * (P - k) - mu[k] * idle) / det, (mu[q] * idle - work * (P - q)) / det
            if x >= 0 and y >= 0:
                best.append(x + y)
    return min(best)


def scheduled():
    rows = []
    for P, N in ((1, 1), (2, 1), (8, 1), (8, 4), (8, 6), (8, 8), (8, 11), (16, 5), (64, 32)):
        for m, a in ((0, 0.0), (1, 0.0), (2, 0.0), (0, 0.05), (2, 0.05), (0, 0.5)):
            for U in (0.0, 0.05, 0.25, 0.36, 0.4, 0.48, 0.75, 0.95, 1.0):
                u, mu = mpf(U), rates(P, N, m, a)
                X = best_schedule(P, mu, u)
                rows.append((P, N, m, a, U, X))
                A = -numpy.array([[float(mu[q]) for q in range(P + 1)], [P - q for q in range(P + 1)]])
                solved = scipy.optimize.linprog(numpy.ones(P + 1), A, [-P * U, -P * (1 - U)], method="highs")
                check("scheduled: linprog", solved.fun, X, 1e-12)
                if m == 0 and a == 0:
                    formula = 1 - mpf(N - 1) / N * u if u * (N + P - 1) <= N else P * u / N
                    check("scheduled: (8.10)", formula, X, 1e-50)
    write("scheduled", "shortest fluid schedule of equal processors",
          "processors,nics,max_nics,efficiency_slope,utilization,slowdown", rows)


# 7. Scheduled mixes ---------------------------------------------------------------------------------------------------
# The least mean of X_p = 1/x_p that any schedule reaches, where p needs the time C_p without NICs and D_p of a NIC: the
# share of the time in which exactly the subset s is active is an unknown for each of the 2^P subsets.  Primary: Kelley's
# cutting planes, t_p >= 1/x_p by its tangents, each round a linear programme (HiGHS).  Check: mu = N in closed form,
# X_p = max(C_p + D_p/N, v sqrt(D_p)) with v by bisection.

def best_mean(C, D, mu):
    P = len(C)
    subsets = list(range(1, 1 << P))
    equal, most, limits = [], [], []
    for p in range(P):
        inside = [s >> p & 1 for s in subsets]
        served = [float(mu[bin(s).count("1")]) / bin(s).count("1") * i for s, i in zip(subsets, inside)]
        equal.append(served + [-D[p] * (k == p) for k in range(P)] + [0] * P)
        most.append(inside + [C[p] * (k == p) for k in range(P)] + [0] * P)
    most.append([1] * len(subsets) + [0] * 2 * P)
    limits = [1] * (P + 1)
    best, n = math.inf, len(subsets)
    points = [[1 / (C[p] + D[p])] for p in range(P)]
    while True:
        cuts = [[0] * n + [-(k == p) / x ** 2 for k in range(P)] + [-(k == p) for k in range(P)]
                for p in range(P) for x in points[p]]
        bounds = [-2 / x for p in range(P) for x in points[p]]
        solved = scipy.optimize.linprog([0] * (n + P) + [1] * P, most + cuts, limits + bounds, equal, [0] * P,
                                        method="highs", options={"primal_feasibility_tolerance": 1e-10,
                                                                 "dual_feasibility_tolerance": 1e-10})
        x = solved.x[n:n + P]
        best = min(best, sum(1 / max(v, 1e-9) for v in x))
        if best - solved.fun < 1e-9 * best:
            return best / P
        for p in range(P):
            points[p].append(max(x[p], points[p][-1] / 10))


def closed_mean(C, D, N):
    alone = [mpf(c) + mpf(d) / N for c, d in zip(C, D)]
    times = lambda v: [max(a, v * mp.sqrt(mpf(d))) for a, d in zip(alone, D)]
    low, high = mpf(0), mpf(1)
    if sum(mpf(d) / x for d, x in zip(D, times(low))) > N:
        while sum(mpf(d) / x for d, x in zip(D, times(high))) > N:
            high *= 2
        for _ in range(200):
            middle = (low + high) / 2
            if sum(mpf(d) / x for d, x in zip(D, times(middle))) > N:
                low = middle
            else:
                high = middle
        low = high
    return sum(times(low)) / len(C)


def scheduled_mix():
    dice, rows = random.Random(14), []
    for case in range(1, 61):
        P = 2 + case % 5
        N, m, a = dice.randint(1, P + 1), dice.choice([0, 1, 1.5, 2, 2.75]), dice.choice([0.0, 0.0, 0.05, 0.5])
        D = [dice.random() for _ in range(P)]
        C = [(1 - d) * dice.choice([1, 1, 0.5, 3]) for d in D]
        mu = rates(P, N, m, a)
        most = min(q for q in range(1, P + 1) if mu[q] == max(mu))
        if any(mu[q] != mu[1] * q for q in range(1, most + 1)):
            continue  # refused: some are served better than all
        X = mpf(best_mean(C, D, mu))
        if m == 0 and a == 0:
            formula = closed_mean(C, D, N)
            check("scheduled_mix: closed form", X, formula, 1e-8)
            X = formula
        rows += [(case, P, N, m, a, p, c, d, X) for p, (c, d) in enumerate(zip(C, D), 1)]
    write("scheduled_mix", "the least mean slowdown of processors that differ; C without NICs, D of a NIC",
          "case,processors,nics,max_nics,efficiency_slope,processor,computation,communication,mean_slowdown", rows)


# 8. Fully correlated mixes --------------------------------------------------------------------------------------------
# All processors of a node start to communicate at the same moment; X_p = (1-U_p) + the time until the work U_p is
# done.  Primary: event by event with exact fractions.  Checks: the closed sum over the sorted works; (8.9).

def finish_together(U, N, m, a):
    def mu(q):
        return Fraction(min(q * m, N) if m else N) / (1 + Fraction(a) * (q - 1))
    left = {p: Fraction(u) for p, u in enumerate(U) if u > 0}
    now, done = Fraction(0), [Fraction(0)] * len(U)
    while left:
        each = mu(len(left)) / len(left)
        step = min(left.values()) / each
        now += step
        for p in list(left):
            left[p] -= step * each
            if left[p] == 0:
                del left[p]
                done[p] = now
    return [1 - Fraction(u) + t for u, t in zip(U, done)]


def correlated_mix():
    rows = []
    equal = [([0.48] * 8, 4, 0, 0.0), ([0.3] * 6, 9, 0, 0.0), ([1.0] * 3, 1, 0, 0.0)]
    for case, (U, N, m, a) in enumerate(itertools.chain(mixes(9, 40, 16), equal), 1):
        X = [mpf(x.numerator) / x.denominator for x in finish_together(U, N, m, a)]
        rows += [(case, len(U), N, m, a, p, u, x) for p, (u, x) in enumerate(zip(U, X), 1)]
        mu, order = rates(len(U), N, m, a), sorted(range(len(U)), key=lambda p: U[p])
        now, before = mpf(0), mpf(0)
        for k, p in enumerate(order):
            rest = len(U) - k
            now += (mpf(U[p]) - before) * rest / mu[rest]
            before = mpf(U[p])
            check("correlated_mix: sorted works", 1 - before + now, X[p], 1e-50)
        if len(set(U)) == 1 and m == 0 and a == 0:
            check("correlated_mix: (8.9)", 1 + mpf(len(U) - N) / N * mpf(U[0]), X[0], 1e-50)
    write("correlated_mix", "all processors start to communicate together; case 1 is .1 to .8 on 4 NICs",
          "case,processors,nics,max_nics,efficiency_slope,processor,utilization,slowdown", rows)


# 9. Memory ------------------------------------------------------------------------------------------------------------
# Processors that use no NIC share memory: k of them go on at nu(k) together.  nu by the law: 0 queue, k/X(k) of a closed
# network with the share m at a memory that feeds c, summed over its states; 1 roofline min(k, c/m); 2 measured, the curve
# 1, 1 + c, 1 + c + c m, ... (steps in the proportion m).  Primary: the sum over all 2^P sets of communicating processors.
# Checks: global balance in every state; with law 0 the three stations NIC, memory and own work, over all 3^P states,
# where nu does not occur; X_p = (1-U_p) Z_P/Z_{P-1}(without p); equal processors from the birth-death chain.

def memory_rates(P, law, m, c):
    """nu(0), ..., nu(P)"""
    m, c = mpf(m), mpf(c)
    if law == 1:
        return [mpf(0)] + [min(mpf(k), c / m) for k in range(1, P + 1)]
    if law == 2:
        return [mpf(0)] + [1 + mpmath.fsum(c * m ** i for i in range(k - 1)) for k in range(1, P + 1)]
    nu = [mpf(0)]
    for k in range(1, P + 1):
        term = [mpf(1)]
        for j in range(1, k + 1):  # j at memory
            term.append(term[-1] * (k - j + 1) * m / min(mpf(j), c))
        own = [t * (1 - m) ** (k - j) for j, t in enumerate(term)]
        served = mpmath.fsum(x * min(mpf(j), c) for j, x in enumerate(own))
        nu.append(served / m / mpmath.fsum(own))
    return nu


def memory_sets(U, N, nu):
    """Slowdowns, weights of the sets, and their sum."""
    P, U, mu = len(U), [mpf(u) for u in U], rates(len(U), N, 0, 0.0)
    weight = {}
    for bits in range(2 ** P):
        inside = [bits >> p & 1 for p in range(P)]
        q = sum(inside)
        value = mpmath.fprod(i / mu[i] for i in range(1, q + 1)) * mpmath.fprod(i / nu[i] for i in range(1, P - q + 1))
        weight[bits] = value * mpmath.fprod(u if x else 1 - u for u, x in zip(U, inside))
    total = mpmath.fsum(weight.values())

    def speed(bits, p):
        q = bin(bits).count("1")
        return mu[q] / q if bits >> p & 1 else nu[P - q] / (P - q)

    X = [total / mpmath.fsum(x * speed(bits, p) for bits, x in weight.items()) for p in range(P)]
    for bits, x in weight.items():
        if all(0 < u < 1 for u in U):
            rate = lambda b, p: speed(b, p) / (U[p] if b >> p & 1 else 1 - U[p])
            out = x * mpmath.fsum(rate(bits, p) for p in range(P))
            into = mpmath.fsum(weight[bits ^ 1 << p] * rate(bits ^ 1 << p, p) for p in range(P))
            check("memory: pi Q = 0", into, out, 1e-40)
    return X, total


def three_stations(U, N, m, c):
    """Slowdowns from all 3^P states of own work, memory and NIC."""
    P, U, m, c = len(U), [mpf(u) for u in U], mpf(m), mpf(c)
    total, gained = mpf(0), [mpf(0)] * P
    for state in itertools.product(range(3), repeat=P):
        j, q = state.count(1), state.count(2)
        x = mpmath.fprod((((1 - u) * (1 - m), (1 - u) * m, u)[s] for u, s in zip(U, state)))
        x *= mpmath.fprod(i / min(mpf(i), c) for i in range(1, j + 1)) * mpf(math.factorial(q)) / mpf(N) ** q
        total += x
        for p, s in enumerate(state):
            gained[p] += x * (1 if s == 0 else min(mpf(j), c) / j if s == 1 else mpf(N) / q)
    return [total / g for g in gained]


def memory():
    laws = [(0, 0.5, 2.0), (0, 0.3, 1.0), (0, 0.8, 2.5), (1, 0.5, 2.0), (1, 0.7, 1.0), (2, 0.5, 0.9), (2, 0.9, 0.6)]
    dice, rows, case = random.Random(15), [], 0
    for law, m, c in laws:
        for P in (1, 2, 3, 5, 7):
            N = dice.randint(1, P)
            for U in ([0.48] * P, [dice.random() for _ in range(P)]):
                case += 1
                nu = memory_rates(P, law, m, c)
                X, Z = memory_sets(U, N, nu)
                rows += [(case, P, N, law, m, c, p, u, x) for p, (u, x) in enumerate(zip(U, X), 1)]
                if law == 0 and P <= 5:
                    for got, want in zip(three_stations(U, N, m, c), X):
                        check("memory: three stations", got, want, 1e-40)
                for p in range(P if P > 1 else 0):
                    rest = memory_sets(U[:p] + U[p + 1:], N, nu[:P])[1]
                    check("memory: Z_P/Z_{P-1}", Z / rest, X[p], 1e-40)
    for P, N, U in ((64, 16, 0.3), (64, 16, 0.7), (300, 40, 0.2), (300, 200, 0.9)):
        for law, m, c in ((0, 0.5, 8.0), (1, 0.5, 10.0), (2, 0.98, 0.9)):
            case += 1
            nu, u, terms = memory_rates(P, law, m, c), mpf(U), [mpf(1)]
            for q in range(P):
                terms.append(terms[-1] * nu[P - q] / (1 - u) * u / N)
            X = P * (1 - u) * mpmath.fsum(terms) / mpmath.fsum(t * nu[P - q] for q, t in enumerate(terms))
            served = mpmath.fsum(t * N for t in terms[1:]) / mpmath.fsum(terms)
            check("memory: served", P * u / served, X, 1e-40)
            rows.append((case, P, N, law, m, c, 0, U, X))
    write("memory", "nodes that share memory; processor 0: all of them, with the same utilization",
          "case,processors,nics,law,share,feeds,processor,utilization,slowdown", rows)


# 11. The greatest of several -------------------------------------------------------------------------------------------
# Primary: the mean of the density k phi Phi^(k-1), by Gauss and Legendre on pieces. Check: half the integral of
# 1 - Phi(x)^k - Phi(-x)^k over the line, by the trapezoidal rule, whose error falls exponentially for it.
def slowest():
    h, reach, rows = mpf(1) / 32, 17, []
    below = {i: mpmath.ncdf(i * h) for i in range(-reach * 32, reach * 32 + 1)}
    ends = [mpf(e) for e in range(-reach, reach + 1)]
    nodes = mpmath.calculus.quadrature.GaussLegendre(mp).calc_nodes(4, mp.prec)
    points = [(a + (b - a) * (x + 1) / 2, w * (b - a) / 2) for a, b in zip(ends, ends[1:]) for x, w in nodes]
    density = [(w * x * mpmath.npdf(x), mpmath.ncdf(x)) for x, w in points]
    for k in range(2, 101):
        mean = k * mpmath.fsum(d * F ** (k - 1) for d, F in density)
        other = h / 2 * mpmath.fsum(1 - F ** k - below[-i] ** k for i, F in below.items())
        check("slowest: distribution", mean, other, 1e-25)
        rows.append((k, mean))
    check("slowest: of 2", rows[0][1], 1 / mp.sqrt(mp.pi), 1e-30)
    check("slowest: of 3", rows[1][1], mpf(3) / 2 / mp.sqrt(mp.pi), 1e-30)
    write("slowest", "mean of the greatest of k standard normal numbers", "count,greatest", rows)


FILES = [homogeneous, heterogeneous, heterogeneous_large, real_processors, transient, scheduled,
         scheduled_mix, correlated_mix, memory, slowest]

if __name__ == "__main__":
    for make in FILES:
        if len(sys.argv) == 1 or make.__name__ in sys.argv[1:]:
            make()
    for name, error in residuals.items():
        print("%-45s %s" % (name, mp.nstr(error, 2)))
