/* SPDX-License-Identifier: Apache-2.0 */
/* Measures and checks MRC between processes, as a client of mrc.h: the public header of this
 * folder. */
#pragma once

#include "perf/perf_interrupt.h"
#include "perf/perf_run.h"
#include "perf/perf_start.h"
#include "perf/perf_test.h"
