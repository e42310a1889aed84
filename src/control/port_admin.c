/* SPDX-License-Identifier: Apache-2.0 */
/* The administrative state of ports. */
#include "control/port_admin.h"

#include <errno.h>
#include <string.h>

#include <infiniband/verbs.h>
#include <mrc.h>
#include <mrc_ctl.h>

bool port_admin_open(struct port_admin *out, const char *device)
{
    struct ibv_device **list = ibv_get_device_list(NULL);
    struct mrc_ctl_port_attr attributes;

    *out = (struct port_admin){ 0 };
    for (uint32_t i = 0; list && list[i] && !out->verbs; i++)
        if (strcmp(ibv_get_device_name(list[i]), device) == 0)
            out->verbs = ibv_open_device(list[i]);
    if (list)
        ibv_free_device_list(list);
    out->mrc = out->verbs ? mrc_create_context(out->verbs, NULL) : NULL;
    while (out->mrc && mrc_ctl_query_port(out->mrc, (uint8_t)(out->port_count + 1), &attributes,
                           MRC_CTL_PORT_ADMIN_STATE) == 0)
        out->port_count++;
    return out->mrc;
}

void port_admin_close(struct port_admin *admin)
{
    if (admin->mrc)
        mrc_destroy_context(admin->mrc);
    if (admin->verbs)
        ibv_close_device(admin->verbs);
}

int port_admin_set(const struct port_admin *admin, uint32_t port, bool up)
{
    struct mrc_ctl_port_attr attributes = { .port_admin_state = up ? MRC_CTL_PORT_ADMIN_ENABLED
                                                                   : MRC_CTL_PORT_ADMIN_DISABLED };

    if (mrc_ctl_modify_port(admin->mrc, (uint8_t)port, &attributes, MRC_CTL_PORT_ADMIN_STATE) == 0)
        return 0;
    return -errno;
}

static const char *state_word(const struct port_admin *admin, uint32_t port)
{
    struct mrc_ctl_port_attr attributes;

    if (mrc_ctl_query_port(admin->mrc, (uint8_t)port, &attributes, MRC_CTL_PORT_ADMIN_STATE) != 0)
        return "unknown";
    return attributes.port_admin_state == MRC_CTL_PORT_ADMIN_ENABLED ? "up" : "down";
}

json_t *port_admin_describe(const char *device)
{
    struct port_admin admin;
    json_t *ports = json_array();

    if (port_admin_open(&admin, device))
        for (uint32_t port = 1; port <= admin.port_count; port++)
            json_array_append_new(ports, json_pack("{s:i,s:i,s:s}", "port", port, "plane", port - 1,
                                             "admin", state_word(&admin, port)));
    port_admin_close(&admin);
    return json_pack("{s:s,s:o}", "device", device, "ports", ports);
}
