/* SPDX-License-Identifier: Apache-2.0 */
/* The EVs of fabrics with planes and uplinks, plane << uplink_bits | uplink, as numbers and as
 * words: p1/u3 (docs/fabric.md §5). No other file splits an EV. */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "wire/ev.h"

#define PLAN_EV_NAME_BYTES 24
#define PLAN_EV_BITS_MIN   8

/* How wide the uplink is: at least 8 bits, so that EVs look the same in small and large fabrics. */
uint32_t plan_ev_bits(uint32_t uplink_count);

static inline struct ev_path plan_ev_split(uint32_t uplink_bits, uint32_t ev)
{
    return (struct ev_path){ .plane = ev >> uplink_bits,
        .uplink = ev & ((UINT32_C(1) << uplink_bits) - 1) };
}

static inline uint32_t plan_ev_join(uint32_t uplink_bits, struct ev_path path)
{
    return path.plane << uplink_bits | path.uplink;
}

/* Of packets in this format. */
static inline struct ev_path plan_ev_of(const struct wire_format *format, uint32_t ev)
{
    return plan_ev_split(format->uplink_bits, ev);
}

/* The width that a user gives. */
static inline void plan_ev_set_width(struct wire_format *format, uint32_t bits)
{
    format->uplink_bits = (uint8_t)bits;
}

/* Makes EVs wide enough for so many uplinks. */
static inline void plan_ev_widen(struct wire_format *format, uint32_t uplink_count)
{
    if (format->uplink_bits < plan_ev_bits(uplink_count))
        plan_ev_set_width(format, plan_ev_bits(uplink_count));
}

/* "p1/u3" */
void plan_ev_name(struct ev_path, char out[static PLAN_EV_NAME_BYTES]);
/* False: the text is not of this form. */
bool plan_ev_read(const char *text, struct ev_path *);
