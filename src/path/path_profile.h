/* SPDX-License-Identifier: Apache-2.0 */
/* Where the entries of a plane stand in a profile. */
#pragma once

#include "path/path.h"

/* The index of the plane's first entry, or of the first one after where it would stand. The entries
 * of a plane end where those of the next begin. */
uint32_t path_profile_plane_first(const struct path_profile *, uint32_t plane);
