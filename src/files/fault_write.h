/* SPDX-License-Identifier: Apache-2.0 */
/* Faults as experiment files have them: what fault_entry.h reads. */
#pragma once

#include <stdio.h>

#include "network/network.h"

/* The first lines of an entry: kind, direction and parameters, exact. */
void fault_write_kind(FILE *, const struct fault *);
/* And its times. */
void fault_write_times(FILE *, const struct fault *);
