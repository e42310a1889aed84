/* SPDX-License-Identifier: Apache-2.0 */
/* Copies for readers who watch the bytes while they come. */
#pragma once

#include <stdint.h>

/* Upwards, each store after those before it, an aligned word of eight bytes or less in one. Whoever
 * sees a word sees everything below. */
void memory_copy(uint8_t *to, const uint8_t *from, uint32_t length_bytes);
