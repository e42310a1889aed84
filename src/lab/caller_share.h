/* SPDX-License-Identifier: Apache-2.0 */
/* The share of a fabric's time that those who attach, or those who ask, may use: a tenth. Only time
 * on a processor counts. On a busy machine the fabric may lose its processor meanwhile; if that
 * counted, they would have to wait for it ten times. */
#pragma once

#include <stdint.h>

/* Before they are served: a time that means something to this thread only. */
uint64_t caller_share_begin_ns(void);
/* After that: how long they wait until they are served again. */
uint64_t caller_share_pause_ps(uint64_t begin_ns);
