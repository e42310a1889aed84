/* SPDX-License-Identifier: Apache-2.0 */
/* The calls of mrc_ctl.h for devices, ports and profiles. */
#include "mrc_ctl.h"

#include <errno.h>

#include "api/api_objects.h"
#include "api/error.h"

static const char *algorithms[] = { PROFILE_NSCC, NULL };

/* ---- devices --------------------------------------------------------------------------------- */

static int query_device(struct ibv_context *verbs, struct mrc_ctl_device_attr *attr, int *supported)
{
    const struct device *device = api_objects_device_of(verbs);
    uint32_t free_count;
    int err;

    *supported = device != NULL;
    if (!device)
        return 0;
    err = profile_ev_free_count(&device->store, &free_count);
    if (err)
        return err;
    *attr = (struct mrc_ctl_device_attr){ .mrc_ctl_protocol_version = MRC_CTL_PROTOCOL_VERSION_1,
        .ev = { .ev_max_fmt_profiles = PROFILE_FMT_MAX,
            .ev_max_profiles = PROFILE_EV_MAX,
            .ev_max_count = PROFILE_EV_COUNT_MAX,
            .ev_free_count = free_count,
            .ev_max_count_profile = RECORD_EV_MAX,
            .ev_count_align = 1,
            .ev_max_width = EV_BITS_MAX,
            .ev_fmt_mode_mask =
                MRC_CTL_EV_FMT_MODE_STEV | MRC_CTL_EV_FMT_MODE_SRV6 | MRC_CTL_EV_FMT_MODE_UDP,
            .ev_mode_mask = MRC_CTL_EV_MODE_AUTO | MRC_CTL_EV_MODE_EXP | MRC_CTL_EV_MODE_GEN },
        .cc = { .cc_max_profiles = PROFILE_CC_MAX, .algorithms = algorithms },
        .phy_port_mask = (uint32_t)((UINT64_C(1) << device->store.port_count) - 1) << 1,
        .opt_attr = MRC_CTL_OPT_CAP_EV_PROFILE_MODIFY_ONLINE | MRC_CTL_OPT_CAP_EV_EVENT |
                    MRC_CTL_OPT_CAP_EV_EVENT_PRECISE_DROP_CNT | MRC_CTL_OPT_CAP_EP_OP_EV_PROBE };
    return 0;
}

int mrc_ctl_query_device_ex(struct ibv_context *context, struct mrc_context *mcontext,
    struct mrc_ctl_device_attr *ctl_attr, int *supported)
{
    if (!context || !ctl_attr || !supported || (mcontext && mcontext->verbs != context))
        return error_minus_one(-EINVAL);
    return error_minus_one(query_device(context, ctl_attr, supported));
}

int mrc_ctl_query_device(struct ibv_context *context, struct mrc_ctl_device_attr *ctl_attr)
{
    int supported;
    int err;

    if (!context || !ctl_attr)
        return error_minus_one(-EINVAL);
    err = query_device(context, ctl_attr, &supported);
    return error_minus_one(err == 0 && !supported ? -EOPNOTSUPP : err);
}

static void tell_version(uint32_t *to, uint32_t version)
{
    if (to)
        *to = version;
}

void mrc_ctl_query_version(uint32_t *current_version, uint32_t *last_supported_version,
    uint32_t *vendor_version, uint32_t *last_supported_vendor_version)
{
    tell_version(current_version, MRC_CTL_API_CURRENT_VERSION);
    tell_version(last_supported_version, MRC_CTL_API_LAST_SUPPORTED_VERSION);
    tell_version(vendor_version, MRC_CTL_VENDOR_API_CURRENT_VERSION);
    tell_version(last_supported_vendor_version, MRC_CTL_VENDOR_API_LAST_SUPPORTED_VERSION);
}

/* ---- ports ----------------------------------------------------------------------------------- */

static bool port_call_is_valid(const struct mrc_context *context, uint8_t port_num,
    const struct mrc_ctl_port_attr *attr, int attr_mask)
{
    return context && attr && port_num >= 1 && port_num <= context->device->store.port_count &&
           attr_mask == MRC_CTL_PORT_ADMIN_STATE;
}

int mrc_ctl_query_port(
    struct mrc_context *context, uint8_t port_num, struct mrc_ctl_port_attr *attr, int attr_mask)
{
    bool enabled;
    int err;

    if (!port_call_is_valid(context, port_num, attr, attr_mask))
        return error_minus_one(-EINVAL);
    err = device_port_is_enabled(context->device, port_num, &enabled);
    if (!err)
        attr->port_admin_state = enabled ? MRC_CTL_PORT_ADMIN_ENABLED : MRC_CTL_PORT_ADMIN_DISABLED;
    return error_minus_one(err);
}

int mrc_ctl_modify_port(
    struct mrc_context *context, uint8_t port_num, struct mrc_ctl_port_attr *attr, int attr_mask)
{
    int err;

    if (!port_call_is_valid(context, port_num, attr, attr_mask) ||
        (attr->port_admin_state != MRC_CTL_PORT_ADMIN_DISABLED &&
            attr->port_admin_state != MRC_CTL_PORT_ADMIN_ENABLED))
        return error_minus_one(-EINVAL);
    err = device_enable_port(
        context->device, port_num, attr->port_admin_state == MRC_CTL_PORT_ADMIN_ENABLED);
    pthread_mutex_lock(&context->device->mutex);
    device_refresh_ports(context->device);
    pthread_mutex_unlock(&context->device->mutex);
    return error_minus_one(err);
}

/* ---- profiles -------------------------------------------------------------------------------- */

int mrc_ctl_modify_ev_fmt_profile(struct mrc_context *mrc_ctx, uint64_t ev_fmt_profile_id,
    struct mrc_ctl_ev_fmt_profile_attr *attr, int attr_mask)
{
    if (!mrc_ctx || !attr)
        return error_minus_one(-EINVAL);
    return error_minus_one(
        profile_fmt_modify(&mrc_ctx->device->store, ev_fmt_profile_id, attr, (uint32_t)attr_mask));
}

int mrc_ctl_query_ev_fmt_profile(struct mrc_context *mrc_ctx, uint64_t ev_fmt_profile_id,
    struct mrc_ctl_ev_fmt_profile_attr *attr, int attr_mask)
{
    if (!mrc_ctx || !attr)
        return error_minus_one(-EINVAL);
    return error_minus_one(
        profile_fmt_query(&mrc_ctx->device->store, ev_fmt_profile_id, attr, (uint32_t)attr_mask));
}

/* This process's NIC changes at once, other NICs when they notice the change. */
int mrc_ctl_modify_ev_profile(struct mrc_context *mrc_ctx, uint64_t ev_profile_id,
    struct mrc_ctl_ev_profile_attr *attr, int attr_mask)
{
    int err;

    if (!mrc_ctx || !attr)
        return error_minus_one(-EINVAL);
    err = profile_ev_modify(&mrc_ctx->device->store, ev_profile_id, attr, (uint32_t)attr_mask);
    pthread_mutex_lock(&mrc_ctx->device->mutex);
    device_refresh_profiles(mrc_ctx->device);
    pthread_mutex_unlock(&mrc_ctx->device->mutex);
    return error_minus_one(err);
}

int mrc_ctl_query_ev_profile(struct mrc_context *mrc_ctx, uint64_t ev_profile_id,
    struct mrc_ctl_ev_profile_attr *attr, int attr_mask)
{
    if (!mrc_ctx || !attr)
        return error_minus_one(-EINVAL);
    return error_minus_one(
        profile_ev_query(&mrc_ctx->device->store, ev_profile_id, attr, (uint32_t)attr_mask));
}

int mrc_ctl_modify_cc_profile(struct mrc_context *mrc_ctx, uint64_t cc_profile_id,
    struct mrc_ctl_cc_profile_attr *attr, int attr_mask)
{
    if (!mrc_ctx || !attr)
        return error_minus_one(-EINVAL);
    return error_minus_one(
        profile_cc_modify(&mrc_ctx->device->store, cc_profile_id, attr, (uint32_t)attr_mask));
}

int mrc_ctl_query_cc_profile(struct mrc_context *mrc_ctx, uint64_t cc_profile_id,
    struct mrc_ctl_cc_profile_attr *attr, int attr_mask)
{
    if (!mrc_ctx || !attr)
        return error_minus_one(-EINVAL);
    return error_minus_one(
        profile_cc_query(&mrc_ctx->device->store, cc_profile_id, attr, (uint32_t)attr_mask));
}
