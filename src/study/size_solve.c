/* SPDX-License-Identifier: Apache-2.0 */
/* Checks a request and computes its fabric. */
#include "study/size.h"

#include <assert.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "study/size_clos.h"
#include "study/size_zcube.h"

enum {
    LANES_MAX = 2048,
    LIDS = 49151,        /* unicast LIDs of an InfiniBand subnet */
    RATE_STEP = 1000000, /* bit/s */
};

const char *const size_kind_words[SIZE_KIND_COUNT + 1] = {
    [SIZE_CLOS] = "clos",
    [SIZE_RAIL_OPTIMISED] = "rail-optimised",
    [SIZE_RAIL_ONLY] = "rail-only",
    [SIZE_ZCUBE] = "zcube",
    [SIZE_INFINIBAND] = "infiniband",
};

void size_request_init(struct size_request *request)
{
    *request = (struct size_request){ .gpus = 16384,
        .nic_bps = UINT64_C(800000000000),
        .planes = 8,
        .switch_bps = UINT64_C(51200000000000),
        .lane_bps = UINT64_C(100000000000),
        .oversubscription = SIZE_EVEN,
        .rails = 8 };
}

__attribute__((format(printf, 2, 3))) static bool refuse_request(
    char *reason, const char *format, ...)
{
    va_list arguments;

    va_start(arguments, format);
    vsnprintf(reason, SIZE_REASON_BYTES, format, arguments);
    va_end(arguments);
    return false;
}

/* ---- ports ----------------------------------------------------------------------------------- */

static uint32_t ports_of_nic(const struct size_request *request)
{
    if (request->kind == SIZE_CLOS)
        return request->planes;
    return request->kind == SIZE_ZCUBE ? request->tiers : 1;
}

static uint32_t lanes_of(const struct size_request *request, uint64_t bps)
{
    return (uint32_t)((bps + request->lane_bps - 1) / request->lane_bps);
}

static void set_ports(struct size_fabric *fabric, const struct size_request *request)
{
    *fabric = (struct size_fabric){ .request = *request, .nic_ports = ports_of_nic(request) };
    assert(fabric->nic_ports > 0);
    fabric->plane_count = request->kind == SIZE_CLOS        ? request->planes
                          : request->kind == SIZE_RAIL_ONLY ? request->rails
                                                            : 1;
    fabric->port_bps = request->nic_bps / fabric->nic_ports;
    fabric->uplink_bps = request->uplink_bps ? request->uplink_bps : fabric->port_bps;
    fabric->switch_lanes = (uint32_t)(request->switch_bps / request->lane_bps);
    fabric->port_lanes = lanes_of(request, fabric->port_bps);
    fabric->uplink_lanes = lanes_of(request, fabric->uplink_bps);
}

static bool check_rate(const char *option, uint64_t bps, uint64_t most, char *reason)
{
    if (bps >= RATE_STEP && bps <= most && bps % RATE_STEP == 0)
        return true;
    return refuse_request(reason, "%s: %.10g Gb/s; give whole Mb/s, 1 Mb/s to %.10g Gb/s", option,
        (double)bps / 1e9, (double)most / 1e9);
}

static bool check_counts(const struct size_request *request, char *reason)
{
    if (request->gpus < 1 || request->gpus > SIZE_GPUS_MAX)
        return refuse_request(reason, "--gpus: %llu; give 1 to %llu",
            (unsigned long long)request->gpus, (unsigned long long)SIZE_GPUS_MAX);
    if (request->tiers > SIZE_TIERS_MAX)
        return refuse_request(reason, "--tiers: %u; give 1 to %d", request->tiers, SIZE_TIERS_MAX);
    if (request->kind == SIZE_ZCUBE &&
        (request->tiers < 2 || request->tiers > SIZE_ZCUBE_TIERS_MAX))
        return refuse_request(reason, "--tiers: %u; a ZCube has 2 or %d levels", request->tiers,
            SIZE_ZCUBE_TIERS_MAX);
    if (request->kind == SIZE_CLOS && (request->planes < 1 || request->planes > GRAPH_PLANES_MAX))
        return refuse_request(
            reason, "--planes: %u; 1 to %d can be addressed", request->planes, GRAPH_PLANES_MAX);
    if (request->rails < 1 || request->rails > GRAPH_PLANES_MAX)
        return refuse_request(
            reason, "--rails: %u; give 1 to %d", request->rails, GRAPH_PLANES_MAX);
    if (request->oversubscription < SIZE_EVEN || request->oversubscription > 64 * SIZE_EVEN)
        return refuse_request(reason, "--oversubscription: %g; give 1 to 64",
            request->oversubscription / (double)SIZE_EVEN);
    return true;
}

/* Returns the nearest number of ports into which a NIC can be divided evenly. */
static uint32_t nearest_ports(const struct size_request *request, uint32_t ports, uint32_t most)
{
    for (uint32_t away = 1; away < most; away++) {
        if (ports > away && request->nic_bps % (ports - away) == 0)
            return ports - away;
        if (ports + away <= most && request->nic_bps % (ports + away) == 0)
            return ports + away;
    }
    return 1;
}

static bool refuse_ports(
    const struct size_request *request, const struct size_fabric *fabric, char *reason)
{
    bool is_zcube = request->kind == SIZE_ZCUBE;
    uint32_t most = is_zcube ? SIZE_ZCUBE_TIERS_MAX : GRAPH_PLANES_MAX;

    return refuse_request(reason,
        "a NIC of %.10g Gb/s cannot be divided into %u equal ports; "
        "the nearest possible number of %s is %u",
        (double)request->nic_bps / 1e9, fabric->nic_ports, is_zcube ? "levels" : "planes",
        nearest_ports(request, fabric->nic_ports, most));
}

static bool check_ports(
    const struct size_request *request, const struct size_fabric *fabric, char *reason)
{
    uint32_t ports = fabric->switch_lanes / fabric->port_lanes;

    if (request->nic_bps % fabric->nic_ports || fabric->port_bps % 1000)
        return refuse_ports(request, fabric, reason);
    if (request->switch_bps / request->lane_bps > LANES_MAX)
        return refuse_request(reason,
            "--switch: %.10g Gb/s are %llu lanes of %.10g Gb/s; at most "
            "%d can be planned: give a faster --lane",
            (double)request->switch_bps / 1e9,
            (unsigned long long)(request->switch_bps / request->lane_bps),
            (double)request->lane_bps / 1e9, LANES_MAX);
    if (ports < 2)
        return refuse_request(reason,
            "a switch of %.10g Gb/s has %u ports of %.10g Gb/s; 2 are "
            "needed: give more --planes or a --switch of %.10g Gb/s",
            (double)request->switch_bps / 1e9, ports, (double)fabric->port_bps / 1e9,
            2.0 * fabric->port_lanes * (double)request->lane_bps / 1e9);
    return true;
}

static bool check_request(const struct size_request *request, char *reason)
{
    struct size_fabric fabric;

    if (!check_counts(request, reason) ||
        !check_rate("--nic", request->nic_bps, UINT64_C(8000000000000), reason) ||
        !check_rate("--switch", request->switch_bps, UINT64_C(1000000000000000), reason) ||
        !check_rate("--lane", request->lane_bps, UINT64_C(1000000000000), reason) ||
        (request->uplink_bps &&
            !check_rate("--uplink", request->uplink_bps, UINT64_C(8000000000000), reason)))
        return false;
    set_ports(&fabric, request);
    return check_ports(request, &fabric, reason);
}

/* ---- sizes ----------------------------------------------------------------------------------- */

static uint64_t leaf_step(const struct size_request *request)
{
    return request->kind == SIZE_RAIL_OPTIMISED ? request->rails : 1;
}

static uint64_t nics_of_plane(const struct size_request *request, uint32_t plane_count)
{
    if (request->kind != SIZE_RAIL_ONLY)
        return request->gpus;
    return (request->gpus + plane_count - 1) / plane_count;
}

/* A ZCube has as many ports in a NIC as tiers, so each of them divides the NIC differently. */
static bool solve_tiers(const struct size_request *request, uint32_t tiers, struct size_fabric *out)
{
    struct size_request with = *request;
    char reason[SIZE_REASON_BYTES];

    if (request->kind == SIZE_ZCUBE) {
        with.tiers = tiers;
        if (tiers < 2 || with.nic_bps % tiers)
            return false;
        set_ports(out, &with);
        return check_ports(&with, out, reason) && size_zcube_solve(out);
    }
    set_ports(out, request);
    if (!size_clos_solve(out, nics_of_plane(request, out->plane_count), leaf_step(request), tiers))
        return false;
    if (request->kind == SIZE_RAIL_ONLY)
        out->places *= out->plane_count;
    return request->kind != SIZE_INFINIBAND || request->gpus + size_switches(out) <= LIDS;
}

/* LIDs are also needed by switches, whose number follows from that of the NICs. */
static uint64_t largest_subnet(const struct size_request *request, uint32_t tiers, uint64_t most)
{
    struct size_request with = *request;
    struct size_fabric fabric;
    uint64_t least = 0;

    if (most > LIDS)
        most = LIDS;
    while (least < most) {
        with.gpus = (least + most + 1) / 2;
        if (solve_tiers(&with, tiers, &fabric))
            least = with.gpus;
        else
            most = with.gpus - 1;
    }
    return least;
}

uint64_t size_largest(const struct size_request *request, uint32_t tiers)
{
    struct size_request with = *request;
    struct size_fabric fabric;
    char reason[SIZE_REASON_BYTES];
    uint64_t of_plane;

    if (request->kind == SIZE_ZCUBE)
        with.tiers = tiers;
    if (request->kind == SIZE_ZCUBE && (tiers < 2 || with.nic_bps % tiers))
        return 0;
    set_ports(&fabric, &with);
    if (!check_ports(&with, &fabric, reason))
        return 0;
    if (request->kind == SIZE_ZCUBE)
        return size_zcube_largest(&fabric);
    of_plane = size_clos_largest(&fabric, leaf_step(request), tiers);
    if (request->kind == SIZE_INFINIBAND)
        return largest_subnet(request, tiers, of_plane);
    return request->kind == SIZE_RAIL_ONLY ? of_plane * fabric.plane_count : of_plane;
}

/* Returns the fewest planes with which the GPUs fit into these tiers; 0: none. */
static uint32_t planes_that_fit(const struct size_request *request, uint32_t tiers)
{
    struct size_request with = *request;
    struct size_fabric fabric;

    for (with.planes = 1; with.planes <= GRAPH_PLANES_MAX; with.planes++)
        if (with.nic_bps % with.planes == 0 && size_largest(&with, tiers) >= with.gpus &&
            solve_tiers(&with, tiers, &fabric))
            return with.planes;
    return 0;
}

/* A sentence that grows, and the number of requests that it names. */
struct refusal {
    char *reason;
    uint32_t count;
};

static void append_text(struct refusal *refusal, const char *text)
{
    size_t length = strlen(refusal->reason);

    snprintf(refusal->reason + length, SIZE_REASON_BYTES - length, "%s", text);
}

static void append_option(struct refusal *refusal, const char *option, uint64_t value)
{
    char text[64];

    snprintf(text, sizeof(text), "%s %s %llu", refusal->count ? "," : "", option,
        (unsigned long long)value);
    append_text(refusal, text);
    refusal->count++;
}

/* Returns the tiers that are refused: those of the request, or those with the most places. */
static uint32_t refused_tiers(const struct size_request *request)
{
    uint32_t best = request->kind == SIZE_ZCUBE ? SIZE_ZCUBE_TIERS_MAX : SIZE_TIERS_MAX;

    if (request->tiers)
        return request->tiers;
    for (uint32_t tiers = best; tiers > 0; tiers--)
        if (size_largest(request, tiers) > size_largest(request, best))
            best = tiers;
    return best;
}

/* Returns how many NICs a leaf has if the number is not given; 0: not even then they fit. */
static uint32_t usual_hosts(const struct size_request *request)
{
    struct size_request with = *request;
    struct size_fabric fabric;

    with.hosts_per_leaf = 0;
    for (uint32_t tiers = 1; request->hosts_per_leaf && tiers <= SIZE_TIERS_MAX; tiers++)
        if (solve_tiers(&with, tiers, &fabric))
            return fabric.tiers[0].host_ports;
    return 0;
}

static void append_nearest(
    struct refusal *refusal, const struct size_request *request, uint32_t tiers, uint64_t largest)
{
    if (largest > 0)
        append_option(refusal, "--gpus", largest);
    for (uint32_t other = 1; request->tiers && other <= SIZE_TIERS_MAX; other++)
        if (size_largest(request, other) >= request->gpus) {
            append_option(refusal, "--tiers", other);
            break;
        }
    if (request->kind == SIZE_CLOS && planes_that_fit(request, tiers))
        append_option(refusal, "--planes", planes_that_fit(request, tiers));
    if (usual_hosts(request))
        append_option(refusal, "--hosts-per-leaf", usual_hosts(request));
    append_text(refusal, refusal->count ? ", or a larger --switch" : " a larger --switch");
}

static bool refuse_size(const struct size_request *request, char *reason)
{
    uint32_t tiers = refused_tiers(request);
    uint64_t largest = size_largest(request, tiers);
    struct refusal refusal = { .reason = reason };
    char end[64] = ": its switches have too few ports";

    if (largest > 0)
        snprintf(end, sizeof(end), ", which ends at %llu GPUs", (unsigned long long)largest);
    snprintf(reason, SIZE_REASON_BYTES,
        "%llu GPUs do not fit into %s of %u tier%s%s; nearest:", (unsigned long long)request->gpus,
        size_kind_words[request->kind], tiers, tiers == 1 ? "" : "s", end);
    append_nearest(&refusal, request, tiers, largest);
    return false;
}

bool size_solve(const struct size_request *request, struct size_fabric *fabric,
    char reason[static SIZE_REASON_BYTES])
{
    struct size_request checked = *request;
    uint32_t first = request->tiers ? request->tiers : 1;
    uint32_t last = request->tiers ? request->tiers : SIZE_TIERS_MAX;

    if (request->kind == SIZE_ZCUBE && !request->tiers)
        checked.tiers = 2;
    if (!check_request(&checked, reason))
        return false;
    for (uint32_t tiers = first; tiers <= last; tiers++)
        if (solve_tiers(request, tiers, fabric)) {
            fabric->request.tiers = tiers;
            return true;
        }
    return refuse_size(request, reason);
}
