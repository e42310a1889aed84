/* SPDX-License-Identifier: Apache-2.0 */
/* What NICs and switches keep: state of QPs, tables, buffers. */
#include <stdio.h>

#include "hardware/hardware.h"
#include "path/path.h"
#include "study/size_report.h"
#include "transport/transport.h"

#define LIGHT_M_PER_S 198e6
#define CABLE_M       100.0
#define BASE_RTT_S    10e-6
#define NIC_MEMORY    35e6 /* one article, unconfirmed */

enum {
    EVS = 256,
    WINDOW_PSNS = 1024,
    QP_PUBLISHED = 16000, /* 64 bytes for each of 256 EVs, one article */
    QP_ROCE = 512,
    ROUTE_BYTES = 8,
    MTU_BYTES = 4200,
};

/* Work queues are left out, since their depth is that of the application. */
static size_t qp_bytes(void)
{
    struct path_entry entries[EVS];
    struct path_profile paths;
    struct qp_init init = { .window_psns_max = WINDOW_PSNS,
        .window_psns_max_dest = WINDOW_PSNS,
        .send_depth = 4,
        .recv_depth = 4,
        .write_imm_max_dest = 4,
        .paths = &paths };
    size_t four;

    for (uint32_t i = 0; i < EVS; i++)
        entries[i] = (struct path_entry){ .ev = i, .plane = (uint8_t)(i % 8) };
    path_profile_explicit(&paths, entries, EVS, 8);
    four = transport_qp_bytes(&init);
    init.send_depth = init.recv_depth = init.write_imm_max_dest = 8;
    return four - (transport_qp_bytes(&init) - four);
}

static void add_nic(struct size_report *report)
{
    static const struct {
        const char *name;
        uint32_t qps;
        const char *formula;
    } uses[] = {
        { "rings: QPs of a NIC", 16, "2 neighbours x 8 channels" },
        { "all-to-all of 64 ranks: QPs of a NIC", 126, "63 peers x 2 channels" },
        { "all-to-all of 1,024 ranks: QPs of a NIC", 1023, "peers" },
    };
    double ours = (double)qp_bytes();

    report->section = "NIC";
    size_report_add(report, "state of a QP, ours", ours, "bytes",
        "measured: sizeof, %d EVs, %d PSNs each way, without work queues", EVS, WINDOW_PSNS);
    size_report_add(report, "state of a QP, published for MRC", QP_PUBLISHED, "bytes",
        "one article: 64 bytes x 256 EVs, rounded");
    size_report_add(report, "state of a QP, RoCEv2", QP_ROCE, "bytes",
        "an article on the memory of NICs: 256 to 512")
        ->value.least = QP_ROCE / 2.0;
    size_report_add(report, "QPs in 35 MB, ours", (double)(uint64_t)(NIC_MEMORY / ours), "",
        "35 MB (one article) / state of a QP");
    size_report_add(report, "QPs in 35 MB, published state",
        (double)(uint64_t)(NIC_MEMORY / QP_PUBLISHED), "", "35 MB / 16,000 bytes");
    size_report_add(report, "QPs in 35 MB, RoCEv2", (double)(uint64_t)(NIC_MEMORY / QP_ROCE), "",
        "35 MB / 512 bytes");
    for (uint32_t i = 0; i < sizeof(uses) / sizeof(uses[0]); i++) {
        size_report_add(report, uses[i].name, uses[i].qps, "", "%s", uses[i].formula);
        size_report_add(report, "  and their state, ours", uses[i].qps * ours / 1e6, "MB",
            "QPs x state of a QP");
    }
}

static void add_blocks(struct size_report *report)
{
    static const struct {
        const char *name;
        const char *file;
    } blocks[] = {
#define NIC_BLOCK(name, file) { name, file },
#include "study/nic_blocks.def"
    };

    report->section = "blocks that MRC adds to a NIC";
    for (uint32_t i = 0; i < sizeof(blocks) / sizeof(blocks[0]); i++)
        snprintf(
            size_report_add(report, blocks[i].name, 0, "", "the file that implements it")->text,
            SIZE_TEXT_BYTES, "%s", blocks[i].file);
}

/* ---- switches -------------------------------------------------------------------------------- */

static void add_tables(struct size_report *report, const struct size_fabric *fabric)
{
    double leaves = (double)fabric->tiers[0].switches;
    double uplinks = fabric->tiers[0].up_ports;

    report->section = "tables of a switch";
    for (uint32_t tier = 0; tier < fabric->tier_count; tier++) {
        const struct size_tier *of = &fabric->tiers[tier];
        double entries = (double)of->host_ports + of->down_ports + of->up_ports;
        char name[SIZE_PART_BYTES];

        snprintf(name, sizeof(name), "T%u: static routes of MRC", tier);
        size_report_add(report, name, entries, "", "one for each used port; never changed");
        snprintf(name, sizeof(name), "T%u: their bytes", tier);
        size_report_add(report, name, entries * ROUTE_BYTES, "bytes", "routes x %d", ROUTE_BYTES);
    }
    size_report_add(report, "router in place of a T0: prefixes",
        leaves - 1 + fabric->tiers[0].host_ports, "", "other leaves + own NICs");
    size_report_add(report, "router in place of a T0: ECMP groups", leaves - 1, "",
        "1 if all leaves share their next hops; after failures one for each leaf")
        ->value.least = leaves > 1;
    size_report_add(report, "router in place of a T0: members of groups", (leaves - 1) * uplinks,
        "", "groups x uplinks")
        ->value.least = leaves > 1 ? uplinks : 0;
}

/* IEEE 802.3 31B.3.7: how many bytes a peer may still send after a pause. */
static double response_bytes(double bps)
{
    if (bps <= 100e9)
        return 394 * 64;
    return bps <= 200e9 ? 453 * 64 : 905 * 64;
}

static double headroom_bytes(double bps)
{
    return 2 * CABLE_M * bps / LIGHT_M_PER_S / 8 + response_bytes(bps) + 2 * MTU_BYTES;
}

/* Returns the product whose rate is that of the switches, or NULL. */
static const char *find_product(uint64_t bps, struct hardware *hardware)
{
    const char *const *words = hardware_presets(HARDWARE_SWITCH);

    for (uint32_t i = HARDWARE_WORD_PRODUCT; words[i]; i++) {
        hardware_init(hardware);
        if (hardware_take(hardware, HARDWARE_SWITCH, words[i]) &&
            hardware_number(hardware, HARDWARE_SWITCH_RATE) == bps)
            return words[i];
    }
    return NULL;
}

static void add_buffers(struct size_report *report, const struct size_fabric *fabric)
{
    struct hardware hardware;
    const char *product = find_product(fabric->request.switch_bps, &hardware);
    double ports = (double)fabric->switch_lanes / fabric->uplink_lanes;
    double headroom = headroom_bytes((double)fabric->uplink_bps);
    double bdp = (double)fabric->uplink_bps / 8 * BASE_RTT_S;
    double buffer = product ? (double)hardware_number(&hardware, HARDWARE_SHARED_BUFFER) : 0;

    report->section = "buffer of a switch";
    size_report_add(report, "PFC headroom of a port and priority", headroom, "bytes",
        "2 x 100 m x rate / 198,000 km/s + response of the peer (802.3) + 2 x MTU %d", MTU_BYTES);
    size_report_add(report, "PFC headroom of a switch", headroom * ports / 1e6, "MB",
        "ports x headroom; one priority, or two")
        ->value.most = 2 * headroom * ports / 1e6;
    size_report_add(report, "queues of trimmed packets, all full", 2 * bdp * ports / 1e6, "MB",
        "ports x 2 x rate x 10 us; shared, since not all ports are congested");
    if (!product)
        return;
    size_report_add(report, "buffer", buffer / 1e6, "MB", "%s: %s", hardware_name(product),
        hardware.values[HARDWARE_SHARED_BUFFER].source);
    size_report_add(
        report, "left for data with PFC", 0, "MB", "buffer - headroom of 2 or 1 priorities")
        ->value = (struct price_range){ (buffer - 2 * headroom * ports) / 1e6,
        (buffer - headroom * ports) / 1e6 };
    size_report_add(
        report, "left for data with trimming", 0, "MB", "buffer - a reserve of 2 or 1 %% (assumed)")
        ->value = (struct price_range){ buffer * 0.98 / 1e6, buffer * 0.99 / 1e6 };
}

void size_report_chips(struct size_report *report, const struct size_fabric *fabric)
{
    add_nic(report);
    add_blocks(report);
    add_tables(report, fabric);
    add_buffers(report, fabric);
}
