/* SPDX-License-Identifier: Apache-2.0 */
/* docs/protocol.md §5: the receive pipeline, and the order of its steps. */
#include <string.h>

#include "observe.h"
#include "scenario.h"
#include "spec.h"

enum { PMTU = BY_HAND_PMTU_BYTES };

static struct by_hand nic;

static enum drop_reason arrive(uint8_t opcode, int32_t number, uint32_t length_bytes)
{
    struct packet packet =
        by_hand_write(&nic, OBSERVE_QPN, opcode, observe_in(number), length_bytes);

    return by_hand_receive(&nic, &packet);
}

static enum drop_reason arrive_trimmed(int32_t number, uint8_t class)
{
    struct packet packet =
        by_hand_write(&nic, OBSERVE_QPN, OPCODE_WRITE_ONLY, observe_in(number), 64);

    packet.class = class;
    return by_hand_receive(&nic, &packet);
}

/* What a probe is told of the window. */
static struct packet_sack window_now(void)
{
    struct packet probe = by_hand_write(&nic, OBSERVE_QPN, OPCODE_PROBE, psn(0), 0);

    by_hand_send(&nic);
    EXPECT_EQ(by_hand_receive(&nic, &probe), DROP_NONE);
    EXPECT_EQ(by_hand_send(&nic), 1);
    return nic.sent[0].sack;
}

/* ---- step 2: what was trimmed ----------------------------------------------------------------*/

SPEC("§5.2: a trimmed packet changes neither the byte count nor the bitmap nor memory")
{
    observe_open(&nic);
    arrive_trimmed(0, DSCP_TRIMMED);
    arrive_trimmed(3, DSCP_TRIMMED_LASTHOP);
    EXPECT_EQ(window_now().cack_psn.value, observe_in(-1).value);
    EXPECT_EQ(window_now().bitmap, 0);
    EXPECT_EQ(window_now().received_units, 0);
    EXPECT_EQ(nic.placed_count, 0);
    EXPECT_EQ(arrive(OPCODE_WRITE_ONLY, 0, 64), DROP_NONE);
    EXPECT_EQ(nic.placed_count, 1);
    by_hand_close(&nic);
}

SPEC("§5.2: a trimmed packet beyond the window is not answered")
{
    observe_open(&nic);
    EXPECT_EQ(arrive_trimmed(128, DSCP_TRIMMED), DROP_TRIMMED);
    EXPECT_EQ(by_hand_send(&nic), 0);
    EXPECT_EQ(arrive_trimmed(127, DSCP_TRIMMED), DROP_TRIMMED);
    EXPECT_EQ(by_hand_send(&nic), 1);
    by_hand_close(&nic);
}

SPEC("§5.2: of a trimmed packet nothing behind TSETH is looked at")
{
    struct packet packet;

    observe_open(&nic);
    nic.refuses = true;
    packet = by_hand_write(&nic, OBSERVE_QPN, OPCODE_WRITE_FIRST, observe_in(0), 3);
    packet.class = DSCP_TRIMMED;
    packet.write.pad_bytes = 3;
    EXPECT_EQ(by_hand_receive(&nic, &packet), DROP_TRIMMED);
    EXPECT_EQ(by_hand_state(&nic, OBSERVE_QPN), QP_RTS);
    EXPECT_EQ(by_hand_send(&nic), 1);
    by_hand_close(&nic);
}

/* ---- step 3: what was damaged ----------------------------------------------------------------*/

SPEC("§5.3: a damaged packet is a lost packet: it is sent again, and nothing else happens")
{
    static struct observe_filter filter;
    struct network_config config = network_config_default(1);
    struct scenario s;

    filter = (struct observe_filter){ { { .from = HOST_A,
        .kind = observe_is_data,
        .first = 3,
        .count = 1,
        .effect = { .corrupted = true } } } };
    observe_filter(&config, &filter);
    config.payload = NETWORK_FRAMES;
    s = scenario_of(&config);
    scenario_write(&s, HOST_A, HOST_B, KIB(64));
    scenario_run_until_idle(&s);
    EXPECT_EQ(network_lost(s.network, LOST_CORRUPT), 1);
    EXPECT_EQ(scenario_completions(&s, HOST_A), 1);
    EXPECT_EQ(scenario_counter(&s, HOST_A, COUNTER_DATA_RETRANSMITTED), 1);
}

/* ---- steps 6 and 7: PSN first, then structure ------------------------------------------------*/

SPEC("§5.6: duplicates and PSNs beyond the window are answered as such, however malformed")
{
    observe_open(&nic);
    EXPECT_EQ(arrive(OPCODE_WRITE_ONLY, 0, 64), DROP_NONE);
    EXPECT_EQ(arrive(OPCODE_WRITE_FIRST, 0, 5), DROP_DUPLICATE);
    EXPECT_EQ(arrive(OPCODE_WRITE_FIRST, 500, 5), DROP_BEYOND_WINDOW);
    EXPECT_EQ(by_hand_state(&nic, OBSERVE_QPN), QP_RTS);
    by_hand_close(&nic);
}

static const struct {
    uint8_t opcode;
    uint32_t length_bytes;
    bool is_valid;
} structures[] = {
    { OPCODE_WRITE_FIRST, PMTU, true },
    { OPCODE_WRITE_FIRST, PMTU - 4, false },
    { OPCODE_WRITE_FIRST, PMTU + 4, false },
    { OPCODE_WRITE_FIRST, 0, false },
    { OPCODE_WRITE_MIDDLE, PMTU, true },
    { OPCODE_WRITE_MIDDLE, PMTU - 4, false },
    { OPCODE_WRITE_LAST, 1, true },
    { OPCODE_WRITE_LAST, PMTU, true },
    { OPCODE_WRITE_LAST, 0, false },
    { OPCODE_WRITE_LAST, PMTU + 1, false },
    { OPCODE_WRITE_LAST_IMM, 0, false },
    { OPCODE_WRITE_LAST_IMM, PMTU, true },
    { OPCODE_WRITE_ONLY, 0, true },
    { OPCODE_WRITE_ONLY, PMTU, true },
    { OPCODE_WRITE_ONLY, PMTU + 1, false },
    { OPCODE_WRITE_ONLY_IMM, 0, true },
    { OPCODE_WRITE_ONLY_IMM, PMTU + 1, false },
};

SPEC("§5.7: First and Middle have PMTU bytes, Last 1 to PMTU, Only at most PMTU; else NAK 0x61")
{
    for (uint32_t i = 0; i < sizeof(structures) / sizeof(*structures); i++) {
        bool is_valid = structures[i].is_valid;
        int32_t number = opcode_starts_message(structures[i].opcode) ? 0 : 1;

        observe_open(&nic);
        transport_post_recv(nic.transport, OBSERVE_QPN, 1);
        EXPECT_EQ(arrive(structures[i].opcode, number, structures[i].length_bytes),
            is_valid ? DROP_NONE : DROP_INVALID_REQUEST);
        EXPECT_EQ(by_hand_state(&nic, OBSERVE_QPN), is_valid ? QP_RTS : QP_ERR);
        by_hand_send(&nic);
        if (!is_valid) {
            EXPECT_EQ(nic.sent_count, 1);
            EXPECT_EQ(nic.sent[0].ack.syndrome, ACK_SYNDROME_INVALID_REQUEST);
            EXPECT_EQ(nic.placed_count, 0);
        }
        by_hand_close(&nic);
    }
}

SPEC("§5.7: padding that contradicts the length causes NAK 0x61")
{
    struct packet packet;

    observe_open(&nic);
    packet = by_hand_write(&nic, OBSERVE_QPN, OPCODE_WRITE_ONLY, observe_in(0), 62);
    packet.write.pad_bytes = 1;
    EXPECT_EQ(by_hand_receive(&nic, &packet), DROP_INVALID_REQUEST);
    EXPECT_EQ(by_hand_send(&nic), 1);
    EXPECT_EQ(nic.sent[0].ack.syndrome, ACK_SYNDROME_INVALID_REQUEST);
    by_hand_close(&nic);
}

static const struct {
    uint8_t opcode;
    uint32_t length_bytes;
    uint32_t message_bytes;
    bool is_valid;
} messages[] = {
    { OPCODE_WRITE_FIRST, PMTU, PMTU + 1, true },
    { OPCODE_WRITE_FIRST, PMTU, PMTU, false },
    { OPCODE_WRITE_FIRST, PMTU, 0, false },
    { OPCODE_WRITE_MIDDLE, PMTU, 2 * PMTU + 1, true },
    { OPCODE_WRITE_MIDDLE, PMTU, 2 * PMTU, false },
    { OPCODE_WRITE_LAST, 5, 3 * PMTU + 5, true },
    { OPCODE_WRITE_LAST, 5, 3 * PMTU + 6, false },
    { OPCODE_WRITE_LAST, PMTU, 3 * PMTU, true },
    { OPCODE_WRITE_LAST, 5, 5, false },
    { OPCODE_WRITE_LAST_IMM, 5, PMTU + 5, true },
    { OPCODE_WRITE_LAST_IMM, 5, PMTU + 4, false },
    { OPCODE_WRITE_ONLY, 64, 64, true },
    { OPCODE_WRITE_ONLY, 64, 65, false },
    { OPCODE_WRITE_ONLY_IMM, 64, 12345, false },
};

SPEC("§5.7: a payload that does not fit dmalen causes NAK 0x61")
{
    for (uint32_t i = 0; i < sizeof(messages) / sizeof(*messages); i++) {
        bool is_valid = messages[i].is_valid;
        struct packet packet;

        observe_open(&nic);
        transport_post_recv(nic.transport, OBSERVE_QPN, 1);
        packet = by_hand_write(&nic, OBSERVE_QPN, messages[i].opcode,
            observe_in(opcode_starts_message(messages[i].opcode) ? 0 : 1),
            messages[i].length_bytes);
        packet.write.message_bytes = messages[i].message_bytes;
        EXPECT_EQ(by_hand_receive(&nic, &packet), is_valid ? DROP_NONE : DROP_INVALID_REQUEST);
        EXPECT_EQ(by_hand_state(&nic, OBSERVE_QPN), is_valid ? QP_RTS : QP_ERR);
        EXPECT_EQ(transport_drops(nic.transport)[DROP_INVALID_REQUEST], !is_valid);
        by_hand_close(&nic);
    }
}

/* Two packets on neighbouring PSNs, the second one first if `swapped`. True if both are taken. */
static bool follow(uint8_t first, uint8_t second, int32_t number, bool swapped)
{
    enum drop_reason reasons[2];
    bool is_taken;

    observe_open(&nic);
    transport_post_recv(nic.transport, OBSERVE_QPN, 1);
    for (uint32_t i = 0; i < 2; i++)
        reasons[i] = i == swapped ? arrive(first, number, PMTU) : arrive(second, number + 1, PMTU);
    is_taken = reasons[0] == DROP_NONE && reasons[1] == DROP_NONE;
    EXPECT_EQ(transport_drops(nic.transport)[DROP_INVALID_REQUEST], !is_taken);
    by_hand_send(&nic);
    if (!is_taken)
        EXPECT_EQ(nic.sent[nic.sent_count - 1].ack.syndrome, ACK_SYNDROME_INVALID_REQUEST);
    EXPECT_EQ(by_hand_state(&nic, OBSERVE_QPN), is_taken ? QP_RTS : QP_ERR);
    by_hand_close(&nic);
    return is_taken;
}

SPEC("§22: a message begins where one has ended, and nowhere else; in any order of arrival")
{
    static const uint8_t opcodes[] = { OPCODE_WRITE_FIRST, OPCODE_WRITE_MIDDLE, OPCODE_WRITE_LAST,
        OPCODE_WRITE_ONLY };

    for (uint32_t first = 0; first < 4; first++)
        for (uint32_t second = 0; second < 4; second++)
            for (int32_t number = 0; number < 8; number += 4) { /* after cack, and above a gap */
                bool fits =
                    opcode_ends_message(opcodes[first]) == opcode_starts_message(opcodes[second]);

                fits = fits && (number > 0 || opcode_starts_message(opcodes[first]));
                EXPECT_EQ(follow(opcodes[first], opcodes[second], number, false), fits);
                EXPECT_EQ(follow(opcodes[first], opcodes[second], number, true), fits);
            }
}

/* ---- steps 8 to 10: window, memory ----------------------------------------------------------- */

static uint32_t received_when_placed;

static enum transport_access look_then_refuse(void *context, void *owner, uint32_t qpn,
    uint32_t rkey, uint64_t va, const struct payload *payload)
{
    (void)context, (void)owner, (void)qpn, (void)rkey, (void)va, (void)payload;
    received_when_placed = (uint32_t)by_hand_count(&nic, COUNTER_DATA_RECEIVED);
    return TRANSPORT_ACCESS_REFUSED;
}

SPEC("§5.8: a packet counts as received before memory is touched, so a SACKed one may be refused")
{
    observe_prepare(&nic);
    nic.config.memory.place = look_then_refuse;
    by_hand_open(&nic);
    by_hand_connect(&nic, OBSERVE_QPN);
    EXPECT_EQ(arrive(OPCODE_WRITE_ONLY, 0, 64), DROP_REMOTE_ACCESS);
    EXPECT_EQ(received_when_placed, 1);
    by_hand_send(&nic);
    EXPECT_EQ(nic.sent[0].ack.syndrome, ACK_SYNDROME_REMOTE_ACCESS);
    EXPECT_EQ(by_hand_state(&nic, OBSERVE_QPN), QP_ERR);
    by_hand_close(&nic);
}

SPEC("§5.9: key, address and length are checked for each packet; one that fails is not written")
{
    static struct observe_memory memory;
    struct packet packet;

    observe_prepare(&nic);
    memory = (struct observe_memory){ .va = 0x40000 };
    nic.config.memory = observe_memory_of(&memory);
    by_hand_open(&nic);
    by_hand_connect(&nic, OBSERVE_QPN);
    packet = by_hand_write(&nic, OBSERVE_QPN, OPCODE_WRITE_ONLY, observe_in(0), 64);
    packet.write.va = 0x40000 + sizeof(memory.bytes) - 64;
    EXPECT_EQ(by_hand_receive(&nic, &packet), DROP_NONE);
    packet.psn = observe_in(1);
    packet.write.va++;
    EXPECT_EQ(by_hand_receive(&nic, &packet), DROP_REMOTE_ACCESS);
    EXPECT_EQ(memory.placed_count, 1);
    by_hand_close(&nic);
}

SPEC("§5.10: payload is written when it arrives, in any order")
{
    static const int32_t order[] = { 7, 2, 100, 0, 63, 64 };

    observe_open(&nic);
    for (uint32_t i = 0; i < 6; i++) {
        EXPECT_EQ(observe_arrive(&nic, order[i], 0), DROP_NONE);
        EXPECT_EQ(nic.placed_count, i + 1);
        EXPECT_EQ(nic.placed.va, 0x10000 + observe_in(order[i]).value);
    }
    by_hand_close(&nic);
}

SPEC("§5.10: a message of 0 bytes accesses no memory, for any address and key")
{
    observe_open(&nic);
    nic.refuses = true;
    EXPECT_EQ(arrive(OPCODE_WRITE_ONLY, 0, 0), DROP_NONE);
    EXPECT_EQ(window_now().cack_psn.value, observe_in(0).value);
    by_hand_close(&nic);
}

SPEC("§5: a late retransmission cannot damage memory that is in use again")
{
    static struct observe_memory memory;
    static uint8_t payload[64];
    struct packet packet;

    observe_prepare(&nic);
    memory = (struct observe_memory){ .va = 0x40000 };
    nic.config.memory = observe_memory_of(&memory);
    by_hand_open(&nic);
    by_hand_connect(&nic, OBSERVE_QPN);
    packet = by_hand_write(&nic, OBSERVE_QPN, OPCODE_WRITE_ONLY, observe_in(0), 64);
    packet.write.va = 0x40000;
    packet.write.payload.bytes = payload;
    EXPECT_EQ(by_hand_receive(&nic, &packet), DROP_NONE);
    memset(memory.bytes, 0xaa, 64);
    packet.flags |= PACKET_RETRANSMISSION;
    EXPECT_EQ(by_hand_receive(&nic, &packet), DROP_DUPLICATE);
    EXPECT_EQ(memory.bytes[0], 0xaa);
    by_hand_close(&nic);
}
