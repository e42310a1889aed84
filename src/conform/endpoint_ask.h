/* SPDX-License-Identifier: Apache-2.0 */
/* Asks the driver of a device, while packets of the device are still received and answered. */
#pragma once

#include "conform/endpoint_bench.h"

/* Returns the answer, which is lent until the next call. Returns NULL if the driver refuses, and
 * the check is then skipped ("error unsupported ...") or has failed; or if the driver hangs or has
 * ended, which ends the run. */
CONFORM_PRINTS const char *endpoint_ask(struct endpoint_bench *, const char *format, ...);
