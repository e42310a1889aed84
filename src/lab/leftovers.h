/* SPDX-License-Identifier: Apache-2.0 */
/* What soft fabrics that were killed have left in the folder of all devices. */
#pragma once

#include <stdbool.h>

/* Takes away the folders and devices of all fabrics that have died. */
void leftovers_sweep(const char *root);

/* The same for one of them. False: there is none of this name, or it runs. */
bool leftovers_remove(const char *root, const char *name);
