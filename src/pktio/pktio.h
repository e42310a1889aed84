/* SPDX-License-Identifier: Apache-2.0 */
/* Frames in and out: the front door of this folder. */
#pragma once

#include "pktio/capture.h"
#include "pktio/pcapng.h"
