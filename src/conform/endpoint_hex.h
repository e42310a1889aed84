/* SPDX-License-Identifier: Apache-2.0 */
/* Bytes as lower-case hex digits. */
#pragma once

#include <stdbool.h>
#include <stdint.h>

/* Reads so many bytes. Returns false if there are fewer digits. */
bool endpoint_hex_read(const char *text, uint8_t *bytes, uint32_t count);

/* Writes the digits and a NUL. */
void endpoint_hex_write(const uint8_t *bytes, uint32_t count, char *text);
