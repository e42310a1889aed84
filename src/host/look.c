/* SPDX-License-Identifier: Apache-2.0 */
/* Queries of a NIC: ports, counters, probes. */
#include <errno.h>
#include <stdio.h>

#include "host/engine.h"

bool host_is_dead(const struct host_nic *nic)
{
    return atomic_load_explicit(&nic->is_dead, memory_order_relaxed);
}

uint32_t host_pmtu_max(const struct host_nic *nic)
{
    return nic->pmtu_max;
}

static void add_port(const struct engine *engine, uint32_t index, struct host_port_state *state)
{
    const struct pktio_port *port = engine->ports[index];

    state->frames_received += port->frames_received;
    state->bytes_received += port->bytes_received;
    state->frames_sent += port->frames_sent;
    state->bytes_sent += port->bytes_sent;
    state->send_drops += port->send_drops;
    state->receive_drops += engine->port_receive_drops[index];
    state->link_up &= pktio_port_link_up(port);
    state->usable &= transport_ports(engine->transport).usable_mask >> index & 1;
}

int host_port_query(struct host_nic *nic, uint32_t port_index, struct host_port_state *out)
{
    const struct pktio_port *port;
    int err;

    if (port_index >= nic->config.port_count)
        return -EINVAL;
    err = engine_own_all(nic);
    if (err)
        return err;
    port = nic->engines[0]->ports[port_index];
    *out = (struct host_port_state){ .link_up = true,
        .admin_up = nic->admin_mask >> port_index & 1,
        .usable = true,
        .mtu_bytes = port->mtu_bytes,
        .rate_bps = port->rate_bps };
    for (uint32_t i = 0; i < nic->engine_count; i++)
        add_port(nic->engines[i], port_index, out);
    snprintf(out->kind, sizeof(out->kind), "%s", port->ops->kind);
    engine_release_all(nic);
    return 0;
}

int host_port_set_admin(struct host_nic *nic, uint32_t port_index, bool up)
{
    uint32_t bit = UINT32_C(1) << port_index;
    uint32_t disabled_mask;
    int err;

    if (port_index >= nic->config.port_count)
        return -EINVAL;
    err = engine_own_all(nic);
    if (err)
        return err;
    nic->admin_mask = up ? nic->admin_mask | bit : nic->admin_mask & ~bit;
    disabled_mask = ~nic->admin_mask & ((UINT32_C(1) << nic->config.port_count) - 1);
    for (uint32_t i = 0; i < nic->engine_count; i++) {
        transport_drain_ports(nic->engines[i]->transport, disabled_mask);
        engine_update_links(nic->engines[i], host_now_ns());
        engine_report(nic->engines[i]);
    }
    engine_release_all(nic);
    return 0;
}

static void add_counters(const struct engine *engine, struct host_counters *sum)
{
    sum->engine_passes += engine->pass_count;
    sum->progress_passes += engine->progress_pass_count;
    sum->progress_wakeups += engine->wakeup_count;
    sum->async_events_lost += engine->async.lost;
    for (uint32_t i = 0; i < COUNTER_COUNT; i++)
        sum->transport[i] += transport_counters(engine->transport)[i];
    for (uint32_t i = 0; i < DROP_REASON_COUNT; i++)
        sum->drops[i] += transport_drops(engine->transport)[i];
}

int host_counters(struct host_nic *nic, struct host_counters *out)
{
    int err = engine_own_all(nic);

    if (err)
        return err;
    *out = (struct host_counters){ 0 };
    for (uint32_t i = 0; i < nic->engine_count; i++)
        add_counters(nic->engines[i], out);
    engine_release_all(nic);
    return 0;
}

/* ---- endpoint probes --------------------------------------------------------------------------
 */

int host_probe_send(struct host_nic *nic, const struct host_probe *probe, uint16_t *request_id)
{
    struct engine *engine = nic->engines[0];
    uint64_t now_ns = host_now_ns();
    int err;

    if (probe->address_count > 2)
        return -EINVAL;
    err = engine_own(engine);
    if (err)
        return err;
    err = transport_endpoint_probe(
        engine->transport, &probe->dst, probe->ev, probe->port, probe->class, request_id, now_ns);
    if (!err) {
        nic->probes[*request_id % ENGINE_PROBES] = (struct engine_probe){ .is_set = true,
            .request_id = *request_id,
            .address_count = probe->address_count,
            .addresses = probe->addresses };
        engine_pass_out(engine, now_ns);
    }
    engine_release(engine);
    return err;
}

uint32_t host_probe_answers(struct host_nic *nic, struct host_probe_answer *out, uint32_t max)
{
    uint32_t count = 0;

    host_progress(nic);
    if (engine_own(nic->engines[0]))
        return 0;
    while (count < max && nic->answer_head != nic->answer_tail)
        out[count++] = nic->answers[nic->answer_head++ % ENGINE_PROBES];
    engine_release(nic->engines[0]);
    return count;
}
