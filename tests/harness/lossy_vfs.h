/* SPDX-License-Identifier: Apache-2.0 */
/* A file system for SQLite that loses power: writes stay in memory until they are synced, and a cut
 * forgets what was not. */
#pragma once

#include <stdint.h>

#define LOSSY_VFS "lossy"

/* Registers the file system, once. */
void lossy_vfs_register(void);

/* Forgets all writes since the last sync of their file, in random part: each survives with
 * probability 1/2, as sectors on a disk do. Files that are open have no effect any more. */
void lossy_vfs_cut(uint64_t seed);

/* Makes all later writes fail as on a full disk, or succeed again. */
void lossy_vfs_fill(int is_full);

/* Returns the number of syncs so far. */
uint64_t lossy_vfs_syncs(void);
