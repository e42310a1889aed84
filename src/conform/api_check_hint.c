/* SPDX-License-Identifier: Apache-2.0 */
/* Checks of hints. */
#include <errno.h>
#include <string.h>

#include "conform/api_side.h"
#include "conform/api_suite.h"

enum { LIMIT_MAX = 65536 }; /* up to which the limit is tried */

#define ALL                                                                                        \
    (MRC_QP_HINT_NUM_QPS_PER_PEER | MRC_QP_HINT_NUM_SEND_PEERS | MRC_QP_HINT_NUM_REMOTE_RECV_PEERS)

static struct mrc_qp_hint *make_hint(struct api_side *side)
{
    struct mrc_qp_hint_init_attr init = {
        .attr = { .num_qps_per_peer = 2, .num_send_peers = 30, .num_remote_recv_peers = 400 }
    };
    struct mrc_qp_hint *hint = API(side->run, create_qp_hint)(side->mrc, &init);

    api_run_must(side->run, hint, "mrc_create_qp_hint: %s", strerror(errno));
    return hint;
}

static void expect_hint(
    struct api_side *side, struct mrc_qp_hint *hint, int per_peer, int peers, int remote)
{
    struct mrc_qp_hint_attr attr = { .num_qps_per_peer = -7 };
    int err = api_run_error_minus(API(side->run, query_qp_hint)(hint, &attr, ALL));

    api_run_must(side->run, err == 0, "mrc_query_qp_hint: %s", api_run_error_text(err));
    api_run_expect(side->run,
        attr.num_qps_per_peer == per_peer && attr.num_send_peers == peers &&
            attr.num_remote_recv_peers == remote,
        "the hint is %d, %d, %d instead of %d, %d, %d", attr.num_qps_per_peer, attr.num_send_peers,
        attr.num_remote_recv_peers, per_peer, peers, remote);
}

void api_suite_hint(struct api_run *run)
{
    struct mrc_qp_hint_attr attr = { .num_qps_per_peer = 5, .num_send_peers = 6 };
    struct mrc_qp_hint_attr part = { .num_qps_per_peer = -7, .num_send_peers = -7 };
    struct mrc_qp_hint *hint;
    struct api_side side;

    api_side_open(&side, run, run->device);
    hint = make_hint(&side);
    expect_hint(&side, hint, 2, 30, 400);
    api_run_ends(run,
        api_run_error_minus(API(run, modify_qp_hint)(hint, &attr, MRC_QP_HINT_NUM_SEND_PEERS)), 0,
        "mrc_modify_qp_hint");
    expect_hint(&side, hint, 2, 6, 400);
    API(run, query_qp_hint)(hint, &part, MRC_QP_HINT_NUM_SEND_PEERS);
    api_run_expect(run, part.num_send_peers == 6, "a query of one member does not return it");
    api_run_ends(
        run, api_run_error_minus(API(run, destroy_qp_hint)(hint)), 0, "mrc_destroy_qp_hint");
    api_side_close(&side);
}

void api_suite_hint_arguments(struct api_run *run)
{
    struct mrc_qp_hint_attr attr = { .num_send_peers = -1 };
    struct mrc_qp_hint *hint;
    struct api_side side;

    api_side_open(&side, run, run->device);
    hint = make_hint(&side);
    api_run_ends(run, api_run_error_minus(API(run, modify_qp_hint)(hint, &attr, 0)), EINVAL,
        "mrc_modify_qp_hint with an empty mask");
    api_run_ends(run, api_run_error_minus(API(run, modify_qp_hint)(hint, &attr, 1 << 20)), EINVAL,
        "mrc_modify_qp_hint with an unknown bit");
    api_run_ends(run, api_run_error_minus(API(run, query_qp_hint)(hint, &attr, 1 << 20)), EINVAL,
        "mrc_query_qp_hint with an unknown bit");
    api_run_ends(run,
        api_run_error_minus(API(run, modify_qp_hint)(hint, &attr, MRC_QP_HINT_NUM_SEND_PEERS)),
        EINVAL, "mrc_modify_qp_hint with -1 peers");
    expect_hint(&side, hint, 2, 30, 400);
    API(run, destroy_qp_hint)(hint);
    api_side_close(&side);
}

static void set_hint(struct api_side *side, struct mrc_qp_hint *hint)
{
    struct mrc_qp_attr attr = { .qp_hint = hint };
    int err =
        api_run_error_number(API(side->run, modify_qp)(side->qp, NULL, 0, &attr, MRC_QP_HINT));

    api_run_must(side->run, err == 0, "mrc_modify_qp of the hint: %s", api_run_error_text(err));
}

void api_suite_hint_busy(struct api_run *run)
{
    struct mrc_qp_hint *hint;
    struct api_side side;
    int err;

    api_side_open(&side, run, run->device);
    api_side_make(&side, &(struct api_side_wants){ .depth = 1 });
    err = api_side_to_init(&side);
    api_run_must(run, err == 0, "mrc_modify_qp to INIT: %s", api_run_error_text(err));
    hint = make_hint(&side);
    set_hint(&side, hint);
    if (!api_run_ends(run, api_run_error_minus(API(run, destroy_qp_hint)(hint)), EBUSY,
            "mrc_destroy_qp_hint of a hint in use"))
        return;
    set_hint(&side, NULL);
    api_run_ends(run, api_run_error_minus(API(run, destroy_qp_hint)(hint)), 0,
        "mrc_destroy_qp_hint of a hint that was taken from its QP");
    hint = make_hint(&side);
    set_hint(&side, hint);
    API(run, destroy_qp)(side.qp);
    side.qp = NULL;
    api_run_ends(run, api_run_error_minus(API(run, destroy_qp_hint)(hint)), 0,
        "mrc_destroy_qp_hint of a hint whose QP was destroyed");
    if (!run->has_failed)
        api_side_close(&side);
}

void api_suite_hint_limit(struct api_run *run)
{
    struct mrc_qp_hint_init_attr init = { .attr.num_send_peers = 1 };
    struct mrc_device_attr attr = { .cap = 0 };
    struct api_side side;
    uint32_t count = 0;
    int supported;

    api_side_open(&side, run, run->device);
    api_run_must(
        run, API(run, query_device)(side.verbs, &attr, &supported) == 0, "mrc_query_device fails");
    if (attr.qp_attr.max_qp_hint == 0 || attr.qp_attr.max_qp_hint > LIMIT_MAX)
        api_run_skip(run, "max_qp_hint is %u", attr.qp_attr.max_qp_hint);
    while (count <= attr.qp_attr.max_qp_hint && API(run, create_qp_hint)(side.mrc, &init))
        count++;
    api_run_expect(run, count == attr.qp_attr.max_qp_hint,
        "max_qp_hint is %u, and %s%u hints can be created", attr.qp_attr.max_qp_hint,
        count > attr.qp_attr.max_qp_hint ? "at least " : "", count);
}
