/* SPDX-License-Identifier: Apache-2.0 */
/* Checks of device queries and of contexts. */
#include <errno.h>
#include <string.h>

#include "conform/api_side.h"
#include "conform/api_suite.h"

/* ---- devices --------------------------------------------------------------------------------- */

static struct mrc_device_attr query_device(struct api_side *side)
{
    struct api_run *run = side->run;
    struct mrc_device_attr attr = { .cap = UINT32_MAX };
    int supported = -1;
    int err = api_run_error_minus(API(run, query_device)(side->verbs, &attr, &supported));

    api_run_must(run, err == 0, "mrc_query_device: %s", api_run_error_text(err));
    api_run_must(run, supported == 1, "*supported is %d", supported);
    return attr;
}

void api_suite_device(struct api_run *run)
{
    const uint32_t known =
        MRC_DEVICE_CAP_TRIM_NACK | MRC_DEVICE_CAP_DYNAMIC_MPR | MRC_DEVICE_CAP_SVC_TIME;
    struct mrc_device_attr attr;
    struct api_side side;

    api_side_open(&side, run, run->device);
    attr = query_device(&side);
    api_run_expect(run, (attr.mrc_protocol_version & ~(uint32_t)MRC_PROTOCOL_VERSION_1) == 0,
        "mrc_protocol_version is 0x%x", attr.mrc_protocol_version);
    api_run_expect(run, (attr.cap & ~known) == 0, "cap is 0x%x", attr.cap);
    api_run_expect(run, attr.mpr_attr.mpr_resolution > 0, "mpr_resolution is 0");
    api_run_expect(run,
        attr.mpr_attr.mpr_resolution == 0 ||
            attr.mpr_attr.max_mpr % attr.mpr_attr.mpr_resolution == 0,
        "max_mpr %u is no multiple of mpr_resolution %u", attr.mpr_attr.max_mpr,
        attr.mpr_attr.mpr_resolution);
    api_side_close(&side);
}

void api_suite_device_least(struct api_run *run)
{
    struct mrc_device_attr attr;
    struct api_side side;

    api_side_open(&side, run, run->device);
    attr = query_device(&side);
    api_run_expect(run, attr.mpr_attr.max_mpr >= 8, "max_mpr is %u", attr.mpr_attr.max_mpr);
    api_run_expect(run, attr.wimm_attr.max_wimm >= 32, "max_wimm is %u", attr.wimm_attr.max_wimm);
    api_run_expect(run, attr.wimm_attr.max_wimm_dest >= 32, "max_wimm_dest is %u",
        attr.wimm_attr.max_wimm_dest);
    api_side_close(&side);
}

static bool same_device(const struct mrc_device_attr *a, const struct mrc_device_attr *b)
{
    return a->mrc_protocol_version == b->mrc_protocol_version &&
           a->wimm_attr.max_wimm == b->wimm_attr.max_wimm &&
           a->wimm_attr.max_wimm_dest == b->wimm_attr.max_wimm_dest &&
           a->mpr_attr.max_mpr == b->mpr_attr.max_mpr &&
           a->mpr_attr.mpr_resolution == b->mpr_attr.mpr_resolution &&
           a->qp_attr.max_qp_hint == b->qp_attr.max_qp_hint && a->cap == b->cap;
}

static void refuse_foreign(struct api_side *side)
{
    struct api_run *run = side->run;
    struct mrc_device_attr attr;
    struct api_side other;
    int supported;
    int result;

    if (!run->second)
        return;
    api_side_open(&other, run, run->second);
    result = API(run, query_device_ex)(side->verbs, other.mrc, &attr, &supported);
    api_run_ends(run, api_run_error_minus(result), EINVAL,
        "mrc_query_device_ex with the MRC context of another device");
    api_side_close(&other);
}

void api_suite_device_ex(struct api_run *run)
{
    struct mrc_device_attr attr;
    struct api_side side;

    api_side_open(&side, run, run->device);
    attr = query_device(&side);
    for (int i = 0; i < 2; i++) {
        struct mrc_device_attr newer = { .cap = UINT32_MAX };
        int supported = -1;
        int result = API(run, query_device_ex)(side.verbs, i ? side.mrc : NULL, &newer, &supported);

        api_run_ends(run, api_run_error_minus(result), 0,
            i ? "mrc_query_device_ex" : "mrc_query_device_ex without an MRC context");
        api_run_expect(run, supported == 1 && same_device(&attr, &newer),
            "mrc_query_device_ex%s differs from mrc_query_device", i ? "" : " without context");
    }
    refuse_foreign(&side);
    api_side_close(&side);
}

static bool has_algorithm(const char *const *list, const char *name)
{
    while (list && *list && strcmp(*list, name) != 0)
        list++;
    return list && *list;
}

static void expect_limits(struct api_run *run, const struct mrc_ctl_device_attr *attr)
{
    const uint32_t formats =
        MRC_CTL_EV_FMT_MODE_STEV | MRC_CTL_EV_FMT_MODE_SRV6 | MRC_CTL_EV_FMT_MODE_UDP;
    const uint32_t modes = MRC_CTL_EV_MODE_AUTO | MRC_CTL_EV_MODE_EXP | MRC_CTL_EV_MODE_GEN;

    api_run_expect(run, attr->ev.ev_fmt_mode_mask && !(attr->ev.ev_fmt_mode_mask & ~formats),
        "ev_fmt_mode_mask is 0x%x", attr->ev.ev_fmt_mode_mask);
    api_run_expect(run, attr->ev.ev_mode_mask && !(attr->ev.ev_mode_mask & ~modes),
        "ev_mode_mask is 0x%x", attr->ev.ev_mode_mask);
    api_run_expect(run, attr->ev.ev_free_count <= attr->ev.ev_max_count,
        "ev_free_count %u is above ev_max_count %u", attr->ev.ev_free_count, attr->ev.ev_max_count);
    api_run_expect(run, attr->ev.ev_max_count_profile <= attr->ev.ev_max_count,
        "ev_max_count_profile %u is above ev_max_count %u", attr->ev.ev_max_count_profile,
        attr->ev.ev_max_count);
    api_run_expect(run, attr->ev.ev_count_align > 0, "ev_count_align is 0");
    api_run_expect(run, attr->ev.ev_max_width > 0 && attr->ev.ev_max_width <= 256,
        "ev_max_width is %u bits", attr->ev.ev_max_width);
    api_run_expect(run, attr->opt_attr < MRC_CTL_OPT_CAP_EP_OP_EV_PROBE << 1, "opt_attr is 0x%x",
        attr->opt_attr);
}

void api_suite_device_ctl(struct api_run *run)
{
    struct mrc_ctl_device_attr attr = { .opt_attr = 0 };
    struct api_side side;
    int err;

    api_side_open(&side, run, run->device);
    err = api_run_error_minus(API(run, ctl_query_device)(side.verbs, &attr));
    api_run_must(run, err == 0, "mrc_ctl_query_device: %s", api_run_error_text(err));
    api_run_expect(run, attr.phy_port_mask && !(attr.phy_port_mask & 1),
        "phy_port_mask is 0x%x; bit N is port N, from 1", attr.phy_port_mask);
    api_run_expect(
        run, has_algorithm(attr.cc.algorithms, "uet-1.0-nscc"), "algorithms has no uet-1.0-nscc");
    expect_limits(run, &attr);
    api_side_close(&side);
}

void api_suite_device_ctl_ex(struct api_run *run)
{
    struct mrc_ctl_device_attr attr;
    struct api_side side;
    int err;

    memset(&attr, 0, sizeof(attr));
    api_side_open(&side, run, run->device);
    err = api_run_error_minus(API(run, ctl_query_device)(side.verbs, &attr));
    api_run_must(run, err == 0, "mrc_ctl_query_device: %s", api_run_error_text(err));
    for (int i = 0; i < 2; i++) {
        struct mrc_ctl_device_attr newer;
        int supported = -1;

        memset(&newer, 0, sizeof(newer));
        err = api_run_error_minus(
            API(run, ctl_query_device_ex)(side.verbs, i ? side.mrc : NULL, &newer, &supported));
        api_run_ends(run, err, 0, "mrc_ctl_query_device_ex");
        api_run_expect(run, supported == 1, "*supported is %d", supported);
        api_run_expect(run,
            newer.phy_port_mask == attr.phy_port_mask && newer.opt_attr == attr.opt_attr &&
                memcmp(&newer.ev, &attr.ev, sizeof(attr.ev)) == 0,
            "mrc_ctl_query_device_ex differs from mrc_ctl_query_device");
    }
    api_side_close(&side);
}

/* ---- contexts -------------------------------------------------------------------------------- */

static void try_context(struct api_side *side, uint32_t version)
{
    struct api_run *run = side->run;
    struct mrc_context_attr attr = { .mrc_api_version_used = version };
    struct mrc_context *context = API(run, create_context)(side->verbs, &attr);

    api_run_expect(
        run, context, "mrc_create_context for version 0x%08x: %s", version, strerror(errno));
    if (context)
        api_run_ends(run, api_run_error_minus(API(run, destroy_context)(context)), 0,
            "mrc_destroy_context of a second context");
}

/* OCP's benchmark gives a protocol version, 1, as the version of the interface. */
static void read_context_version(struct api_side *side)
{
    struct api_run *run = side->run;
    struct mrc_context_attr attr = { .mrc_api_version_used = MRC_PROTOCOL_VERSION_1 };
    struct mrc_context *context = API(run, create_context)(side->verbs, &attr);

    api_run_reading(run, API_POINT_CONTEXT_VERSION, "%s",
        context ? "accepted, as the newest version" : "refused");
    if (context)
        API(run, destroy_context)(context);
}

void api_suite_context(struct api_run *run)
{
    struct api_side side;

    api_side_open(&side, run, run->device);
    try_context(&side, 0);
    try_context(&side, MRC_API_VER(1, 0, 0));
    if (!api_run_lacks(run, API_VERSION_1_0_1))
        try_context(&side, MRC_API_CURRENT_VERSION);
    read_context_version(&side);
    api_side_close(&side);
}

static void expect_busy(struct api_side *side, const char *child)
{
    char what[80];
    int err = api_run_error_minus(API(side->run, destroy_context)(side->mrc));

    snprintf(what, sizeof(what), "mrc_destroy_context of a context with a %s", child);
    api_run_ends(side->run, err, EBUSY, what);
    if (err == 0)
        api_run_done(side->run);
}

void api_suite_context_busy(struct api_run *run)
{
    struct mrc_comp_channel *channel = NULL;
    struct api_side side;
    struct mrc_cq *cq;

    api_side_open(&side, run, run->device);
    api_run_must(run, API(run, create_comp_channel)(side.mrc, &channel) == 0,
        "mrc_create_comp_channel: %s", strerror(errno));
    expect_busy(&side, "channel");
    api_run_must(run, API(run, destroy_comp_channel)(channel) == 0, "mrc_destroy_comp_channel");
    cq = API(run, create_cq)(side.mrc, 1, NULL, NULL, 0);
    api_run_must(run, cq, "mrc_create_cq: %s", strerror(errno));
    expect_busy(&side, "completion queue");
    api_run_must(run, API(run, destroy_cq)(cq) == 0, "mrc_destroy_cq");
    if (!api_run_lacks(run, API_HINTS)) {
        struct mrc_qp_hint_init_attr init = { .attr.num_send_peers = 1 };
        struct mrc_qp_hint *hint = API(run, create_qp_hint)(side.mrc, &init);

        api_run_must(run, hint, "mrc_create_qp_hint: %s", strerror(errno));
        expect_busy(&side, "hint");
        api_run_must(run, API(run, destroy_qp_hint)(hint) == 0, "mrc_destroy_qp_hint");
    }
    api_side_close(&side);
}

void api_suite_context_null(struct api_run *run)
{
    struct mrc_device_attr attr;
    struct mrc_comp_channel *channel;
    int supported;

    api_run_ends(run, api_run_error_null(API(run, create_context)(NULL, NULL)), EINVAL,
        "mrc_create_context of no device");
    api_run_ends(run, api_run_error_minus(API(run, destroy_context)(NULL)), EINVAL,
        "mrc_destroy_context of no context");
    api_run_ends(run, api_run_error_minus(API(run, query_device)(NULL, &attr, &supported)), EINVAL,
        "mrc_query_device of no device");
    api_run_ends(run, api_run_error_minus(API(run, create_comp_channel)(NULL, &channel)), EINVAL,
        "mrc_create_comp_channel of no context");
    api_run_ends(run, api_run_error_null(API(run, create_qp)(NULL, NULL)), EINVAL,
        "mrc_create_qp of no context");
    api_run_ends(run, api_run_error_null(API(run, create_qp_hint)(NULL, NULL)), EINVAL,
        "mrc_create_qp_hint of no context");
}
