/* SPDX-License-Identifier: Apache-2.0 */
/* EV values as strings of bits: what a profile stores is compressed, what packets carry expanded.
 *
 * Bit 0 of a string is the most significant one of its first byte. The format gives the widths of
 * the output's fields; for each, the profile says which of its bits come from the EV. */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "base/prng.h"
#include "mrc_ctl.h"

#define EV_BITS_MAX       (8 * MRC_CTL_EV_MAX_BYTES)
#define EV_BITS_FIELD_MAX 64 /* fields of a format */

struct ev_bits_format {
    uint32_t count;
    uint8_t widths[EV_BITS_FIELD_MAX];
};

/* count 0: every field of the format is taken from the EV as it is. */
struct ev_bits_fields {
    uint32_t count;
    struct mrc_ctl_ev_field fields[EV_BITS_FIELD_MAX];
};

/* How many bits the expanded form of a mode may have; 0: no such mode. */
uint32_t ev_bits_mode_width(enum mrc_ctl_ev_fmt_mode);

uint32_t ev_bits_expanded_width(const struct ev_bits_format *);
uint32_t ev_bits_compressed_width(const struct ev_bits_format *, const struct ev_bits_fields *);

/* 0, -E2BIG (too many or too wide) or -EINVAL. */
int ev_bits_check_format(const struct ev_bits_format *, enum mrc_ctl_ev_fmt_mode);
int ev_bits_check_fields(const struct ev_bits_format *, const struct ev_bits_fields *);

/* No ones behind the first `width` bits. */
bool ev_bits_fit(const mrc_ctl_ev_t, uint32_t width);

void ev_bits_expand(const struct ev_bits_format *, const struct ev_bits_fields *,
    const mrc_ctl_ev_t compressed, mrc_ctl_ev_t expanded);

/* How many EVs the fields' limits allow, at most UINT32_MAX. */
uint32_t ev_bits_space(const struct ev_bits_format *, const struct ev_bits_fields *);
/* One of them at random. */
void ev_bits_draw(const struct ev_bits_format *, const struct ev_bits_fields *, struct prng *,
    mrc_ctl_ev_t compressed);
