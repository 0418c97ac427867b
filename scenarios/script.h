/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef CLUMP_SCENARIOS_SCRIPT_H
#define CLUMP_SCENARIOS_SCRIPT_H

/*
 * A script from its file to the plans that it returns: it is read (source.h), put into a sandbox
 * (sandbox.h) with what it may call (language.h), and run. What goes wrong becomes a message with file
 * and line.
 *
 *     scenario_script_run -> sandbox.first_plan -> scenario_script_end
 */

#include "scenarios/sandbox.h"
#include "scenarios/scenario.h"
#include "scenarios/source.h"

/** Options and message are the caller's and set before anything else, all other members zero. */
typedef struct scenario_script {
    const clump_scenario_options *options;
    char *message; /**< receives a sentence when something fails; never NULL */
    size_t message_size;
    scenario_sandbox sandbox; /**< holds the plans afterwards */
    scenario_source source;
    clump_arena *arena; /**< holds what the plans point to */
    locale_t caller_locale, plain_locale;
} scenario_script;

/** Run it. From here to scenario_script_end the thread is in the C locale. To be ended also after a
 *  failure. */
clump_scenario_status scenario_script_run(scenario_script *script);

/** Put a text that may begin with the place of an error into the message, with the file's whole name. */
void scenario_script_fail(const scenario_script *script, const char *text);

/** @param keep  the arena outlives it: whoever has plans or rows owns it, and frees it */
void scenario_script_end(scenario_script *script, bool keep);

#endif
