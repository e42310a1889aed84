/* SPDX-License-Identifier: Apache-2.0 */
/* A sized fabric as the entries of a fabric file, mrc-fabric(5). */
#pragma once

#include <stdio.h>

#include "study/size_bill.h"

/* Writes entries such as "planes: 8", with `between` after each of them but the last. The graph has
 * all places. Returns false, and writes nothing, if no generator builds the fabric. */
bool size_text_write(
    FILE *, const struct size_fabric *, const struct size_site *, const char *between);
