/* SPDX-License-Identifier: Apache-2.0 */
/* Memory, work requests and completions of a device, through its driver. */
#include <stdio.h>
#include <string.h>

#include "conform/endpoint_ask.h"
#include "conform/endpoint_hex.h"
#include "conform/endpoint_session.h"

enum { READ_BYTES = 1 << 14, LOOK_MS = 20 };

#define NS_PER_MS 1000000

/* ---- memory ---------------------------------------------------------------------------------- */

/* Reads memory of the device. Returns false if the driver does not answer with that. */
static bool read_memory(struct endpoint_bench *bench, uint32_t offset, uint32_t bytes, uint8_t *to)
{
    static const char key[] = " data=";
    const char *answer =
        endpoint_ask(bench, "read qp=%u offset=%u bytes=%u", bench->session.handle, offset, bytes);
    const char *data = answer ? strstr(answer, key) : NULL;

    if (data && endpoint_hex_read(data + sizeof(key) - 1, to, bytes))
        return true;
    if (answer)
        endpoint_bench_end(bench, "the driver answers 'read' without data=HEX of %u bytes", bytes);
    return false;
}

bool endpoint_session_holds(
    struct endpoint_bench *bench, const struct endpoint_packet_message *message)
{
    uint8_t found[READ_BYTES];

    for (uint32_t done = 0; bench->device->driver[0] && done < message->bytes;) {
        uint32_t left = message->bytes - done;
        uint32_t part = left < READ_BYTES ? left : READ_BYTES;

        if (!read_memory(bench, message->offset + done, part, found) ||
            memcmp(found, message->payload + done, part) != 0)
            return false;
        done += part;
    }
    return true;
}

bool endpoint_session_is_filled(
    struct endpoint_bench *bench, uint32_t offset, uint32_t bytes, uint8_t value)
{
    uint8_t found[READ_BYTES];

    for (uint32_t done = 0; bench->device->driver[0] && done < bytes;) {
        uint32_t part = bytes - done < READ_BYTES ? bytes - done : READ_BYTES;

        if (!read_memory(bench, offset + done, part, found))
            return false;
        for (uint32_t i = 0; i < part; i++)
            if (found[i] != value)
                return false;
        done += part;
    }
    return true;
}

void endpoint_session_fill(
    struct endpoint_bench *bench, uint32_t offset, uint32_t bytes, uint8_t value)
{
    if (bench->device->driver[0])
        endpoint_ask(bench, "fill qp=%u offset=%u bytes=%u value=%u", bench->session.handle, offset,
            bytes, value);
}

/* ---- work ------------------------------------------------------------------------------------ */

bool endpoint_session_post_receives(struct endpoint_bench *bench, uint32_t count)
{
    return endpoint_ask(bench, "receive qp=%u count=%u", bench->session.handle, count);
}

static bool put_bytes(struct endpoint_bench *bench, uint32_t offset, uint32_t bytes)
{
    char hex[2 * READ_BYTES + 1];

    for (uint32_t done = 0; done < bytes;) {
        uint32_t part = bytes - done < READ_BYTES ? bytes - done : READ_BYTES;

        endpoint_hex_write(bench->pattern + offset + done, part, hex);
        if (!endpoint_ask(
                bench, "put qp=%u offset=%u data=%s", bench->session.handle, offset + done, hex))
            return false;
        done += part;
    }
    return true;
}

bool endpoint_session_post(struct endpoint_bench *bench, const struct endpoint_work *work)
{
    char immediate[32] = "";

    if (work->has_immediate)
        snprintf(immediate, sizeof(immediate), " imm=%u", work->immediate);
    return put_bytes(bench, work->offset, work->bytes) &&
           endpoint_ask(bench,
               "write qp=%u id=%llu count=%u offset=%u bytes=%u va=0x%llx rkey=0x%x%s",
               bench->session.handle, (unsigned long long)work->id, work->count ? work->count : 1,
               work->offset, work->bytes, (unsigned long long)(ENDPOINT_WORK_VA + work->offset),
               ENDPOINT_WORK_RKEY, immediate);
}

static bool ask_completion(
    struct endpoint_bench *bench, struct endpoint_completion *completion, uint32_t wait_ms)
{
    const char *answer =
        endpoint_ask(bench, "completion qp=%u wait=%u", bench->session.handle, wait_ms);
    char kind[16] = "";

    *completion = (struct endpoint_completion){ .id = 0 };
    if (!answer || !endpoint_driver_word(answer, "kind", kind, sizeof(kind)) ||
        strcmp(kind, "none") == 0)
        return false;
    completion->is_receive = strcmp(kind, "receive") == 0;
    endpoint_driver_number(answer, "id", &completion->id);
    endpoint_driver_number(answer, "bytes", &completion->bytes);
    endpoint_driver_number(answer, "imm", &completion->immediate);
    endpoint_driver_word(answer, "status", completion->status, sizeof(completion->status));
    return true;
}

bool endpoint_session_complete_for(
    struct endpoint_bench *bench, struct endpoint_completion *completion, uint64_t patience_ns)
{
    uint64_t until_ns = conform_port_now_ns() + patience_ns;

    do {
        if (ask_completion(bench, completion, LOOK_MS))
            return true;
    } while (conform_port_now_ns() < until_ns && !endpoint_bench_has_ended(bench) &&
             !conform_report_has_failed(bench->report));
    return false;
}

bool endpoint_session_complete(struct endpoint_bench *bench, struct endpoint_completion *completion)
{
    return endpoint_session_complete_for(bench, completion, endpoint_bench_patience_ns(bench));
}

bool endpoint_session_poll(struct endpoint_bench *bench, struct endpoint_completion *completion)
{
    return ask_completion(bench, completion, 0);
}
