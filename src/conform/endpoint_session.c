/* SPDX-License-Identifier: Apache-2.0 */
/* Makes and connects the QPs of a device, through its driver or as described. */
#include "conform/endpoint_session.h"

#include <arpa/inet.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "conform/endpoint_ask.h"

enum {
    FIRST_PEER_QPN = 0x700000,
    MEMORY_BYTES = 1 << 18,
    PSN_MASK = 0xffffff,
    IPV6_TEXT_BYTES = 64,
};

/* ---- past checks ----------------------------------------------------------------------------- */

bool endpoint_session_is_past(const struct endpoint_bench *bench, const struct endpoint_frame *from)
{
    uint32_t qpn = from->frame.packet.dest_qpn;

    return bench->device->driver[0] && from->reason == DROP_NONE && qpn >= FIRST_PEER_QPN &&
           qpn < bench->session.peer_qpn;
}

void endpoint_session_close(struct endpoint_bench *bench)
{
    struct endpoint_session *session = &bench->session;

    if (bench->device->driver[0] && session->is_open && bench->driver.pid > 0 &&
        !endpoint_bench_has_ended(bench))
        endpoint_ask(bench, "destroy qp=%u", session->handle);
    if (bench->device->driver[0])
        session->is_open = session->is_connected = false;
}

void endpoint_session_check_driver(struct endpoint_bench *bench)
{
    if (bench->device->driver[0] && !endpoint_bench_has_ended(bench))
        endpoint_ask(bench, "hello");
}

/* ---- terms ----------------------------------------------------------------------------------- */

struct endpoint_terms endpoint_session_terms(struct endpoint_bench *bench)
{
    struct endpoint_terms terms = bench->device->terms;

    terms.rq_psn = (uint32_t)prng_next(&bench->prng) & PSN_MASK;
    terms.sq_psn = (uint32_t)prng_next(&bench->prng) & PSN_MASK;
    return terms;
}

/* ---- a QP of the driver ---------------------------------------------------------------------- */

static bool take_address(struct endpoint_bench *bench, const char *answer)
{
    char text[IPV6_TEXT_BYTES];

    if (endpoint_driver_word(answer, "address", text, sizeof(text)) &&
        inet_pton(AF_INET6, text, bench->address.octets) == 1)
        return true;
    if (!ip_address_is_zero(&bench->device->address))
        return true;
    endpoint_bench_end(bench, "the driver answers 'qp' without address=IPV6");
    return false;
}

bool endpoint_session_make(struct endpoint_bench *bench, const struct endpoint_terms *terms)
{
    struct endpoint_session *session = &bench->session;
    uint32_t peer_qpn = session->peer_qpn ? session->peer_qpn + 1 : FIRST_PEER_QPN;
    const char *answer = endpoint_ask(bench, "qp memory=%u", MEMORY_BYTES);
    uint64_t handle = 0, qpn = 0, va = 0, rkey = 0;

    if (!answer)
        return false;
    if (!endpoint_driver_number(answer, "qp", &handle) ||
        !endpoint_driver_number(answer, "qpn", &qpn) ||
        !endpoint_driver_number(answer, "va", &va) ||
        !endpoint_driver_number(answer, "rkey", &rkey)) {
        endpoint_bench_end(bench, "the driver answers 'qp' without qp=, qpn=, va= and rkey=");
        return false;
    }
    if (!take_address(bench, answer))
        return false;
    *session = (struct endpoint_session){ .is_open = true,
        .handle = (uint32_t)handle,
        .terms = *terms,
        .qpn = (uint32_t)qpn & PSN_MASK,
        .peer_qpn = peer_qpn,
        .va = va,
        .rkey = (uint32_t)rkey,
        .memory_bytes = MEMORY_BYTES,
        .next_psn = psn(terms->rq_psn) };
    endpoint_peer_begin(&bench->peer, psn(terms->sq_psn));
    return true;
}

static bool connect_qp(struct endpoint_bench *bench)
{
    const struct endpoint_session *session = &bench->session;
    const struct endpoint_terms *terms = &session->terms;
    char address[IPV6_TEXT_BYTES];

    inet_ntop(AF_INET6, bench->device->peer.octets, address, sizeof(address));
    return endpoint_ask(bench,
        "connect qp=%u address=%s qpn=%u rq_psn=%u sq_psn=%u pmtu=%u mpr=%u mpr_dest=%u wimm=%u "
        "wimm_dest=%u timeout=%u linear=%u exponential=%u dynamic_mpr=%d",
        session->handle, address, session->peer_qpn, terms->rq_psn, terms->sq_psn,
        terms->pmtu_bytes, terms->mpr, terms->mpr_dest, terms->wimm, terms->wimm_dest,
        terms->timeout, terms->linear, terms->exponential, terms->has_dynamic_mpr);
}

/* The described QP is the same in all checks: its PSNs go on. */
static bool open_described(struct endpoint_bench *bench)
{
    const struct endpoint_device *device = bench->device;
    struct endpoint_session *session = &bench->session;

    if (session->is_open)
        return true;
    *session = (struct endpoint_session){ .is_open = true,
        .is_connected = true,
        .terms = device->terms,
        .qpn = device->qpn,
        .peer_qpn = device->peer_qpn,
        .va = device->va,
        .rkey = device->rkey,
        .memory_bytes = device->memory_bytes,
        .next_psn = psn(device->terms.rq_psn) };
    return true;
}

bool endpoint_session_open(struct endpoint_bench *bench, const struct endpoint_terms *terms)
{
    if (!bench->device->driver[0])
        return open_described(bench);
    if (!endpoint_session_make(bench, terms) || !connect_qp(bench))
        return false;
    bench->session.is_connected = true;
    return true;
}

struct endpoint_bench *endpoint_session_begin(void *kit, struct conform_report *report)
{
    struct endpoint_bench *bench = endpoint_bench_begin(kit, report);
    struct endpoint_terms terms = endpoint_session_terms(bench);

    return endpoint_session_open(bench, &terms) ? bench : NULL;
}

/* ---- state ----------------------------------------------------------------------------------- */

bool endpoint_session_is_in(struct endpoint_bench *bench, const char *state)
{
    uint64_t until_ns = conform_port_now_ns() + endpoint_bench_patience_ns(bench);
    char found[16] = "";

    if (!bench->device->driver[0])
        return true;
    do {
        const char *answer = endpoint_ask(bench, "state qp=%u", bench->session.handle);

        if (!answer)
            return false;
        endpoint_driver_word(answer, "state", found, sizeof(found));
        if (strcmp(found, state) == 0)
            return true;
        endpoint_bench_linger(bench, 10000000);
    } while (conform_port_now_ns() < until_ns);
    conform_report_fail(bench->report, "the QP is in state '%s' instead of '%s'", found, state);
    return false;
}

bool endpoint_session_set_port(struct endpoint_bench *bench, uint32_t port, bool is_up)
{
    return endpoint_ask(bench, "port port=%u state=%s", port, is_up ? "up" : "down");
}
