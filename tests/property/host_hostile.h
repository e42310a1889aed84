/* SPDX-License-Identifier: Apache-2.0 */
/* Somebody else on the cable: what is not from the peer, for the QP and inside its window is
 * dropped and counted, memory stays as it is, and the real traffic goes on. */
#include "endpoint.h"
#include "host_look.h"
#include "wire/frame.h"

enum {
    HOSTILE_FRAMES = 100000,
    BATCH = 8, /* hostile frames in a row */
    REGION = 1 << 18,
    RED_ZONE = 1 << 14,
    WRITE_BYTES = 30000,
    WRITES_AT_ONCE = 4,
    WRITES_LEAST = 100, /* that complete under attack, however busy the machine is */
    FRAME_MAX = 4096 + 256,
    KEPT = 64,
};

/* The NICs' cables end here: this thread carries frames from one to the other, keeps some, and adds
 * its own. */
struct cable {
    struct endpoint_pair pair;
    struct pktio_port *middle[2]; /* facing NIC 0, NIC 1 */
    struct host_qp *others[2];    /* a second connection */
    struct endpoint_address other_addresses[2];
    uint8_t *zone; /* NIC 1's memory: red, region, red, never written, red */
    uint32_t target_key;
    uint32_t victim_key;
    struct prng prng;
    struct {
        uint8_t bytes[FRAME_MAX];
        uint32_t length;
    } kept[KEPT]; /* data to NIC 1 */
    uint32_t kept_count;
    void (*alter)(struct cable *, uint8_t *bytes, uint32_t length); /* NULL: honest */
    uint64_t sent_by_reason[DROP_REASON_COUNT];
};

static inline uint8_t *target(struct cable *cable)
{
    return cable->zone + RED_ZONE;
}

static inline uint8_t *victim(struct cable *cable)
{
    return target(cable) + REGION + RED_ZONE;
}

static inline uint32_t register_part(struct cable *cable, uint8_t *part)
{
    uint32_t key = 0;

    EXPECT_EQ(host_memory_register(cable->pair.ends[1].nic,
                  &(struct host_region){ .address = part,
                      .length_bytes = REGION,
                      .remote_va = (uintptr_t)part,
                      .access = HOST_ACCESS_LOCAL_WRITE | HOST_ACCESS_REMOTE_WRITE,
                      .domain = ENDPOINT_DOMAIN },
                  &key),
        0);
    return key;
}

static inline void open_ends(struct cable *cable)
{
    struct endpoint_pair *pair = &cable->pair;

    for (uint8_t end = 0; end < 2; end++) {
        struct host_config config;
        struct pktio_port *ends[2];

        EXPECT_EQ(pair_port_open(&(struct pair_port_config){ 0 }, ends), 0);
        cable->middle[end] = ends[1];
        endpoint_config(&config, (uint8_t)(end + 1));
        config.ports[0].port = ends[0];
        endpoint_open(&pair->ends[end], &config, REGION);
        pair->qps[end] = endpoint_qp(&pair->ends[end]);
        cable->others[end] = endpoint_qp(&pair->ends[end]);
        pair->addresses[end] = endpoint_address(&pair->ends[end], pair->qps[end]);
        cable->other_addresses[end] = endpoint_address(&pair->ends[end], cable->others[end]);
    }
}

static inline void cable_open(struct cable *cable, uint64_t seed)
{
    *cable = (struct cable){ .prng = { .state = seed } };
    open_ends(cable);
    cable->zone = malloc(3 * RED_ZONE + 2 * REGION);
    EXPECT(cable->zone);
    memset(cable->zone, 0xa5, 3 * RED_ZONE + 2 * REGION);
    cable->target_key = register_part(cable, target(cable));
    cable->victim_key = register_part(cable, victim(cable));
    cable->pair.addresses[1].va = cable->other_addresses[1].va = (uintptr_t)target(cable);
    cable->pair.addresses[1].key = cable->other_addresses[1].key = cable->target_key;
    endpoint_pair_connect(&cable->pair, 0);
    endpoint_connect(cable->others[0], &cable->other_addresses[1], 0);
    endpoint_connect(cable->others[1], &cable->other_addresses[0], 0);
    endpoint_fill(cable->pair.ends[0].memory, REGION, seed);
}

static inline void cable_close(struct cable *cable)
{
    EXPECT_EQ(host_memory_deregister(cable->pair.ends[1].nic, cable->target_key), 0);
    EXPECT_EQ(host_memory_deregister(cable->pair.ends[1].nic, cable->victim_key), 0);
    EXPECT_EQ(host_qp_destroy(cable->others[0]), 0);
    EXPECT_EQ(host_qp_destroy(cable->others[1]), 0);
    endpoint_pair_close(&cable->pair);
    pktio_port_close(cable->middle[0]);
    pktio_port_close(cable->middle[1]);
    free(cable->zone);
}

/* ---- carrying -------------------------------------------------------------------------------- */

static inline bool give(struct cable *cable, uint32_t end, const uint8_t *bytes, uint32_t length)
{
    struct iovec piece = { .iov_base = (void *)(uintptr_t)bytes, .iov_len = length };
    struct pktio_frame frame = { .pieces = &piece, .piece_count = 1, .length_bytes = length };

    if (pktio_port_room(cable->middle[end]) == 0)
        return false;
    pktio_port_send(cable->middle[end], &frame, 1);
    return true;
}

static inline void keep(struct cable *cable, const uint8_t *bytes, uint32_t length)
{
    uint32_t slot = cable->kept_count++ % KEPT;

    if (length < 1000)
        return;
    memcpy(cable->kept[slot].bytes, bytes, length);
    cable->kept[slot].length = length;
}

/* No more than there is room for: the NIC may be slow, the cable loses nothing. */
static inline void carry(struct cable *cable, uint32_t from)
{
    struct pktio_received received[BATCH];
    uint32_t room = pktio_port_room(cable->middle[1 - from]);
    uint32_t count = pktio_port_receive(cable->middle[from], received, room < BATCH ? room : BATCH);

    for (uint32_t i = 0; i < count; i++) {
        uint8_t bytes[FRAME_MAX];

        memcpy(bytes, received[i].bytes, received[i].length_bytes);
        if (from == 0 && cable->alter)
            cable->alter(cable, bytes, received[i].length_bytes);
        if (from == 0 && cable->kept_count < KEPT && received[i].length_bytes >= 1000)
            keep(cable, bytes, received[i].length_bytes);
        give(cable, 1 - from, bytes, received[i].length_bytes);
    }
}

/* Carries until `count` writes of NIC 0 have completed; the last is in *out. */
static inline bool carry_until(struct cable *cable, uint32_t count, struct host_completion *out)
{
    int64_t end_s = patience_end_s();
    uint32_t came = 0;

    while (came < count && patience_lasts(end_s)) {
        carry(cable, 0);
        carry(cable, 1);
        came += host_cq_poll(cable->pair.ends[0].cq, out, 1) == 1;
    }
    return came == count;
}

/* ---- forging --------------------------------------------------------------------------------- */

static inline const struct wire_format *format(const struct cable *cable)
{
    return &cable->pair.ends[1].format;
}

/* A write that the peer could have sent, into the memory that must stay as it is. */
static inline struct frame forged_write(struct cable *cable)
{
    return (struct frame){
        .packet = { .opcode = OPCODE_WRITE_ONLY,
            .src = endpoint_ip(1),
            .dst = endpoint_ip(2),
            .dest_qpn = cable->pair.addresses[1].qpn,
            .psn = psn(4711),
            .class = DSCP_TRIMMABLE,
            .write = { .va = (uintptr_t)victim(cable) + prng_below(&cable->prng, REGION - 4096),
                .rkey = cable->victim_key,
                .message_bytes = 1024,
                .payload.length = 1024 } }
    };
}

static inline uint32_t build(struct cable *cable, struct frame *frame, uint8_t *bytes)
{
    uint32_t length;

    frame_address(format(cable), frame, NULL, NULL);
    length = frame_build(format(cable), frame, bytes, FRAME_MAX);
    EXPECT_GT(length, 0);
    memset(bytes + frame->payload_offset, 0xee, frame->packet.write.payload.length);
    frame_seal(frame, bytes);
    return length;
}

enum hostility {
    GARBAGE,
    TRUNCATED,
    DAMAGED,
    REPLAYED,
    WRONG_ADDRESS,
    WRONG_QPN,
    WRONG_SOURCE,
    BEYOND_WINDOW,
    BEHIND_WINDOW,
    FORGED_FEEDBACK,
    HOSTILITY_COUNT,
};

/* Not received yet, and soon to be. */
static inline struct psn inside_window(struct cable *cable)
{
    struct qp_status status = host_look_status(cable->pair.qps[0]);

    return psn_add(status.next_psn, (int32_t)(50 + prng_below(&cable->prng, status.mpr_psns / 4)));
}

static inline struct psn far_from_window(struct cable *cable, bool ahead)
{
    struct qp_status status = host_look_status(cable->pair.qps[0]);
    int32_t distance = (int32_t)(4 * status.mpr_psns + prng_below(&cable->prng, 1 << 21));

    return psn_add(status.next_psn, ahead ? distance : -distance);
}

/* Returns the length; *reason: the one reason for which it may be dropped, DROP_NONE if there are
 * several. */
static inline uint32_t forge(
    struct cable *cable, enum hostility kind, uint8_t *bytes, enum drop_reason *reason)
{
    struct frame frame = forged_write(cable);
    uint32_t slot = prng_below(&cable->prng, KEPT);
    uint32_t length = cable->kept[slot].length;

    frame.packet.psn = inside_window(cable);
    *reason = DROP_NONE;
    switch (kind) {
    case GARBAGE:
        length = 1 + prng_below(&cable->prng, FRAME_MAX - 1);
        for (uint32_t i = 0; i < length; i++)
            bytes[i] = (uint8_t)prng_next(&cable->prng);
        return length;
    case TRUNCATED:
        *reason = DROP_TRUNCATED;
        memcpy(bytes, cable->kept[slot].bytes, length);
        return 1 + prng_below(&cable->prng, length - 1);
    case DAMAGED:
        *reason = DROP_ICRC;
        memcpy(bytes, cable->kept[slot].bytes, length);
        bytes[length - 1 - prng_below(&cable->prng, 900)] ^=
            (uint8_t)(1u << prng_below(&cable->prng, 8));
        return length;
    case REPLAYED:
        memcpy(bytes, cable->kept[slot].bytes, length);
        return length;
    case WRONG_ADDRESS:
        *reason = DROP_ADDRESS;
        frame.packet.dst = endpoint_ip((uint8_t)(3 + prng_below(&cable->prng, 200)));
        return build(cable, &frame, bytes);
    case WRONG_QPN:
        *reason = DROP_UNKNOWN_QP;
        do
            frame.packet.dest_qpn = prng_below(&cable->prng, 1 << 24);
        while (frame.packet.dest_qpn == cable->pair.addresses[1].qpn ||
               frame.packet.dest_qpn == cable->other_addresses[1].qpn);
        return build(cable, &frame, bytes);
    case WRONG_SOURCE:
        *reason = DROP_PEER;
        frame.packet.src = endpoint_ip((uint8_t)(3 + prng_below(&cable->prng, 200)));
        return build(cable, &frame, bytes);
    case BEYOND_WINDOW:
        *reason = DROP_BEYOND_WINDOW;
        frame.packet.psn = far_from_window(cable, true);
        return build(cable, &frame, bytes);
    case BEHIND_WINDOW:
        frame.packet.psn = far_from_window(cable, false);
        return build(cable, &frame, bytes);
    case FORGED_FEEDBACK:
        *reason = DROP_FEEDBACK_RANGE;
        frame.packet.psn = far_from_window(cable, true);
        frame.packet.opcode = OPCODE_SACK;
        frame.packet.class = DSCP_CONTROL;
        frame.packet.sack = (struct packet_sack){ .cack_psn = frame.packet.psn, .bitmap = 0xffff };
        frame.packet.src = endpoint_ip(2);
        frame.packet.dst = endpoint_ip(1);
        frame.packet.dest_qpn = cable->pair.addresses[0].qpn;
        frame_address(format(cable), &frame, NULL, NULL);
        length = frame_build(format(cable), &frame, bytes, FRAME_MAX);
        frame_seal(&frame, bytes);
        return length;
    case HOSTILITY_COUNT:
        break;
    }
    return 0;
}

static inline uint32_t attack(struct cable *cable)
{
    uint8_t bytes[FRAME_MAX];
    uint32_t count = 0;

    for (; count < BATCH; count++) {
        enum hostility kind = (enum hostility)prng_below(&cable->prng, HOSTILITY_COUNT);
        enum drop_reason reason;
        uint32_t length = forge(cable, kind, bytes, &reason);
        uint32_t end = kind == FORGED_FEEDBACK ? 0 : 1;

        if (pktio_port_room(cable->middle[end]) <= BATCH) /* what is honest has room */
            break;
        give(cable, end, bytes, length);
        cable->sent_by_reason[reason]++;
    }
    return count;
}
