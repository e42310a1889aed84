/* SPDX-License-Identifier: Apache-2.0 */
/* Composes a uSID from its parts. */
#pragma once

#include "plan/plan.h"
#include "plan/plan_graph.h"

uint16_t plan_usid_of(enum plan_layout, uint32_t plane, enum plan_usid_type, uint32_t index);
/* Returns the type of the switches of a tier. */
enum plan_usid_type plan_usid_switch_type(uint32_t tier);
