/* SPDX-License-Identifier: Apache-2.0 */
/* The public header of this folder: checks of other implementations against the protocol. */
#pragma once

#include "conform/capture_check.h"
#include "conform/rules.h"
