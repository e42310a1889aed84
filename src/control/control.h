/* SPDX-License-Identifier: Apache-2.0 */
/* Requests to running NICs and fabrics, their answers, and their metrics: the public header of this
 * folder. */
#pragma once

#include "control/device_list.h"
#include "control/device_loan.h"
#include "control/ev_admin.h"
#include "control/ev_report.h"
#include "control/event_watch.h"
#include "control/fabric_process.h"
#include "control/fault_record.h"
#include "control/fault_request.h"
#include "control/fault_words.h"
#include "control/map_agent.h"
#include "control/metric.h"
#include "control/metric_collect.h"
#include "control/metric_family.h"
#include "control/metric_page.h"
#include "control/port_admin.h"
#include "control/qp_list.h"
#include "control/request.h"
#include "control/request_form.h"
#include "control/request_line.h"
#include "control/script_run.h"
