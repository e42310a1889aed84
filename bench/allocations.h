/* SPDX-License-Identifier: Apache-2.0 */
/* Counts allocations by the code of this program: the linker redirects them (--wrap). */
#pragma once

#include <stdint.h>

uint64_t allocations_count(void);
