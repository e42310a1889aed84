/* SPDX-License-Identifier: Apache-2.0 */
/* Allocations made by the code linked into this program: the linker leads them here (--wrap). */
#pragma once

#include <stdint.h>

uint64_t allocations_count(void);
