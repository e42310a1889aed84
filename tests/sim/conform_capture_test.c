/* SPDX-License-Identifier: Apache-2.0 */
/* mrc conform capture: no violation in what random clusters send, and each seeded one is found. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/prng.h"
#include "cluster.h"
#include "conform/conform.h"
#include "spec.h"
#include "wire/opcode.h"

struct captured {
    uint64_t time_ps;
    uint64_t order;
    struct packet packet;
};

struct recording {
    const struct topology *topology;
    uint32_t nic;
    bool is_everywhere; /* not only at the NIC */
    bool is_patient;    /* frames may be lost after the port at which they were captured */
    struct captured *frames;
    size_t count;
    size_t room;
};

static bool is_wanted(const struct recording *recording, struct topology_end from)
{
    struct topology_end to;

    if (recording->is_everywhere || (from.is_nic && from.node == recording->nic))
        return true;
    return topology_peer(recording->topology, from, &to) && to.is_nic && to.node == recording->nic;
}

static void record(void *context, const struct sim_frame *frame)
{
    struct recording *recording = context;

    if (!is_wanted(recording, frame->from))
        return;
    if (recording->count == recording->room) {
        recording->room = recording->room ? 2 * recording->room : 1024;
        recording->frames =
            realloc(recording->frames, recording->room * sizeof(*recording->frames));
        EXPECT(recording->frames);
    }
    recording->frames[recording->count] = (struct captured){
        .time_ps = frame->time_ps, .order = recording->count, .packet = *frame->packet
    };
    recording->count++;
}

static int by_time(const void *left, const void *right)
{
    const struct captured *a = left;
    const struct captured *b = right;

    if (a->time_ps != b->time_ps)
        return a->time_ps < b->time_ps ? -1 : 1;
    return (a->order > b->order) - (a->order < b->order);
}

static void run_cluster(struct recording *recording, struct cluster *cluster)
{
    cluster->config.observer = (struct sim_observer){ .on_frame = record, .context = recording };
    cluster_open(cluster);
    recording->topology = &cluster->fabric.topology;
    recording->count = 0;
    sim_run(cluster->sim, UINT64_MAX);
    qsort(recording->frames, recording->count, sizeof(*recording->frames), by_time);
}

struct findings {
    uint32_t count;
    uint64_t rules; /* by bit */
    char first[300];
};

static void find(void *context, const struct conform_violation *violation)
{
    struct findings *findings = context;

    if (findings->count++ == 0)
        snprintf(findings->first, sizeof(findings->first), "packet %llu: %s: %s",
            (unsigned long long)violation->number, conform_rules[violation->rule].name,
            violation->text);
    findings->rules |= UINT64_C(1) << violation->rule;
}

static struct findings check(const struct recording *recording, const struct cluster *cluster)
{
    struct findings findings = { 0 };
    struct ipv6_addr nic = plan_nic_address(&cluster->fabric, recording->nic);
    struct conform_capture *capture = conform_capture_new(&(struct conform_settings){ .nics = &nic,
        .nic_count = recording->is_everywhere ? 0 : 1,
        .patience_ns = recording->is_patient ? UINT64_MAX / 2 : 20000,
        .context = &findings,
        .on_violation = find });
    uint8_t byte = 0;

    for (size_t i = 0; i < recording->count; i++) {
        struct decode_packet packet = { .verdict = DECODE_GOOD,
            .bytes = &byte,
            .frame = { .packet = recording->frames[i].packet } };

        EXPECT(conform_capture_add(capture, &packet, i + 1, recording->frames[i].time_ps / 1000));
    }
    conform_capture_finish(capture);
    conform_capture_free(capture);
    return findings;
}

PROPERTY("what our transport sends violates nothing, at a NIC or anywhere, with any faults", 100)
{
    struct cluster cluster;
    struct recording recording = { .is_everywhere = seed % 4 == 0, .is_patient = true };
    struct findings findings;

    cluster_random(&cluster, seed);
    recording.nic = (uint32_t)(seed % cluster.fabric_config.hosts_per_t0);
    run_cluster(&recording, &cluster);
    findings = check(&recording, &cluster);
    EXPECT_STR_EQ(findings.first, "");
    cluster_close(&cluster);
    free(recording.frames);
}

/* ---- seeded violations ----------------------------------------------------------------------- */

/* 16 NICs write to one, through a port that trims. */
static void make_incast(struct cluster *cluster, uint64_t seed)
{
    cluster_leaf_spine(cluster);
    cluster->workloads[0] = (struct sim_workload){ .name = "incast",
        .kind = SIM_INCAST,
        .placement = SIM_PACKED,
        .rank_count = 17,
        .message_bytes = 100000,
        .outstanding = 1,
        .qps = 1 };
    cluster->config.workload_count = 1;
    cluster->config.duration_ps = 60000000;
    cluster->config.seed = seed;
}

/* Each changes a packet that it applies to, and returns false for others. */
static bool is_first_write(const struct packet *packet)
{
    return opcode_is_write(packet->opcode) && !(packet->flags & PACKET_RETRANSMISSION);
}

static bool is_rewrite(const struct packet *packet)
{
    return opcode_is_write(packet->opcode) && (packet->flags & PACKET_RETRANSMISSION);
}

static bool is_sack(const struct packet *packet)
{
    return packet->opcode == OPCODE_SACK && !packet->sack.answers_probe &&
           packet->sack.tx_timestamp;
}

static bool move_address(struct packet *packet)
{
    packet->write.va += 4096;
    return is_first_write(packet) &&
           !(opcode_starts_message(packet->opcode) && opcode_ends_message(packet->opcode));
}

static bool change_key(struct packet *packet)
{
    packet->write.rkey ^= 1;
    return is_first_write(packet) && !opcode_starts_message(packet->opcode);
}

static bool change_msn(struct packet *packet)
{
    packet->write.msn ^= 0x100;
    return is_first_write(packet) && !opcode_starts_message(packet->opcode);
}

static bool end_early(struct packet *packet)
{
    bool applies = is_first_write(packet) && packet->opcode == OPCODE_WRITE_MIDDLE;

    packet->opcode = OPCODE_WRITE_LAST;
    return applies;
}

static bool change_length(struct packet *packet)
{
    packet->write.message_bytes += 4096;
    return is_first_write(packet) && !opcode_starts_message(packet->opcode);
}

static bool leave_window(struct packet *packet)
{
    packet->psn = psn_add(packet->psn, 40000);
    return is_first_write(packet) && !opcode_starts_message(packet->opcode);
}

static bool clear_rtx(struct packet *packet)
{
    bool applies = is_rewrite(packet);

    packet->flags &= (uint8_t)~PACKET_RETRANSMISSION;
    return applies;
}

static bool clear_ack_request(struct packet *packet)
{
    packet->flags &= (uint8_t)~PACKET_ACK_REQUEST;
    return is_rewrite(packet);
}

static bool rewrite_elsewhere(struct packet *packet)
{
    packet->write.va += 4096;
    return is_rewrite(packet);
}

static bool write_as_control(struct packet *packet)
{
    packet->class = DSCP_CONTROL;
    return opcode_is_write(packet->opcode);
}

static bool answer_as_data(struct packet *packet)
{
    packet->class = DSCP_TRIMMABLE;
    return packet->opcode == OPCODE_SACK || packet->opcode == OPCODE_NACK ||
           packet->opcode == OPCODE_ACK;
}

static bool change_sack_psn(struct packet *packet)
{
    packet->psn = psn_add(packet->psn, 1);
    return packet->opcode == OPCODE_SACK;
}

static bool acknowledge_more(struct packet *packet)
{
    packet->sack.cack_psn = psn_add(packet->sack.cack_psn, 20000);
    packet->psn = packet->sack.cack_psn;
    return is_sack(packet);
}

static bool acknowledge_hole(struct packet *packet)
{
    bool applies = is_sack(packet) && packet->sack.ooo_count > 1;

    packet->sack.cack_psn = psn_add(packet->sack.cack_psn, 1);
    packet->psn = packet->sack.cack_psn;
    packet->sack.sack_offset--;
    packet->sack.ack_psn_offset--;
    return applies;
}

static bool report_unsent(struct packet *packet)
{
    packet->sack.sack_offset = 20000;
    packet->sack.bitmap = 1;
    return is_sack(packet);
}

static bool change_entropy(struct packet *packet)
{
    packet->sack.entropy ^= 0x4000;
    return is_sack(packet);
}

static bool change_stamp(struct packet *packet)
{
    packet->sack.tx_timestamp--;
    return is_sack(packet) && packet->sack.tx_timestamp;
}

static bool flip_mark(struct packet *packet)
{
    packet->sack.mark = packet->sack.mark == SACK_MARK_NONE ? SACK_MARK_SKIP_ONCE : SACK_MARK_NONE;
    return is_sack(packet);
}

static bool mark_reserved(struct packet *packet)
{
    packet->sack.mark = SACK_MARK_RESERVED;
    return is_sack(packet);
}

static bool add_bytes(struct packet *packet)
{
    packet->sack.received_units += 17;
    return is_sack(packet);
}

static bool add_ahead(struct packet *packet)
{
    packet->sack.ooo_count += 5000;
    return is_sack(packet);
}

static bool announce_mpr(struct packet *packet)
{
    packet->sack.mpr = packet->sack.mpr ? 0 : 8;
    return packet->opcode == OPCODE_SACK;
}

static bool change_probe_id(struct packet *packet)
{
    packet->sack.probe_id ^= 0x4000;
    return packet->opcode == OPCODE_SACK && packet->sack.answers_probe;
}

static bool nack_unsent(struct packet *packet)
{
    packet->nack.nack_psn = psn_add(packet->nack.nack_psn, 20000);
    return packet->opcode == OPCODE_NACK;
}

static bool nack_elsewhere(struct packet *packet)
{
    packet->nack.entropy ^= 0x4000;
    return packet->opcode == OPCODE_NACK;
}

static bool nack_other_hop(struct packet *packet)
{
    bool applies = packet->opcode == OPCODE_NACK && packet->nack.reason <= NACK_TRIMMED_LASTHOP;

    packet->nack.reason = packet->nack.reason == NACK_TRIMMED ? NACK_TRIMMED_LASTHOP : NACK_TRIMMED;
    return applies;
}

static bool nack_unknown(struct packet *packet)
{
    packet->nack.reason = 0x55;
    return packet->opcode == OPCODE_NACK;
}

static bool is_plain_ack(const struct packet *packet)
{
    return packet->opcode == OPCODE_ACK && packet->ack.syndrome == ACK_SYNDROME_ACK;
}

static bool ack_unsent(struct packet *packet)
{
    packet->psn = psn_add(packet->psn, 20000);
    return is_plain_ack(packet);
}

static bool ack_more(struct packet *packet)
{
    packet->ack.messages_done++;
    return is_plain_ack(packet);
}

static bool answer_other_request(struct packet *packet)
{
    packet->psn = psn(packet->psn.value ^ 0x4000);
    return packet->opcode == OPCODE_ENDPOINT_RESPONSE;
}

#define BIT(rule) (UINT64_C(1) << CONFORM_##rule)

static const struct seeded {
    const char *name;
    bool (*change)(struct packet *);
    uint64_t rules; /* of which one is violated; which one depends on what else was captured */
} all_seeded[] = {
    { "address", move_address, BIT(MESSAGE) | BIT(RTX_SAME) },
    { "key", change_key, BIT(MESSAGE) | BIT(RTX_SAME) },
    { "msn", change_msn, BIT(MESSAGE) | BIT(RTX_SAME) },
    { "early end", end_early, BIT(MESSAGE) | BIT(RTX_SAME) },
    { "length", change_length, BIT(MESSAGE) | BIT(RTX_SAME) },
    { "window", leave_window, BIT(WINDOW) },
    { "rtx cleared", clear_rtx, BIT(RTX_BIT) },
    { "AckReq cleared", clear_ack_request, BIT(RTX_ACK_REQUEST) },
    { "rewritten elsewhere", rewrite_elsewhere, BIT(RTX_SAME) | BIT(MESSAGE) },
    { "data as control", write_as_control, BIT(CLASS) },
    { "answer as data", answer_as_data, BIT(CLASS) },
    { "PSN of a SACK", change_sack_psn, BIT(SACK_PSN) },
    { "too much acknowledged", acknowledge_more, BIT(SACK_KNOWN) },
    { "hole acknowledged", acknowledge_hole, BIT(SACK_KNOWN) | BIT(SACK_BYTES) | BIT(SACK_BACK) },
    { "unsent PSN reported", report_unsent, BIT(SACK_KNOWN) },
    { "EV of the trigger", change_entropy, BIT(SACK_TRIGGER) },
    { "timestamp of the trigger", change_stamp, BIT(SACK_TRIGGER) },
    { "mark", flip_mark, BIT(SACK_MARK) },
    { "reserved mark", mark_reserved, BIT(SACK_RESERVED) },
    { "rcvd_bytes", add_bytes, BIT(SACK_BYTES) },
    { "ooo_count", add_ahead, BIT(SACK_AHEAD) },
    { "mpr", announce_mpr, BIT(MPR) },
    { "id of a probe", change_probe_id, BIT(PROBE_ANSWER) },
    { "unsent PSN NACKed", nack_unsent, BIT(NACK_KNOWN) },
    { "EV of a NACK", nack_elsewhere, BIT(NACK_KNOWN) },
    { "hop of a NACK", nack_other_hop, BIT(NACK_TRIMMED) },
    { "reason of a NACK", nack_unknown, BIT(NACK_REASON) },
    { "unsent PSN acknowledged", ack_unsent, BIT(ACK_KNOWN) },
    { "count of messages", ack_more, BIT(ACK_COUNT) },
    { "id of a request", answer_other_request, BIT(ENDPOINT_ANSWER) },
};

enum { SEEDED_COUNT = sizeof(all_seeded) / sizeof(all_seeded[0]) };

/* Changes one packet that the NIC sent. Returns its index, or `count`. */
static size_t seed_one(struct recording *recording, const struct ipv6_addr *nic,
    const struct seeded *seeded, struct prng *prng, struct packet *before)
{
    size_t start = prng_below(prng, (uint32_t)recording->count);

    for (size_t i = 0; i < recording->count; i++) {
        size_t at = (start + i) % recording->count;
        struct packet packet = recording->frames[at].packet;

        if (memcmp(&packet.src, nic, sizeof(*nic)) == 0 && seeded->change(&packet)) {
            *before = recording->frames[at].packet;
            recording->frames[at].packet = packet;
            return at;
        }
    }
    return recording->count;
}

struct tally {
    uint32_t seeded;
    uint32_t found;
};

static void seed_and_check(struct recording *recording, const struct cluster *cluster,
    const struct seeded *seeded, struct prng *prng, struct tally *tally)
{
    struct ipv6_addr nic = plan_nic_address(&cluster->fabric, recording->nic);
    struct packet before;
    size_t at = seed_one(recording, &nic, seeded, prng, &before);
    struct findings findings;

    if (at == recording->count)
        return;
    findings = check(recording, cluster);
    recording->frames[at].packet = before;
    tally->seeded++;
    if (findings.rules & seeded->rules)
        tally->found++;
    else
        printf("# '%s' in packet %zu of %zu, seed %llu: found '%s'\n", seeded->name, at + 1,
            recording->count, (unsigned long long)cluster->config.seed, findings.first);
}

SPEC("every kind of seeded violation is found, with the right rule")
{
    struct tally tallies[SEEDED_COUNT] = { 0 };
    struct recording recording = { .is_patient = true };

    for (uint64_t seed = 1; seed <= 40; seed++) {
        struct cluster cluster;
        struct prng prng = prng_stream(seed, 0);
        bool is_incast = seed % 10 == 0;

        if (is_incast)
            make_incast(&cluster, seed);
        else
            cluster_random(&cluster, seed);
        recording.nic = is_incast ? 0 : (uint32_t)(seed % cluster.fabric_config.hosts_per_t0);
        run_cluster(&recording, &cluster);
        for (uint32_t i = 0; i < SEEDED_COUNT && recording.count > 0; i++)
            seed_and_check(&recording, &cluster, &all_seeded[i], &prng, &tallies[i]);
        cluster_close(&cluster);
    }
    for (uint32_t i = 0; i < SEEDED_COUNT; i++) {
        EXPECT(tallies[i].seeded > 0);
        EXPECT_EQ(tallies[i].found, tallies[i].seeded);
    }
    free(recording.frames);
}

/* Removes all packets of this opcode, except the first `spared_count`. */
static void silence(struct recording *recording, uint8_t opcode, uint32_t spared_count)
{
    size_t kept = 0;
    uint32_t seen_count = 0;

    for (size_t i = 0; i < recording->count; i++)
        if (recording->frames[i].packet.opcode != opcode || seen_count++ < spared_count)
            recording->frames[kept++] = recording->frames[i];
    recording->count = kept;
}

SPEC("answers that are missing are reported: a SACK, and a NACK of a trimmed packet")
{
    struct recording recording = { 0 };
    struct cluster cluster;

    make_incast(&cluster, 1);
    run_cluster(&recording, &cluster);
    EXPECT_STR_EQ(check(&recording, &cluster).first, "");
    silence(&recording, OPCODE_NACK, 100);
    EXPECT_EQ(check(&recording, &cluster).rules, BIT(NACK_SILENCE));
    silence(&recording, OPCODE_SACK, 0);
    EXPECT(check(&recording, &cluster).rules & BIT(SACK_ANSWER));
    cluster_close(&cluster);
    free(recording.frames);
}
