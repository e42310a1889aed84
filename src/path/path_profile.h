/* SPDX-License-Identifier: Apache-2.0 */
/* Locates the entries of a plane in a profile. */
#pragma once

#include "path/path.h"

/* Returns the index of the first entry of the plane, or the index at which it would be inserted.
 * The entries of a plane end where those of the next begin. */
uint32_t path_profile_plane_first(const struct path_profile *, uint32_t plane);
