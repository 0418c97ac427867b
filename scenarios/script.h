/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef CLUMP_SCENARIOS_SCRIPT_H
#define CLUMP_SCENARIOS_SCRIPT_H

/*
 * A script from its file to the plans that it returns: it is read (source.h), put into a sandbox
 * (sandbox.h) with what it may call (language.h), and run. What goes wrong becomes a message with file
 * and line.
 */

#include "scenarios/sandbox.h"
#include "scenarios/scenario.h"
#include "scenarios/source.h"

/** Run it. Options and message of the sandbox are set, all else is zero. Afterwards it has no Lua any more, but the plans, and is to
 *  be released (sandbox.h), also after a failure. */
clump_scenario_status scenario_script_run(scenario_sandbox *sandbox);

/** Put a text that may begin with the place of an error into the message, with the file's whole name. */
void scenario_script_fail(const scenario_sandbox *sandbox, const char *text);

/** From here on the thread writes numbers with '.' and compares names byte by byte. @return what was before; (locale_t)0: no memory */
locale_t scenario_enter_plain_locale(void);
void scenario_leave_plain_locale(locale_t before);

#endif
