/* SPDX-License-Identifier: Apache-2.0 */
/* Frames that no correct sender sends: valid ones with damage here and there, nested, cut off, too
 * long, or noise. */
#pragma once

#include <stddef.h>
#include <stdint.h>

#include "base/prng.h"

void hostile_frame_noise(struct prng *, uint8_t *bytes, size_t length);

/* Damages a valid frame of at least 60 bytes. Returns its new length, at most `room`. */
uint32_t hostile_frame_damage(struct prng *, uint8_t *bytes, uint32_t length, uint32_t room);
