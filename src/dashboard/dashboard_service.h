/* SPDX-License-Identifier: Apache-2.0 */
/* Serves the dashboard of a soft fabric from a thread of the process of the fabric. */
#pragma once

#include <stdint.h>

#define DASHBOARD_URL_BYTES 160

struct dashboard_service_config {
    const char *fabric;
    const char *address; /* NULL: 127.0.0.1 */
    uint16_t port;       /* 0: any free one */
    uint64_t rate_bps_min;
};

struct dashboard_service;

/* Listens. Returns 0 or a negative errno, as http_server_open() does. */
int dashboard_service_open(struct dashboard_service **, const struct dashboard_service_config *);
/* Writes the address of the page, with the token that its buttons need. */
void dashboard_service_url(const struct dashboard_service *, char out[static DASHBOARD_URL_BYTES]);
/* Starts the thread, when the fabric is about to run. Returns 0 or a negative errno. */
int dashboard_service_start(struct dashboard_service *);
void dashboard_service_close(struct dashboard_service *);
