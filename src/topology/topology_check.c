/* SPDX-License-Identifier: Apache-2.0 */
/* Checks whether a fabric can be wired, and reports the numbers that prevent it. */
#include "topology/topology_check.h"

#include <string.h>

#include "base/text.h"
#include "topology/topology_exception.h"

#define RATE_BPS_MIN    UINT64_C(1000000)
#define RATE_BPS_MAX    UINT64_C(8000000000000)
#define DELAY_PS_MAX    UINT64_C(10000000000)
#define QUEUE_BYTES_MAX (UINT64_C(1) << 30)

#define NUMBERS(...) ((const uint64_t[]){ __VA_ARGS__ })

/* Replaces each % in the text by one of the numbers. */
static bool refuse_member(struct topology_problem *problem, const char *member, const char *words,
    const uint64_t *numbers)
{
    struct text text = text_in(problem->reason, sizeof(problem->reason));

    problem->member = member;
    problem->exception = 0;
    text_fill(&text, words, numbers);
    return false;
}

/* ---- single numbers -------------------------------------------------------------------------- */

struct bounds {
    const char *member;
    uint64_t value;
    uint64_t least;
    uint64_t most;
    const char *unit;
};

static bool check_bounds(
    const struct bounds *bounds, uint32_t count, struct topology_problem *problem)
{
    for (; count > 0; count--, bounds++) {
        struct text text;

        if (bounds->value >= bounds->least && bounds->value <= bounds->most)
            continue;
        text = text_in(problem->reason, sizeof(problem->reason));
        text_fill(
            &text, "% is not between % and %", NUMBERS(bounds->value, bounds->least, bounds->most));
        text_add(&text, bounds->unit);
        problem->member = bounds->member;
        problem->exception = 0;
        return false;
    }
    return true;
}

/* clang-format off */
static bool check_counts(const struct topology_config *config, struct topology_problem *problem)
{
    const struct bounds bounds[] = {
        { "planes",       config->plane_count,  1, TOPOLOGY_PLANES_MAX, "" },
        { "t0s",          config->t0_count,     1, TOPOLOGY_RADIX_MAX,  "" },
        { "t1s",          config->t1_count,     0, TOPOLOGY_RADIX_MAX,  "" },
        { "hosts_per_t0", config->hosts_per_t0, 1, TOPOLOGY_RADIX_MAX,  "" },
        { "radix",        config->radix,        0, TOPOLOGY_RADIX_MAX,  " ports" },
    };

    return check_bounds(bounds, sizeof(bounds) / sizeof(bounds[0]), problem);
}

static bool check_links(const struct topology_config *config, struct topology_problem *problem)
{
    const struct bounds bounds[] = {
        { "host_link.rate",  config->host_link.rate_bps, RATE_BPS_MIN, RATE_BPS_MAX, " bit/s" },
        { "host_link.delay", config->host_link.delay_ps, 0,            DELAY_PS_MAX, " ps" },
        { "uplink.rate",     config->uplink.rate_bps,    RATE_BPS_MIN, RATE_BPS_MAX, " bit/s" },
        { "uplink.delay",    config->uplink.delay_ps,    0,            DELAY_PS_MAX, " ps" },
        { "switch_latency",  config->switch_latency_ps,  0,            DELAY_PS_MAX, " ps" },
        { "nic_latency",     config->nic_latency_ps,     0,            DELAY_PS_MAX, " ps" },
    };

    return check_bounds(bounds, sizeof(bounds) / sizeof(bounds[0]), problem);
}

/* 0 selects a default, which is within bounds. */
static uint64_t or_least(uint64_t value, uint64_t least)
{
    return value ? value : least;
}

static bool check_queues(const struct topology_buffers *buffers, struct topology_problem *problem)
{
    const struct bounds bounds[] = {
        { "buffers.data",      or_least(buffers->data_bytes, TOPOLOGY_PACKET_BYTES),      TOPOLOGY_PACKET_BYTES, QUEUE_BYTES_MAX, " bytes, one full packet and 1 GiB" },
        { "buffers.host_data", or_least(buffers->host_data_bytes, TOPOLOGY_PACKET_BYTES), TOPOLOGY_PACKET_BYTES, QUEUE_BYTES_MAX, " bytes, one full packet and 1 GiB" },
        { "buffers.control",   or_least(buffers->control_bytes, TOPOLOGY_SACK_BYTES),     TOPOLOGY_SACK_BYTES,   QUEUE_BYTES_MAX, " bytes, one SACK and 1 GiB" },
        { "buffers.red_min",   buffers->red_min_bytes, 0, QUEUE_BYTES_MAX, " bytes" },
        { "buffers.red_max",   buffers->red_max_bytes, 0, QUEUE_BYTES_MAX, " bytes" },
        { "buffers.trimmed",   buffers->trims ? buffers->trimmed_bytes : TOPOLOGY_PACKET_BYTES, TOPOLOGY_TRIMMED_BYTES_MIN, TOPOLOGY_PACKET_BYTES, " bytes, headers alone and a full packet" },
    };

    return check_bounds(bounds, sizeof(bounds) / sizeof(bounds[0]), problem);
}
/* clang-format on */

/* ---- combinations ---------------------------------------------------------------------------- */

static bool check_ports(const struct topology_config *config, struct topology_problem *problem)
{
    uint64_t radix = config->radix ? config->radix : TOPOLOGY_RADIX_MAX;

    if (config->hosts_per_t0 + config->t1_count > radix)
        return refuse_member(problem, "radix", "radix % cannot hold % hosts and % uplinks",
            NUMBERS(radix, config->hosts_per_t0, config->t1_count));
    if (config->t1_count > 0 && config->t0_count > radix)
        return refuse_member(problem, "radix",
            "radix % cannot hold a link of a T1 to each of % T0s",
            NUMBERS(radix, config->t0_count));
    if (config->t1_count == 0 && config->t0_count > 1)
        return refuse_member(problem, "t1s", "% T0s without a T1 cannot reach each other",
            NUMBERS(config->t0_count));
    return true;
}

static bool check_nics(const struct topology_config *config, struct topology_problem *problem)
{
    uint64_t most = (uint64_t)config->t0_count * config->hosts_per_t0;

    if (config->nic_count > most)
        return refuse_member(problem, "nics", "% T0s with % hosts each have room for %, not for %",
            NUMBERS(config->t0_count, config->hosts_per_t0, most, config->nic_count));
    if (config->nic_count > 0 && config->nic_count <= most - config->hosts_per_t0)
        return refuse_member(problem, "nics", "% NICs, % to a T0, leave the last of % T0s empty",
            NUMBERS(config->nic_count, config->hosts_per_t0, config->t0_count));
    return true;
}

/* A packet that crosses a link in zero time arrives when it leaves, so events would have no
 * order. */
static bool check_delays(const struct topology_config *config, struct topology_problem *problem)
{
    if (config->host_link.delay_ps == 0 && config->nic_latency_ps == 0)
        return refuse_member(problem, "host_link.delay",
            "0 ps, and nic_latency is 0 ps too: packets would reach a NIC in zero time", NULL);
    if (config->host_link.delay_ps == 0 && config->switch_latency_ps == 0)
        return refuse_member(problem, "host_link.delay",
            "0 ps, and switch_latency is 0 ps too: packets would reach a T0 in zero time", NULL);
    if (config->t1_count > 0 && config->uplink.delay_ps == 0 && config->switch_latency_ps == 0)
        return refuse_member(problem, "uplink.delay",
            "0 ps, and switch_latency is 0 ps too: packets would reach a T1 in zero time", NULL);
    return true;
}

static bool check_red(const struct topology_buffers *buffers, struct topology_problem *problem)
{
    if (buffers->red_max_bytes > 0 && buffers->red_min_bytes > buffers->red_max_bytes)
        return refuse_member(problem, "buffers.red_min", "% bytes is above red_max, % bytes",
            NUMBERS(buffers->red_min_bytes, buffers->red_max_bytes));
    return true;
}

static bool check_names(const struct topology_config *config, struct topology_problem *problem)
{
    uint32_t block = config->usid_block;

    if (config->name[TOPOLOGY_NAME_BYTES - 1] != '\0')
        return refuse_member(
            problem, "name", "longer than % bytes", NUMBERS(TOPOLOGY_NAME_BYTES - 1));
    if (block == 0 || block >> 24 == 0xff)
        return refuse_member(problem, "usid_block", "not a block of unicast addresses", NULL);
    if (block == TOPOLOGY_NIC_BLOCK)
        return refuse_member(
            problem, "usid_block", "2001:db8::/32 holds the NICs' own addresses", NULL);
    return true;
}

bool topology_check_common(const struct topology_config *config, struct topology_problem *problem)
{
    return check_links(config, problem) && check_delays(config, problem) &&
           check_queues(&config->buffers, problem) && check_red(&config->buffers, problem) &&
           check_names(config, problem);
}

bool topology_check(const struct topology_config *config, struct topology_problem *problem)
{
    return check_counts(config, problem) && check_ports(config, problem) &&
           check_nics(config, problem) && topology_check_common(config, problem);
}

/* ---- exceptions ------------------------------------------------------------------------------ */

static bool refuse_exception(struct topology_problem *problem, uint32_t index,
    const struct topology_exception *exception, const char *words)
{
    struct text text = text_in(problem->reason, sizeof(problem->reason));
    char name[TOPOLOGY_NAME_BYTES];

    topology_name(&exception->link, name);
    problem->member = "exceptions";
    problem->exception = index;
    text_add(&text, name);
    text_fill(&text, words, NUMBERS(exception->rate_bps, RATE_BPS_MIN, RATE_BPS_MAX));
    return false;
}

static bool exists(const struct topology *topology, const struct topology_element *link)
{
    const struct topology_config *config = &topology->config;

    if (link->plane >= config->plane_count)
        return false;
    if (link->kind == TOPOLOGY_HOST_LINK)
        return link->nic < topology->nic_count;
    return link->t0 < config->t0_count && link->t1 < config->t1_count;
}

static bool check_exception(const struct topology *topology,
    const struct topology_exception *exception, uint32_t index, struct topology_problem *problem)
{
    const struct topology_element *link = &exception->link;

    if (link->kind != TOPOLOGY_HOST_LINK && link->kind != TOPOLOGY_UPLINK)
        return refuse_exception(problem, index, exception, " is not a link");
    if (!exists(topology, link))
        return refuse_exception(problem, index, exception, " is not in this fabric");
    if (exception->missing && exception->rate_bps)
        return refuse_exception(problem, index, exception, " is missing but has a rate");
    if (!exception->missing && exception->rate_bps == 0)
        return refuse_exception(problem, index, exception, " is neither missing nor has a rate");
    if (!exception->missing &&
        (exception->rate_bps < RATE_BPS_MIN || exception->rate_bps > RATE_BPS_MAX))
        return refuse_exception(
            problem, index, exception, " has a rate of % bit/s, not between % and %");
    return true;
}

static uint32_t last_index_of(const struct topology_config *config, uint64_t key)
{
    uint32_t index = config->exception_count - 1;

    while (topology_exception_key(&config->exceptions[index].link) != key)
        index--;
    return index;
}

/* In the order of keys the links of a NIC are adjacent. */
static bool check_sorted(const struct topology *topology, const struct topology_config *config,
    const struct topology_exception *sorted, struct topology_problem *problem)
{
    uint32_t missing_count = 0;

    for (uint32_t i = 0; i < config->exception_count; i++) {
        const struct topology_element *link = &sorted[i].link;
        uint64_t key = topology_exception_key(link);
        bool same_nic =
            i > 0 && link->kind == sorted[i - 1].link.kind && link->nic == sorted[i - 1].link.nic;

        if (i > 0 && key == topology_exception_key(&sorted[i - 1].link))
            return refuse_exception(
                problem, last_index_of(config, key), &sorted[i], " is listed twice");
        missing_count = (same_nic ? missing_count : 0) + sorted[i].missing;
        if (link->kind == TOPOLOGY_HOST_LINK && missing_count == topology->config.plane_count)
            return refuse_exception(problem, last_index_of(config, key), &sorted[i],
                " is missing, as are all other links of this NIC");
    }
    return true;
}

bool topology_check_exceptions(const struct topology *topology,
    const struct topology_config *config, struct topology_exception *sorted,
    struct topology_problem *problem)
{
    for (uint32_t i = 0; i < config->exception_count; i++) {
        if (!check_exception(topology, &config->exceptions[i], i, problem))
            return false;
        sorted[i] = config->exceptions[i];
    }
    topology_exception_sort(sorted, config->exception_count);
    return check_sorted(topology, config, sorted, problem);
}
