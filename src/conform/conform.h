/* SPDX-License-Identifier: Apache-2.0 */
/* The public header of this folder: checks of other implementations against the protocol. */
#pragma once

#include "conform/api_library.h"
#include "conform/api_private.h"
#include "conform/api_suite.h"
#include "conform/api_watch.h"
#include "conform/capture_check.h"
#include "conform/conform_port.h"
#include "conform/conform_report.h"
#include "conform/conform_spec.h"
#include "conform/conform_suite.h"
#include "conform/endpoint_bench.h"
#include "conform/endpoint_device.h"
#include "conform/endpoint_suite.h"
#include "conform/hostile_frame.h"
#include "conform/rules.h"
#include "conform/switch_bench.h"
#include "conform/switch_device.h"
#include "conform/switch_suite.h"
#include "conform/traffic.h"
