/* SPDX-License-Identifier: Apache-2.0 */
/* What happens to packets between two ports: the public header of this folder. */
#pragma once

#include "network/endpoint_ops.h"
#include "network/event_heap.h"
#include "network/fault.h"
#include "network/fault_course.h"
#include "network/fault_cover.h"
#include "network/fault_generator.h"
#include "network/fault_link.h"
#include "network/fault_plan.h"
#include "network/link.h"
#include "network/loss_reason.h"
#include "network/switch_policy.h"
