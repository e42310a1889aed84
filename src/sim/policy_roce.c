/* SPDX-License-Identifier: Apache-2.0 */
/* Switches for RoCEv2: routing, ECN marking when a packet enters its queue, and either PFC or
 * limited queues. ACKs, NAKs and CNPs are in the control queue, which has a limit of its own. */
#include "sim/roce_world.h"

#include "sim/policy_buffer.h"
#include "sim/policy_ecmp.h"
#include "sim/policy_watchdog.h"

#define PAUSE_PS       (UINT32_MAX * UINT64_C(1000)) /* until a frame ends it */
#define PAUSE_AGAIN_PS UINT64_C(20000000)
#define XON_BYTES      4096 /* a sender resumes this far below the threshold */

/* ---- the queue ------------------------------------------------------------------------------- */

static bool is_data(const struct port_entry *packet)
{
    return port_queue_of(packet->class) == PORT_DATA;
}

static void mark_packet(struct shard *shard, uint32_t port_index, struct port_entry *packet)
{
    struct port *port = &shard->ports[port_index];

    if (!shard->sim->roce->marks || packet->ecn == ECN_NOT_ECT || packet->ecn == ECN_CE)
        return;
    if (!ecn_marking_marks(
            &shard->sim->roce->markings[port_index], port->queues[PORT_DATA].bytes, &port->prng))
        return;
    port_mark(port, packet);
}

static struct switch_pause pause_of(enum pfc_signal signal, uint32_t port)
{
    return (struct switch_pause){ .is_due = signal != PFC_SILENT,
        .port = port,
        .duration_ps = signal == PFC_PAUSE ? PAUSE_PS : 0 };
}

/* Faults lose pause frames, and a watchdog that forwards ignores them. */
static bool must_be_lossless(const struct sim *sim)
{
    return sim->config.checks && sim->config.fault_count == 0 && sim->config.generator_count == 0 &&
           sim->config.roce.watchdog.action != PFC_WATCHDOG_FORWARD;
}

/* The queue of the egress port has no limit: the buffer is that of the ingress port. */
static struct switch_decision queue_lossless(struct shard *shard,
    const struct switch_crossing *crossing, const struct port_entry *packet, struct port *port,
    uint64_t now_ps)
{
    struct pfc *pfc = &shard->sim->roce->pfcs[crossing->switch_index];
    struct pfc_step step = pfc_admit(pfc, crossing->in_port, packet->length_bytes, now_ps);
    struct switch_decision decision = { .pause = pause_of(step.signal, crossing->in_port) };

    if (step.is_lost) {
        if (must_be_lossless(shard->sim))
            shard_violated(shard, "a lossless packet finds no headroom, switch",
                crossing->switch_index, now_ps);
        decision.at_port = port_drop(port, DROP_BUFFER_FULL);
        return decision;
    }
    port_begin(port, now_ps);
    port_push(port, PORT_DATA, packet);
    if (port->queues[PORT_DATA].count == 1)
        policy_watchdog_on_data(shard, crossing, now_ps);
    decision.at_port.verdict = PORT_QUEUED;
    return decision;
}

static struct switch_decision admit_packet(
    void *network, const struct switch_crossing *crossing, struct port *port, uint64_t now_ps)
{
    struct shard *shard = network;
    struct switch_crossing marked = *crossing;

    if (is_data(&marked.packet))
        mark_packet(shard, (uint32_t)(port - shard->ports), &marked.packet);
    return policy_buffer_admit(shard, &marked, port, now_ps);
}

static struct switch_decision admit_lossless(
    void *network, const struct switch_crossing *crossing, struct port *port, uint64_t now_ps)
{
    struct shard *shard = network;
    struct port_entry packet = crossing->packet;

    if (!is_data(&packet))
        return (struct switch_decision){ .at_port = port_admit(port, &packet, now_ps) };
    if (!policy_watchdog_admits(shard, crossing))
        return (struct switch_decision){ .at_port = port_drop(port, DROP_BUFFER_FULL) };
    mark_packet(shard, (uint32_t)(port - shard->ports), &packet);
    return queue_lossless(shard, crossing, &packet, port, now_ps);
}

static struct switch_pause release_lossless(
    void *network, const struct switch_crossing *crossing, uint64_t now_ps)
{
    struct shard *shard = network;
    struct pfc *pfc = &shard->sim->roce->pfcs[crossing->switch_index];
    uint32_t in_port;

    (void)now_ps;
    if (!is_data(&crossing->packet))
        return (struct switch_pause){ 0 };
    in_port = policy_ecmp_label(shard, crossing->packet.handle).way_in;
    return pause_of(pfc_release(pfc, in_port, crossing->packet.length_bytes).signal, in_port);
}

const struct switch_policy policy_roce = { .marks = true,
    .forward = policy_ecmp_forward,
    .admit = admit_packet,
    .sent = policy_buffer_release,
    .lost = policy_buffer_release };

const struct switch_policy policy_roce_lossless = { .marks = true,
    .limits_data = true,
    .forward = policy_ecmp_forward,
    .admit = admit_lossless,
    .sent = release_lossless,
    .obeys = policy_watchdog_obeys,
    .deadline_ps = policy_watchdog_deadline_ps,
    .expire = policy_watchdog_expire,
    .lost = release_lossless };

/* ---- buffers --------------------------------------------------------------------------------- */

/* Returns the memory of a switch: one pool, or the sum of its queues. */
static uint64_t buffer_bytes(const struct topology *topology, uint32_t switch_index)
{
    const struct topology_buffers *buffers = &topology->config.buffers;
    uint64_t bytes = 0;

    if (buffers->shared_bytes > 0)
        return buffers->shared_bytes;
    for (uint32_t port = 0; port < topology_port_count(topology, switch_index); port++)
        bytes += topology_port_faces_host(topology, switch_index, port) ? buffers->host_data_bytes
                                                                        : buffers->data_bytes;
    return bytes;
}

/* Describes the link into a port of a switch. Returns false if there is no cable. */
static bool link_into(
    const struct sim_config *config, uint32_t switch_index, uint32_t port, struct pfc_link *out)
{
    const struct topology *topology = &config->fabric->topology;
    struct topology_end here = { .node = switch_index, .port = port };
    struct topology_link_kind kind = topology->config.host_link;
    struct link back = link_of_port(topology, here, &kind);
    struct link there;

    if (!back.has_cable)
        return false;
    there = link_of_port(topology, link_peer(&back, topology->nic_count), &kind);
    *out = (struct pfc_link){ .rate_bps = kind.rate_bps,
        .there_ps = there.delay_ps,
        .back_ps = back.delay_ps,
        .packet_bytes = (uint32_t)config->parameters.pmtu + ROCE_HEADER_BYTES + ROCE_RETH_BYTES +
                        ROCE_IMMEDIATE_BYTES + topology->config.framing_bytes };
    return true;
}

static uint64_t headroom_of(const struct sim_config *config, uint32_t switch_index, uint32_t port)
{
    struct pfc_link link;

    if (!link_into(config, switch_index, port, &link))
        return 0;
    return config->roce.headroom_bytes == ROCE_HEADROOM_COMPUTED ? pfc_usual_headroom(&link)
                                                                 : config->roce.headroom_bytes;
}

static struct pfc_config pfc_config_of(const struct topology *topology, uint32_t switch_index)
{
    return (struct pfc_config){ .buffer_bytes = buffer_bytes(topology, switch_index),
        .alpha_log2 = topology->config.buffers.alpha - TOPOLOGY_ALPHA_ONE,
        .xon_bytes = XON_BYTES,
        .refresh_ps = PAUSE_AGAIN_PS };
}

static void init_switch(struct sim *sim, struct arena *arena, uint32_t switch_index)
{
    struct pfc measured;
    struct roce_watch measured_watch;
    struct pfc *here = sim->roce->pfcs ? &sim->roce->pfcs[switch_index] : &measured;
    uint32_t port_count = topology_port_count(sim->topology, switch_index);
    struct pfc_config config = pfc_config_of(sim->topology, switch_index);

    pfc_init(here, arena, &config, port_count);
    policy_watchdog_init(sim->roce->watches ? &sim->roce->watches[switch_index] : &measured_watch,
        arena, port_count);
    for (uint32_t port = 0; arena->memory && port < port_count; port++)
        pfc_reserve(here, port, headroom_of(&sim->config, switch_index, port));
}

void policy_roce_init(struct sim *sim, struct arena *arena)
{
    struct roce_world *roce = sim->roce;

    roce->marks = sim->config.roce.cc == ROCE_CC_DCQCN;
    roce->pfcs = arena_take(arena, sim->config.roce.pfc ? sim->topology->switch_count : 0,
        sizeof(*roce->pfcs), _Alignof(uint64_t));
    roce->markings =
        arena_take(arena, sim->port_count, sizeof(*roce->markings), _Alignof(uint64_t));
    roce->watches = arena_take(arena, sim->config.roce.pfc ? sim->topology->switch_count : 0,
        sizeof(*roce->watches), _Alignof(uint64_t));
    roce->walks = arena_take(arena, sim->config.roce.pfc ? sim->port_count : 0,
        sizeof(*roce->walks), _Alignof(struct roce_walk));
    for (uint32_t i = 0; sim->config.roce.pfc && i < sim->topology->switch_count; i++)
        init_switch(sim, arena, i);
    for (uint32_t i = 0; arena->memory && i < sim->port_count; i++)
        roce->markings[i] =
            ecn_marking_of(sim->config.roce.marking, sim->ports[i].profile->config.rate_bps);
}

/* ---- settings -------------------------------------------------------------------------------- */

static bool check_switch(
    const struct sim_config *config, uint32_t switch_index, struct problem *problem)
{
    const struct topology *topology = &config->fabric->topology;
    uint64_t buffer = buffer_bytes(topology, switch_index);
    uint64_t sum = 0;

    for (uint32_t port = 0; port < topology_port_count(topology, switch_index); port++) {
        uint64_t headroom = headroom_of(config, switch_index, port);
        struct pfc_link link;

        if (link_into(config, switch_index, port, &link) && headroom < pfc_least_headroom(&link))
            return problem_is(problem, "headroom",
                "% bytes are less than the % that can arrive at a port after it has paused its "
                "sender",
                (struct problem_numbers){ headroom, pfc_least_headroom(&link), 0 });
        sum += headroom;
    }
    if (sum < buffer)
        return true;
    return problem_is(problem,
        config->roce.headroom_bytes == ROCE_HEADROOM_COMPUTED ? "pfc" : "headroom",
        "the ports of a switch need % bytes of headroom, and it has a buffer of %: give the fabric "
        "more buffer, or set pfc: false",
        (struct problem_numbers){ sum, buffer, 0 });
}

bool policy_roce_check(const struct sim_config *config, struct problem *problem)
{
    problem->section = "roce";
    for (uint32_t i = 0; config->roce.pfc && i < config->fabric->topology.switch_count; i++)
        if (!check_switch(config, i, problem))
            return false;
    return true;
}
