/* SPDX-License-Identifier: Apache-2.0 */
/* Bounded reading and writing of big-endian bytes. An access past the end only clears `ok`. */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

struct bytes_in {
    const uint8_t *at;
    const uint8_t *end;
    bool ok; /* false after any access past the end */
};

struct bytes_out {
    uint8_t *at;
    uint8_t *end;
    bool ok;
};

static inline struct bytes_in bytes_in(const uint8_t *data, size_t length)
{
    return (struct bytes_in){ .at = data, .end = data + length, .ok = true };
}

static inline struct bytes_out bytes_out(uint8_t *data, size_t length)
{
    return (struct bytes_out){ .at = data, .end = data + length, .ok = true };
}

static inline size_t bytes_left(const struct bytes_in *in)
{
    return (size_t)(in->end - in->at);
}

/* Read and write numbers at a place that is known to be long enough. Written byte by byte, because
 * compilers turn exactly this form into one load or store and a byte swap. */
static inline uint16_t bytes_get_be16(const uint8_t *from)
{
    return (uint16_t)(from[0] << 8 | from[1]);
}

static inline uint32_t bytes_get_be32(const uint8_t *from)
{
    return (uint32_t)from[0] << 24 | (uint32_t)from[1] << 16 | (uint32_t)from[2] << 8 | from[3];
}

static inline uint64_t bytes_get_be64(const uint8_t *from)
{
    return (uint64_t)from[0] << 56 | (uint64_t)from[1] << 48 | (uint64_t)from[2] << 40 |
           (uint64_t)from[3] << 32 | (uint64_t)from[4] << 24 | (uint64_t)from[5] << 16 |
           (uint64_t)from[6] << 8 | from[7];
}

static inline void bytes_put_be16(uint8_t *to, uint16_t value)
{
    to[0] = (uint8_t)(value >> 8);
    to[1] = (uint8_t)value;
}

static inline void bytes_put_be32(uint8_t *to, uint32_t value)
{
    to[0] = (uint8_t)(value >> 24);
    to[1] = (uint8_t)(value >> 16);
    to[2] = (uint8_t)(value >> 8);
    to[3] = (uint8_t)value;
}

/* gcc 12 vectorises two adjacent calls if they store byte by byte, which takes 40 instructions. */
static inline void bytes_put_be64(uint8_t *to, uint64_t value)
{
    uint64_t ordered = __BYTE_ORDER__ == __ORDER_BIG_ENDIAN__ ? value : __builtin_bswap64(value);

    memcpy(to, &ordered, sizeof(ordered));
}

/* Returns the next `count` bytes. If fewer are left, returns NULL and clears `ok`; nothing more can
 * then be read. */
static inline const uint8_t *bytes_take(struct bytes_in *in, size_t count)
{
    const uint8_t *taken = in->at;

    if (bytes_left(in) < count) {
        in->ok = false;
        in->at = in->end;
        return NULL;
    }
    in->at += count;
    return taken;
}

/* Reads `count` (at most 8) bytes as a number. A short read returns zero and clears `ok`. */
static inline uint64_t bytes_read_be(struct bytes_in *in, size_t count)
{
    const uint8_t *data = bytes_take(in, count);
    uint64_t value = 0;

    if (!data)
        return 0;
    switch (count) {
    case 2:
        return bytes_get_be16(data);
    case 4:
        return bytes_get_be32(data);
    case 8:
        return bytes_get_be64(data);
    default:
        for (size_t i = 0; i < count; i++)
            value = value << 8 | data[i];
        return value;
    }
}

static inline void bytes_read(struct bytes_in *in, void *to, size_t count)
{
    const uint8_t *data = bytes_take(in, count);

    if (data)
        memcpy(to, data, count);
    else
        memset(to, 0, count);
}

/* Returns room for `count` bytes. If there is less, returns NULL and clears `ok`; nothing more can
 * then be written. */
static inline uint8_t *bytes_room(struct bytes_out *out, size_t count)
{
    uint8_t *room = out->at;

    if ((size_t)(out->end - out->at) < count) {
        out->ok = false;
        out->at = out->end;
        return NULL;
    }
    out->at += count;
    return room;
}

static inline void bytes_write_be(struct bytes_out *out, size_t count, uint64_t value)
{
    uint8_t *data = bytes_room(out, count);

    if (!data)
        return;
    switch (count) {
    case 2:
        bytes_put_be16(data, (uint16_t)value);
        break;
    case 4:
        bytes_put_be32(data, (uint32_t)value);
        break;
    case 8:
        bytes_put_be64(data, value);
        break;
    default:
        for (size_t i = count; i-- > 0; value >>= 8)
            data[i] = (uint8_t)value;
        break;
    }
}

static inline void bytes_write(struct bytes_out *out, const void *from, size_t count)
{
    uint8_t *data = bytes_room(out, count);

    if (data)
        memcpy(data, from, count);
}

static inline void bytes_write_zeros(struct bytes_out *out, size_t count)
{
    uint8_t *data = bytes_room(out, count);

    if (data)
        memset(data, 0, count);
}
