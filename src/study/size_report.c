/* SPDX-License-Identifier: Apache-2.0 */
/* Makes the rows of mrc plan size. */
#include "study/size_report.h"

#include <assert.h>
#include <stdarg.h>
#include <stdio.h>

#include "study/size_growth.h"
#include "wire/srh.h"

#define FIBRE_S_PER_M     5.05e-9
#define ETHERNET_SWITCH_S 600e-9
#define ETHERNET_NIC_S    1.2e-6
#define IB_SWITCH_S       200e-9
#define IB_NIC_S          0.5e-6
#define SPARES_DAYS       30.0
#define COPPER_M          2.0 /* IEEE 802.3ck, passive */
#define MULTIMODE_M       100.0
#define SINGLE_MODE_M     500.0

enum {
    USIDS_MAX = 6, /* in an address */
    PAYLOAD_BYTES = 4096,
};

struct size_row *size_report_add(struct size_report *report, const char *name, double value,
    const char *unit, const char *formula, ...)
{
    struct size_row *row = &report->rows[report->count++];
    va_list arguments;

    assert(report->count <= SIZE_ROWS_MAX);
    *row = (struct size_row){ .section = report->section, .value = { value, value }, .unit = unit };
    snprintf(row->name, sizeof(row->name), "%s", name);
    va_start(arguments, formula);
    vsnprintf(row->formula, sizeof(row->formula), formula, arguments);
    va_end(arguments);
    return row;
}

/* Adds a row of one tier; the name has a place for its number and that of the next. */
__attribute__((format(printf, 2, 0))) static struct size_row *add_of_tier(
    struct size_report *report, const char *format, uint32_t tier, double value,
    const char *formula)
{
    char name[SIZE_PART_BYTES];

    snprintf(name, sizeof(name), format, tier, tier + 1);
    return size_report_add(report, name, value, "", "%s", formula);
}

/* ---- counts ---------------------------------------------------------------------------------- */

static void add_counts(struct size_report *report, const struct size_fabric *fabric)
{
    bool is_rail_only = fabric->request.kind == SIZE_RAIL_ONLY;

    report->section = "fabric";
    size_report_add(report, "GPUs, each with a NIC", (double)fabric->request.gpus, "", "given");
    size_report_add(report, "places for NICs", (double)fabric->places, "",
        "leaves of a plane x ports to NICs%s", is_rail_only ? " x rails" : "");
    size_report_add(report, is_rail_only ? "networks, one for each rail" : "planes",
        fabric->plane_count, "", "given");
    size_report_add(
        report, "tiers", fabric->tier_count, "", "given, or the fewest whose ports suffice");
    size_report_add(report, "rate of a port to a NIC", (double)fabric->port_bps / 1e9, "Gb/s",
        "rate of a NIC / %u ports", fabric->nic_ports);
    size_report_add(report, "ports of a switch",
        (double)fabric->switch_lanes / fabric->uplink_lanes, "",
        "rate of a switch / rate of a lane / lanes of a link between switches");
    size_report_add(
        report, "switches", (double)size_switches(fabric), "", "planes x the sum of all tiers");
    size_report_add(report, "links", (double)size_links(fabric), "",
        "GPUs x ports of a NIC + planes x uplinks of all tiers");
    size_report_add(report, "modules", (double)size_modules(fabric), "",
        "those of NICs and of switches, 8 lanes each");
}

static void add_tiers(struct size_report *report, const struct size_fabric *fabric)
{
    report->section = "tiers, of each plane";
    for (uint32_t tier = 0; tier < fabric->tier_count; tier++) {
        const struct size_tier *of = &fabric->tiers[tier];

        add_of_tier(report, "T%u: switches", tier, (double)of->switches,
            tier == 0 ? "NICs / ports to NICs, rounded up to whole pods"
                      : "units x uplinks of a switch below / parallel links");
        add_of_tier(report, "T%u: used ports of a switch", tier,
            (double)of->host_ports + of->down_ports + of->up_ports, "to NICs + down + up");
        if (of->host_links)
            add_of_tier(
                report, "T%u: links to NICs", tier, (double)of->host_links, "NICs of the plane");
        if (of->up_links)
            add_of_tier(report, "T%u-T%u: links", tier, (double)of->up_links,
                "switches x uplinks of a switch");
        if (tier > 0 && of->parallel > 1)
            add_of_tier(report, "T%u: parallel links to each switch below", tier, of->parallel,
                "the most for which the ports of this tier suffice");
    }
}

/* ---- what it carries ------------------------------------------------------------------------- */

static void add_capacity(struct size_report *report, const struct size_fabric *fabric)
{
    double oversubscription = size_oversubscription(fabric);
    double all_bps = (double)fabric->request.gpus * (double)fabric->request.nic_bps;

    report->section = "capacity";
    size_report_add(report, "oversubscription", oversubscription, ": 1",
        fabric->request.kind == SIZE_ZCUBE
            ? "uniform traffic loads links between switches to n / (n + 1); a transpose does not "
              "fit"
            : "the most of (rate down / rate up) of all tiers, at least 1");
    size_report_add(report, "bisection, each way", all_bps / 2 / oversubscription / 1e12, "Tb/s",
        "GPUs / 2 x rate of a NIC / oversubscription");
    size_report_add(report, "paths of a far pair",
        (double)size_paths(fabric, fabric->tier_count - 1), "",
        fabric->request.kind == SIZE_ZCUBE ? "2 + 2 (k - 1) n, with detours of one switch"
                                           : "planes x uplinks of each tier on the way up");
    size_report_add(report, "paths of a pair below one leaf", (double)size_paths(fabric, 0), "",
        fabric->request.kind == SIZE_ZCUBE ? "one switch, or two" : "planes of a NIC");
    size_report_add(report, "switches on the longest path", size_longest(fabric), "",
        fabric->request.kind == SIZE_ZCUBE ? "k" : "2 x tiers - 1");
}

/* A full packet of MRC, from the outer IPv6 header on. */
static uint32_t packet_bytes(const struct size_fabric *fabric)
{
    bool has_srh = size_longest(fabric) + 1 > USIDS_MAX;

    return TOPOLOGY_PACKET_BYTES + (has_srh ? SRH_BYTES : 0);
}

/* The way goes up and down again, so a cable of each tier is passed twice. */
double size_latency_s(
    const struct size_fabric *fabric, const struct size_site *site, uint32_t switches)
{
    bool is_ib = fabric->request.kind == SIZE_INFINIBAND;
    double metres = 2 * site->cable_m[0];

    for (uint32_t hop = 0; hop + 1 < switches; hop++)
        metres += site->cable_m[1 + (fabric->request.kind == SIZE_ZCUBE ? 0 : hop / 2)];
    return 2 * (is_ib ? IB_NIC_S : ETHERNET_NIC_S) +
           switches * (is_ib ? IB_SWITCH_S : ETHERNET_SWITCH_S) + metres * FIBRE_S_PER_M +
           packet_bytes(fabric) * 8 / (double)fabric->port_bps;
}

static void add_latency(
    struct size_report *report, const struct size_fabric *fabric, const struct size_site *site)
{
    static const char formula[] = "2 x NIC (%s) + switches x %s + cables x 5.05 ns/m + bytes of a "
                                  "packet / rate of a port";
    bool is_ib = fabric->request.kind == SIZE_INFINIBAND;
    const char *nic = is_ib ? "0.5 us" : "1.2 us";
    const char *node = is_ib ? "200 ns" : "600 ns";

    report->section = "latency, one way, empty network";
    size_report_add(report, "full packet, longest path",
        size_latency_s(fabric, site, size_longest(fabric)) * 1e6, "us", formula, nic, node);
    size_report_add(report, "full packet, below one leaf", size_latency_s(fabric, site, 1) * 1e6,
        "us", formula, nic, node);
}

/* The layouts of docs/fabric.md, by the bits that they have for the number of a switch. */
static const char *layout_for(const struct size_fabric *fabric)
{
    uint64_t most = 0;

    for (uint32_t tier = 0; tier < fabric->tier_count; tier++)
        if (fabric->tiers[tier].switches > most)
            most = fabric->tiers[tier].switches;
    if (most <= 1024 && fabric->plane_count <= 8)
        return "plane(3) type(3) index(10)";
    if (most <= 8192)
        return "type(3) index(13), a block for each plane";
    return "none: a tier has more than 8,192 switches in a plane; divide it into fabrics";
}

static void add_packets(struct size_report *report, const struct size_fabric *fabric)
{
    uint32_t bytes = packet_bytes(fabric);
    struct size_row *row;

    report->section = "packets";
    size_report_add(report, "uSIDs of the longest path", size_longest(fabric) + 1, "",
        "one for each switch and one for the port of the NIC; more than 6 need an SRH of 24 bytes");
    row = size_report_add(report, "layout of uSIDs", 0, "",
        "the first whose index numbers all switches of a tier in a plane");
    snprintf(row->text, sizeof(row->text), "%s", layout_for(fabric));
    size_report_add(report, "IPv6 MTU of links", bytes, "bytes",
        "outer IPv6 40%s + inner IPv6 40 + UDP 8 + BTH 12 + METH 4 + TSETH 4 + RETH 16 + payload "
        "4096 + iCRC 4",
        bytes > TOPOLOGY_PACKET_BYTES ? " + SRH 24" : "");
    size_report_add(report, "payload of the rate",
        100.0 * PAYLOAD_BYTES / (bytes + TOPOLOGY_FRAMING_BYTES), "%",
        "4096 / (MTU + framing of Ethernet %d)", TOPOLOGY_FRAMING_BYTES);
}

/* ---- cost and hall --------------------------------------------------------------------------- */

static void add_cost(struct size_report *report, const struct size_bill *bill, double gpus)
{
    report->section = "cost and power";
    for (uint32_t i = 0; i < bill->count; i++) {
        const struct size_part *part = &bill->parts[i];

        size_report_add(report, part->name, (double)part->count, "", "%s", part->formula);
    }
    size_report_add(report, "cost", 0, "M$", "the sum of count x price, from the price file")
        ->value = (struct price_range){ bill->usd.least / 1e6, bill->usd.most / 1e6 };
    size_report_add(report, "cost for each GPU", 0, "$", "cost / GPUs")->value =
        (struct price_range){ bill->usd.least / gpus, bill->usd.most / gpus };
    size_report_add(report, "power", 0, "kW", "the sum of count x watts, from the price file")
        ->value = (struct price_range){ bill->watts.least / 1e3, bill->watts.most / 1e3 };
    size_report_add(report, "power for each GPU", 0, "W", "power / GPUs")->value =
        (struct price_range){ bill->watts.least / gpus, bill->watts.most / gpus };
}

static const char *medium_for(double metres)
{
    if (metres <= COPPER_M)
        return "copper (2 m), multimode (100 m) or single-mode (500 m)";
    if (metres <= MULTIMODE_M)
        return "multimode (100 m) or single-mode (500 m)";
    return metres <= SINGLE_MODE_M ? "single-mode (500 m)"
                                   : "none of 500 m: several halls, or optics of longer reach";
}

static void add_site(struct size_report *report, const struct size_fabric *fabric,
    const struct size_site *site, const struct size_bill *bill)
{
    uint32_t leaf_racks =
        (fabric->tiers[0].host_ports + site->gpus_per_rack - 1) / site->gpus_per_rack;

    report->section = "hall";
    size_report_add(report, "racks of GPUs", (double)bill->gpu_racks, "",
        "GPUs / %u in a rack, rounded up", site->gpus_per_rack);
    size_report_add(report, "racks of switches", (double)bill->switch_racks, "",
        "switches / those that a rack has room (%u) and power (%.0f kW) for, rounded up",
        site->switches_per_rack, site->rack_watts / 1e3);
    size_report_add(report, "racks that a leaf serves", leaf_racks, "",
        "ports to NICs / GPUs in a rack, rounded up; copper of %.0f m reaches 1", COPPER_M);
    size_report_add(report, "longest cable", bill->longest_m, "m",
        "sqrt(racks x 1.8 m2) + 6 m: a square hall with the switches in the middle");
    snprintf(size_report_add(report, "cables that reach", 0, "",
                 "the shortest reach that is not below the longest cable")
                 ->text,
        SIZE_TEXT_BYTES, "%s", medium_for(bill->longest_m));
}

static void add_spares(struct size_report *report, const struct size_fabric *fabric)
{
    static const char formula[] = "99 %% of a Poisson distribution of failures in %.0f days; %s";
    struct size_spares_count modules = size_module_spares(fabric, SPARES_DAYS);
    struct size_spares_count switches = size_switch_spares(fabric, SPARES_DAYS);

    report->section = "spares for 30 days";
    size_report_add(report, "modules", 0, "", formula, SPARES_DAYS,
        "10^-6 (vendors) to 2.3 x 10^-5 (analysts) per hour")
        ->value = (struct price_range){ (double)modules.least, (double)modules.most };
    size_report_add(report, "switches", 0, "", formula, SPARES_DAYS,
        "0.051 % a month to 2 % in 3 months, 32 % of them hardware")
        ->value = (struct price_range){ (double)switches.least, (double)switches.most };
}

/* ---- growth ---------------------------------------------------------------------------------- */

static void add_units(
    struct size_report *report, const struct size_fabric *fabric, const struct size_growth *growth)
{
    const struct size_tier *top = &fabric->tiers[fabric->tier_count - 1];
    uint64_t switches = 0;
    uint64_t links = 0;

    for (uint32_t tier = 0; tier + 1 < fabric->tier_count; tier++) {
        switches += fabric->tiers[tier].switches / top->units;
        links += fabric->tiers[tier].up_links / top->units;
    }
    size_report_add(report, "switches to add",
        (double)(growth->units * switches) * fabric->plane_count, "",
        "planes x units to add x switches of a unit; the highest tier stays");
    size_report_add(report, "links between switches to add",
        (double)(growth->units * links) * fabric->plane_count, "",
        "planes x units to add x uplinks of a unit");
    size_report_add(report, "links of NICs to add", (double)(growth->gpus * fabric->nic_ports), "",
        "GPUs to add x ports of a NIC");
}

static void describe_growth(
    const struct size_fabric *fabric, const struct size_growth *growth, char *text)
{
    unsigned long long all = fabric->request.gpus + growth->gpus;

    if (growth->keeps_cables)
        snprintf(text, SIZE_TEXT_BYTES, "yes");
    else if (!growth->is_possible)
        snprintf(text, SIZE_TEXT_BYTES, "no: no fabric of these switches has %llu places", all);
    else if (!growth->keeps_tiers)
        snprintf(text, SIZE_TEXT_BYTES, "no: %llu GPUs need %u tiers instead of %u", all,
            growth->grown.tier_count, fabric->tier_count);
    else
        snprintf(text, SIZE_TEXT_BYTES,
            "no: the highest tier has no free ports; move %llu cables, or wire it for %llu GPUs "
            "now (--gpus %llu has %llu switches)",
            (unsigned long long)growth->cables_to_move, all, all,
            (unsigned long long)size_switches(&growth->grown));
}

static void add_growth(
    struct size_report *report, const struct size_fabric *fabric, uint64_t more_gpus)
{
    struct size_growth growth;
    struct size_row *row;

    size_growth_find(fabric, more_gpus, &growth);
    report->section = "growth";
    size_report_add(report, "GPUs to add", (double)more_gpus, "", "given");
    size_report_add(
        report, "free places in leaves", (double)growth.free_places, "", "places - GPUs");
    size_report_add(report, "leaves or pods that can be added", (double)growth.free_units, "",
        "in each plane: ports of the highest tier / parallel links - units");
    row = size_report_add(report, "possible without moving a cable", 0, "",
        "units to add <= units that can be added");
    describe_growth(fabric, &growth, row->text);
    if (growth.keeps_cables && growth.units > 0)
        add_units(report, fabric, &growth);
}

void size_report_fabric(struct size_report *report, const struct size_fabric *fabric,
    const struct size_site *site, const struct size_bill *bill, uint64_t more_gpus)
{
    add_counts(report, fabric);
    add_tiers(report, fabric);
    add_capacity(report, fabric);
    add_latency(report, fabric, site);
    add_packets(report, fabric);
    add_cost(report, bill, (double)fabric->request.gpus);
    add_site(report, fabric, site, bill);
    add_spares(report, fabric);
    add_growth(report, fabric, more_gpus);
}
