/* SPDX-License-Identifier: Apache-2.0 */
/* Switches for InfiniBand. A packet takes room in the buffer of its lane at the port where it came
 * in, waits for its egress port in a queue of its lane, and leaves when the next node has room for
 * it. A port has at most one packet that has not begun to leave: the choice between lanes is made
 * when the one before it begins. */
#include "sim/ib_world.h"
#include "sim/policy_ecmp.h"

enum {
    SMALL_BYTES = 100,           /* smaller packets keep to the static route */
    LOAD_WITHOUT_CREDIT = 65536, /* more than any queue */
    LIMIT_BITS = 16,
};

/* ---- routes ---------------------------------------------------------------------------------- */

/* A packet that looks for a port. */
struct view {
    const struct ib_port *ports; /* of the switch */
    const struct ib_lane *lanes; /* that of the packet, of the first port */
    uint32_t lane_count;
    uint32_t quantum_shift;
    uint32_t blocks;
};

static inline uint32_t load_of(const void *context, uint32_t port)
{
    const struct view *view = context;
    uint32_t load = view->ports[port].waiting_bytes >> view->quantum_shift;

    return ib_lane_permits(&view->lanes[(size_t)port * view->lane_count], view->blocks)
               ? load
               : load + LOAD_WITHOUT_CREDIT;
}

static uint32_t route_adaptive(struct shard *shard, struct ib_ports ports, uint32_t first_port,
    const struct switch_crossing *crossing, uint32_t lane)
{
    const struct ib_world *ib = shard->sim->ib;
    const struct view view = { .ports = &ib->ports[first_port],
        .lanes = &ib->lanes[first_port * ib->lane_count + lane],
        .lane_count = ib->lane_count,
        .quantum_shift = ib->quantum_shift,
        .blocks = ib_credit_blocks(crossing->packet.length_bytes) };

    return ib_route_adaptive(ports, (struct ib_loads){ .of = load_of, .context = &view },
        &shard->ports[first_port].prng);
}

/* The ports that begin a shortest path; before the first fault those of the table. */
static const uint64_t *group_of(const struct shard *shard, const struct switch_crossing *crossing,
    uint32_t to, uint64_t room[static ROUTING_WORDS_MAX])
{
    const struct routing *routing = shard->sim->routing;

    return routing->convergence.is_touched
               ? routing_group(routing, crossing->switch_index, to, crossing->now_ps, room)
               : ecmp_group(&routing->ecmp, crossing->switch_index, to);
}

static uint32_t route_packet(
    struct shard *shard, const struct switch_crossing *crossing, const struct ecmp_label *label)
{
    struct ib_world *ib = shard->sim->ib;
    uint32_t first_port = shard->switches[crossing->switch_index].first_port;
    uint64_t room[ROUTING_WORDS_MAX];
    struct ib_ports ports;

    if (crossing->switch_index == label->at)
        return label->port;
    ports = (struct ib_ports){ .words = group_of(shard, crossing, label->at, room),
        .word_count = shard->sim->ecmp->switches[crossing->switch_index].word_count };
    if (!ports.words)
        return SWITCH_NO_PORT;
    if (!ib->is_adaptive || crossing->packet.length_bytes < SMALL_BYTES)
        return ib_route_static(ports, label->flow, ib->tiers[crossing->switch_index]);
    return route_adaptive(shard, ports, first_port, crossing, label->lane);
}

static uint32_t forward(void *network, const struct switch_crossing *crossing)
{
    struct shard *shard = network;
    struct ecmp_label label = policy_ecmp_label(shard, crossing->packet.handle);

    label.way_in = (uint16_t)crossing->in_port;
    policy_ecmp_set_label(shard, crossing->packet.handle, &label);
    return route_packet(shard, crossing, &label);
}

_Static_assert(ECMP_NO_PORT == SWITCH_NO_PORT, "a route that does not exist");

/* ---- buffers --------------------------------------------------------------------------------- */

/* The packet leaves the buffer of the port where it came in. */
static struct switch_pause free_room(
    struct shard *shard, const struct switch_crossing *crossing, uint32_t in_port, uint32_t lane)
{
    struct ib_world *ib = shard->sim->ib;
    uint32_t port = shard->switches[crossing->switch_index].first_port + in_port;
    struct ib_buffer *buffer = &ib->buffers[port * ib->lane_count + lane];
    struct switch_pause frame = { .port = in_port };

    frame.is_due = ib_buffer_free(buffer, ib_credit_blocks(crossing->packet.length_bytes));
    frame.credit = lane << LIMIT_BITS | buffer->limit;
    ib->ports[port].frames += frame.is_due;
    return frame;
}

static void take_room(struct shard *shard, const struct switch_crossing *crossing, uint32_t lane)
{
    struct ib_world *ib = shard->sim->ib;
    uint32_t port = shard->switches[crossing->switch_index].first_port + crossing->in_port;

    ib_buffer_take(&ib->buffers[port * ib->lane_count + lane],
        ib_credit_blocks(crossing->packet.length_bytes));
}

/* ---- queues ---------------------------------------------------------------------------------- */

static void enter_port(
    struct port *port, struct ib_lane *lane, const struct port_entry *packet, uint64_t now_ps)
{
    ib_credit_spend(&lane->credit, ib_credit_blocks(packet->length_bytes));
    port_begin(port, now_ps);
    port_push(port, PORT_DATA, packet);
}

/* Moves the next packet that may leave into its port, if the port has none. */
static void feed_port(struct shard *shard, uint32_t index, uint64_t now_ps)
{
    struct ib_world *ib = shard->sim->ib;
    struct ib_lane *lanes = &ib->lanes[(size_t)index * ib->lane_count];
    struct ib_port *here = &ib->ports[index];
    struct port *port = &shard->ports[index];
    struct port_entry packet;
    uint32_t lane;

    if (here->waiting_bytes == 0 || port->queues[PORT_DATA].count > 0)
        return;
    lane = ib_lane_next(lanes, ib->lane_count, port->profile->pool, here->turn);
    if (lane == IB_NO_LANE) {
        here->waits++;
        return;
    }
    here->turn = lane + 1 < ib->lane_count ? lane + 1 : 0;
    packet = *port_queue_pop(&lanes[lane].queue, port->profile->pool);
    here->waiting_bytes -= packet.length_bytes;
    enter_port(port, &lanes[lane], &packet, now_ps);
}

static struct switch_decision admit_packet(
    void *network, const struct switch_crossing *crossing, struct port *port, uint64_t now_ps)
{
    struct shard *shard = network;
    struct ib_world *ib = shard->sim->ib;
    uint32_t lane = policy_ecmp_label(shard, crossing->packet.handle).lane;
    uint32_t index = (uint32_t)(port - shard->ports);
    struct ib_lane *way = &ib->lanes[index * ib->lane_count + lane];
    struct ib_port *here = &ib->ports[index];

    take_room(shard, crossing, lane);
    if (here->waiting_bytes == 0 && port->queues[PORT_DATA].count == 0 &&
        ib_lane_permits(way, ib_credit_blocks(crossing->packet.length_bytes))) {
        enter_port(port, way, &crossing->packet, now_ps);
    } else {
        port_queue_push(&way->queue, port->profile->pool, &crossing->packet);
        here->waiting_bytes += crossing->packet.length_bytes;
        port_note_depth(port, PORT_DATA, here->waiting_bytes);
        feed_port(shard, index, now_ps);
    }
    return (struct switch_decision){ .at_port.verdict = PORT_QUEUED };
}

static struct switch_pause release_packet(
    void *network, const struct switch_crossing *crossing, uint64_t now_ps)
{
    struct shard *shard = network;
    struct ecmp_label label = policy_ecmp_label(shard, crossing->packet.handle);

    (void)now_ps;
    return free_room(shard, crossing, label.way_in, label.lane);
}

static struct switch_pause send_packet(
    void *network, const struct switch_crossing *crossing, uint64_t now_ps)
{
    struct shard *shard = network;

    feed_port(
        shard, shard->switches[crossing->switch_index].first_port + crossing->out_port, now_ps);
    return release_packet(network, crossing, now_ps);
}

static struct switch_pause refuse_packet(void *network, const struct switch_crossing *crossing)
{
    struct shard *shard = network;
    uint32_t lane = policy_ecmp_label(shard, crossing->packet.handle).lane;

    take_room(shard, crossing, lane);
    return free_room(shard, crossing, crossing->in_port, lane);
}

/* ---- credit ---------------------------------------------------------------------------------- */

static void on_credit(void *network, uint32_t port, uint32_t credit, uint64_t now_ps)
{
    struct shard *shard = network;
    struct ib_world *ib = shard->sim->ib;
    uint32_t lane = credit >> LIMIT_BITS;

    ib->lanes[port * ib->lane_count + lane].credit.limit = (uint16_t)credit;
    if (port >= shard->nic_count * shard->plane_count)
        feed_port(shard, port, now_ps);
}

static bool take_out(void *network, uint32_t port, struct port_entry *packet)
{
    struct shard *shard = network;
    struct ib_world *ib = shard->sim->ib;

    for (uint32_t lane = 0; lane < ib->lane_count; lane++) {
        struct port_queue *queue = &ib->lanes[port * ib->lane_count + lane].queue;

        if (queue->count == 0)
            continue;
        *packet = *port_queue_pop(queue, shard->ports[port].profile->pool);
        ib->ports[port].waiting_bytes -= packet->length_bytes;
        return true;
    }
    return false;
}

static void on_undelivered(void *network, uint32_t port, const struct port_entry *packet)
{
    struct shard *shard = network;
    struct ib_world *ib = shard->sim->ib;
    uint32_t lane = policy_ecmp_label(shard, packet->handle).lane;

    ib_credit_restore(
        &ib->lanes[port * ib->lane_count + lane].credit, ib_credit_blocks(packet->length_bytes));
}

/* A link sends again what the other end has not confirmed after one round trip over the cable. */
static uint64_t repeat_ps(void *network, uint32_t port)
{
    const struct shard *shard = network;
    const struct topology_config *config = &shard->topology->config;
    const struct link *link = &shard->links[port];
    uint64_t nodes_ps =
        link->peer_node < shard->nic_count ? config->nic_latency_ps : config->switch_latency_ps;

    if (!shard->sim->ib->link_retry)
        return 0;
    if (port < shard->nic_count * shard->plane_count)
        nodes_ps += config->nic_latency_ps;
    shard->sim->ib->ports[port].repeats++;
    return 2 * (link->delay_ps - nodes_ps);
}

const struct switch_policy policy_ib = { .marks = true,
    .limits_data = true,
    .forward = forward,
    .admit = admit_packet,
    .sent = send_packet,
    .lost = release_packet,
    .on_credit = on_credit,
    .refused = refuse_packet,
    .take_out = take_out,
    .undelivered = on_undelivered,
    .repeat_ps = repeat_ps };
