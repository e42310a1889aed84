/* SPDX-License-Identifier: Apache-2.0 */
/* Words and comparisons of ranks. */
#include "study/study_group.h"

#include <assert.h>
#include <stdio.h>
#include <string.h>

static void send_to_all(const struct sim_group *group, const void *data, size_t bytes)
{
    for (uint32_t i = 0; i < group->count; i++)
        if (i != group->member)
            group->send(group->context, i, data, bytes);
}

void study_group_say(const struct sim_group *group, enum study_group_word word)
{
    send_to_all(group, &word, sizeof(word));
    group->exchange(group->context);
}

enum study_group_word study_group_hear(const struct sim_group *group)
{
    enum study_group_word word;
    const void *message;
    size_t bytes;

    group->exchange(group->context);
    message = group->received(group->context, 0, &bytes);
    assert(bytes == sizeof(word));
    memcpy(&word, message, sizeof(word));
    return word;
}

/* Returns the text of a rank. One of another length is not a text of this program. */
static const char *text_of(const struct sim_group *group, uint32_t rank, const char *own)
{
    const char *text = own;
    size_t bytes = STUDY_GROUP_TEXT_BYTES;

    if (rank != group->member)
        text = group->received(group->context, rank, &bytes);
    return bytes == STUDY_GROUP_TEXT_BYTES ? text : "";
}

static void add_rank(char ranks[static STUDY_GROUP_RANKS_BYTES], uint32_t rank, uint32_t before)
{
    size_t length = strlen(ranks);

    if (before == 1)
        memmove(ranks + 5, ranks + 4, ++length - 4); /* rank 1 becomes ranks 1 */
    if (before == 1)
        ranks[4] = 's';
    if (length + 16 > STUDY_GROUP_RANKS_BYTES) {
        if (ranks[length - 1] != '.')
            snprintf(ranks + length, STUDY_GROUP_RANKS_BYTES - length, "...");
        return;
    }
    snprintf(ranks + length, STUDY_GROUP_RANKS_BYTES - length, before ? ", %u" : "rank %u", rank);
}

bool study_group_agrees(const struct sim_group *group,
    const char text[static STUDY_GROUP_TEXT_BYTES], char ranks[static STUDY_GROUP_RANKS_BYTES])
{
    uint32_t count = 0;

    ranks[0] = '\0';
    send_to_all(group, text, STUDY_GROUP_TEXT_BYTES);
    group->exchange(group->context);
    for (uint32_t i = 1; i < group->count; i++)
        if (strncmp(text_of(group, i, text), text_of(group, 0, text), STUDY_GROUP_TEXT_BYTES) != 0)
            add_rank(ranks, i, count++);
    return count == 0;
}

bool study_group_follow(
    struct study_run **runs, uint32_t run_count, const struct study_manner *manner)
{
    for (uint32_t i = 0; study_group_hear(manner->group) == STUDY_GROUP_NEXT; i++) {
        assert(i < run_count);
        if (!study_run_follow(runs[i], manner))
            return false;
    }
    return true;
}
