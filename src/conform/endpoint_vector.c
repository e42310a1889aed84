/* SPDX-License-Identifier: Apache-2.0 */
/* Reads vectors and adapts them to a device. */
#include "conform/endpoint_vector.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/bytes.h"
#include "conform/endpoint_hex.h"
#include "wire/icrc.h"

enum {
    IPV6_BYTES = 40,
    SRH_END = 64,
    SOURCE = 8,
    DESTINATION = 24,
    QPN = 53,
    PSN = 57,
    HEADER = 60, /* behind BTH */
    CACK = HEADER + 13,
    ICRC_BYTES = 4,
    LEAST_BYTES = 64,
    IPV6_IN_IPV6 = 41,
    HOP_LIMIT = 64,
};

/* ---- lists ----------------------------------------------------------------------------------- */

/* Reads "NAME LENGTH HEX [# VERDICT: BASE: ...]". */
static bool read_line(const char *line, struct endpoint_vector *vector)
{
    char hex[2 * ENDPOINT_VECTOR_BYTES_MAX + 1];
    char length[8];
    int words;

    *vector = (struct endpoint_vector){ .verdict = "none" };
    words = sscanf(line, "%31[^# \n] %7[0-9] %512[0-9a-f] # %23[a-z_0-9]: %7[A-Z0-9]", vector->name,
        length, hex, vector->verdict, vector->base);
    if (words < 3)
        return false;
    vector->length = (uint32_t)strtoul(length, NULL, 10);
    if (words < 5)
        snprintf(vector->base, sizeof(vector->base), "%s", vector->name);
    return vector->length <= ENDPOINT_VECTOR_BYTES_MAX &&
           endpoint_hex_read(hex, vector->bytes, vector->length);
}

bool endpoint_vector_next(const char **list, struct endpoint_vector *vector)
{
    while (**list) {
        bool is_one = read_line(*list, vector);

        *list += strcspn(*list, "\n");
        *list += **list == '\n';
        if (is_one)
            return true;
    }
    return false;
}

bool endpoint_vector_find(const char *name, struct endpoint_vector *vector)
{
    const char *list = endpoint_vector_golden;

    while (endpoint_vector_next(&list, vector))
        if (strcmp(vector->name, name) == 0)
            return true;
    return false;
}

/* ---- adapting -------------------------------------------------------------------------------- */

/* The change of a negative vector stays: it is the difference from its base. */
struct adaptation {
    const struct endpoint_vector *vector;
    const struct endpoint_vector *base;
    uint32_t inner; /* offset of the inner IP header */
    uint8_t *bytes;
};

static void put_field(
    const struct adaptation *to, uint32_t offset, const uint8_t *value, uint32_t count)
{
    for (uint32_t i = 0; i < count; i++) {
        uint32_t at = to->inner + offset + i;

        if (at < to->vector->length && at < to->base->length)
            to->bytes[at] = value[i] ^ to->vector->bytes[at] ^ to->base->bytes[at];
    }
}

static void put_number(const struct adaptation *to, uint32_t offset, uint64_t value, uint32_t count)
{
    uint8_t bytes[8];

    bytes_put_be64(bytes, value);
    put_field(to, offset, bytes + 8 - count, count);
}

static uint32_t inner_of(const char *base)
{
    if (strcmp(base, "X2") == 0)
        return SRH_END;
    return base[0] == 'X' || strcmp(base, "T2") == 0 ? IPV6_BYTES : 0;
}

static bool is_stamped(const struct adaptation *to)
{
    return to->base->bytes[to->inner + PSN - 1] & PACKET_STAMPED;
}

static void put_write(const struct adaptation *to, const struct endpoint_vector_terms *terms)
{
    uint32_t reth = HEADER + 4 + (is_stamped(to) ? 4 : 0);

    put_number(to, HEADER, terms->rqmsn, 2);
    put_number(to, HEADER + 2, terms->msn, 2);
    put_number(to, reth, terms->va, 8);
    put_number(to, reth + 8, terms->rkey, 4);
}

static void put_terms(const struct endpoint_bench *bench, const struct adaptation *to,
    const struct endpoint_vector_terms *terms)
{
    char kind = to->base->name[0];

    put_field(to, SOURCE, bench->device->peer.octets, 16);
    put_field(to, DESTINATION, bench->address.octets, 16);
    put_number(to, PSN, terms->psn, 3);
    if (kind != 'E')
        put_number(to, QPN, terms->qpn, 3);
    if (kind == 'W' || kind == 'X' || kind == 'T')
        put_write(to, terms);
    else if (kind == 'S' || kind == 'N')
        put_number(to, CACK, terms->psn, 3);
    else if (kind == 'A')
        put_number(to, HEADER + 1, terms->msn, 3);
}

static uint32_t seal_of(const struct adaptation *to, uint32_t length)
{
    return icrc_compute(to->bytes + to->inner, length - to->inner - ICRC_BYTES);
}

static void put_seal(uint8_t *at, uint32_t icrc)
{
    for (uint32_t i = 0; i < ICRC_BYTES; i++)
        at[i] = (uint8_t)(icrc >> 8 * i);
}

/* Returns whether the vector is its base with bytes behind. */
static bool is_padded(const struct adaptation *to)
{
    return to->vector->length > to->base->length &&
           memcmp(to->vector->bytes, to->base->bytes, to->base->length) == 0;
}

static void seal_vector(const struct endpoint_bench *bench, const struct adaptation *to,
    const struct endpoint_vector_terms *terms)
{
    uint32_t length = is_padded(to) ? to->base->length : to->vector->length;
    uint8_t right[ENDPOINT_VECTOR_BYTES_MAX];

    if (strcmp(to->vector->verdict, "icrc") != 0) {
        put_seal(to->bytes + length - ICRC_BYTES, seal_of(to, length));
        return;
    }
    if (endpoint_vector_adapt(bench, to->base, terms, right) == 0)
        return;
    for (uint32_t i = length - ICRC_BYTES; i < length; i++)
        to->bytes[i] = right[i] ^ to->vector->bytes[i] ^ to->base->bytes[i];
}

uint32_t endpoint_vector_adapt(const struct endpoint_bench *bench,
    const struct endpoint_vector *vector, const struct endpoint_vector_terms *terms,
    uint8_t bytes[static ENDPOINT_VECTOR_BYTES_MAX])
{
    struct endpoint_vector base;
    struct adaptation to = { .vector = vector, .base = &base, .bytes = bytes };

    if (!endpoint_vector_find(vector->base, &base) || strcmp(base.name, "W7") == 0)
        return 0;
    to.inner = inner_of(base.name);
    memcpy(bytes, vector->bytes, vector->length);
    put_terms(bench, &to, terms);
    if (base.name[0] != 'T' && vector->length >= to.inner + LEAST_BYTES)
        seal_vector(bench, &to, terms);
    return vector->length;
}

/* ---- sending --------------------------------------------------------------------------------- */

/* Writes an outer header to the path. It ends where the inner packet says, if that is earlier. */
static void put_outer(const struct endpoint_bench *bench, const uint8_t *inner, uint32_t length,
    uint8_t outer[static IPV6_BYTES])
{
    uint32_t inner_bytes = length;

    if (length >= IPV6_BYTES)
        inner_bytes = (uint32_t)bytes_get_be16(inner + 4) + IPV6_BYTES;
    memset(outer, 0, IPV6_BYTES);
    outer[0] = (uint8_t)(0x60 | (inner[0] & 0x0f));
    outer[1] = inner[1] & 0xf0;
    bytes_put_be16(outer + 4, (uint16_t)(inner_bytes < length ? inner_bytes : length));
    outer[6] = IPV6_IN_IPV6;
    outer[7] = HOP_LIMIT;
    memcpy(outer + SOURCE, bench->device->peer.octets, 16);
    memcpy(outer + DESTINATION, bench->device->ports[0].path.octets, 16);
}

void endpoint_vector_send(struct endpoint_bench *bench, const struct endpoint_vector *vector,
    const uint8_t *bytes, uint32_t length)
{
    uint8_t frame[IPV6_BYTES + ENDPOINT_VECTOR_BYTES_MAX];

    if (!bench->device->ports[0].has_path) {
        endpoint_bench_send_bytes(bench, 0, bytes, length);
    } else if (inner_of(vector->base) > 0) {
        memcpy(frame, bytes, length);
        memcpy(frame + DESTINATION, bench->device->ports[0].path.octets, 16);
        endpoint_bench_send_bytes(bench, 0, frame, length);
    } else {
        put_outer(bench, bytes, length, frame);
        memcpy(frame + IPV6_BYTES, bytes, length);
        endpoint_bench_send_bytes(bench, 0, frame, IPV6_BYTES + length);
    }
}
