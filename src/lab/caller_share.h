/* SPDX-License-Identifier: Apache-2.0 */
/* The share of a fabric's time that clients that attach, and clients that send requests, may use: a
 * tenth. Only CPU time counts. On a busy machine the fabric may lose its processor meanwhile; if
 * that time counted, clients would have to wait ten times as long. */
#pragma once

#include <stdint.h>

/* Called before clients are served. Returns a time that has a meaning only in this thread. */
uint64_t caller_share_begin_ns(void);
/* Called after that. Returns the time until clients are served again. */
uint64_t caller_share_pause_ps(uint64_t begin_ns);
