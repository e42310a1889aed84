/* SPDX-License-Identifier: Apache-2.0 */
/* Configurations of switches and NICs, written from the plan of a fabric: the public header of this
 * folder. */
#pragma once

#include "config/config_check.h"
#include "config/config_diff.h"
#include "config/config_format.h"
#include "config/config_nic.h"
#include "config/config_port.h"
#include "config/config_source.h"
#include "config/config_write.h"
