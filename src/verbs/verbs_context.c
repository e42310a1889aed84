/* SPDX-License-Identifier: Apache-2.0 */
/* Opens and closes a device. */
#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <stdlib.h>
#include <unistd.h>

#include "verbs/verbs_device.h"

/* `cmd_fd` is not used, but some programs check it. */
static int open_fds(struct verbs_device_context *own)
{
    struct ibv_context *context = &own->verbs.context;

    context->cmd_fd = open("/dev/null", O_RDWR | O_CLOEXEC);
    if (context->cmd_fd < 0)
        return -errno;
    context->async_fd = mrc_private_async_fd(own->mrc);
    return 0;
}

/* Called before the first MRC context is created from it, which needs a complete context. */
static void fill_context(struct verbs_device_context *own, struct ibv_device *device)
{
    struct ibv_context *context = &own->verbs.context;

    context->device = device;
    context->num_comp_vectors = 1;
    context->abi_compat = __VERBS_ABI_IS_EXTENDED;
    pthread_mutex_init(&context->mutex, NULL);
    own->verbs.sz = sizeof(own->verbs);
    verbs_device_fill_ops(&own->verbs);
}

struct ibv_context *ibv_open_device(struct ibv_device *device)
{
    struct verbs_device_context *own = calloc(1, sizeof(*own));
    int err = own ? mrc_private_open(device->name, &own->device) : -ENOMEM;

    if (err)
        goto free_own;
    fill_context(own, device);
    mrc_private_info(own->device, &own->info);
    err = mrc_private_adopt(own->device, &own->verbs.context);
    if (err)
        goto close_device;
    own->mrc = mrc_create_context(&own->verbs.context, NULL);
    err = own->mrc ? open_fds(own) : -errno;
    if (err)
        goto disown;
    return &own->verbs.context;

disown:
    if (own->mrc)
        mrc_destroy_context(own->mrc);
    mrc_private_disown(&own->verbs.context);
close_device:
    mrc_private_close(own->device);
free_own:
    free(own);
    errno = -err;
    return NULL;
}

static int refuse_close(int number)
{
    errno = number;
    return -1;
}

/* Changes nothing unless all objects of the context are gone. */
static int let_go(struct verbs_device_context *own)
{
    struct ibv_context *context = &own->verbs.context;
    int err = mrc_private_disown(context);

    if (err)
        return err;
    err = mrc_private_close(own->device);
    if (err && mrc_private_adopt(own->device, context) != 0)
        return -ENOMEM;
    return err;
}

int ibv_close_device(struct ibv_context *context)
{
    struct verbs_device_context *own = verbs_device_context(context);
    int err;

    if (mrc_destroy_context(own->mrc) != 0)
        return -1;
    err = let_go(own);
    if (err) {
        own->mrc = mrc_create_context(context, NULL);
        context->async_fd = own->mrc ? mrc_private_async_fd(own->mrc) : -1;
        return refuse_close(-err);
    }
    close(context->cmd_fd);
    pthread_mutex_destroy(&context->mutex);
    free(own);
    return 0;
}
