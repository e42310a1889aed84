/* SPDX-License-Identifier: Apache-2.0 */
/* The EVs of fabrics with planes and uplinks, plane << uplink_bits | uplink, as numbers and as
 * text: p1/u3 (docs/fabric.md §5). No other file splits an EV. */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "wire/ev.h"

#define PLAN_EV_NAME_BYTES 24
#define PLAN_EV_BITS_MIN   8

/* Returns the width of the uplink: at least 8 bits, so that EVs of small and large fabrics look
 * alike. */
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

/* Splits an EV of a packet in this format. */
static inline struct ev_path plan_ev_of(const struct wire_format *format, uint32_t ev)
{
    return plan_ev_split(format->uplink_bits, ev);
}

/* Sets the width that a user gives. */
static inline void plan_ev_set_width(struct wire_format *format, uint32_t bits)
{
    format->uplink_bits = (uint8_t)bits;
}

/* Widens the uplink, if necessary, for this number of uplinks. */
static inline void plan_ev_widen(struct wire_format *format, uint32_t uplink_count)
{
    if (format->uplink_bits < plan_ev_bits(uplink_count))
        plan_ev_set_width(format, plan_ev_bits(uplink_count));
}

/* Writes e.g. "p1/u3". */
void plan_ev_name(struct ev_path, char out[static PLAN_EV_NAME_BYTES]);
/* Returns the EV of such a text in the width of fabrics whose switches have at most 512 ports. */
bool plan_ev_read_usual(const char *text, uint32_t *ev, uint32_t *plane);
/* Returns false if the text does not have this form. */
bool plan_ev_read(const char *text, struct ev_path *);
