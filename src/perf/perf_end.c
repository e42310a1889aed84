/* SPDX-License-Identifier: Apache-2.0 */
/* Opens the device and the memory of a rank, and connects its QPs. */
#include "perf/perf_end.h"

#include <errno.h>
#include <sched.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/random.h>

enum { RECV_DEPTH = 512 };

/* ---- the device ------------------------------------------------------------------------------ */

static struct ibv_device *find_device(struct ibv_device **list, const char *device)
{
    while (device && *list && strcmp(ibv_get_device_name(*list), device) != 0)
        list++;
    return *list;
}

bool perf_end_has_device(const char *name)
{
    struct ibv_device **list = ibv_get_device_list(NULL);
    bool has = list && find_device(list, name);

    if (list)
        ibv_free_device_list(list);
    return has;
}

static int open_device(struct perf_end *end, const char *device)
{
    struct ibv_device **list = ibv_get_device_list(NULL);
    struct ibv_device *found = list ? find_device(list, device) : NULL;

    if (!found) {
        if (list)
            ibv_free_device_list(list);
        return perf_meet_fail(end->meet,
            device ? "there is no device %s; 'mrc fabric run' creates devices; check "
                     "MRC_CONFIG and MRC_RUN_DIR"
                   : "there is no device; 'mrc fabric run' creates devices%s",
            device ? device : "");
    }
    strncpy(end->device, ibv_get_device_name(found), sizeof(end->device) - 1);
    end->verbs = ibv_open_device(found);
    ibv_free_device_list(list);
    end->mrc = end->verbs ? mrc_create_context(end->verbs, NULL) : NULL;
    if (!end->mrc)
        return perf_meet_fail(
            end->meet, "%s: cannot open the device: %s", end->device, strerror(errno));
    return 0;
}

static int open_queue(struct perf_end *end)
{
    const struct perf_settings *settings = end->settings;
    uint64_t entries =
        (uint64_t)end->meet->rank_count * settings->qp_count * (settings->depth + RECV_DEPTH);

    if (settings->uses_events && mrc_create_comp_channel(end->mrc, &end->channel) != 0)
        return perf_meet_fail(
            end->meet, "%s: completion channel: %s", end->device, strerror(errno));
    end->cq =
        mrc_create_cq(end->mrc, entries > 1 << 20 ? 1 << 20 : (int)entries, NULL, end->channel, 0);
    if (!end->cq && (errno == EBUSY || errno == ECONNRESET || errno == ECONNREFUSED))
        return perf_meet_fail(end->meet,
            "%s: %s; another process may use it, or the fabric may not run", end->device,
            strerror(errno));
    if (!end->cq)
        return perf_meet_fail(end->meet, "%s: completion queue: %s", end->device, strerror(errno));
    return 0;
}

static int open_memory(struct perf_end *end, uint64_t bytes)
{
    end->memory = mmap(NULL, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (end->memory == MAP_FAILED) {
        end->memory = NULL;
        return perf_meet_fail(
            end->meet, "%llu bytes of memory: %s", (unsigned long long)bytes, strerror(errno));
    }
    end->memory_bytes = bytes;
    memset(end->memory, 0, bytes); /* allocates pages before the measurement */
    end->pd = ibv_alloc_pd(end->verbs);
    /* In parentheses: the macro of verbs.h requests optional access that is not needed here. */
    end->mr = end->pd ? (ibv_reg_mr)(end->pd, end->memory, bytes,
                            IBV_ACCESS_LOCAL_WRITE | IBV_ACCESS_REMOTE_WRITE)
                      : NULL;
    if (!end->mr)
        return perf_meet_fail(end->meet, "%s: memory region: %s", end->device, strerror(errno));
    return 0;
}

static bool is_crowded(const struct perf_end *end)
{
    cpu_set_t set;

    return sched_getaffinity(0, sizeof(set), &set) == 0 &&
           (uint32_t)CPU_COUNT(&set) <= end->meet->rank_count;
}

int perf_end_open(struct perf_end *end, const char *device, uint64_t memory_bytes)
{
    uint64_t count = (uint64_t)end->meet->rank_count;

    end->qps = calloc(count * end->settings->qp_count, sizeof(*end->qps));
    end->peers = calloc(count, sizeof(*end->peers));
    if (!end->qps || !end->peers)
        return perf_meet_fail(end->meet, "out of memory");
    end->is_crowded = is_crowded(end);
    if (open_device(end, device) != 0 || open_queue(end) != 0)
        return -1;
    return open_memory(end, memory_bytes);
}

/* ---- QPs ------------------------------------------------------------------------------------- */

/* The data that a rank sends to the others. The QPs to rank r are at ways[r * qp_count]. */
struct card {
    char device[PERF_NAME_BYTES];
    union ibv_gid gid;
    uint64_t va;
    uint32_t rkey;
    uint32_t mtu; /* enum ibv_mtu */
    struct way {
        uint32_t qpn;
        uint32_t psn;
    } ways[];
};

static int create_qp(struct perf_end *end, struct perf_qp *qp, uint32_t peer)
{
    struct mrc_qp_init_attr init = { .send_cq = end->cq,
        .recv_cq = end->cq,
        .cap = { .max_send_wr = end->settings->depth,
            .max_recv_wr = RECV_DEPTH,
            .max_send_sge = 1 },
        .pd = end->pd };

    qp->peer = peer;
    qp->qp = mrc_create_qp(end->mrc, &init);
    if (!qp->qp)
        return perf_meet_fail(end->meet, "%s: QP: %s", end->device, strerror(errno));
    if (getrandom(&qp->psn, sizeof(qp->psn), 0) != sizeof(qp->psn))
        qp->psn = 1;
    qp->psn &= 0xffffff;
    return 0;
}

static int fill_card(struct perf_end *end, struct card *card)
{
    struct ibv_port_attr port;
    enum ibv_mtu mtu = IBV_MTU_256;

    if (ibv_query_port(end->verbs, 1, &port) != 0)
        return perf_meet_fail(end->meet, "%s: port 1: %s", end->device, strerror(errno));
    if (ibv_query_gid(end->verbs, 1, (int)end->gid_index, &card->gid) != 0)
        return perf_meet_fail(
            end->meet, "%s: GID %u: %s", end->device, end->gid_index, strerror(errno));
    while (mtu < IBV_MTU_4096 && 128u << mtu < end->settings->mtu_bytes)
        mtu++;
    card->mtu = end->settings->mtu_bytes ? mtu : port.active_mtu;
    if (card->mtu > (uint32_t)port.active_mtu)
        return perf_meet_fail(
            end->meet, "%s: its MTU is only %u", end->device, 128u << port.active_mtu);
    memcpy(card->device, end->device, sizeof(card->device));
    card->va = (uintptr_t)end->memory;
    card->rkey = end->mr->rkey;
    return 0;
}

static int create_all(struct perf_end *end, const bool *links, struct card *card)
{
    uint32_t qp_count = end->settings->qp_count;

    if (fill_card(end, card) != 0)
        return -1;
    for (uint32_t peer = 0; peer < end->meet->rank_count; peer++)
        for (uint32_t i = 0; links[peer] && i < qp_count; i++) {
            struct perf_qp *qp = &end->qps[peer * qp_count + i];
            struct way *way = &card->ways[peer * qp_count + i];

            if (create_qp(end, qp, peer) != 0)
                return -1;
            way->psn = qp->psn;
            mrc_get_qpn(qp->qp, &way->qpn);
        }
    return 0;
}

static int post_receives(struct perf_end *end, struct perf_qp *qp)
{
    struct ibv_recv_wr wr = { .wr_id = (uint64_t)(qp - end->qps) };
    struct ibv_recv_wr *bad;

    for (uint32_t i = 0; i < RECV_DEPTH; i++)
        if (mrc_post_recv(qp->qp, &wr, &bad) != 0)
            return perf_meet_fail(end->meet, "%s: receive: %s", end->device, strerror(errno));
    return 0;
}

static int connect_qp(struct perf_end *end, struct perf_qp *qp, uint32_t mtu)
{
    const struct perf_peer *peer = &end->peers[qp->peer];
    struct ibv_qp_attr init = { .qp_state = IBV_QPS_INIT };
    struct ibv_qp_attr receive = { .qp_state = IBV_QPS_RTR,
        .path_mtu = (enum ibv_mtu)mtu,
        .dest_qp_num = qp->peer_qpn,
        .rq_psn = qp->peer_psn,
        .ah_attr = { .is_global = 1,
            .port_num = 1,
            .grh = { .dgid = peer->gid, .sgid_index = (uint8_t)end->gid_index } } };
    struct ibv_qp_attr send = { .qp_state = IBV_QPS_RTS, .sq_psn = qp->psn };

    if (mrc_modify_qp(qp->qp, &init, IBV_QP_STATE, NULL, 0) != 0 ||
        mrc_modify_qp(qp->qp, &receive,
            IBV_QP_STATE | IBV_QP_AV | IBV_QP_PATH_MTU | IBV_QP_DEST_QPN | IBV_QP_RQ_PSN, NULL,
            0) != 0 ||
        mrc_modify_qp(qp->qp, &send, IBV_QP_STATE | IBV_QP_SQ_PSN, NULL, 0) != 0)
        return perf_meet_fail(end->meet, "%s: QP to rank %u (%s): %s", end->device, qp->peer,
            peer->device, strerror(errno));
    return post_receives(end, qp);
}

/* Connects QPs according to the cards of all ranks. */
static int connect_all(
    struct perf_end *end, const bool *links, const uint8_t *cards, size_t card_bytes)
{
    uint32_t qp_count = end->settings->qp_count;
    const struct card *mine = (const struct card *)(cards + end->meet->rank * card_bytes);

    for (uint32_t rank = 0; rank < end->meet->rank_count; rank++) {
        const struct card *card = (const struct card *)(cards + rank * card_bytes);
        struct perf_peer *peer = &end->peers[rank];

        memcpy(peer->device, card->device, sizeof(peer->device));
        peer->gid = card->gid;
        peer->va = card->va;
        peer->rkey = card->rkey;
        for (uint32_t i = 0; links[rank] && i < qp_count; i++) {
            struct perf_qp *qp = &end->qps[rank * qp_count + i];

            qp->peer_qpn = card->ways[end->meet->rank * qp_count + i].qpn;
            qp->peer_psn = card->ways[end->meet->rank * qp_count + i].psn;
            if (connect_qp(end, qp, mine->mtu < card->mtu ? mine->mtu : card->mtu) != 0)
                return -1;
        }
    }
    return 0;
}

int perf_end_connect(struct perf_end *end, const bool *links)
{
    uint32_t rank_count = end->meet->rank_count;
    size_t card_bytes =
        sizeof(struct card) + sizeof(struct way) * rank_count * end->settings->qp_count;
    struct card *card = calloc(1, card_bytes);
    uint8_t *cards = calloc(rank_count, card_bytes);
    int err = -1;
    uint8_t ready = 1;

    if (!card || !cards)
        perf_meet_fail(end->meet, "out of memory");
    else if (create_all(end, links, card) == 0 &&
             perf_meet_gather(end->meet, card, card_bytes, cards) == 0)
        err = connect_all(end, links, cards, card_bytes);
    if (err == 0) /* no rank sends before all can receive */
        err = perf_meet_gather(end->meet, &ready, sizeof(ready), cards);
    free(card);
    free(cards);
    return err;
}

void perf_end_close(struct perf_end *end)
{
    uint32_t count = end->qps ? end->meet->rank_count * end->settings->qp_count : 0;

    for (uint32_t i = 0; i < count; i++)
        if (end->qps[i].qp)
            mrc_destroy_qp(end->qps[i].qp);
    if (end->mr)
        ibv_dereg_mr(end->mr);
    if (end->pd)
        ibv_dealloc_pd(end->pd);
    if (end->cq)
        mrc_destroy_cq(end->cq);
    if (end->channel)
        mrc_destroy_comp_channel(end->channel);
    if (end->mrc)
        mrc_destroy_context(end->mrc);
    if (end->verbs)
        ibv_close_device(end->verbs);
    if (end->memory)
        munmap(end->memory, end->memory_bytes);
    free(end->qps);
    free(end->peers);
}
