/* SPDX-License-Identifier: Apache-2.0 */
/* Every hop through bytes: a frame is built, read back and compared. */
#pragma once

#include "sim/engine.h"

void wire_check_hop(struct sim *, const struct port_transmission *);
