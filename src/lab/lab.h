/* SPDX-License-Identifier: Apache-2.0 */
/* Fabrics on one machine: the public header of this folder. */
#pragma once

#include "lab/background.h"
#include "lab/device_name.h"
#include "lab/devices.h"
#include "lab/exec_environment.h"
#include "lab/fabric_list.h"
#include "lab/leftovers.h"
#include "lab/netns.h"
#include "lab/netns_fabric.h"
#include "lab/netns_state.h"
#include "lab/soft.h"
#include "lab/soft_fault.h"
