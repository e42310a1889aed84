/* SPDX-License-Identifier: Apache-2.0 */
/* Recognises the frames that were sent when they come back: by the innermost headers through BTH,
 * which no switch changes and trimming leaves.
 */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#define TRAFFIC_NO_FRAME UINT32_MAX

struct traffic_sent {
    uint64_t key;
    uint64_t sent_ns;
    uint64_t seen_ns; /* of the first copy */
    uint32_t next;    /* in its bucket */
    uint32_t order;   /* among the frames of its way */
    uint32_t digest;  /* of the innermost packet */
    uint16_t length;
    uint16_t copies; /* that came back */
    uint8_t sender;
    uint8_t receiver; /* of the first copy */
    bool has_key;     /* false: such a frame is not recognised */
    bool is_marked;   /* had CE already */
};

struct traffic_match {
    struct traffic_sent *sent;
    uint32_t count;
    uint32_t room;
    uint32_t *buckets;
    uint32_t bucket_mask;
};

/* Returns false if there is no memory for this number of frames. */
bool traffic_match_init(struct traffic_match *, uint32_t frames_max);
void traffic_match_fini(struct traffic_match *);

/* Notes a frame that is being sent. Returns its number. */
uint32_t traffic_match_add(struct traffic_match *, const uint8_t *bytes, uint32_t length);

/* Returns the number of the frame that has come back, or TRAFFIC_NO_FRAME. If the same frame was
 * sent several times, returns the first that has not come back yet. */
uint32_t traffic_match_find(const struct traffic_match *, const uint8_t *bytes, uint32_t length);

/* Returns the length of the IP packet, without Ethernet padding. */
uint32_t traffic_match_length(const uint8_t *bytes, uint32_t length);

/* Returns the digest of the innermost packet, without the fields that change on the way. */
uint32_t traffic_match_digest(const uint8_t *bytes, uint32_t length);
