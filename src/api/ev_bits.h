/* SPDX-License-Identifier: Apache-2.0 */
/* EV values as strings of bits. A profile stores the compressed form, packets carry the expanded
 * form.
 *
 * Bit 0 of a string is the most significant bit of its first byte. The format gives the widths of
 * the fields of the expanded form; for each field, the profile gives the bits that come from the
 * EV. */
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

/* If count is 0, every field of the format is taken from the EV unchanged. */
struct ev_bits_fields {
    uint32_t count;
    struct mrc_ctl_ev_field fields[EV_BITS_FIELD_MAX];
};

/* Returns the maximum width in bits of the expanded form of a mode, 0 if the mode does not exist.
 */
uint32_t ev_bits_mode_width(enum mrc_ctl_ev_fmt_mode);

uint32_t ev_bits_expanded_width(const struct ev_bits_format *);
uint32_t ev_bits_compressed_width(const struct ev_bits_format *, const struct ev_bits_fields *);

/* Returns 0, -E2BIG (too many or too wide) or -EINVAL. */
int ev_bits_check_format(const struct ev_bits_format *, enum mrc_ctl_ev_fmt_mode);
int ev_bits_check_fields(const struct ev_bits_format *, const struct ev_bits_fields *);

/* Returns whether all bits after the first `width` are zero. */
bool ev_bits_fit(const mrc_ctl_ev_t, uint32_t width);

void ev_bits_expand(const struct ev_bits_format *, const struct ev_bits_fields *,
    const mrc_ctl_ev_t compressed, mrc_ctl_ev_t expanded);

/* Returns the number of EVs within the limits of the fields, at most UINT32_MAX. */
uint32_t ev_bits_space(const struct ev_bits_format *, const struct ev_bits_fields *);
/* Draws one of them at random. */
void ev_bits_draw(const struct ev_bits_format *, const struct ev_bits_fields *, struct prng *,
    mrc_ctl_ev_t compressed);
