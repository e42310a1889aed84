/* SPDX-License-Identifier: Apache-2.0 */
/* Volleys: frames that enter by all inputs at once and leave by one output, so that they wait in
 * its queue. A volley counts if the queue had the length that a check needs. When the machine or
 * the switch was busy with something else, it had not, and the volley is repeated. */
#pragma once

#include "conform/switch_bench.h"

#define SWITCH_VOLLEYS_MAX       12 /* of a check */
#define SWITCH_VOLLEY_FRAMES_MAX 3000

struct switch_volley {
    struct switch_bench *bench;
    struct switch_aim aim; /* of its frames; the caller may change class, ECN, SRH */
    uint32_t out;
    uint32_t queue_bytes; /* data queue of the output */
    uint32_t frame_bytes; /* IP length of each frame */
    uint32_t loaded_count;
    uint32_t whole[SWITCH_VOLLEY_FRAMES_MAX];
    uint32_t whole_count;
};

enum switch_facing {
    SWITCH_FACES_ANY,
    SWITCH_FACES_HOST,
    SWITCH_FACES_SWITCH,
};

/* Returns the first output after `after` of this kind whose queue the inputs can fill: they are
 * faster together. SWITCH_NOWHERE: none. */
uint32_t switch_volley_out(const struct switch_bench *, enum switch_facing, uint32_t after);

/* Prepares volleys to the first such output. Returns false, and skips the check, if there is none
 * or its queue is too long. */
bool switch_volley_init(struct switch_volley *, struct switch_bench *, enum switch_facing);
/* The same for one output. */
bool switch_volley_init_at(struct switch_volley *, struct switch_bench *, uint32_t out);

/* Forgets the shots of the volley before. */
void switch_volley_begin(struct switch_volley *);

/* Loads frames. They enter by the inputs in turns. */
void switch_volley_load(struct switch_volley *, uint32_t count);

/* Returns the number of frames that are this many bytes together, rounded down. */
static inline uint32_t switch_volley_count(const struct switch_volley *volley, uint64_t bytes)
{
    return (uint32_t)(bytes / volley->frame_bytes);
}

/* Reports that no volley did what the check needs. */
void switch_volley_give_up(const struct switch_volley *, const char *what);

/* ---- what came out --------------------------------------------------------------------------- */

struct switch_tally {
    uint32_t whole;
    uint32_t cut;
    uint32_t lost;
    uint32_t marked; /* of the whole ones */
};

/* Lists the shots that came out whole, in this order, in `volley->whole`. While one of them left
 * the switch, at most those behind it were in its queue. */
void switch_volley_sort(struct switch_volley *);

/* Counts the frames of the volley. */
struct switch_tally switch_volley_tally(const struct switch_volley *);
