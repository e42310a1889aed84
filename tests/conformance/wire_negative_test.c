/* SPDX-License-Identifier: Apache-2.0 */
/* Negative vectors (docs/wire.md §17.1). */
#include "spec.h"

#include <stdio.h>
#include <string.h>

#include "vectors.h"
#include "wire/frame.h"

static enum drop_reason judge(const struct vector *vector)
{
    struct frame frame;
    enum drop_reason reason = frame_parse(&format_default, vector->bytes, vector->length, &frame);

    if (reason == DROP_NONE && !frame_icrc_ok(&frame, vector->bytes))
        return DROP_ICRC;
    return reason;
}

SPEC("wire §17.1: a receiver drops each negative vector for the reason in the file, or accepts it")
{
    const struct vectors *vectors = vectors_negative();

    for (size_t i = 0; i < vectors->count; i++) {
        const struct vector *vector = &vectors->items[i];
        char got[64];
        char wanted[64];

        snprintf(got, sizeof(got), "%s: %s", vector->name, drop_name(judge(vector)));
        snprintf(wanted, sizeof(wanted), "%s: %s", vector->name, vector->verdict);
        EXPECT_STR_EQ(got, wanted);
    }
    EXPECT(vectors->count >= 80);
}

SPEC("wire §17.1: the negative vectors cover every reason for which a parser drops a packet")
{
    const struct vectors *vectors = vectors_negative();

    for (int reason = DROP_NONE; reason <= DROP_ICRC; reason++) {
        uint32_t count = 0;

        for (size_t i = 0; i < vectors->count; i++)
            count += strcmp(vectors->items[i].verdict, drop_name((enum drop_reason)reason)) == 0;
        EXPECT(count > 0);
    }
}

SPEC("wire §17.1: golden vectors are accepted")
{
    const struct vectors *vectors = vectors_all();

    for (size_t i = 0; i < vectors->count; i++)
        EXPECT_EQ(judge(&vectors->items[i]), DROP_NONE);
}
