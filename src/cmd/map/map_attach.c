/* SPDX-License-Identifier: Apache-2.0 */
/* Opens devices for their probes alone. */
#include "cmd/map/map_attach.h"

#include <errno.h>
#include <string.h>

#include "mrc.h"

static struct ibv_device *find_device(struct ibv_device **list, const char *device)
{
    while (*list && strcmp(ibv_get_device_name(*list), device) != 0)
        list++;
    return *list;
}

int map_attach_open(struct map_attach *attach, const char *device)
{
    struct ibv_device **list = ibv_get_device_list(NULL);
    struct ibv_device *found = list ? find_device(list, device) : NULL;
    int err;

    *attach = (struct map_attach){ 0 };
    attach->verbs = found ? ibv_open_device(found) : NULL;
    err = found ? errno : ENODEV;
    if (list)
        ibv_free_device_list(list);
    if (!attach->verbs)
        return -err;
    attach->mrc = mrc_create_context(attach->verbs, NULL);
    if (attach->mrc)
        attach->cq = mrc_create_cq(attach->mrc, 1, NULL, NULL, 0);
    if (attach->cq)
        return 0;
    err = errno;
    map_attach_close(attach);
    return -err;
}

void map_attach_close(struct map_attach *attach)
{
    if (attach->cq)
        mrc_destroy_cq(attach->cq);
    if (attach->mrc)
        mrc_destroy_context(attach->mrc);
    if (attach->verbs)
        ibv_close_device(attach->verbs);
    *attach = (struct map_attach){ 0 };
}
