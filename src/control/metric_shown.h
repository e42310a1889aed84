/* SPDX-License-Identifier: Apache-2.0 */
/* The metrics of a fabric: links, switches, losses. */
#pragma once

#include "control/metric_page.h"

/* Adds the metrics of an answer to the request `show` of a fabric. */
void metric_shown_add(struct metric_page *, const char *fabric, const json_t *shown);
