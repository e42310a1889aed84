/* SPDX-License-Identifier: Apache-2.0 */
/* The switch: what a packet meets between two hosts. */
#pragma once

#include "switch/port.h"
