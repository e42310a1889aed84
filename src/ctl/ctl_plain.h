/* SPDX-License-Identifier: Apache-2.0 */
/* Values that agents report. They are kept and shown, so they must be short and must not command a
 * terminal. */
#pragma once

#include <jansson.h>
#include <stdbool.h>
#include <stddef.h>

/* Returns whether the value has at most this many bytes, all its keys and texts included, and no
 * control characters. */
bool ctl_plain_fits(const json_t *, size_t bytes_max);
