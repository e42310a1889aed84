/* SPDX-License-Identifier: Apache-2.0 */
/* Counts the elements of each class of failures, and what one of them takes away. */
#include "study/size_failures.h"

#include <assert.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#define YEAR_DAYS 365.0
#define DAY_S     86400.0
#define HOUR_S    3600.0

enum { GROUP_SWITCHES = 16, MODULE_LANES = 8 };

enum failure_id {
#define FAILURE(ID, name, element, least, most, seconds, class, source) FAILURE_##ID,
#include "study/failures.def"
    FAILURE_COUNT,
};

static const struct kind {
    const char *name;
    enum size_element element;
    struct price_range per_day;
    double lasts_s;
    const char *class;
    const char *source;
} kinds[FAILURE_COUNT] = {
#define FAILURE(ID, name, element, least, most, seconds, class, source)                            \
    [FAILURE_##ID] = { name, SIZE_##element, { least, most }, seconds, class, source },
#include "study/failures.def"
};

/* ---- what a failure takes away --------------------------------------------------------------- */

struct loss {
    uint64_t elements;
    uint64_t nics;
    double plane_share;
};

/* Returns the switches of a tier among which a leaf spreads its packets. */
static double tops_of(const struct size_fabric *fabric, uint32_t tier)
{
    double tops = 1;

    for (uint32_t i = 1; i <= tier; i++)
        tops *= (double)fabric->tiers[i - 1].up_ports / fabric->tiers[i].parallel;
    return tops;
}

/* Returns the NICs below a switch of the tier. */
static uint64_t nics_below(const struct size_fabric *fabric, uint32_t tier)
{
    uint64_t nics = 1;

    for (uint32_t i = 0; i <= tier; i++)
        nics *= fabric->tiers[i].units;
    return nics < fabric->request.gpus ? nics : fabric->request.gpus;
}

/* Of a ZCube every level is next to NICs. */
static bool has_nics(const struct size_fabric *fabric, uint32_t tier)
{
    return fabric->tiers[tier].host_ports > 0;
}

static struct loss switch_loss(const struct size_fabric *fabric, uint32_t tier)
{
    struct loss loss = { .elements = fabric->plane_count * fabric->tiers[tier].switches };

    loss.nics = has_nics(fabric, tier) ? fabric->tiers[tier].host_ports : nics_below(fabric, tier);
    loss.plane_share = has_nics(fabric, tier) ? 1 : 1 / tops_of(fabric, tier);
    return loss;
}

/* A link between two switches is one of the uplinks of the lower one. */
static struct loss uplink_loss(const struct size_fabric *fabric, uint32_t tier)
{
    struct loss loss = switch_loss(fabric, tier);

    loss.elements = fabric->plane_count * fabric->tiers[tier].up_links;
    loss.plane_share /= fabric->tiers[tier].up_ports;
    return loss;
}

static struct loss loss_of(const struct size_fabric *fabric, enum size_element element)
{
    uint64_t gpus = fabric->request.gpus;
    struct loss leaf = switch_loss(fabric, 0);

    switch (element) {
    case SIZE_HOST_LINK:
        return (struct loss){ gpus * fabric->nic_ports, 1, 1 };
    case SIZE_NIC_MODULE:
        return (struct loss){ size_nic_modules(fabric), 1, 1 };
    case SIZE_SWITCH_MODULE:
        return (struct loss){ size_modules(fabric) - size_nic_modules(fabric),
            MODULE_LANES / fabric->port_lanes ? MODULE_LANES / fabric->port_lanes : 1, 1 };
    case SIZE_POWER_GROUP:
        return (struct loss){ (size_switches(fabric) + GROUP_SWITCHES - 1) / GROUP_SWITCHES,
            leaf.nics * GROUP_SWITCHES < gpus ? leaf.nics * GROUP_SWITCHES : gpus, 1 };
    default:
        return (struct loss){ gpus, 1, 1 };
    }
}

/* ---- what it costs --------------------------------------------------------------------------- */

static const struct job_class *find_class(const struct job *job, const char *name)
{
    for (uint32_t i = 0; i < job->class_count; i++)
        if (strcmp(job->classes[i].name, name) == 0)
            return &job->classes[i];
    return NULL;
}

static double restart_s(const struct job *job, double noticed_s)
{
    return noticed_s + job->restart_s + job->checkpoint_every_s / 2;
}

/* Returns how long the whole job stands, or the time that it loses by being slower. */
static double lost_s(const struct job *job, uint32_t protocol, const struct size_failure *failure,
    const struct job_cost *cost)
{
    double patience_s = fmin(job->protocols[protocol].give_up_s, job->watchdog_s);
    bool is_cut_off = failure->nic_share >= 1;
    double stall_s;

    if (failure->restarts)
        return restart_s(job, 0);
    if (cost->hangs || cost->restarts)
        return restart_s(job, cost->hangs ? job->watchdog_s : fmin(cost->stall_s, job->watchdog_s));
    stall_s = cost->stall_s;
    if (is_cut_off || cost->stalls_while_down)
        stall_s += fmax(failure->lasts_s - cost->lasts_s, 0);
    if (stall_s >= patience_s)
        return restart_s(job, patience_s);
    if (is_cut_off)
        return stall_s;
    return stall_s +
           failure->lasts_s * (1 - 1 / (1 - job->exposed_communication +
                                           job->exposed_communication / (1 - failure->nic_share)));
}

static void add_range(struct price_range *sum, struct price_range range)
{
    sum->least += range.least;
    sum->most += range.most;
}

static void set_costs(const struct size_fabric *fabric, const struct job *job,
    const struct job_class *class, struct size_failure *failure)
{
    for (uint32_t i = 0; i < job->protocol_count; i++) {
        double hours = lost_s(job, i, failure, class ? &class->costs[i] : NULL) *
                       (double)fabric->request.gpus / HOUR_S;

        failure->gpu_hours[i].least = failure->per_year.least * hours;
        failure->gpu_hours[i].most = failure->per_year.most * hours;
    }
}

/* ---- the list -------------------------------------------------------------------------------- */

static double share_of_nic(const struct size_fabric *fabric, const struct kind *kind, double plane)
{
    if (kind->element == SIZE_NIC_MODULE || kind->element == SIZE_NIC || kind->element == SIZE_GPU)
        return 1;
    return plane / fabric->nic_ports;
}

static bool add_failure(struct size_failures *failures, const struct size_fabric *fabric,
    const struct job *job, const struct kind *kind, struct loss loss)
{
    struct size_failure *failure = &failures->list[failures->count];
    const struct job_class *class = kind->class ? find_class(job, kind->class) : NULL;
    double elements = (double)loss.elements;

    if (loss.elements == 0)
        return true;
    if (kind->class && !class) {
        snprintf(failures->reason, sizeof(failures->reason),
            "the job has no class '%s'; add it to its failures", kind->class);
        return false;
    }
    assert(failures->count < SIZE_FAILURES_MAX);
    failures->count++;
    *failure = (struct size_failure){ .element = kind->element,
        .elements = loss.elements,
        .per_year = { kind->per_day.least * elements * YEAR_DAYS,
            kind->per_day.most * elements * YEAR_DAYS },
        .lasts_s = kind->lasts_s,
        .nics = loss.nics,
        .plane_share = loss.plane_share,
        .nic_share = share_of_nic(fabric, kind, loss.plane_share),
        .is_network = kind->element != SIZE_GPU,
        .restarts = !class,
        .source = kind->source };
    set_costs(fabric, job, class, failure);
    if (failure->is_network)
        add_range(&failures->per_year, failure->per_year);
    snprintf(failure->name, sizeof(failure->name), "%s", kind->name);
    return true;
}

/* Switches and uplinks have a line for each tier. */
static bool has_tiers(enum size_element element)
{
    return element == SIZE_UPLINK || element == SIZE_LEAF || element == SIZE_UPPER_SWITCH;
}

static void name_tier(struct size_failure *failure, uint32_t tier, const char *name)
{
    failure->tier = tier;
    snprintf(failure->name, sizeof(failure->name), "T%u: %s", tier, name);
}

static bool add_tiers(struct size_failures *failures, const struct size_fabric *fabric,
    const struct job *job, const struct kind *kind)
{
    for (uint32_t tier = 0; tier < fabric->tier_count; tier++) {
        struct loss loss =
            kind->element == SIZE_UPLINK ? uplink_loss(fabric, tier) : switch_loss(fabric, tier);
        uint32_t before = failures->count;

        if (kind->element != SIZE_UPLINK && (kind->element == SIZE_LEAF) != has_nics(fabric, tier))
            continue;
        if (!add_failure(failures, fabric, job, kind, loss))
            return false;
        if (failures->count > before)
            name_tier(&failures->list[before], tier, kind->name);
    }
    return true;
}

static void scale_range(struct price_range *range, struct price_range by)
{
    range->least *= by.least;
    range->most *= by.most;
}

/* A failure that finds the job standing costs nothing: with x hours lost for each hour of work, the
 * job works 1 / (1 + x) of the time. */
static void share_time(
    struct size_failures *failures, const struct size_fabric *fabric, uint32_t protocol)
{
    double hours = (double)fabric->request.gpus * YEAR_DAYS * 24;
    struct price_range *working = &failures->working[protocol];
    struct price_range lost = { 0, 0 };

    for (uint32_t i = 0; i < failures->count; i++)
        add_range(&lost, failures->list[i].gpu_hours[protocol]);
    *working = (struct price_range){ 1 / (1 + lost.least / hours), 1 / (1 + lost.most / hours) };
    for (uint32_t i = 0; i < failures->count; i++) {
        struct size_failure *failure = &failures->list[i];

        scale_range(&failure->gpu_hours[protocol], *working);
        if (failure->is_network)
            add_range(&failures->gpu_hours[protocol], failure->gpu_hours[protocol]);
    }
}

/* ---- pairs ----------------------------------------------------------------------------------- */

/* How often an element of a kind is down, and the share of time. */
struct absence {
    struct price_range per_year;
    struct price_range share;
};

static struct absence absence_of(enum size_element element)
{
    struct absence absence = { 0 };

    for (uint32_t i = 0; i < FAILURE_COUNT; i++) {
        double share = kinds[i].lasts_s / DAY_S;

        if (kinds[i].element != element)
            continue;
        absence.per_year.least += kinds[i].per_day.least * YEAR_DAYS;
        absence.per_year.most += kinds[i].per_day.most * YEAR_DAYS;
        absence.share.least += kinds[i].per_day.least * share;
        absence.share.most += kinds[i].per_day.most * share;
    }
    return absence;
}

static void add_pair(struct size_failures *failures, const char *name, uint64_t count,
    enum size_element first, enum size_element second)
{
    struct absence one = absence_of(first);
    struct absence other = absence_of(second);
    double pairs = (double)count;

    assert(failures->pair_count < SIZE_PAIRS_MAX);
    failures->pairs[failures->pair_count++] = (struct size_pair){ name, count,
        { pairs * (one.per_year.least * other.share.least + other.per_year.least * one.share.least),
            pairs *
                (one.per_year.most * other.share.most + other.per_year.most * one.share.most) } };
}

/* A NIC with three ports or more survives any two; a NIC with one port not even one. */
static void add_pairs(struct size_failures *failures, const struct size_fabric *fabric)
{
    uint64_t gpus = fabric->request.gpus;
    bool is_zcube = fabric->request.kind == SIZE_ZCUBE;

    if (fabric->nic_ports != 2)
        return;
    add_pair(failures, "both links of a NIC", gpus, SIZE_HOST_LINK, SIZE_HOST_LINK);
    add_pair(failures, "a link of a NIC and the switch of the other", 2 * gpus, SIZE_HOST_LINK,
        SIZE_LEAF);
    add_pair(failures, "both switches of a NIC", is_zcube ? gpus : fabric->tiers[0].switches,
        SIZE_LEAF, SIZE_LEAF);
}

bool size_failures_find(
    const struct size_fabric *fabric, const struct job *job, struct size_failures *failures)
{
    *failures = (struct size_failures){ 0 };
    for (uint32_t i = 0; i < FAILURE_COUNT; i++) {
        const struct kind *kind = &kinds[i];

        if (has_tiers(kind->element)
                ? !add_tiers(failures, fabric, job, kind)
                : !add_failure(failures, fabric, job, kind, loss_of(fabric, kind->element)))
            return false;
    }
    for (uint32_t i = 0; i < job->protocol_count; i++)
        share_time(failures, fabric, i);
    add_pairs(failures, fabric);
    return true;
}

/* ---- spares ---------------------------------------------------------------------------------- */

/* The quantile of a Poisson distribution; above 400 that of the normal one. */
static uint64_t spares_for(double elements, double per_day, double days)
{
    double mean = elements * per_day * days;
    double term = exp(-mean);
    double sum = term;
    uint64_t count = 0;

    if (mean > 400)
        return (uint64_t)ceil(mean + 2.326 * sqrt(mean));
    while (sum < 0.99)
        sum += term *= mean / (double)++count;
    return count;
}

struct size_spares_count size_module_spares(const struct size_fabric *fabric, double days)
{
    struct price_range rate = kinds[FAILURE_NIC_MODULE].per_day;
    double modules = (double)size_modules(fabric);

    return (struct size_spares_count){ spares_for(modules, rate.least, days),
        spares_for(modules, rate.most, days) };
}

struct size_spares_count size_switch_spares(const struct size_fabric *fabric, double days)
{
    struct price_range rate = kinds[FAILURE_LEAF_REBOOT].per_day;
    double switches = (double)size_switches(fabric) * 0.32; /* hardware: Microsoft, 32 % */

    return (struct size_spares_count){ spares_for(switches, rate.least, days),
        spares_for(switches, rate.most, days) };
}
