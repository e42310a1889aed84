/* SPDX-License-Identifier: Apache-2.0 */
/* Lists the parts of a fabric. Modules and cables have up to 8 lanes. */
#include "study/size_bill.h"

#include <assert.h>
#include <math.h>
#include <stdio.h>

enum { CABLE_LANES = 8 };

#define RACK_M2    1.8 /* 0.6 m of a row every 3 m, its share of the aisle included */
#define RISE_M     6.0 /* up from one rack and down to the other */
#define LANES_400G 4

void size_site_init(struct size_site *site)
{
    *site = (struct size_site){ .gpus_per_rack = 72,
        .switches_per_rack = 16,
        .rack_watts = 40e3,
        .cable_m = { 5, 50, 100, 100 } };
}

/* ---- parts ----------------------------------------------------------------------------------- */

struct making {
    const struct size_fabric *fabric;
    const struct size_site *site;
    const struct prices *prices;
    struct size_bill *bill;
};

struct kind_of_part {
    enum price_part price;
    double bps;
    const char *formula;
};

__attribute__((format(printf, 4, 0))) static void add_part(const struct making *making,
    const struct kind_of_part *kind, uint64_t count, const char *format, uint32_t tier)
{
    struct size_bill *bill = making->bill;
    struct size_part *part = &bill->parts[bill->count];
    const struct price *price = &making->prices->parts[kind->price];

    if (count == 0)
        return;
    assert(bill->count < SIZE_PARTS_MAX);
    bill->count++;
    snprintf(part->name, sizeof(part->name), format, tier, tier + 1);
    part->count = count;
    part->formula = kind->formula;
    part->usd = price_usd(price, kind->bps);
    part->watts = price_watts(price, kind->bps);
    bill->usd.least += (double)count * part->usd.least;
    bill->usd.most += (double)count * part->usd.most;
    bill->watts.least += (double)count * part->watts.least;
    bill->watts.most += (double)count * part->watts.most;
}

static void add_switches(const struct making *making)
{
    const struct size_fabric *fabric = making->fabric;
    struct kind_of_part kind = {
        .price = fabric->request.kind == SIZE_INFINIBAND ? PRICE_INFINIBAND_SWITCH : PRICE_SWITCH,
        .bps = (double)fabric->request.switch_bps,
        .formula = "planes x switches of the tier in a plane",
    };

    for (uint32_t tier = 0; tier < fabric->tier_count; tier++)
        add_part(making, &kind, fabric->plane_count * fabric->tiers[tier].switches, "switches, T%u",
            tier);
}

static struct kind_of_part module_kind(const struct making *making, uint64_t lanes)
{
    double lane_bps = (double)making->fabric->request.lane_bps;
    bool is_small = lanes <= LANES_400G && (double)lanes * lane_bps <= 400e9;

    return (struct kind_of_part){
        .price = is_small ? PRICE_OPTICS_400G : PRICE_OPTICS_800G,
        .bps = (double)(lanes < CABLE_LANES ? lanes : CABLE_LANES) * lane_bps,
    };
}

/* Copper replaces the modules at both ends of the links of NICs. */
static void add_modules(const struct making *making)
{
    const struct size_fabric *fabric = making->fabric;
    struct kind_of_part in_nics =
        module_kind(making, (uint64_t)fabric->nic_ports * fabric->port_lanes);
    struct kind_of_part in_switches = module_kind(making, CABLE_LANES);

    in_nics.formula = "GPUs x ports of a NIC x lanes of a port / 8, rounded up for each NIC";
    in_switches.formula = "for each switch: used ports x lanes of a port / 8, rounded up";
    if (!making->site->has_copper)
        add_part(making, &in_nics, size_nic_modules(fabric), "modules in NICs", 0);
    for (uint32_t tier = 0; tier < fabric->tier_count; tier++) {
        uint64_t count = size_tier_modules(fabric, tier);
        uint64_t of_nics = size_divide_up(
            fabric->plane_count * fabric->tiers[tier].host_links * fabric->port_lanes, CABLE_LANES);

        if (making->site->has_copper)
            count -= of_nics < count ? of_nics : count;
        add_part(making, &in_switches, count, "modules in T%u", tier);
    }
}

static void add_cables(const struct making *making)
{
    const struct size_fabric *fabric = making->fabric;
    struct kind_of_part fibre = { PRICE_FIBRE, 0, "links x lanes of a link / 8, rounded up" };
    struct kind_of_part copper = { PRICE_COPPER,
        (double)CABLE_LANES * (double)fabric->request.lane_bps, fibre.formula };

    for (uint32_t tier = 0; tier < fabric->tier_count; tier++)
        add_part(making, making->site->has_copper ? &copper : &fibre,
            size_divide_up(
                fabric->plane_count * fabric->tiers[tier].host_links * fabric->port_lanes,
                CABLE_LANES),
            "cables, NIC to T%u", tier);
    for (uint32_t tier = 0; tier + 1 < fabric->tier_count; tier++)
        add_part(making, &fibre,
            size_divide_up(
                fabric->plane_count * fabric->tiers[tier].up_links * fabric->uplink_lanes,
                CABLE_LANES),
            "cables, T%u to T%u", tier);
}

/* ---- the hall -------------------------------------------------------------------------------- */

/* Returns how many switches, with their modules, a rack has room and power for; at least one. */
static uint64_t switches_of_rack(const struct making *making)
{
    const struct size_fabric *fabric = making->fabric;
    double modules = (double)size_divide_up(fabric->switch_lanes, CABLE_LANES);
    double watts =
        price_watts(&making->prices->parts[PRICE_SWITCH], (double)fabric->request.switch_bps).most +
        modules * making->prices->parts[PRICE_OPTICS_800G].watts.most;
    double by_power = watts > 0 ? floor(making->site->rack_watts / watts) : 1e9;
    uint64_t room = making->site->switches_per_rack;

    if (by_power < (double)room)
        room = by_power < 1 ? 1 : (uint64_t)by_power;
    return room;
}

/* The switches stand in the middle of a square, so the longest way is half of each side. */
static void set_site(const struct making *making)
{
    struct size_bill *bill = making->bill;

    bill->gpu_racks = size_divide_up(making->fabric->request.gpus, making->site->gpus_per_rack);
    bill->switch_racks = size_divide_up(size_switches(making->fabric), switches_of_rack(making));
    bill->longest_m = sqrt((double)(bill->gpu_racks + bill->switch_racks) * RACK_M2) + RISE_M;
}

void size_bill_make(const struct size_fabric *fabric, const struct size_site *site,
    const struct prices *prices, struct size_bill *bill)
{
    struct making making = { fabric, site, prices, bill };
    struct kind_of_part nic = { PRICE_NIC, 0, "GPUs" };
    struct kind_of_part rack = { PRICE_RACK, 0,
        "switches / switches that a rack has room and power for, rounded up" };

    *bill = (struct size_bill){ 0 };
    set_site(&making);
    add_switches(&making);
    add_modules(&making);
    add_cables(&making);
    add_part(&making, &nic, fabric->request.gpus, "NICs", 0);
    add_part(&making, &rack, bill->switch_racks, "racks of switches", 0);
}
