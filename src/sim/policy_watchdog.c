/* SPDX-License-Identifier: Apache-2.0 */
/* Notes pauses for the watchdogs of a switch, and does what they decide. */
#include "sim/policy_watchdog.h"

#include "sim/egress.h"
#include "sim/pause.h"

void policy_watchdog_init(struct roce_watch *here, struct arena *arena, uint32_t port_count)
{
    here->watchdogs =
        arena_take(arena, port_count, sizeof(*here->watchdogs), _Alignof(struct pfc_watchdog));
    deadline_heap_init(&here->timers, arena, port_count);
    for (uint32_t i = 0; here->watchdogs && i < port_count; i++)
        pfc_watchdog_init(&here->watchdogs[i]);
}

static const struct pfc_watchdog_config *config_of(const struct shard *shard)
{
    return &shard->sim->config.roce.watchdog;
}

static struct roce_watch *switch_of(const struct shard *shard, uint32_t switch_index)
{
    return &shard->sim->roce->watches[switch_index];
}

static void set_timer(struct roce_watch *here, uint32_t port)
{
    deadline_heap_set(&here->timers, port, here->watchdogs[port].deadline_ps);
}

static uint32_t data_count(const struct shard *shard, uint32_t port)
{
    return shard->ports[port].queues[PORT_DATA].count;
}

bool policy_watchdog_obeys(
    void *network, uint32_t switch_index, const struct switch_pause *pause, uint64_t now_ps)
{
    const struct shard *shard = network;
    struct roce_watch *here = switch_of(shard, switch_index);
    struct pfc_watchdog *watchdog = &here->watchdogs[pause->port];
    uint32_t port = shard->switches[switch_index].first_port + pause->port;
    bool forwards = watchdog->is_storm && config_of(shard)->action == PFC_WATCHDOG_FORWARD;

    if (pause->duration_ps == 0)
        pfc_watchdog_on_resume(watchdog, config_of(shard), now_ps);
    else if (forwards || !pause_holds(shard, port, now_ps))
        pfc_watchdog_on_pause(watchdog, config_of(shard), data_count(shard, port) > 0, now_ps);
    set_timer(here, pause->port);
    return !forwards;
}

uint64_t policy_watchdog_deadline_ps(const void *network, uint32_t switch_index)
{
    return deadline_heap_next(&switch_of(network, switch_index)->timers);
}

static void begin_storm(
    struct shard *shard, struct roce_watch *here, uint32_t port, uint64_t now_ps)
{
    here->storm_count++;
    if (config_of(shard)->action == PFC_WATCHDOG_FORWARD) {
        pause_set(shard, port, now_ps, now_ps);
        return;
    }
    here->dropped += data_count(shard, port);
    egress_flush_data(shard, port, LOST_BUFFER, now_ps);
}

/* A fault may have ended the pause, or emptied the queue. */
uint32_t policy_watchdog_expire(void *network, uint32_t switch_index, uint64_t now_ps)
{
    struct shard *shard = network;
    struct roce_watch *here = switch_of(shard, switch_index);
    uint32_t port = deadline_heap_first(&here->timers);
    uint32_t index = shard->switches[switch_index].first_port + port;
    struct pfc_watchdog *watchdog = &here->watchdogs[port];

    if (watchdog->is_storm || (pause_holds(shard, index, now_ps) && data_count(shard, index) > 0)) {
        pfc_watchdog_expire(watchdog);
        if (watchdog->is_storm)
            begin_storm(shard, here, index, now_ps);
    } else {
        watchdog->deadline_ps = PFC_WATCHDOG_NEVER_PS;
    }
    set_timer(here, port);
    return port;
}

bool policy_watchdog_admits(struct shard *shard, const struct switch_crossing *crossing)
{
    struct roce_watch *here = switch_of(shard, crossing->switch_index);

    if (!here->watchdogs[crossing->out_port].is_storm ||
        config_of(shard)->action != PFC_WATCHDOG_DROP)
        return true;
    here->dropped++;
    return false;
}

void policy_watchdog_on_data(
    struct shard *shard, const struct switch_crossing *crossing, uint64_t now_ps)
{
    struct roce_watch *here = switch_of(shard, crossing->switch_index);
    struct pfc_watchdog *watchdog = &here->watchdogs[crossing->out_port];

    if (watchdog->paused_ps == PFC_WATCHDOG_NEVER_PS)
        return;
    pfc_watchdog_on_data(watchdog, config_of(shard), now_ps);
    set_timer(here, crossing->out_port);
}
