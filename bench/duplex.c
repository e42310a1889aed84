/* SPDX-License-Identifier: Apache-2.0 */
/* Drives two transports. */
#include "duplex.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

#include "host/qp_memory.h"
#include "plan/plan.h"

enum {
    PLANES = 8,
    BURST = PLANES,          /* packets that the left side sends at a time */
    SHORT_BURST = 4 * BURST, /* the same for the right side, whose packets are short */
    DELAY_NS = 4700,
    LAG_MAX_NS = 1176,
    QPS_AHEAD = 8,     /* packets whose QPs are fetched before they are received ... */
    WINDOWS_AHEAD = 4, /* ... and then the windows of these QPs */
    SLOT_PACKETS = 8,  /* maximum number of arrivals in a packet time */
    FIRST_QPN = 16,
    WINDOW_PSNS = 1024,
    PACKET_BITS = 4184 * 8,
    SACK_EVERY = 4, /* of the stand-in */
};

/* The additional delay of each plane relative to the fastest. */
static const uint32_t plane_lag_ns[PLANES] = { 0, 756, 252, LAG_MAX_NS, 504, 84, 1008, 336 };

/* The arrivals of one packet time: positions of packets. */
struct slot {
    uint32_t packets[SLOT_PACKETS];
    uint32_t count;
};

struct arrival {
    uint64_t at; /* slot */
    uint32_t position;
};

/* One direction: a transport writes packets where the other side reads them. */
struct wire {
    struct packet *packets;
    struct slot *slots;
    uint32_t length; /* of both arrays; older packets have arrived */
    uint32_t next;   /* position of the next burst */
    struct arrival arrivals[(BURST + 1) * SLOT_PACKETS]; /* of the next turn, and spare places */
    uint32_t arrival_count;
};

struct side {
    struct transport *transport; /* NULL: a stand-in, which only counts ... */
    uint32_t received;
    uint32_t owed;    /* ... the packets that it must send */
    bool has_windows; /* the transport can prefetch more than QPs */
    struct wire out;
    struct path_profile paths;
    struct path_entry entries[PATH_EV_COUNT_MAX];
    void *memory;
    size_t memory_bytes;
    struct qp_memory qps; /* as a host keeps them */
};

struct duplex {
    struct duplex_config config;
    uint64_t slot; /* the current time, in packet times */
    uint64_t received;
    struct cc_profile cc;
    struct side left;
    struct side right;
};

static uint64_t time_of(const struct duplex *duplex, uint64_t slot)
{
    return slot * duplex->config.packet_ps / 1000;
}

static uint32_t slots_of(const struct duplex *duplex, uint32_t time_ns)
{
    return (uint32_t)(time_ns * UINT64_C(1000) / duplex->config.packet_ps);
}

/* ---- the transports or their stand-ins ------------------------------------------------------- */

static void receive(struct side *side, const struct packet *packet, uint64_t now_ns)
{
    if (side->transport)
        transport_receive(side->transport, packet, now_ns);
    else if (++side->received % SACK_EVERY == 0 && opcode_is_write(packet->opcode))
        side->owed++;
}

static void expire(struct side *side, uint64_t now_ns)
{
    if (side->transport && transport_deadline_ns(side->transport) <= now_ns)
        transport_expire(side->transport, now_ns);
}

/* The left stand-in always has data to send; the right one sends SACKs. */
static uint32_t send_stand_in(struct side *side, struct packet *out)
{
    bool has_data = side->owed > BURST;
    uint32_t count = has_data ? BURST : side->owed;

    for (uint32_t i = 0; i < count; i++) {
        out[i].port = (uint8_t)i;
        out[i].opcode = has_data ? OPCODE_WRITE_MIDDLE : OPCODE_SACK;
    }
    side->owed -= has_data ? 0 : count;
    return count;
}

static uint32_t send(struct side *side, struct packet *out, uint32_t out_max, uint64_t now_ns)
{
    if (!side->transport)
        return send_stand_in(side, out);
    if (!transport_wants_to_send(side->transport))
        return 0;
    return transport_send(side->transport, (1u << PLANES) - 1, out, out_max, now_ns);
}

static void post(struct duplex *duplex, uint32_t qpn, uint64_t now_ns)
{
    int err = transport_post_send(duplex->left.transport, qpn,
        &(struct work_request){
            .length_bytes = duplex->config.write_bytes, .rkey = 1, .flags = WORK_SIGNALED },
        now_ns);

    assert(err == 0);
}

static void fetch_events(struct duplex *duplex, struct side *side, uint64_t now_ns)
{
    struct transport_event event;

    if (!side->transport)
        return;
    while (transport_next_event(side->transport, &event))
        if (event.kind == TRANSPORT_SEND_DONE) {
            assert(event.status == COMPLETION_SUCCESS);
            post(duplex, event.qpn, now_ns);
        }
}

/* ---- the wire -------------------------------------------------------------------------------- */

/* Fetches all lines of some packets. If many are in flight, they are in no cache, where a NIC would
 * have them: it has just parsed them, or uses the same ones again and again to send. */
static void fetch_packets(const struct packet *packets, uint32_t count)
{
    enum { LINE_BYTES = 64 };
    const uint8_t *end = (const uint8_t *)(packets + count);

    for (const uint8_t *at = (const uint8_t *)packets; at < end; at += LINE_BYTES)
        __builtin_prefetch(at);
    __builtin_prefetch(end - 1);
}

/* The packets of a burst leave one packet time after another. */
static void transmit(struct duplex *duplex, struct side *side)
{
    struct wire *wire = &side->out;
    struct packet *burst = &wire->packets[wire->next];
    uint32_t count = send(
        side, burst, side == &duplex->left ? BURST : SHORT_BURST, time_of(duplex, duplex->slot));

    for (uint32_t i = 0; i < count; i++) {
        uint32_t lag_ns = duplex->config.in_order ? 0 : plane_lag_ns[burst[i].port];
        uint64_t arrival = duplex->slot + i + slots_of(duplex, DELAY_NS + lag_ns);
        struct slot *slot = &wire->slots[arrival % wire->length];

        assert(slot->count < SLOT_PACKETS);
        slot->packets[slot->count++] = wire->next + i;
    }
    wire->next = wire->next + count + SHORT_BURST > wire->length ? 0 : wire->next + count;
    fetch_packets(&wire->packets[wire->next], BURST);
}

/* Takes the arrivals of the turn that ends with `slot`, in order. How many arrive at once varies
 * from slot to slot with delays, but not if there are no transports, so this does not branch on it:
 * what the processor loses by wrong guesses would count as time of the transport. */
static void gather(struct wire *wire, uint64_t slot)
{
    uint32_t place = (uint32_t)((slot + 1 - BURST) % wire->length);
    uint32_t count = 0;

    for (uint64_t at = slot + 1 - BURST; at <= slot; at++) {
        struct slot *arrived = &wire->slots[place];

        for (uint32_t i = 0; i < SLOT_PACKETS; i++)
            wire->arrivals[count + i] =
                (struct arrival){ .position = arrived->packets[i], .at = at };
        count += arrived->count;
        arrived->count = 0;
        place = place + 1 == wire->length ? 0 : place + 1;
    }
    wire->arrival_count = count;
}

static const struct packet *arrived_packet(const struct wire *wire, uint32_t index)
{
    return &wire->packets[wire->arrivals[index].position];
}

/* Takes the arrivals of the next turn, all of which were sent long before, and fetches their
 * packets. */
static void gather_next(const struct duplex *duplex, struct wire *wire)
{
    gather(wire, duplex->slot + BURST);
    for (uint32_t i = 0; i < wire->arrival_count; i++)
        fetch_packets(arrived_packet(wire, i), 1);
}

static void fetch_qp(struct side *side, const struct packet *packet)
{
    if (side->transport)
        side->has_windows = transport_prefetch(side->transport, packet);
}

/* Fetches the QPs of the first packets of the next turn. */
static void fetch_qps(struct side *side, const struct wire *wire)
{
    for (uint32_t i = 0; i < wire->arrival_count && i < QPS_AHEAD; i++)
        fetch_qp(side, arrived_packet(wire, i));
}

static void fetch_windows(const struct side *side, const struct packet *packet)
{
    if (side->has_windows)
        transport_prefetch_windows(side->transport, packet);
}

static void deliver(struct duplex *duplex, struct wire *wire, struct side *to)
{
    uint32_t count = wire->arrival_count;

    for (uint32_t i = 0; i < count && i < WINDOWS_AHEAD; i++)
        fetch_windows(to, arrived_packet(wire, i));
    for (uint32_t i = 0; i < count; i++) {
        const struct packet *packet = arrived_packet(wire, i);

        if (i + QPS_AHEAD < count)
            fetch_qp(to, arrived_packet(wire, i + QPS_AHEAD));
        if (i + WINDOWS_AHEAD < count)
            fetch_windows(to, arrived_packet(wire, i + WINDOWS_AHEAD));
        duplex->received += opcode_is_write(packet->opcode);
        receive(to, packet, time_of(duplex, wire->arrivals[i].at));
    }
    gather_next(duplex, wire);
}

static void turn(struct duplex *duplex, struct side *side, struct side *peer)
{
    uint64_t now_ns = time_of(duplex, duplex->slot);

    deliver(duplex, &peer->out, side);
    expire(side, now_ns);
    transmit(duplex, side);
    fetch_events(duplex, side, now_ns);
    fetch_qps(side, &peer->out);
}

void duplex_run(struct duplex *duplex, uint64_t packet_count)
{
    uint64_t end = duplex->received + packet_count;

    while (duplex->received < end) {
        duplex->slot += BURST;
        turn(duplex, &duplex->left, &duplex->right);
        turn(duplex, &duplex->right, &duplex->left);
    }
}

/* ---- setting up ------------------------------------------------------------------------------ */

static void *take_memory(size_t bytes)
{
    size_t rounded = (bytes + 63) / 64 * 64;
    void *memory = aligned_alloc(64, rounded);

    assert(memory);
    memset(memory, 0, rounded);
    return memory;
}

/* Packets are delivered with the burst after their arrival. A burst that does not fit at the end of
 * the wire goes to its beginning. */
static void init_wire(struct wire *wire, uint32_t delay_slots)
{
    wire->length = 4 * delay_slots + 4 * SHORT_BURST;
    wire->packets = take_memory(wire->length * sizeof(*wire->packets));
    wire->slots = take_memory(wire->length * sizeof(*wire->slots));
}

static enum transport_access place(void *context, void *owner, uint32_t qpn, uint32_t rkey,
    uint64_t va, const struct payload *payload)
{
    (void)context;
    (void)owner;
    (void)qpn;
    (void)rkey;
    (void)va;
    (void)payload;
    return TRANSPORT_ACCESS_OK;
}

/* All QPs lead to one destination and share its window, which is that of the wire. With many QPs
 * the wire is faster than any NIC. */
static struct parameters parameters_of(const struct duplex *duplex)
{
    uint64_t wire_bps = PACKET_BITS * UINT64_C(1000000000000) / duplex->config.packet_ps;
    struct parameters parameters;

    parameters_init(&parameters, TIMERS_HARDWARE);
    if (wire_bps > parameters.link_bps)
        parameters.link_bps = wire_bps;
    return parameters;
}

static void init_transport(struct duplex *duplex, struct side *side, uint8_t address)
{
    struct transport_config config = { .address.octets = { [15] = address },
        .port_count = PLANES,
        .qp_count_max = duplex->config.qp_count,
        .seed = address,
        .memory.place = place,
        .parameters = parameters_of(duplex) };
    struct plan_generate generate = { .plane_count = PLANES,
        .uplink_count = duplex->config.ev_count / PLANES,
        .uplink_bits = 8,
        .active_count = duplex->config.ev_count };
    struct prng prng = prng_stream(1, address);
    struct arena arena;

    arena_init(&arena, NULL, 0);
    transport_init(&arena, &config);
    side->memory_bytes = arena.used_bytes;
    side->memory = qp_memory_map(side->memory_bytes);
    assert(side->memory);
    arena_init_zero(&arena, side->memory, side->memory_bytes);
    side->transport = transport_init(&arena, &config);
    plan_generate(&side->paths, &generate, side->entries, &prng);
}

static struct qp_init qp_init(
    const struct duplex *duplex, const struct side *side, uint32_t queue_depth)
{
    return (struct qp_init){ .send_depth = queue_depth,
        .recv_depth = queue_depth,
        .write_imm_max_dest = queue_depth,
        .window_psns_max = WINDOW_PSNS,
        .window_psns_max_dest = WINDOW_PSNS,
        .paths = &side->paths,
        .cc = &duplex->cc };
}

static void connect_qps(struct duplex *duplex, struct side *side, uint8_t peer)
{
    struct qp_init init = qp_init(duplex, side, duplex->config.outstanding);
    struct qp_attributes attributes = { .peer_address.octets = { [15] = peer },
        .peer_ports = (1u << PLANES) - 1 };
    int err;

    for (uint32_t i = 0; i < duplex->config.qp_count; i++) {
        err = transport_qp_create(side->transport, FIRST_QPN + i, &init,
            qp_memory_take(&side->qps, transport_qp_bytes(&init)));
        assert(err == 0);
        attributes.peer_qpn = FIRST_QPN + i;
        for (attributes.state = QP_INIT; attributes.state <= QP_RTS; attributes.state++) {
            err = transport_qp_modify(side->transport, FIRST_QPN + i, &attributes,
                QP_ATTR_STATE | (attributes.state == QP_RTR ? QP_ATTR_PEER : 0), 0);
            assert(err == 0);
        }
    }
}

static void connect(struct duplex *duplex)
{
    struct parameters parameters = parameters_of(duplex);
    struct cc_settings settings;

    transport_cc_settings(&parameters, PLANES, &settings);
    cc_profile_init(&duplex->cc, &settings);
    init_transport(duplex, &duplex->left, 1);
    init_transport(duplex, &duplex->right, 2);
    connect_qps(duplex, &duplex->left, 2);
    connect_qps(duplex, &duplex->right, 1);
    for (uint32_t i = 0; i < duplex->config.outstanding; i++)
        for (uint32_t qp = 0; qp < duplex->config.qp_count; qp++)
            post(duplex, FIRST_QPN + qp, time_of(duplex, duplex->slot));
}

struct duplex *duplex_open(const struct duplex_config *config)
{
    struct duplex *duplex = take_memory(sizeof(*duplex));

    duplex->config = *config;
    duplex->slot = BURST;
    init_wire(&duplex->left.out, slots_of(duplex, DELAY_NS + LAG_MAX_NS));
    init_wire(&duplex->right.out, slots_of(duplex, DELAY_NS + LAG_MAX_NS));
    if (config->is_empty)
        duplex->left.owed = UINT32_MAX;
    else
        connect(duplex);
    return duplex;
}

static void close_side(struct side *side)
{
    free(side->out.packets);
    free(side->out.slots);
    qp_memory_unmap(side->memory, side->memory_bytes);
    qp_memory_fini(&side->qps);
}

void duplex_close(struct duplex *duplex)
{
    close_side(&duplex->left);
    close_side(&duplex->right);
    free(duplex);
}

uint64_t duplex_counter(const struct duplex *duplex, enum counter counter)
{
    if (duplex->config.is_empty)
        return 0;
    return transport_counters(duplex->left.transport)[counter] +
           transport_counters(duplex->right.transport)[counter];
}

/* Doubling the depth of the queues doubles their memory, so the difference is the memory of the
 * queues. */
size_t duplex_qp_bytes(const struct duplex *duplex)
{
    struct qp_init shallow = qp_init(duplex, &duplex->left, 64);
    struct qp_init deep = qp_init(duplex, &duplex->left, 128);

    return 2 * transport_qp_bytes(&shallow) - transport_qp_bytes(&deep);
}
