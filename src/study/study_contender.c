/* SPDX-License-Identifier: Apache-2.0 */
/* The list of contenders, and the choice of some of them. */
#include "study/study_contender.h"

#include <stdio.h>
#include <string.h>

#include "files/files.h"

const struct study_contender study_contenders[] = {
#define CONTENDER(name, PROTOCOL, title, settings, usual)                                          \
    { name, SIM_##PROTOCOL, title, settings, usual },
#include "study/contenders.def"
};
const uint32_t study_contender_count = sizeof(study_contenders) / sizeof(study_contenders[0]);
_Static_assert(sizeof(study_contenders) / sizeof(study_contenders[0]) <= STUDY_CONTENDERS_MAX,
    "a choice has room for all contenders");

const struct study_contender_state study_contender_states[SIM_PROTOCOL_COUNT] = {
#define STATE(PROTOCOL, qp_least, qp_most, origin, source, switch_keeps)                           \
    [SIM_##PROTOCOL] = { qp_least, qp_most, origin, source, switch_keeps },
#include "study/contenders.def"
};

bool study_contender_builds_planes(enum sim_protocol protocol)
{
    static const bool builds[SIM_PROTOCOL_COUNT] = {
#define PLANES(PROTOCOL) [SIM_##PROTOCOL] = true,
#include "study/contenders.def"
    };

    return builds[protocol];
}

void study_contender_choose_all(struct study_contender_choice *choice)
{
    choice->count = study_contender_count;
    for (uint32_t i = 0; i < study_contender_count; i++)
        choice->at[i] = &study_contenders[i];
}

static bool has_contender(
    const struct study_contender_choice *choice, const struct study_contender *contender)
{
    for (uint32_t i = 0; i < choice->count; i++)
        if (choice->at[i] == contender)
            return true;
    return false;
}

/* Returns whether the word names the contender, or its protocol. */
static bool is_named(const struct study_contender *contender, const char *word)
{
    return strcmp(contender->name, word) == 0 ||
           strcmp(sim_protocol_words[contender->protocol], word) == 0;
}

static bool add_named(struct study_contender_choice *choice, const char *word)
{
    bool is_known = false;

    for (uint32_t i = 0; i < study_contender_count; i++) {
        if (!is_named(&study_contenders[i], word))
            continue;
        is_known = true;
        if (!has_contender(choice, &study_contenders[i]))
            choice->at[choice->count++] = &study_contenders[i];
    }
    return is_known;
}

static void say_unknown(const char *word, char reason[static STUDY_CONTENDER_REASON_BYTES])
{
    const char *words[STUDY_CONTENDERS_MAX + 1] = { NULL };
    const char *nearest;
    char all[STUDY_CONTENDER_REASON_BYTES / 2];

    for (uint32_t i = 0; i < study_contender_count; i++)
        words[i] = study_contenders[i].name;
    nearest = word_nearest(words, word);
    word_list(words, all, sizeof(all));
    snprintf(reason, STUDY_CONTENDER_REASON_BYTES, "there is no '%.40s'%s%s%s %s", word,
        nearest ? "; did you mean '" : "", nearest ? nearest : "", nearest ? "'? Known:" : "; give",
        all);
}

bool study_contender_choose(struct study_contender_choice *choice, const char *text,
    char reason[static STUDY_CONTENDER_REASON_BYTES])
{
    enum { WORD_BYTES = 64 };

    choice->count = 0;
    for (;;) {
        size_t length = strcspn(text, ",");
        char word[WORD_BYTES];

        snprintf(
            word, sizeof(word), "%.*s", (int)(length < WORD_BYTES ? length : WORD_BYTES), text);
        if (!add_named(choice, word)) {
            say_unknown(word, reason);
            return false;
        }
        if (!text[length])
            return true;
        text += length + 1;
    }
}
