/* SPDX-License-Identifier: Apache-2.0 */
/* Writes faults in the form of experiment files, which fault_entry.h reads. */
#pragma once

#include <stdio.h>

#include "network/network.h"

/* Writes the first lines of an entry: kind, direction and parameters, without rounding. */
void fault_write_kind(FILE *, const struct fault *);
/* Writes the times of an entry. */
void fault_write_times(FILE *, const struct fault *);
