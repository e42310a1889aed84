/* SPDX-License-Identifier: Apache-2.0 */
/* The policies of policies.def. A policy uses the EVs of a set (ev_table.h). */
#pragma once

#include "path/ev_table.h"

#define PATH_POLICY(ID, name, meaning) extern const struct path_policy path_policy_##name;
#include "path/policies.def"
