/* SPDX-License-Identifier: Apache-2.0 */
/* Payload that can be told from any other: every byte of a message follows from the message's key
 * and its place in it.
 */
#pragma once

#include <stdbool.h>
#include <stdint.h>

/* Bytes [offset, offset + length) of the message with this key. */
void pattern_fill(uint8_t *bytes, uint64_t key, uint64_t offset_bytes, uint64_t length_bytes);

bool pattern_matches(
    const uint8_t *bytes, uint64_t key, uint64_t offset_bytes, uint64_t length_bytes);
