/* SPDX-License-Identifier: Apache-2.0 */
/* What killed soft fabrics have left in the folder of all devices. */
#pragma once

#include <stdbool.h>

/* Removes the folders and devices of all fabrics that have died. */
void leftovers_sweep(const char *root);

/* Removes those of one fabric. Returns false if there is no fabric of this name, or if it runs. */
bool leftovers_remove(const char *root, const char *name);
