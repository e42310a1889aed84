/* SPDX-License-Identifier: Apache-2.0 */
/* Connecting two hosts: profiles, QPs, memory. */
#include "network_state.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

#include "cc/cc.h"
#include "path/path.h"
#include "plan/plan.h"

enum {
    FIRST_QPN = 16,
    SEND_DEPTH = 256,
    RECV_DEPTH = 256,
    HASHED_EVS = 128,
};

void traffic_init(struct network *network)
{
    network->traffic.prng = prng_stream(network->config.seed, 2);
}

void traffic_fini(struct network *network)
{
    struct traffic *traffic = &network->traffic;

    for (uint32_t i = 0; i < traffic->flow_count; i++) {
        region_fini(&traffic->flows[i].region);
        free(traffic->sides[i]->qp);
        free(traffic->sides[i]->entries);
        free(traffic->sides[i]);
    }
    free(traffic->flows);
    free(traffic->sides);
    free(traffic->messages);
}

static uint32_t window_psns(uint32_t mpr)
{
    uint32_t psns = 128;

    while (psns < mpr * 128)
        psns *= 2;
    return psns;
}

/* What a host believes, for packets of this size. */
static struct parameters parameters_of(
    const struct network *network, uint32_t host, uint32_t pmtu_bytes)
{
    struct parameters parameters = *transport_parameters(network->hosts[host].transport);

    parameters.pmtu = pmtu_bytes;
    parameters.stamp = STAMP_ON; /* some peers do */
    return parameters;
}

static void make_cc(
    const struct network *network, const struct parameters *parameters, struct cc_profile *profile)
{
    struct cc_settings settings;
    bool made;

    transport_cc_settings(parameters, network->config.plane_count, &settings);
    made = cc_profile_init(profile, &settings);
    assert(made);
}

static uint8_t mpr_of(const struct network *network, uint32_t host)
{
    const struct parameters *parameters = &network->config.parameters;
    struct parameters own = parameters_of(network, host, (uint32_t)parameters->pmtu);
    struct cc_profile cc;

    make_cc(network, &own, &cc);
    return transport_mpr(parameters, &cc);
}

struct traffic_side traffic_side(struct network *network, uint32_t host)
{
    const struct parameters *parameters = &network->config.parameters;
    uint8_t mpr = mpr_of(network, host);

    return (struct traffic_side){
        .host = host,
        .posts_receives = true,
        .init = { .send_depth = SEND_DEPTH,
            .recv_depth = RECV_DEPTH,
            .window_psns_max = window_psns(mpr),
            .window_psns_max_dest = window_psns(mpr),
            .write_imm_max_dest = (uint32_t)parameters->max_wimm },
        .attributes = { .pmtu_bytes = (uint32_t)parameters->pmtu,
            .sq_psn = psn((uint32_t)prng_next(&network->traffic.prng)),
            .mpr = mpr,
            .mpr_dest = mpr,
            .max_wimm = (uint16_t)parameters->max_wimm,
            .max_wimm_dest = (uint16_t)parameters->max_wimm,
            .timeout = (uint8_t)parameters->timeout,
            .retry_linear = (uint8_t)parameters->retry_linear,
            .retry_exponential = (uint8_t)parameters->retry_exponential,
            .peer_trim_nack = true,
            .trim_nack = true },
    };
}

/* ---- profiles ------------------------------------------------------------------------------- */

static void make_paths(struct network *network, struct side_memory *memory)
{
    const struct network_config *config = &network->config;
    struct plan_generate generate = {
        .plane_count = config->plane_count,
        .uplink_count = config->uplink_count,
        .uplink_bits = NETWORK_UPLINK_BITS,
        .active_count = config->parameters.ev_active ? (uint32_t)config->parameters.ev_active
                                                     : PATH_EV_COUNT_MAX,
        .backup_count = (uint32_t)config->parameters.ev_backup,
    };
    struct prng *prng = &network->traffic.prng;

    memory->entries = calloc(PATH_EV_COUNT_MAX, sizeof(*memory->entries));
    assert(memory->entries);
    if (config->hashed)
        path_profile_auto(&memory->paths, config->plane_count, HASHED_EVS / config->plane_count,
            memory->entries, prng);
    else
        plan_generate(&memory->paths, &generate, memory->entries, prng);
    if (config->parameters.ev_min_active)
        memory->paths.min_active = (uint32_t)config->parameters.ev_min_active;
}

/* QPs of a host with equal settings share a profile, and with it the state of their destinations.
 */
static const struct cc_profile *share_cc(
    struct network *network, const struct traffic_side *side, struct side_memory *own)
{
    const struct traffic *traffic = &network->traffic;

    own->host = side->host;
    own->parameters = parameters_of(network, side->host, side->attributes.pmtu_bytes);
    for (uint32_t i = 0; i < traffic->flow_count && traffic->sides[i] != own; i++) {
        const struct side_memory *other = traffic->sides[i];

        if (other->host == own->host && other->cc.algorithm &&
            memcmp(&other->parameters, &own->parameters, sizeof(own->parameters)) == 0)
            return &other->cc;
    }
    make_cc(network, &own->parameters, &own->cc);
    return &own->cc;
}

/* ---- queue pairs ---------------------------------------------------------------------------- */

static void make_qp(struct network *network, const struct traffic_side *side, uint32_t qpn,
    struct side_memory *memory)
{
    struct qp_init init = side->init;
    size_t bytes;
    int err;

    if (!init.paths) {
        make_paths(network, memory);
        init.paths = &memory->paths;
    }
    if (!init.cc)
        init.cc = share_cc(network, side, memory);
    bytes = (transport_qp_bytes(&init) + 63) / 64 * 64;
    memory->qp = aligned_alloc(64, bytes);
    assert(memory->qp);
    err = transport_qp_create(network->hosts[side->host].transport, qpn, &init, memory->qp);
    assert(err == 0);
}

static void modify(struct network *network, uint32_t host, uint32_t qpn,
    struct qp_attributes *attributes, enum qp_state state, uint32_t mask)
{
    int err;

    attributes->state = state;
    err = transport_qp_modify(network->hosts[host].transport, qpn, attributes, mask | QP_ATTR_STATE,
        network_clock_ns(network, host));
    assert(err == 0);
}

static void bring_up(struct network *network, const struct traffic_side *side, uint32_t qpn,
    const struct traffic_side *peer, uint32_t peer_qpn)
{
    struct qp_attributes attributes = side->attributes;

    attributes.peer_address = network_address(peer->host);
    attributes.peer_qpn = peer_qpn;
    attributes.peer_ports = network->hosts[peer->host].ports_up;
    attributes.rq_psn = peer->attributes.sq_psn;
    modify(network, side->host, qpn, &attributes, QP_INIT, 0);
    modify(network, side->host, qpn, &attributes, QP_RTR,
        QP_ATTR_PEER | QP_ATTR_PMTU | QP_ATTR_RQ_PSN | QP_ATTR_MPR_DEST | QP_ATTR_MAX_WIMM_DEST |
            QP_ATTR_CAPABILITIES);
    modify(network, side->host, qpn, &attributes, QP_RTS,
        QP_ATTR_SQ_PSN | QP_ATTR_MPR | QP_ATTR_MAX_WIMM | QP_ATTR_TIMEOUT | QP_ATTR_RETRY);
}

/* A full packet of 4 KiB and its SACK take the base RTT; shorter ones less, on each link. */
static struct transport_rtt rtt_of(const struct network_config *config)
{
    uint64_t base_ns = config->base_rtt_ps / 1000;
    uint64_t kib_ns = UINT64_C(8192000000000) / config->port_bps;

    if (config->delays_only)
        return (struct transport_rtt){ .fixed_ns = (uint32_t)base_ns };
    return (struct transport_rtt){ .fixed_ns = (uint32_t)(base_ns - PORTS_LINKS * kib_ns *
                                                                        PORTS_FULL_BYTES / 1024),
        .per_kib_ns = (uint32_t)(PORTS_LINKS * kib_ns),
        .packet_ns = (uint32_t)(kib_ns * PORTS_FULL_BYTES / 1024) };
}

/* Before the first packet to that host. */
static void tell_rtt(struct network *network, uint32_t host, uint32_t peer)
{
    const struct ipv6_addr address = network_address(peer);
    const struct transport_rtt rtt = rtt_of(&network->config);
    uint32_t first = network->traffic.flow_count - 2;

    for (uint32_t i = 0; i < first; i++)
        if (network->traffic.flows[i].seen.from == host &&
            network->traffic.flows[i].seen.to == peer)
            return;
    if (network->config.knows_rtt)
        transport_set_rtt(network->hosts[host].transport, &address, &rtt);
}

/* ---- flows ---------------------------------------------------------------------------------- */

static void make_flow(struct network *network, uint32_t index, const struct traffic_side *from,
    const struct traffic_side *to)
{
    struct flow_state *flow = &network->traffic.flows[index];
    struct prng *prng = &network->traffic.prng;
    uint32_t connection = index / 2;
    uint32_t from_qpn = FIRST_QPN + 2 * connection + index % 2;
    uint32_t rkey;

    *flow = (struct flow_state){
        .seen = { .from = from->host,
            .to = to->host,
            .from_qpn = from_qpn,
            .to_qpn = from_qpn ^ 1 },
        .oldest = NETWORK_NONE,
        .newest = NETWORK_NONE,
        .awaited = NETWORK_NONE,
        .newest_psn = psn_add(from->attributes.sq_psn, -1),
        .posts_receives = to->posts_receives,
    };
    rkey = (uint32_t)prng_next(prng);
    region_init(&flow->region, rkey, prng_next(prng) >> 20 << 12,
        network->config.payload != NETWORK_LENGTHS);
}

static void post_receives(struct network *network, struct flow_state *flow, uint32_t count)
{
    for (uint32_t i = 0; flow->posts_receives && i < count; i++) {
        int err = transport_post_recv(
            network->hosts[flow->seen.to].transport, flow->seen.to_qpn, flow->receives_posted++);

        assert(err == 0);
    }
}

uint32_t traffic_connect(
    struct network *network, const struct traffic_side *a, const struct traffic_side *b)
{
    struct traffic *traffic = &network->traffic;
    uint32_t first = traffic->flow_count;
    uint32_t a_qpn = FIRST_QPN + first;

    traffic->flow_count += 2;
    traffic->flows = realloc(traffic->flows, traffic->flow_count * sizeof(*traffic->flows));
    traffic->sides = realloc(traffic->sides, traffic->flow_count * sizeof(struct side_memory *));
    assert(traffic->flows && traffic->sides);
    traffic->sides[first] = calloc(1, sizeof(struct side_memory));
    traffic->sides[first + 1] = calloc(1, sizeof(struct side_memory));
    assert(traffic->sides[first] && traffic->sides[first + 1]);
    make_qp(network, a, a_qpn, traffic->sides[first]);
    make_qp(network, b, a_qpn + 1, traffic->sides[first + 1]);
    make_flow(network, first, a, b);
    make_flow(network, first + 1, b, a);
    bring_up(network, a, a_qpn, b, a_qpn + 1);
    bring_up(network, b, a_qpn + 1, a, a_qpn);
    tell_rtt(network, a->host, b->host);
    tell_rtt(network, b->host, a->host);
    post_receives(network, &traffic->flows[first], b->init.recv_depth);
    post_receives(network, &traffic->flows[first + 1], a->init.recv_depth);
    host_touch(network, a->host);
    host_touch(network, b->host);
    return first;
}

/* ---- looking up ----------------------------------------------------------------------------- */

uint32_t traffic_flow_to(const struct network *network, uint32_t qpn)
{
    uint32_t index = (qpn - FIRST_QPN) ^ 1;

    return qpn >= FIRST_QPN && index < network->traffic.flow_count ? index : NETWORK_NONE;
}

uint32_t traffic_flow_count(const struct network *network)
{
    return network->traffic.flow_count;
}

const struct traffic_flow *traffic_flow(const struct network *network, uint32_t flow)
{
    assert(flow < network->traffic.flow_count);
    return &network->traffic.flows[flow].seen;
}

uint32_t traffic_find(const struct network *network, uint32_t from, uint32_t to)
{
    for (uint32_t i = 0; i < network->traffic.flow_count; i++)
        if (traffic_flow(network, i)->from == from && traffic_flow(network, i)->to == to)
            return i;
    return NETWORK_NONE;
}

uint32_t traffic_rkey(const struct network *network, uint32_t flow)
{
    return network->traffic.flows[flow].region.rkey;
}

uint64_t traffic_region_va(const struct network *network, uint32_t flow)
{
    return network->traffic.flows[flow].region.va;
}
