/* SPDX-License-Identifier: Apache-2.0 */
/* The page of a running fabric, and what it shows: the public header of this folder.
 * mrc-dashboard(5) describes the paths and documents. */
#pragma once

#include "dashboard/dashboard_log.h"
#include "dashboard/dashboard_routes.h"
#include "dashboard/dashboard_service.h"
#include "dashboard/dashboard_soft.h"
#include "dashboard/dashboard_source.h"
