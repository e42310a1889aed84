/* SPDX-License-Identifier: Apache-2.0 */
/* Asks running NICs and fabrics for their metrics. */
#pragma once

#include "control/metric_page.h"
#include "control/request.h"

/* Adds the metrics of the process that has the device open. Those of its QPs are sums, because a
 * label for each QP or EV would make more series than Prometheus can store. The reason is set as by
 * request_device(). */
enum request_result metric_collect_device(
    struct metric_page *, const char *device, char reason[REQUEST_REASON_BYTES]);

/* Adds the metrics of a running fabric: links, switches, losses. */
enum request_result metric_collect_fabric(
    struct metric_page *, const char *fabric, char reason[REQUEST_REASON_BYTES]);
