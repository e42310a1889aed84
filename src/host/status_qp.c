/* SPDX-License-Identifier: Apache-2.0 */
/* Answers about QPs and their EVs: copied by the owner of the engine, written afterwards. */
#include <arpa/inet.h>
#include <stdio.h>
#include <stdlib.h>

#include "host/engine.h"
#include "host/ev_profile.h"
#include "plan/plan.h"

enum { SLOTS_AT_ONCE = 65536 };

struct qp_snapshot {
    uint32_t qpn;
    struct qp_attributes attributes;
    struct qp_status status;
    uint32_t evs;
    uint32_t evs_usable;
    uint32_t evs_bad;
    uint32_t demotions_refused;
    uint32_t sends_waiting;
    uint32_t send_depth;
    struct cc_settings cc;
    uint32_t ev_states[EV_STATE_COUNT]; /* the number of EVs in each */
};

static void copy_qp(struct host_qp *qp, struct qp_snapshot *out)
{
    const struct path_set *paths = transport_qp_paths(qp->engine->transport, qp->qpn);

    *out = (struct qp_snapshot){ .qpn = qp->qpn,
        .send_depth = qp->send.depth,
        .cc = qp->config.cc_profile->profile.settings,
        .sends_waiting = atomic_load(&qp->send.posted) - atomic_load(&qp->send.completed) };
    transport_qp_query(qp->engine->transport, qp->qpn, &out->attributes);
    transport_qp_status(qp->engine->transport, qp->qpn, &out->status);
    if (!paths)
        return;
    out->evs = path_ev_count(paths);
    out->evs_usable = path_usable_count(paths);
    out->evs_bad = path_bad_count(paths);
    out->demotions_refused = path_refusals(paths);
    for (uint32_t i = 0; i < out->evs; i++)
        out->ev_states[path_state_of(paths, i)]++;
}

/* Returns the number of QP slots of all engines. */
static uint32_t place_count(const struct host_nic *nic)
{
    return nic->engine_count * nic->config.qp_count_max;
}

static struct host_qp *qp_at(const struct host_nic *nic, uint32_t place)
{
    const struct engine *engine = nic->engines[place / nic->config.qp_count_max];

    return engine->qps.qps[place % nic->config.qp_count_max];
}

/* Copies some QPs, from slot *at on, and sets *at to the next slot. Returns the number of QPs. */
static uint32_t copy_some(const struct host_nic *nic, uint32_t *at, struct qp_snapshot *out)
{
    uint32_t left = place_count(nic) - *at;
    uint32_t end = *at + (left < SLOTS_AT_ONCE ? left : SLOTS_AT_ONCE);
    uint32_t count = 0;

    for (; *at < end && count < STATUS_QPS_AT_ONCE; ++*at)
        if (qp_at(nic, *at))
            copy_qp(qp_at(nic, *at), &out[count++]);
    return count;
}

static struct host_qp *find_qp(const struct host_nic *nic, uint32_t qpn)
{
    return transport_qp_owner(nic->engines[qpn & (nic->engine_count - 1)]->transport, qpn);
}

static uint32_t copy_one(const struct host_nic *nic, uint32_t qpn, struct qp_snapshot *out)
{
    struct host_qp *qp = find_qp(nic, qpn);

    if (qp)
        copy_qp(qp, out);
    return qp != NULL;
}

static void write_planes(const char *name, uint32_t mask, FILE *out)
{
    bool first = true;

    fprintf(out, ",\"%s\":[", name);
    for (uint32_t plane = 0; plane < HOST_PORT_COUNT_MAX; plane++)
        if (mask >> plane & 1) {
            fprintf(out, "%s%u", first ? "" : ",", plane);
            first = false;
        }
    fputc(']', out);
}

static void write_ev_states(const struct qp_snapshot *qp, FILE *out)
{
    fputs(",\"ev_states\":{", out);
    for (uint32_t i = 0; i < EV_STATE_COUNT; i++)
        fprintf(out, "%s\"%s\":%u", i ? "," : "", path_state_word((enum path_ev_state)i),
            qp->ev_states[i]);
    fputc('}', out);
}

static void write_floors(const struct host_nic *nic, const struct qp_snapshot *qp, FILE *out)
{
    const struct parameters *parameters = &nic->config.parameters;

    fprintf(out,
        ",\"floors\":{\"base_rtt_ns\":%llu,\"target_delay_ns\":%llu,\"reorder_window_ns\":%llu,"
        "\"sack_idle_ns\":%llu,\"tail_probe_ns\":%llu,\"probe_timeout_ns\":%llu},"
        "\"target_delay_ns\":%llu",
        (unsigned long long)parameters->base_rtt_floor,
        (unsigned long long)parameters->target_delay_floor, (unsigned long long)parameters->reo_wnd,
        (unsigned long long)parameters->sack_idle_flush, (unsigned long long)parameters->tail_floor,
        (unsigned long long)parameters->probe_timeout, (unsigned long long)qp->cc.target_delay_ns);
}

static void write_qp(const struct host_nic *nic, const struct qp_snapshot *qp, FILE *out)
{
    const struct qp_attributes *attributes = &qp->attributes;
    const struct qp_status *status = &qp->status;
    char peer[INET6_ADDRSTRLEN];

    inet_ntop(AF_INET6, attributes->peer_address.octets, peer, sizeof(peer));
    fprintf(out, "{\"qpn\":%u,\"state\":\"%s\"", qp->qpn, transport_state_word(status->state));
    if (status->state >= QP_RTR)
        fprintf(out, ",\"peer\":\"%s\",\"peer_qpn\":%u", peer, attributes->peer_qpn);
    fprintf(out,
        ",\"next_psn\":%u,\"unacked_psn\":%u,\"pmtu\":%u,\"timeout_ns\":%llu,"
        "\"retry_linear\":%u,\"retry_exponential\":%u",
        status->next_psn.value, status->unacked_psn.value, attributes->pmtu_bytes,
        (unsigned long long)parameters_longer_ns(
            UINT64_C(1024) << attributes->timeout, PARAMETER_TENTHS_timeout, status->base_rtt_ns),
        attributes->retry_linear, attributes->retry_exponential);
#define QP_METRIC(name, kind, help)    fprintf(out, ",\"" #name "\":%u", status->name);
#define QUEUE_METRIC(name, kind, help) fprintf(out, ",\"" #name "\":%u", qp->name);
#include "control/metrics.def"
    write_ev_states(qp, out);
    write_planes("planes", status->plane_mask, out);
    write_planes("control_planes", status->control_plane_mask, out);
    write_floors(nic, qp, out);
    fputc('}', out);
}

static char *answer_qps(struct host_nic *nic, uint32_t from, uint32_t qpn)
{
    struct qp_snapshot *qps = calloc(STATUS_QPS_AT_ONCE, sizeof(*qps));
    uint32_t next = from < place_count(nic) ? from : place_count(nic);
    uint32_t count = 0;
    char *text = NULL;
    size_t length;
    FILE *out = qps ? open_memstream(&text, &length) : NULL;

    if (out && engine_own_all(nic) == 0) {
        count = qpn ? copy_one(nic, qpn, qps) : copy_some(nic, &next, qps);
        engine_release_all(nic);
    }
    if (out) {
        fprintf(out, "{\"device\":\"%s\",\"next\":%u,\"qps\":[", nic->config.name,
            qpn || next == place_count(nic) ? 0 : next);
        for (uint32_t i = 0; i < count; i++) {
            fputs(i ? ",\n" : "", out);
            write_qp(nic, &qps[i], out);
        }
        fputs("]}\n", out);
    }
    free(qps);
    return out && fclose(out) == 0 ? text : NULL;
}

char *status_answer_qps(struct host_nic *nic, uint32_t from)
{
    return answer_qps(nic, from, 0);
}

char *status_answer_qp(struct host_nic *nic, uint32_t qpn)
{
    return answer_qps(nic, 0, qpn);
}

/* ---- EVs ------------------------------------------------------------------------------------- */

struct ev_snapshot {
    uint32_t ev;
    uint32_t index;
    uint32_t plane;
    enum path_ev_state state;
    bool is_active;
    struct status_ev_change change;
};

static uint32_t copy_evs(const struct host_qp *qp, struct ev_snapshot *out)
{
    const struct path_set *paths = transport_qp_paths(qp->engine->transport, qp->qpn);
    uint32_t count = paths ? path_ev_count(paths) : 0;

    for (uint32_t i = 0; i < count; i++)
        out[i] = (struct ev_snapshot){ .ev = path_ev_of(paths, i),
            .index = qp->config.ev_profile->theirs[i],
            .plane = path_plane_of(paths, i),
            .state = path_state_of(paths, i),
            .is_active = path_is_active(paths, i),
            .change = qp->ev_changes[i] };
    return count;
}

static void write_ev(
    const struct host_nic *nic, const struct ev_snapshot *ev, uint32_t now_ms, FILE *out)
{
    fprintf(out, "{\"ev\":%u,\"index\":%u,\"plane\":%u", ev->ev, ev->index, ev->plane);
    if (nic->config.uplink_count)
        fprintf(out, ",\"uplink\":%u", plan_ev_of(&nic->config.format, ev->ev).uplink);
    fprintf(out, ",\"state\":\"%s\",\"active\":%s", path_state_word(ev->state),
        ev->is_active ? "true" : "false");
    if (ev->change.at_ms)
        fprintf(out, ",\"cause\":\"%s\",\"ms_ago\":%u",
            path_signal_word((enum path_signal)ev->change.cause),
            (uint32_t)(now_ms + 1 - ev->change.at_ms));
    fputc('}', out);
}

char *status_answer_evs(struct host_nic *nic, uint32_t qpn)
{
    struct ev_snapshot *evs = calloc(PATH_EV_COUNT_MAX, sizeof(*evs));
    const struct host_qp *qp = NULL;
    uint32_t count = 0;
    char *text = NULL;
    size_t length;
    FILE *out = evs ? open_memstream(&text, &length) : NULL;

    if (out && engine_own_all(nic) == 0) {
        qp = find_qp(nic, qpn);
        count = qp ? copy_evs(qp, evs) : 0;
        engine_release_all(nic);
    }
    if (out && !qp)
        fprintf(out, "{\"error\":\"there is no QP %u\"}\n", qpn);
    if (out && qp) {
        uint32_t now_ms = (uint32_t)(host_now_ns() / 1000000u);

        fprintf(out, "{\"device\":\"%s\",\"qpn\":%u,\"evs\":[", nic->config.name, qpn);
        for (uint32_t i = 0; i < count; i++) {
            fputs(i ? ",\n" : "", out);
            write_ev(nic, &evs[i], now_ms, out);
        }
        fputs("]}\n", out);
    }
    free(evs);
    return out && fclose(out) == 0 ? text : NULL;
}
