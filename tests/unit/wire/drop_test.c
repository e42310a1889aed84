/* SPDX-License-Identifier: Apache-2.0 */
/* Each reason to drop a packet, provoked by the smallest change to a valid one. */
#include "spec.h"

#include <stdlib.h>
#include <string.h>

#include "vectors.h"
#include "wire/drop.h"
#include "wire/frame.h"
#include "wire/ip_v4.h"

struct fault {
    const char *vector;
    enum drop_reason reason;
    size_t offset;
    uint8_t value;     /* for the byte at offset */
    uint8_t shortened; /* bytes cut from the end, all lengths adjusted */
};

/* Offsets into the packets as docs/wire.md §17 prints them. */
static const struct fault faults[] = {
    { "W1", DROP_NONE, 7, 0x40, 0 },
    { "W1", DROP_TRUNCATED, 5, 0x3d, 0 },        /* IPv6 length one too long */
    { "W1", DROP_IP_VERSION, 0, 0x51, 0 },       /* version 5 */
    { "X1", DROP_IP_VERSION, 40, 0x71, 0 },      /* inside the tunnel */
    { "X1", DROP_IP_VERSION, 6, 4, 0 },          /* IPv4 announced, IPv6 inside */
    { "X1", DROP_IP_LENGTH, 45, 0x3b, 0 },       /* inner length one too short */
    { "W7", DROP_IP_LENGTH, 3, 0x13, 0 },        /* total length below 20 */
    { "W1", DROP_NEXT_HEADER, 6, 6, 0 },         /* TCP */
    { "X1", DROP_NEXT_HEADER, 46, 6, 0 },        /* TCP in the tunnel */
    { "X1", DROP_NEXT_HEADER, 46, 41, 0 },       /* a tunnel in the tunnel */
    { "X2", DROP_NEXT_HEADER, 40, 17, 0 },       /* UDP right after the SRH */
    { "W7", DROP_NEXT_HEADER, 9, 41, 0 },        /* IPv6 in IPv4 */
    { "W7", DROP_IPV4_HEADER, 0, 0x46, 0 },      /* options */
    { "W7", DROP_IPV4_HEADER, 6, 0x20, 0 },      /* a fragment */
    { "W7", DROP_IPV4_CHECKSUM, 11, 0x86, 0 },   /* it was 0x87 */
    { "X2", DROP_SRH, 44, 1, 0 },                /* two segments */
    { "X2", DROP_SRH, 42, 0, 0 },                /* routing type 0 */
    { "W1", DROP_UDP_PORT, 43, 0xb8, 0 },        /* 4792 */
    { "W1", DROP_UDP_LENGTH, 45, 0x3b, 0 },      /* one too short */
    { "W1", DROP_UDP_LENGTH, 45, 0x3d, 0 },      /* one too long */
    { "W1", DROP_BTH_VERSION, 49, 0x21, 0 },     /* tver 1 */
    { "W1", DROP_PARTITION, 51, 0xfe, 0 },       /* pkey 0xfffe */
    { "W1", DROP_OPCODE, 48, 0xc4, 0 },          /* MRC has no SEND */
    { "W1", DROP_OPCODE, 48, 0x04, 0 },          /* nor have we RoCEv2's */
    { "S1", DROP_LENGTH, 48, 0xdd, 0 },          /* a NACK is shorter */
    { "N1", DROP_LENGTH, 48, 0xdc, 0 },          /* a SACK is longer */
    { "A1", DROP_LENGTH, 49, 0x10, 0 },          /* pad in an ACK */
    { "W6", DROP_LENGTH, 49, 0x10, 0 },          /* pad, but no payload */
    { "S1", DROP_LENGTH, 7, 0x40, 4 },           /* shorter than a SACK */
    { "P1", DROP_TRIMMED_NOT_DATA, 0, 0x63, 0 }, /* a trimmed probe */
    { "T1", DROP_LENGTH, 45, 0x2f, 0 },          /* it never was that short */
    { "A1", DROP_SYNDROME, 60, 0x20, 0 },        /* an RNR NAK */
    { "A1", DROP_ICRC, 63, 0x0c, 0 },            /* one message more */
    { "W1", DROP_ICRC, 99, 0x4d, 0 },            /* in the iCRC itself */
};

#define FAULT_COUNT (sizeof(faults) / sizeof(faults[0]))

/* Frames shortened here are plain IPv6. */
static size_t shorten(uint8_t *bytes, size_t length, uint8_t by)
{
    bytes[5] = (uint8_t)(bytes[5] - by);
    bytes[45] = (uint8_t)(bytes[45] - by);
    return length - by;
}

/* As a receiver does it: parse, then check the iCRC. */
static enum drop_reason receive(const uint8_t *bytes, size_t length)
{
    struct frame frame;
    enum drop_reason reason = frame_parse(&format_default, bytes, length, &frame);

    if (reason)
        return reason;
    return frame_icrc_ok(&frame, bytes) ? DROP_NONE : DROP_ICRC;
}

static enum drop_reason provoke(const struct fault *fault)
{
    const struct vector *vector = vectors_find(fault->vector);
    uint8_t bytes[VECTOR_BYTES_MAX];
    size_t length = vector->length;

    memcpy(bytes, vector->bytes, length);
    bytes[fault->offset] = fault->value;
    if (fault->shortened)
        length = shorten(bytes, length, fault->shortened);
    if (bytes[0] >> 4 == 4 && fault->reason != DROP_IPV4_CHECKSUM)
        ip_v4_seal(bytes);
    return receive(bytes, length);
}

SPEC("each fault is refused for exactly its own reason")
{
    for (size_t i = 0; i < FAULT_COUNT; i++)
        EXPECT_STR_EQ(drop_name(provoke(&faults[i])), drop_name(faults[i].reason));
}

SPEC("every reason of the network and transport headers is provoked above")
{
    for (uint32_t reason = 0; reason <= DROP_ICRC; reason++) {
        size_t i = 0;

        while (i < FAULT_COUNT && faults[i].reason != reason)
            i++;
        EXPECT_STR_EQ(
            i < FAULT_COUNT ? "provoked" : drop_name((enum drop_reason)reason), "provoked");
    }
}

SPEC("every reason has a unique name without special characters, and a description")
{
    for (uint32_t i = 0; i < DROP_REASON_COUNT; i++) {
        const char *name = drop_name((enum drop_reason)i);
        const char *help = drop_help((enum drop_reason)i);

        EXPECT_EQ(strspn(name, "abcdefghijklmnopqrstuvwxyz0123456789_"), strlen(name));
        EXPECT_GT(strlen(help), 5);
        EXPECT_NE(help[strlen(help) - 1], '.');
        for (uint32_t other = 0; other < i; other++)
            EXPECT_NE(strcmp(name, drop_name((enum drop_reason)other)), 0);
    }
}
