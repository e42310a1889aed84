/* SPDX-License-Identifier: Apache-2.0 */
/* Asking and answering over a Unix socket, which NICs do as well: see pktio/control.h. */
#pragma once

#include "pktio/pktio.h"
