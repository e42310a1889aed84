/* SPDX-License-Identifier: Apache-2.0 */
/* mrc fabric run --web: the page of a fabric. */
#include "cmd/fabric/fabric_web.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "lab/lab.h"

static const char name[] = "fabric";

enum cmd_status fabric_web_read(struct fabric_web *web, char *text)
{
    char *colon = strrchr(text, ':');
    const char *number = colon ? colon + 1 : text;
    char *end;
    unsigned long port = strtoul(number, &end, 10);

    if (number[0] < '0' || number[0] > '9' || *end || port > UINT16_MAX)
        return cmd_complain(CMD_MISUSED, name,
            "%s: the form is 8080, 127.0.0.1:8080 or [::1]:8080; port 0 is any free one", text);
    if (colon) {
        *colon = '\0';
        web->address = text;
        if (text[0] == '[' && colon > text + 1 && colon[-1] == ']') {
            colon[-1] = '\0';
            web->address = text + 1;
        }
    }
    web->port = (uint16_t)port;
    web->is_wanted = true;
    return CMD_DONE;
}

static enum cmd_status complain_about(const struct fabric_web *web, int err)
{
    const char *address = web->address ? web->address : "127.0.0.1";

    if (err == -EACCES)
        return cmd_complain(CMD_FAILED, name,
            "%s: the page is served on loopback only, because it is not encrypted; use "
            "127.0.0.1 and a tunnel such as ssh -L",
            address);
    if (err == -EADDRINUSE)
        return cmd_complain(CMD_FAILED, name,
            "port %u: another program uses this port; choose another, or 0 for any", web->port);
    return cmd_complain(CMD_FAILED, name, "%s:%u: %s", address, web->port, strerror(-err));
}

enum cmd_status fabric_web_open(
    const struct fabric_web *web, const char *fabric, struct dashboard_service **service)
{
    struct dashboard_service_config config = {
        .fabric = fabric,
        .address = web->address,
        .port = web->port,
        .rate_bps_min = SOFT_RATE_BPS_MIN,
    };
    int err;

    *service = NULL;
    if (!web->is_wanted)
        return CMD_DONE;
    err = dashboard_service_open(service, &config);
    if (!err)
        err = dashboard_service_start(*service);
    if (!err)
        return CMD_DONE;
    fabric_web_close(*service);
    *service = NULL;
    return complain_about(web, err);
}

void fabric_web_print(const struct dashboard_service *service)
{
    char url[DASHBOARD_URL_BYTES];

    if (!service)
        return;
    dashboard_service_url(service, url);
    printf("page: %s\n", url);
    fflush(stdout);
}

void fabric_web_close(struct dashboard_service *service)
{
    if (service)
        dashboard_service_close(service);
}
