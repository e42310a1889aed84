/* SPDX-License-Identifier: Apache-2.0 */
/* docs/protocol.md §2 and §25: ends with opposite settings understand each other. */
#include <string.h>

#include "observe.h"
#include "scenario.h"
#include "spec.h"
#include "wire/frame.h"

static struct by_hand nic;

/* Two hosts, not connected yet. */
static struct scenario open_pair(struct network_config *config)
{
    config->plane_count = 2;
    config->uplink_count = 8;
    return scenario_of(config);
}

/* 2 MiB each way, some of it trimmed, marked and lost; everything arrives, byte for byte. */
static void expect_traffic(
    struct scenario *s, const struct traffic_side *a, const struct traffic_side *b)
{
    traffic_connect(s->network, a, b);
    scenario_fault(s, &(struct fault_rule){ .where = fault_everywhere(),
                          .chance[FAULT_LOSS] = FAULT_PERMILLE(5),
                          .chance[FAULT_TRIM] = FAULT_PERMILLE(20),
                          .chance[FAULT_MARK] = FAULT_PERMILLE(20) });
    for (uint32_t i = 0; i < 4; i++) {
        scenario_write(s, HOST_A, HOST_B, KIB(384));
        scenario_write(s, HOST_B, HOST_A, KIB(384));
        scenario_write_immediate(s, HOST_A, HOST_B, KIB(128));
        scenario_write_immediate(s, HOST_B, HOST_A, KIB(128));
    }
    scenario_run_until_idle(s);
    for (uint32_t host = HOST_A; host <= HOST_B; host++) {
        EXPECT_EQ(scenario_completions(s, host), 8);
        EXPECT_EQ(scenario_immediates(s, host), 4);
        EXPECT_EQ(scenario_counter(s, host, COUNTER_TIMEOUT_FIRED), 0);
    }
}

static void set_parameter(struct scenario *s, uint32_t host, const char *name, const char *value)
{
    struct parameters parameters = *transport_parameters(network_transport(s->network, host));

    EXPECT_EQ(parameters_set(&parameters, name, value), PARAMETERS_OK);
    transport_set_parameters(network_transport(s->network, host), &parameters);
}

/* ---- attributes and parameters --------------------------------------------------------------- */

SPEC("§2: one end stamps its packets (TSETH), the other does not")
{
    struct network_config config = network_config_default(1);
    struct scenario s = open_pair(&config);
    struct traffic_side a = traffic_side(s.network, HOST_A);
    struct traffic_side b = traffic_side(s.network, HOST_B);

    set_parameter(&s, HOST_B, "stamp", "off");
    network_record(s.network, observe_is_data);
    expect_traffic(&s, &a, &b);
    EXPECT(observe_record(s.network, HOST_A, observe_is_data, 9)->packet.flags & PACKET_STAMPED);
    EXPECT(!(observe_record(s.network, HOST_B, observe_is_data, 9)->packet.flags & PACKET_STAMPED));
    EXPECT_GT(scenario_qp(&s, HOST_A, HOST_B).smoothed_rtt_ns, 0);
    EXPECT_GT(scenario_qp(&s, HOST_B, HOST_A).smoothed_rtt_ns, 0);
}

SPEC("§4.1: one end sends a dynamic MPR, and the other ignores it")
{
    struct network_config config = network_config_default(1);
    struct scenario s = open_pair(&config);
    struct traffic_side a = traffic_side(s.network, HOST_A);
    struct traffic_side b = traffic_side(s.network, HOST_B);

    a.attributes.dynamic_mpr = true;
    b.attributes.mpr_dest = 2; /* A does not know of this, nor B of its own mpr */
    b.attributes.mpr = 2;
    expect_traffic(&s, &a, &b);
    EXPECT_EQ(scenario_qp(&s, HOST_A, HOST_B).mpr_psns, 1024);
    EXPECT_EQ(scenario_qp(&s, HOST_B, HOST_A).mpr_psns, 256);
}

SPEC("§8: one end answers trimmed packets, the other is silent about them")
{
    struct network_config config = network_config_default(1);
    struct scenario s = open_pair(&config);
    struct traffic_side a = traffic_side(s.network, HOST_A);
    struct traffic_side b = traffic_side(s.network, HOST_B);

    b.attributes.trim_nack = false; /* and A was not told */
    expect_traffic(&s, &a, &b);
    EXPECT_EQ(scenario_counter(&s, HOST_B, COUNTER_NACK_SENT), 0);
    EXPECT_GT(scenario_counter(&s, HOST_B, COUNTER_DATA_TRIMMED), 0);
    EXPECT_GT(scenario_counter(&s, HOST_A, COUNTER_NACK_SENT), 0);
}

SPEC("§2: one end excludes its service time from the round trip, with either kind of peer")
{
    for (uint32_t known = 0; known < 2; known++) {
        struct network_config config = network_config_default(1);
        struct scenario s = open_pair(&config);
        struct traffic_side a = traffic_side(s.network, HOST_A);
        struct traffic_side b = traffic_side(s.network, HOST_B);

        b.attributes.service_time = true;
        a.attributes.peer_service_time = known;
        b.attributes.peer_service_time = true; /* which A does not do */
        expect_traffic(&s, &a, &b);
    }
}

SPEC("§23: ends differ in every setting of loss recovery, paths and answers")
{
    struct network_config config = network_config_default(1);
    struct scenario s = open_pair(&config);
    struct traffic_side a;
    struct traffic_side b;

    set_parameter(&s, HOST_B, "sack_gen_threshold", "1024");
    set_parameter(&s, HOST_B, "sack_gap", "filled");
    set_parameter(&s, HOST_B, "loss_to_bad", "compared");
    set_parameter(&s, HOST_B, "ev_skip", "delay");
    set_parameter(&s, HOST_B, "plane_share", "delivered");
    set_parameter(&s, HOST_B, "delayed_probe_factor", "0");
    set_parameter(&s, HOST_B, "retransmit_class", "trimmable");
    set_parameter(&s, HOST_B, "send_quantum", "8");
    a = traffic_side(s.network, HOST_A);
    b = traffic_side(s.network, HOST_B);
    expect_traffic(&s, &a, &b);
}

/* ---- the wire -------------------------------------------------------------------------------- */

struct translation {
    struct wire_format formats[2]; /* of A, of B */
    uint8_t bytes[8192];
    uint32_t count;
};

/* Built by its sender in one format, parsed by its receiver in another. */
static void translate(void *context, const struct network_sight *sight)
{
    struct translation *translation = context;
    const struct wire_format *theirs = &translation->formats[sight->from];
    const struct wire_format *ours = &translation->formats[sight->to];
    struct packet *packet = sight->packet;
    struct frame frame = { .packet = *packet };
    uint32_t length;

    frame_address(theirs, &frame, NULL, NULL);
    length = frame_build(theirs, &frame, translation->bytes, sizeof(translation->bytes));
    EXPECT_GT(length, 0);
    if (!frame_is_trimmed(&frame))
        frame_seal(&frame, translation->bytes);
    EXPECT_EQ(frame_parse(ours, translation->bytes, length, &frame), DROP_NONE);
    EXPECT(frame_icrc_ok(&frame, translation->bytes));
    frame.packet.port = packet->port;
    if (observe_is_data(packet))
        frame.packet.write.payload = packet->write.payload;
    *packet = frame.packet;
    translation->count++;
}

static struct scenario open_translated(struct translation *translation)
{
    struct network_config config = network_config_default(1);

    translation->formats[0] = translation->formats[1] = format_default;
    config.filter = (struct network_filter){ .on_deliver = translate, .context = translation };
    config.payload = NETWORK_LENGTHS;
    return open_pair(&config);
}

SPEC("§25: one end sends to UDP port 4791, the other to 4971, and both accept both")
{
    static struct translation translation;
    struct scenario s = open_translated(&translation);
    struct traffic_side a = traffic_side(s.network, HOST_A);
    struct traffic_side b = traffic_side(s.network, HOST_B);

    translation.formats[1].udp_port = FORMAT_UDP_PORT_PRINTED;
    translation.formats[1].udp_port_also = FORMAT_UDP_PORT_ROCE;
    expect_traffic(&s, &a, &b);
    EXPECT_GT(translation.count, 1000);
    EXPECT_EQ(scenario_counter(&s, HOST_A, COUNTER_FEEDBACK_UNKNOWN_EV), 0);
}

SPEC("§25: one end has the EV's high half in the flow label, the other in the source port")
{
    static struct translation translation;
    struct scenario s = open_translated(&translation);
    struct traffic_side a = traffic_side(s.network, HOST_A);
    struct traffic_side b = traffic_side(s.network, HOST_B);

    translation.formats[1].source_port_high = true;
    expect_traffic(&s, &a, &b);
    EXPECT_GT(translation.count, 1000);
}

SPEC("§25: an end that reads SE and M the other way round loses nothing but solicitation")
{
    static struct translation translation;
    struct scenario s = open_translated(&translation);
    struct traffic_side a = traffic_side(s.network, HOST_A);
    struct traffic_side b = traffic_side(s.network, HOST_B);

    translation.formats[1].m_before_se = true;
    expect_traffic(&s, &a, &b);
}

SPEC("§25: any NAK code for too many WriteImm is understood as a remote operational error")
{
    for (uint32_t code = 0x64; code < 0x80; code++) {
        struct packet nak;

        observe_open(&nic);
        observe_post(&nic, 1, 64);
        nak = by_hand_nak(&nic, OBSERVE_QPN, observe_out(0), (uint8_t)code, 0);
        EXPECT_EQ(by_hand_receive(&nic, &nak), DROP_NONE);
        EXPECT(by_hand_completed(&nic, TRANSPORT_SEND_DONE, 1, COMPLETION_REMOTE_OPERATION));
        by_hand_close(&nic);
    }
}

/* ---- service time ---------------------------------------------------------------------------- */

SPEC("§2: service time: the time an answer waits is added to the stamp it echoes")
{
    struct packet packet;

    observe_open(&nic);
    observe_modify(&nic, (struct qp_attributes){ .service_time = true, .trim_nack = true },
        QP_ATTR_CAPABILITIES);
    packet = by_hand_write(&nic, OBSERVE_QPN, OPCODE_WRITE_ONLY, observe_in(0), 64);
    packet.write.tx_timestamp = 1000;
    EXPECT_EQ(by_hand_receive(&nic, &packet), DROP_NONE);
    nic.now_ns += 20 * 128;
    EXPECT_EQ(by_hand_send(&nic), 1);
    EXPECT_EQ(nic.sent[0].sack.tx_timestamp, 1020);
    by_hand_close(&nic);
}

SPEC("§2: service time: without the capability the stamp comes back as it was")
{
    struct packet packet;

    observe_open(&nic);
    packet = by_hand_write(&nic, OBSERVE_QPN, OPCODE_WRITE_ONLY, observe_in(0), 64);
    packet.write.tx_timestamp = 1000;
    EXPECT_EQ(by_hand_receive(&nic, &packet), DROP_NONE);
    nic.now_ns += 20 * 128;
    EXPECT_EQ(by_hand_send(&nic), 1);
    EXPECT_EQ(nic.sent[0].sack.tx_timestamp, 1000);
    by_hand_close(&nic);
}

SPEC("§2: service time: a requester that supports it takes its round trip from the echoed stamp")
{
    struct packet sack;

    observe_open(&nic);
    observe_modify(&nic, (struct qp_attributes){ .peer_service_time = true }, QP_ATTR_CAPABILITIES);
    observe_post(&nic, 1, 64);
    nic.now_ns += 200 * 128;
    sack = observe_sack_of(&nic, &nic.sent[0], observe_out(0));
    sack.sack.tx_timestamp = (uint16_t)(sack.sack.tx_timestamp + 50);
    EXPECT_EQ(by_hand_receive(&nic, &sack), DROP_NONE);
    EXPECT_AFTER(observe_status(&nic).smoothed_rtt_ns, 150 * 128);
    by_hand_close(&nic);
}
