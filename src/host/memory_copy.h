/* SPDX-License-Identifier: Apache-2.0 */
/* Copies bytes for applications that watch the destination. */
#pragma once

#include <stdint.h>

/* Copies in ascending order. Each aligned word of up to eight bytes is one store, after all
 * previous stores: a reader that sees a word also sees everything below it. */
void memory_copy(uint8_t *to, const uint8_t *from, uint32_t length_bytes);
