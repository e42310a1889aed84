/* SPDX-License-Identifier: Apache-2.0 */
/* A hash table of the frames that were sent. */
#include "conform/traffic_match.h"

#include <stdlib.h>
#include <string.h>

#include "base/bytes.h"
#include "wire/crc32.h"
#include "wire/ip.h"
#include "wire/ip_nest.h"

enum { KEY_BYTES_MAX = 40 + 8 + 12 + 4 + 4, UDP_AND_BTH_BYTES = 8 + 12, NO_BUCKET = -1 };

bool traffic_match_init(struct traffic_match *match, uint32_t frames_max)
{
    uint32_t bucket_count = 1024;

    while (bucket_count < frames_max)
        bucket_count *= 2;
    *match = (struct traffic_match){ .sent = calloc(frames_max, sizeof(*match->sent)),
        .room = frames_max,
        .buckets = malloc(bucket_count * sizeof(*match->buckets)),
        .bucket_mask = bucket_count - 1 };
    if (!match->sent || !match->buckets) {
        traffic_match_fini(match);
        return false;
    }
    memset(match->buckets, NO_BUCKET, bucket_count * sizeof(*match->buckets));
    return true;
}

void traffic_match_fini(struct traffic_match *match)
{
    free(match->sent);
    free(match->buckets);
    *match = (struct traffic_match){ .sent = NULL };
}

uint32_t traffic_match_length(const uint8_t *bytes, uint32_t length)
{
    uint32_t announced = length;

    if (length >= IP_V6_BYTES && bytes[0] >> 4 == 6)
        announced = IP_V6_BYTES + (uint32_t)bytes_get_be16(bytes + 4);
    else if (length >= IP_V4_BYTES && bytes[0] >> 4 == 4)
        announced = bytes_get_be16(bytes + 2);
    return announced < length ? announced : length;
}

/* Clears what switches and trimming change in the innermost IP header. */
static void clear_changing(uint8_t *ip)
{
    bool is_v6 = ip[0] >> 4 == 6;

    ip[0] &= 0xf0;
    ip[1] = 0;
    if (is_v6) {
        memset(ip + 4, 0, 2); /* length, of a trimmed packet without an outer header */
        ip[7] = 0;
    } else {
        memset(ip + 2, 0, 2);
        ip[8] = 0;
        memset(ip + 10, 0, 2);
    }
}

/* Returns false if there is no packet of UDP with a BTH. */
static bool key_of(const uint8_t *bytes, uint32_t length, uint64_t *key)
{
    uint8_t part[KEY_BYTES_MAX] = { 0 };
    uint64_t hash = UINT64_C(0xcbf29ce484222325);
    struct ip_nest nest;
    size_t part_bytes;

    if (!ip_nest_walk(bytes, length, &nest) || nest.end + UDP_AND_BTH_BYTES > length)
        return false;
    part_bytes = nest.end - nest.innermost + UDP_AND_BTH_BYTES;
    if (part_bytes > sizeof(part))
        return false;
    memcpy(part, bytes + nest.innermost, part_bytes);
    clear_changing(part);
    for (size_t i = 0; i < part_bytes; i++)
        hash = (hash ^ part[i]) * UINT64_C(0x100000001b3);
    *key = hash;
    return true;
}

uint32_t traffic_match_digest(const uint8_t *bytes, uint32_t length)
{
    uint8_t header[40] = { 0 };
    struct ip_nest nest;
    uint32_t header_bytes;
    uint32_t crc;

    if (!ip_nest_walk(bytes, length, &nest))
        return crc32_add(0, bytes, length);
    header_bytes = nest.is_v4 ? 20 : 40;
    memcpy(header, bytes + nest.innermost, header_bytes);
    clear_changing(header);
    crc = crc32_add(0, header, header_bytes);
    return crc32_add(
        crc, bytes + nest.innermost + header_bytes, length - nest.innermost - header_bytes);
}

uint32_t traffic_match_add(struct traffic_match *match, const uint8_t *bytes, uint32_t length)
{
    uint32_t number = match->count++;
    struct traffic_sent *sent = &match->sent[number];

    length = traffic_match_length(bytes, length);
    *sent = (struct traffic_sent){ .length = (uint16_t)length, .next = TRAFFIC_NO_FRAME };
    sent->has_key = key_of(bytes, length, &sent->key);
    sent->digest = traffic_match_digest(bytes, length);
    sent->is_marked = length > 1 && bytes[0] >> 4 == 6 && (bytes[1] >> 4 & 3) == 3;
    if (sent->has_key) {
        uint32_t *bucket = &match->buckets[sent->key & match->bucket_mask];

        sent->next = *bucket;
        *bucket = number;
    }
    return number;
}

uint32_t traffic_match_find(
    const struct traffic_match *match, const uint8_t *bytes, uint32_t length)
{
    uint32_t found = TRAFFIC_NO_FRAME;
    uint64_t key;

    if (!key_of(bytes, length, &key))
        return TRAFFIC_NO_FRAME;
    for (uint32_t number = match->buckets[key & match->bucket_mask]; number != TRAFFIC_NO_FRAME;
         number = match->sent[number].next) {
        if (match->sent[number].key != key)
            continue;
        /* The newest frame is first in its bucket. */
        if (found == TRAFFIC_NO_FRAME || match->sent[number].copies == 0)
            found = number;
    }
    return found;
}
