/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "model/slowest.h"

#include <math.h>

/* What the integral below gives for so many: processors of a node, groups and nodes are mostly as few, and each row of a
 * sweep may ask. */
enum { TABLE = 65 };
static const double table[TABLE] = {0,
                                    0,
                                    0.56418958354775695,
                                    0.84628437532163447,
                                    1.0293753730039648,
                                    1.1629644736405198,
                                    1.2672063606114694,
                                    1.3521783756069023,
                                    1.4236003060452749,
                                    1.4850131622092362,
                                    1.5387527308351707,
                                    1.5864363519079996,
                                    1.6292276398719103,
                                    1.667990177049127,
                                    1.7033815540999757,
                                    1.7359134449410369,
                                    1.7659913930547879,
                                    1.7939419808826877,
                                    1.8200318789687198,
                                    1.8444815116038245,
                                    1.867475059798319,
                                    1.8891679149213099,
                                    1.909692321681415,
                                    1.9291617116425013,
                                    1.9476740742256788,
                                    1.9653146097535552,
                                    1.9821578397613098,
                                    1.9982693020065763,
                                    2.0137069241232646,
                                    2.0285221460475951,
                                    2.0427608441715122,
                                    2.0564640976381918,
                                    2.0696688279289059,
                                    2.082408335970134,
                                    2.0947127557684841,
                                    2.1066094396039516,
                                    2.1181232867564903,
                                    2.1292770253732227,
                                    2.1400914552352019,
                                    2.1505856577287608,
                                    2.1607771781750182,
                                    2.1706821847534647,
                                    2.1803156075194163,
                                    2.1896912604213394,
                                    2.198821948742482,
                                    2.2077195639984435,
                                    2.2163951680005005,
                                    2.224859067529481,
                                    2.2331208808458007,
                                    2.2411895970792064,
                                    2.2490736293898506,
                                    2.2567808626651358,
                                    2.2643186964098669,
                                    2.2716940833970392,
                                    2.2789135645701992,
                                    2.285983300623422,
                                    2.292909100629827,
                                    2.2996964480420168,
                                    2.3063505243476459,
                                    2.3128762306282229,
                                    2.3192782072393734,
                                    2.3255608518048172,
                                    2.3317283356937648,
                                    2.3377846191319458,
                                    2.3437334650794366};

/*
 * integral x k phi(x) Phi(x)^(k-1) dx by the trapezoidal rule over the whole line. The integrand is
 * analytic and vanishes at both ends, so that the error falls exponentially with 1/step. It is worst
 * for many, where the maximum has nearly Gumbel's distribution of scale 1/sqrt(2 log k): the error is
 * then some exp(-pi^2 scale/step), exp(-68) for 10^18 numbers.
 */
static double integrate(size_t count)
{
    static const double step = 1.0 / 64;
    const double k = (double)count, root2 = sqrt(2), root_2pi = sqrt(2 * acos(-1.0));
    const double end = step * ceil(sqrt(2 * (log(k) + 50)) / step); /* k phi is exp(-50) there */
    double sum = 0;
    for (double x = -end; x <= end; x += step) {
        const double above = erfc(x / root2) / 2;
        const double log_below = x > 0 ? log1p(-above) : log(erfc(-x / root2) / 2);
        sum += x * exp((k - 1) * log_below - x * x / 2);
    }
    return sum * k * step / root_2pi;
}

double clump_slowest_normal(size_t count)
{
    return count < TABLE ? table[count] : integrate(count);
}

double clump_uneven_deviation(const clump_uneven *u)
{
    if (u->processors <= 1)
        return 0;
    return (u->greatest - u->least) / (2 * clump_slowest_normal(u->processors));
}

double clump_uneven_excess(const clump_uneven *u, size_t group)
{
    if (!(u->least <= u->mean && u->mean <= u->greatest))
        return NAN;
    if (group == 0 || group >= u->processors)
        return 0;
    const size_t groups = u->processors / group;
    const double expected =
        clump_slowest_normal(groups) * clump_uneven_deviation(u) / sqrt((double)group);
    return fmin(expected, u->greatest - u->mean);
}

double clump_uneven_wait(const clump_coupling *coupling, double utilization, double slowdown,
                         double excess, double gap)
{
    double adjusted, factor;
    if (!(excess > 0) ||
        clump_coupling_apply(coupling, utilization, &adjusted, &factor, NULL) != CLUMP_OK ||
        !(adjusted > 0))
        return 0;
    const double others = fmax((slowdown - factor) / (adjusted * factor), 0);
    return others * excess * gap;
}
