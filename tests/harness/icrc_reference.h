/* SPDX-License-Identifier: Apache-2.0 */
/* The invariant CRC once more, from its definition (docs/wire.md §12): bit by bit, without a table
 * and without a library, sharing nothing with src/wire. */
#pragma once

#include <stddef.h>
#include <stdint.h>

/* The shift register after `length` more bytes; it starts with all ones. */
uint32_t icrc_reference_register(uint32_t state, const uint8_t *bytes, size_t length);

/* As icrc_compute(): `ip` is the inner IP header, `length` excludes the iCRC. */
uint32_t icrc_reference(const uint8_t *ip, size_t length);
