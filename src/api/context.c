/* SPDX-License-Identifier: Apache-2.0 */
/* Contexts, versions, device attributes, and the verbs contexts that belong to libmrc-verbs. */
#include <errno.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>

#include "api/api_objects.h"
#include "api/error.h"

struct adopted {
    struct adopted *next;
    struct ibv_context *verbs;
    struct device *device;
    uint32_t child_count; /* MRC contexts of this verbs context */
};

static pthread_mutex_t adopted_lock = PTHREAD_MUTEX_INITIALIZER;
static struct adopted *adopted_contexts;

static struct adopted *find_adopted(const struct ibv_context *verbs)
{
    struct adopted *adopted = adopted_contexts;

    while (adopted && adopted->verbs != verbs)
        adopted = adopted->next;
    return adopted;
}

struct device *api_objects_device_of(const struct ibv_context *verbs)
{
    struct device *device;

    pthread_mutex_lock(&adopted_lock);
    device = find_adopted(verbs) ? find_adopted(verbs)->device : NULL;
    pthread_mutex_unlock(&adopted_lock);
    return device;
}

/* The context has one child more. */
static bool api_objects_retain(struct ibv_context *verbs)
{
    struct adopted *adopted;

    pthread_mutex_lock(&adopted_lock);
    adopted = find_adopted(verbs);
    if (adopted)
        adopted->child_count++;
    pthread_mutex_unlock(&adopted_lock);
    return adopted != NULL;
}

static void api_objects_release(struct ibv_context *verbs)
{
    pthread_mutex_lock(&adopted_lock);
    find_adopted(verbs)->child_count--;
    pthread_mutex_unlock(&adopted_lock);
}

int mrc_private_adopt(struct mrc_private_device *device, struct ibv_context *verbs)
{
    struct adopted *adopted = calloc(1, sizeof(*adopted));

    if (!adopted)
        return -ENOMEM;
    adopted->verbs = verbs;
    adopted->device = (struct device *)device;
    pthread_mutex_lock(&adopted_lock);
    adopted->next = adopted_contexts;
    adopted_contexts = adopted;
    pthread_mutex_unlock(&adopted_lock);
    return 0;
}

int mrc_private_disown(struct ibv_context *verbs)
{
    struct adopted **link = &adopted_contexts;
    struct adopted *adopted;
    int err = 0;

    pthread_mutex_lock(&adopted_lock);
    while (*link && (*link)->verbs != verbs)
        link = &(*link)->next;
    adopted = *link;
    if (!adopted)
        err = -EINVAL;
    else if (adopted->child_count)
        err = -EBUSY;
    else
        *link = adopted->next;
    pthread_mutex_unlock(&adopted_lock);
    if (!err)
        free(adopted);
    return err;
}

uint32_t mrc_private_context_count(const struct ibv_context *verbs)
{
    const struct adopted *adopted;
    uint32_t count;

    pthread_mutex_lock(&adopted_lock);
    adopted = find_adopted(verbs);
    count = adopted ? adopted->child_count : 0;
    pthread_mutex_unlock(&adopted_lock);
    return count;
}

/* ---- contexts -------------------------------------------------------------------------------- */

struct mrc_context *mrc_create_context(
    struct ibv_context *vcontext, struct mrc_context_attr *context_attr)
{
    struct mrc_context *context;
    int err;

    if (!vcontext)
        return error_null(-EINVAL);
    if (!api_objects_retain(vcontext))
        return error_null(-EOPNOTSUPP);
    context = calloc(1, sizeof(*context));
    err = context ? async_queue_init(&context->async) : -ENOMEM;
    if (err) {
        free(context);
        api_objects_release(vcontext);
        return error_null(err);
    }
    context->verbs = vcontext;
    context->device = api_objects_device_of(vcontext);
    context->api_version = context_attr ? context_attr->mrc_api_version_used : 0;
    pthread_mutex_lock(&context->device->mutex);
    context->next = context->device->contexts;
    context->device->contexts = context;
    pthread_mutex_unlock(&context->device->mutex);
    return context;
}

int mrc_destroy_context(struct mrc_context *mrc_ctx)
{
    struct mrc_context **link;

    if (!mrc_ctx)
        return error_minus_one(-EINVAL);
    if (atomic_load(&mrc_ctx->child_count))
        return error_minus_one(-EBUSY);
    pthread_mutex_lock(&mrc_ctx->device->mutex);
    link = &mrc_ctx->device->contexts;
    while (*link != mrc_ctx)
        link = &(*link)->next;
    *link = mrc_ctx->next;
    pthread_mutex_unlock(&mrc_ctx->device->mutex);
    async_queue_fini(&mrc_ctx->async);
    api_objects_release(mrc_ctx->verbs);
    free(mrc_ctx);
    return 0;
}

/* ---- queries --------------------------------------------------------------------------------- */

int mrc_query_device(struct ibv_context *context, struct mrc_device_attr *attr, int *supported)
{
    const struct device *device;

    if (!context || !attr || !supported)
        return error_minus_one(-EINVAL);
    device = api_objects_device_of(context);
    *supported = device != NULL;
    if (!device)
        return 0;
    *attr = (struct mrc_device_attr){ .mrc_protocol_version = MRC_PROTOCOL_VERSION_1,
        .wimm_attr = { .max_wimm = (uint16_t)device_write_imm_max(device),
            .max_wimm_dest = (uint16_t)device_write_imm_max(device) },
        .mpr_attr = { .max_mpr = (uint8_t)device_mpr_max(device), .mpr_resolution = 1 },
        .qp_attr = { .max_qp_hint = DEVICE_HINT_MAX },
        .cap = MRC_DEVICE_CAP_TRIM_NACK | MRC_DEVICE_CAP_DYNAMIC_MPR | MRC_DEVICE_CAP_SVC_TIME };
    return 0;
}

int mrc_query_device_ex(struct ibv_context *context, struct mrc_context *mcontext,
    struct mrc_device_attr *attr, int *supported)
{
    if (mcontext && mcontext->verbs != context)
        return error_minus_one(-EINVAL);
    return mrc_query_device(context, attr, supported);
}

static void tell_version(uint32_t *to, uint32_t version)
{
    if (to)
        *to = version;
}

void mrc_query_version(uint32_t *current_version, uint32_t *last_supported_version,
    uint32_t *vendor_version, uint32_t *last_supported_vendor_version)
{
    tell_version(current_version, MRC_API_CURRENT_VERSION);
    tell_version(last_supported_version, MRC_API_LAST_SUPPORTED_VERSION);
    tell_version(vendor_version, MRC_VENDOR_API_CURRENT_VERSION);
    tell_version(last_supported_vendor_version, MRC_VENDOR_API_LAST_SUPPORTED_VERSION);
}
