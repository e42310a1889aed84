/* SPDX-License-Identifier: Apache-2.0 */
/* Measuring and checking what MRC does between processes, as a client of mrc.h: the front door of
 * this folder. */
#pragma once

#include "perf/perf_interrupt.h"
#include "perf/perf_run.h"
#include "perf/perf_start.h"
#include "perf/perf_test.h"
