/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "recording/run_texts.h"

#include "data/text.h"

#include <stdio.h>
#include <string.h>

/* A text as the store takes it, in `room`; NULL for none. */
static const char *clean(char room[RUN_TEXT], const char *text)
{
    snprintf(room, RUN_TEXT, "%s", text != NULL ? text : "");
    clump_text_clean(room, strlen(room));
    for (char *c = room; *c != '\0'; c++)
        if (*c == '\t')
            *c = ' ';
    size_t size = strlen(room);
    while (size > 0 && !clump_text_is_printable(room, size))
        room[--size] = '\0';
    return size > 0 ? room : NULL;
}

/* NAME of NAME.otf2 */
static const char *name_archive(char room[RUN_TEXT], const char *archive)
{
    const char *last = strrchr(archive, '/');
    clean(room, last != NULL ? last + 1 : archive);
    char *end = strstr(room, ".otf2");
    if (end != NULL)
        *end = '\0';
    return room[0] != '\0' ? room : NULL;
}

void run_texts_make(const clump_recording *recording, const char *archive, run_texts *t)
{
    const clump_recording_about about = clump_recording_describe(recording);
    t->origin = archive != NULL ? "otf2" : "recording";
    t->program =
        archive != NULL ? name_archive(t->room[0], archive) : clean(t->room[0], about.program);
    t->command = clean(t->room[1], about.command);
    t->library = clean(t->room[2], about.library);
    t->started = about.start_ns > 0 ? clean(t->room[3], about.start) : NULL;
}
