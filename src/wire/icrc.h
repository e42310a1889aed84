/* SPDX-License-Identifier: Apache-2.0 */
/* The invariant CRC: CRC-32 over a packet in which the fields that change on the way are masked
 * (docs/wire.md §12). */
#pragma once

#include <stddef.h>
#include <stdint.h>

/* Computes the iCRC. `ip` is the inner IP header of a well-formed frame; `length` extends from it
 * up to but not including the iCRC. The result is stored least significant byte first. */
uint32_t icrc_compute(const uint8_t *ip, size_t length);
