/* SPDX-License-Identifier: Apache-2.0 */
/* The number of files and connections that this process may have open. */
#pragma once

#include <stdint.h>

/* Raises the limit as far as the system allows, and returns it. */
uint32_t ctl_descriptors_raise(void);
