/* SPDX-License-Identifier: Apache-2.0 */
/* Opens the ports and the driver of an endpoint, and receives what comes from it. */
#include "conform/endpoint_bench.h"

#include <arpa/inet.h>
#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/random.h>

#include "conform/endpoint_packet.h"
#include "conform/endpoint_session.h"

enum {
    FRAMES_MAX = 1 << 13,
    BYTES_MAX = 40 << 20,
    REQUESTS_KEPT = 64,
    FLOOD_FRAMES = 60000, /* of one check */
    SILENT_WAITS_MAX = 5,
    VAIN_WAITS_PATIENT = 3, /* later ones are shorter */
    LINGER_NS = 4000000,
};

#define SECOND_NS UINT64_C(1000000000)
#define RUN_NS    (100 * SECOND_NS)
#define PS_PER_NS 1000
#define LOOK_NS   (SECOND_NS / 10)

/* ---- open and close -------------------------------------------------------------------------- */

static bool takes_mac(const char *address)
{
    return strncmp(address, "raw:", 4) == 0 || strncmp(address, "xdp:", 4) == 0 ||
           !strchr(address, ':');
}

static int open_port(struct endpoint_bench *bench, uint32_t port)
{
    const struct endpoint_port *from = &bench->device->ports[port];
    char address[ENDPOINT_TEXT_BYTES + 32];
    bool has_mac = from->mac[0] && takes_mac(from->interface) && !strchr(from->interface, '?');

    snprintf(address, sizeof(address), "%s%s%s%s",
        strchr(from->interface, ':') ? "" : "raw:", from->interface, has_mac ? "?peer=" : "",
        has_mac ? from->mac : "");
    return conform_port_open(&bench->ports[port], address,
        &(struct pktio_self){ .device = from->device, .index = port });
}

static int open_ports(struct endpoint_bench *bench, char *reason, size_t reason_bytes)
{
    const struct endpoint_device *device = bench->device;

    for (uint32_t i = 0; i < device->port_count; i++) {
        int err = open_port(bench, i);

        if (err) {
            snprintf(reason, reason_bytes, "%s: %s%s", device->ports[i].interface, strerror(-err),
                err == -EPERM ? "; only root can open an interface" : "");
            return err;
        }
        bench->port_count++;
    }
    return 0;
}

static int open_memory(struct endpoint_bench *bench)
{
    uint8_t *pattern = malloc(ENDPOINT_PATTERN_BYTES);
    uint64_t seed;

    bench->frames = calloc(FRAMES_MAX, sizeof(*bench->frames));
    bench->bytes = malloc(BYTES_MAX);
    bench->pattern = pattern;
    if (!pattern || !bench->frames || !bench->bytes ||
        getrandom(&seed, sizeof(seed), 0) != sizeof(seed))
        return -ENOMEM;
    bench->prng = prng_stream(seed, 0);
    bench->next_id = (uint16_t)prng_next(&bench->prng);
    for (uint32_t i = 0; i < ENDPOINT_PATTERN_BYTES; i++)
        pattern[i] = (uint8_t)prng_next(&bench->prng);
    return 0;
}

/* The device is open before the ports: they may be rings for which it listens. */
bool endpoint_bench_open(struct endpoint_bench *bench, const struct endpoint_device *device,
    char *reason, size_t reason_bytes)
{
    *bench = (struct endpoint_bench){
        .device = device, .address = device->address, .end_ns = conform_port_now_ns() + RUN_NS
    };
    snprintf(reason, reason_bytes, "not enough memory");
    if (open_memory(bench) == 0 &&
        (!device->driver[0] ||
            endpoint_driver_start(&bench->driver, device->driver, reason, reason_bytes)) &&
        open_ports(bench, reason, reason_bytes) == 0)
        return true;
    endpoint_bench_close(bench);
    return false;
}

void endpoint_bench_close(struct endpoint_bench *bench)
{
    endpoint_driver_stop(&bench->driver);
    for (uint32_t i = 0; i < bench->port_count; i++)
        conform_port_close(&bench->ports[i]);
    bench->port_count = 0;
    free(bench->frames);
    free(bench->bytes);
    free((uint8_t *)bench->pattern);
}

struct endpoint_bench *endpoint_bench_begin(void *kit, struct conform_report *report)
{
    struct endpoint_bench *bench = kit;

    bench->report = report;
    endpoint_session_close(bench);
    bench->frame_count = 0;
    bench->used_bytes = 0;
    bench->received_count = 0;
    bench->request_count = 0;
    memset(bench->port_data, 0, sizeof(bench->port_data));
    return bench;
}

void endpoint_bench_end(struct endpoint_bench *bench, const char *format, ...)
{
    char text[256];
    va_list arguments;

    va_start(arguments, format);
    vsnprintf(text, sizeof(text), format, arguments);
    va_end(arguments);
    conform_report_end(bench->report, "%s", text);
}

/* ---- receiving ------------------------------------------------------------------------------- */

static void answer_request(struct endpoint_bench *bench, const struct endpoint_frame *from)
{
    struct packet answer = endpoint_packet_response(bench, &from->frame.packet);

    answer.port = (uint8_t)from->port;
    endpoint_bench_send(bench, &answer);
}

/* What the kit answers by itself, as any endpoint does. */
static void react_to(struct endpoint_bench *bench, const struct endpoint_frame *from)
{
    uint8_t opcode = from->frame.packet.opcode;

    if (from->reason != DROP_NONE)
        return;
    if (opcode == OPCODE_ENDPOINT_REQUEST)
        answer_request(bench, from);
    else if (opcode_is_write(opcode) || opcode == OPCODE_PROBE)
        endpoint_peer_receive(bench, from);
}

static void take_frame(void *context, uint32_t port, const uint8_t *bytes, uint32_t length)
{
    struct endpoint_bench *bench = context;
    struct endpoint_frame *frame = &bench->frames[bench->frame_count];
    uint8_t *copy = bench->bytes + bench->used_bytes;
    bool is_request;

    bench->received_count++;
    bench->silent_waits = 0;
    if (bench->frame_count == FRAMES_MAX || bench->used_bytes + length > BYTES_MAX)
        return;
    memcpy(copy, bytes, length);
    *frame = (struct endpoint_frame){
        .bytes = copy, .length = length, .port = port, .arrived_ns = conform_port_now_ns()
    };
    frame->reason = frame_parse(&bench->device->format, copy, length, &frame->frame);
    frame->has_good_icrc = frame->reason == DROP_NONE && frame_icrc_ok(&frame->frame, copy);
    is_request =
        frame->reason == DROP_NONE && frame->frame.packet.opcode == OPCODE_ENDPOINT_REQUEST;
    bench->request_count += is_request;
    if (frame->reason == DROP_NONE && opcode_is_write(frame->frame.packet.opcode))
        bench->port_data[port]++;
    react_to(bench, frame);
    if (endpoint_session_is_past(bench, frame))
        return;
    if (is_request && bench->request_count > REQUESTS_KEPT)
        return; /* ways back are probed all the time */
    bench->frame_count++;
    bench->used_bytes += length;
}

static bool is_still_there(struct endpoint_bench *bench)
{
    if (endpoint_bench_has_ended(bench))
        return false;
    if (bench->is_interrupted && *bench->is_interrupted)
        endpoint_bench_end(bench, "interrupted");
    else if (bench->received_count > FLOOD_FRAMES)
        endpoint_bench_end(bench, "the device floods: it sent %llu packets during one check",
            (unsigned long long)bench->received_count);
    else if (conform_port_now_ns() > bench->end_ns)
        endpoint_bench_end(bench, "the checks have taken %u s: the device answers too slowly",
            (unsigned)(RUN_NS / SECOND_NS));
    else
        for (uint32_t i = 0; i < bench->port_count; i++)
            if (conform_port_is_gone(&bench->ports[i]))
                endpoint_bench_end(bench, "port %s: %s", bench->ports[i].name,
                    conform_port_trouble(&bench->ports[i]));
    return !endpoint_bench_has_ended(bench);
}

bool endpoint_bench_pump(struct endpoint_bench *bench, int fd, uint64_t until_ns)
{
    uint64_t look_ns = conform_port_now_ns() + LOOK_NS;

    if (!is_still_there(bench))
        return false;
    if (conform_port_receive(bench->ports, bench->port_count, take_frame, bench))
        return true;
    conform_port_wait_also(
        bench->ports, bench->port_count, fd, until_ns < look_ns ? until_ns : look_ns);
    conform_port_receive(bench->ports, bench->port_count, take_frame, bench);
    return true;
}

/* ---- waiting --------------------------------------------------------------------------------- */

uint64_t endpoint_bench_patience_ns(const struct endpoint_bench *bench)
{
    uint64_t patience_ns = bench->device->patience_ps / PS_PER_NS;

    return bench->vain_waits < VAIN_WAITS_PATIENT || patience_ns < SECOND_NS ? patience_ns
                                                                             : SECOND_NS;
}

const struct endpoint_frame *endpoint_bench_find(
    const struct endpoint_bench *bench, uint32_t from, endpoint_match *matches, uint32_t key)
{
    for (uint32_t i = from; i < bench->frame_count; i++)
        if (bench->frames[i].reason == DROP_NONE && matches(&bench->frames[i], key))
            return &bench->frames[i];
    return NULL;
}

uint32_t endpoint_bench_count(
    const struct endpoint_bench *bench, uint32_t from, endpoint_match *matches, uint32_t key)
{
    uint32_t count = 0;

    for (uint32_t i = from; i < bench->frame_count; i++)
        count += bench->frames[i].reason == DROP_NONE && matches(&bench->frames[i], key);
    return count;
}

static void note_vain_wait(struct endpoint_bench *bench, uint64_t received_before)
{
    bench->vain_waits++;
    if (bench->received_count == received_before)
        bench->silent_waits++;
    if (bench->silent_waits >= SILENT_WAITS_MAX)
        endpoint_bench_end(bench, "the device no longer answers");
    else
        endpoint_session_check_driver(bench);
}

const struct endpoint_frame *endpoint_bench_await(
    struct endpoint_bench *bench, uint32_t from, endpoint_match *matches, uint32_t key)
{
    uint64_t until_ns = conform_port_now_ns() + endpoint_bench_patience_ns(bench);
    uint64_t received_before = bench->received_count;
    const struct endpoint_frame *found = endpoint_bench_find(bench, from, matches, key);

    while (!found && conform_port_now_ns() < until_ns) {
        uint32_t known = bench->frame_count;

        if (!endpoint_bench_pump(bench, -1, until_ns))
            return NULL;
        found = endpoint_bench_find(bench, known > from ? known : from, matches, key);
    }
    if (!found)
        note_vain_wait(bench, received_before);
    return found;
}

void endpoint_bench_linger(struct endpoint_bench *bench, uint64_t time_ns)
{
    uint64_t until_ns = conform_port_now_ns() + time_ns;

    while (conform_port_now_ns() < until_ns && endpoint_bench_pump(bench, -1, until_ns))
        ;
}

/* A device that answers in another order has a little time afterwards. */
void endpoint_bench_settle(struct endpoint_bench *bench)
{
    struct packet probe = endpoint_packet_request(bench, ENDPOINT_EV_PROBE);
    uint32_t from = endpoint_bench_mark(bench);

    if (!bench->has_late_fence) {
        endpoint_bench_send(bench, &probe);
        bench->has_late_fence =
            !endpoint_bench_await(bench, from, endpoint_packet_is_response, probe.psn.value);
    }
    endpoint_bench_linger(bench, bench->has_late_fence ? 20 * LINGER_NS : LINGER_NS);
}
