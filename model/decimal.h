/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef CLUMP_MODEL_DECIMAL_H
#define CLUMP_MODEL_DECIMAL_H

/*
 * Internal to model/ and model/simulation/. Numbers in names, such as the 2.5 of "gang:2.5": plain
 * decimal fractions with a point, whatever the locale says.
 */

enum { MODEL_DECIMAL = 40 };

/** The shortest decimal fraction that reads back as `value` (17 decimals at most). */
void model_decimal_print(double value, char text[MODEL_DECIMAL]);

/** Digits, perhaps with a point and more digits; 20 characters at most.
 *  @return 0 if the text is nothing of the kind */
int model_decimal_parse(const char *text, double *value);

#endif
