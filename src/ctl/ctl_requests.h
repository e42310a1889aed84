/* SPDX-License-Identifier: Apache-2.0 */
/* The requests that change something, and the reports of agents: handlers for tables of routes,
 * whose context is the controller. */
#pragma once

#include <jansson.h>

#include "http/http.h"

/* Answers with the value and releases it. NULL: the store cannot be read. */
void ctl_requests_answer(struct http_answer *, unsigned status, json_t *value);

void ctl_requests_drain(void *context, const struct http_request *, struct http_answer *);
void ctl_requests_restore(void *context, const struct http_request *, struct http_answer *);
void ctl_requests_verdict(void *context, const struct http_request *, struct http_answer *);
void ctl_requests_report(void *context, const struct http_request *, struct http_answer *);
