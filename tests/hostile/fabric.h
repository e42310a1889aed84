/* SPDX-License-Identifier: Apache-2.0 */
/* A malicious fabric: lets NICs attach, or not, and misuses what it shares with them. */
#pragma once

#include "attacker.h"

/* Listens at the path from then on. */
void hostile_fabric_listen(const char *path);
/* In a process of its own: attacks whatever attaches there, and exits. */
_Noreturn void hostile_fabric_run(const struct attacker_options *);
