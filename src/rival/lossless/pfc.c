/* SPDX-License-Identifier: Apache-2.0 */
/* Counts packets by ingress port, and decides when to pause and to resume. */
#include "rival/lossless/pfc.h"

#include <assert.h>

enum {
    PAUSE_BYTES = 64,
    PACKETS_UNDER_WAY = 3, /* the one that exceeds the threshold, and one on each wire */
};

void pfc_init(
    struct pfc *pfc, struct arena *arena, const struct pfc_config *config, uint32_t port_count)
{
    struct pfc_ingress *ports =
        arena_take(arena, port_count, sizeof(*ports), _Alignof(struct pfc_ingress));

    if (arena->memory)
        *pfc =
            (struct pfc){ .config = *config, .ports = ports, .pool_bytes = config->buffer_bytes };
}

void pfc_reserve(struct pfc *pfc, uint32_t port, uint64_t headroom_bytes)
{
    assert(headroom_bytes <= pfc->pool_bytes);
    pfc->ports[port].headroom_bytes = headroom_bytes;
    pfc->pool_bytes -= headroom_bytes;
}

/* ---- packets --------------------------------------------------------------------------------- */

static uint64_t threshold_bytes(const struct pfc *pfc)
{
    uint64_t free_bytes = pfc->pool_bytes - pfc->used_bytes;
    int32_t shift = pfc->config.alpha_log2;

    return shift >= 0 ? free_bytes << shift : free_bytes >> -shift;
}

/* Returns false if the packet does not fit. */
static bool take_room(struct pfc *pfc, struct pfc_ingress *port, uint32_t bytes)
{
    if (port->used_bytes == 0 && port->pool_bytes + bytes <= threshold_bytes(pfc) &&
        pfc->used_bytes + bytes <= pfc->pool_bytes) {
        port->pool_bytes += bytes;
        pfc->used_bytes += bytes;
        return true;
    }
    if (port->used_bytes + bytes > port->headroom_bytes)
        return false;
    port->used_bytes += bytes;
    if (port->used_bytes > pfc->peak_bytes)
        pfc->peak_bytes = port->used_bytes;
    return true;
}

static bool must_pause(const struct pfc *pfc, const struct pfc_ingress *port, uint64_t now_ps)
{
    if (port->used_bytes == 0 && port->pool_bytes < threshold_bytes(pfc))
        return false;
    return !port->is_paused || now_ps - port->paused_ps >= pfc->config.refresh_ps;
}

struct pfc_step pfc_admit(struct pfc *pfc, uint32_t port_index, uint32_t bytes, uint64_t now_ps)
{
    struct pfc_ingress *port = &pfc->ports[port_index];
    struct pfc_step step = { .is_lost = !take_room(pfc, port, bytes) };

    if (must_pause(pfc, port, now_ps)) {
        port->is_paused = true;
        port->paused_ps = now_ps;
        pfc->pause_count++;
        step.signal = PFC_PAUSE;
    }
    return step;
}

/* Headroom is freed first. */
static void give_room(struct pfc *pfc, struct pfc_ingress *port, uint32_t bytes)
{
    uint64_t of_headroom = bytes < port->used_bytes ? bytes : port->used_bytes;
    uint64_t of_pool = bytes - of_headroom;

    assert(of_pool <= port->pool_bytes);
    port->used_bytes -= of_headroom;
    port->pool_bytes -= of_pool;
    pfc->used_bytes -= of_pool;
}

struct pfc_step pfc_release(struct pfc *pfc, uint32_t port_index, uint32_t bytes)
{
    struct pfc_ingress *port = &pfc->ports[port_index];
    struct pfc_step step = { .signal = PFC_SILENT };

    give_room(pfc, port, bytes);
    if (!port->is_paused || port->used_bytes > 0)
        return step;
    if (port->pool_bytes > 0 && port->pool_bytes + pfc->config.xon_bytes > threshold_bytes(pfc))
        return step;
    port->is_paused = false;
    step.signal = PFC_RESUME;
    return step;
}

/* ---- headroom -------------------------------------------------------------------------------- */

static uint64_t round_trip_bytes(const struct pfc_link *link)
{
    return (uint64_t)((double)link->rate_bps / 8 * (double)(link->there_ps + link->back_ps) / 1e12);
}

uint64_t pfc_least_headroom(const struct pfc_link *link)
{
    return round_trip_bytes(link) + PAUSE_BYTES + (uint64_t)PACKETS_UNDER_WAY * link->packet_bytes;
}

/* IEEE 802.3 31B.3.7, in bytes at the rate of the link. */
static uint64_t response_bytes(uint64_t rate_bps)
{
    if (rate_bps <= UINT64_C(100000000000))
        return 25216;
    return rate_bps <= UINT64_C(200000000000) ? 28992 : 57920;
}

uint64_t pfc_usual_headroom(const struct pfc_link *link)
{
    return round_trip_bytes(link) + response_bytes(link->rate_bps) +
           UINT64_C(2) * link->packet_bytes;
}
