/* SPDX-License-Identifier: Apache-2.0 */
/* CRC-32 (IEEE 802.3), with 512-bit carry-less multiplication if the processor supports it,
 * otherwise by libdeflate. */
#pragma once

#include <stddef.h>
#include <stdint.h>

/* Returns the CRC of the bytes that `crc` covers, followed by `bytes`. Start with 0. */
uint32_t crc32_add(uint32_t crc, const uint8_t *bytes, size_t length);
