/* SPDX-License-Identifier: Apache-2.0 */
/* The page of a running fabric. */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "cmd/cmd.h"
#include "dashboard/dashboard.h"

struct fabric_web {
    bool is_wanted;
    const char *address; /* NULL: the default */
    uint16_t port;
};

/* Reads [ADDRESS:]PORT, in which it puts zeros. */
enum cmd_status fabric_web_read(struct fabric_web *, char *text);

/* Serves the page if it is wanted; otherwise *service becomes NULL, which the other functions
 * take. */
enum cmd_status fabric_web_open(
    const struct fabric_web *, const char *fabric, struct dashboard_service **service);
void fabric_web_print(const struct dashboard_service *);
void fabric_web_close(struct dashboard_service *);
