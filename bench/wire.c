/* SPDX-License-Identifier: Apache-2.0 */
/* The cost of the headers of a full SRv6 data packet, and the iCRC compared with libdeflate's
 * crc32. */
#include <inttypes.h>
#include <libdeflate.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <time.h>

#include "callgrind.h"
#include "wire/frame.h"
#include "wire/icrc.h"

#define INSTRUCTION_RUNS   1000
#define INSTRUCTION_BUDGET 400
#define RUNS_A_ROUND       500
#define ROUNDS             500
#define PAYLOAD_BYTES      4096

struct sample {
    struct frame frame;
    uint8_t bytes[PAYLOAD_BYTES + FRAME_HEADER_BYTES_MAX + FRAME_ICRC_BYTES];
};

static const struct ipv6_addr path = { { 0xfc, 0, 0, 0x42, 0xa4, 5, 0xa8, 0x9c, 0xa4, 0x12, 0xac,
    7 } };

/* Addressing is part of building: a sender fills a struct packet and does both. */
static void build(struct sample *sample)
{
    frame_address(&format_default, &sample->frame, &path, NULL);
    frame_build(&format_default, &sample->frame, sample->bytes, sizeof(sample->bytes));
}

static void parse(struct sample *sample)
{
    struct frame parsed;

    if (frame_parse(&format_default, sample->bytes, sample->frame.length, &parsed) != DROP_NONE)
        abort();
}

static struct sample sample_make(void)
{
    struct sample sample = { .frame.packet = { .src.octets = { 0x20, 0x01, 0x0d, 0xb8, [15] = 0xa },
                                 .dst.octets = { 0x20, 0x01, 0x0d, 0xb8, [15] = 0xb },
                                 .ev = 0x059c,
                                 .dest_qpn = 0x222,
                                 .psn = psn(0x100),
                                 .opcode = OPCODE_WRITE_MIDDLE,
                                 .flags = PACKET_STAMPED,
                                 .class = DSCP_TRIMMABLE,
                                 .ecn = ECN_ECT0,
                                 .write = { .va = UINT64_C(0x7f0012345000),
                                     .payload.length = PAYLOAD_BYTES,
                                     .rkey = 0xdeadbeef,
                                     .message_bytes = 1 << 20,
                                     .msn = 7,
                                     .tx_timestamp = 0x1234 } } };

    build(&sample);
    for (uint32_t i = 0; i < PAYLOAD_BYTES; i++)
        sample.bytes[sample.frame.payload_offset + i] = (uint8_t)(i * 7);
    frame_seal(&sample.frame, sample.bytes);
    return sample;
}

static double now_ns(void)
{
    struct timespec now;

    clock_gettime(CLOCK_MONOTONIC, &now);
    return (double)now.tv_sec * 1e9 + (double)now.tv_nsec;
}

static double round_ns(void (*work)(struct sample *), struct sample *sample)
{
    double start = now_ns();

    for (uint32_t i = 0; i < RUNS_A_ROUND; i++)
        work(sample);
    return (now_ns() - start) / RUNS_A_ROUND;
}

/* Takes the shortest of many short rounds, ours and theirs in turn, to exclude disturbances. */
static void best_ns(void (*ours)(struct sample *), void (*theirs)(struct sample *),
    struct sample *sample, double best[2])
{
    for (uint32_t round = 0; round < ROUNDS; round++) {
        double ns[2] = { round_ns(ours, sample), round_ns(theirs, sample) };

        for (uint32_t i = 0; i < 2; i++)
            if (round == 0 || ns[i] < best[i])
                best[i] = ns[i];
    }
}

static volatile uint32_t crc_sink;

static size_t covered_bytes(const struct sample *sample)
{
    return sample->frame.length - FRAME_ICRC_BYTES - sample->frame.inner_offset;
}

static void crc_ours(struct sample *sample)
{
    crc_sink = icrc_compute(sample->bytes + sample->frame.inner_offset, covered_bytes(sample));
}

static void crc_libdeflate(struct sample *sample)
{
    crc_sink =
        libdeflate_crc32(0, sample->bytes + sample->frame.inner_offset, covered_bytes(sample));
}

static void print_start(const char *metric)
{
    printf("{\"bench\": \"wire\", \"metric\": \"%s\", \"value\": ", metric);
}

static void print_times(struct sample *sample)
{
    double best[2];

    best_ns(parse, build, sample, best);
    print_start("parse headers");
    printf("%.1f, \"unit\": \"ns\"}\n", best[0]);
    print_start("build headers");
    printf("%.1f, \"unit\": \"ns\"}\n", best[1]);
}

static void print_crc(struct sample *sample)
{
    double bytes = (double)covered_bytes(sample);
    double best[2];

    best_ns(crc_ours, crc_libdeflate, sample, best);
    print_start("icrc of a full packet");
    printf(
        "%.2f, \"unit\": \"GB/s\", \"compared_with\": \"libdeflate_crc32\", \"reference\": %.2f, "
        "\"ratio\": %.3f}\n",
        bytes / best[0], bytes / best[1], best[1] / best[0]);
}

/* Returns the instructions per run of `operation` in these two functions and their callees. */
static uint64_t instructions_of(const char *operation, const char *function, const char *also)
{
    const char *const counted[] = { function, also, NULL };
    const char *const arguments[] = { "--repeat", operation, NULL };

    return callgrind_instructions(
               &(struct callgrind_run){ .counted = counted, .arguments = arguments }) /
           INSTRUCTION_RUNS;
}

static void print_instructions(const char *metric, uint64_t instructions)
{
    print_start(metric);
    if (instructions)
        printf("%" PRIu64, instructions);
    else
        printf("null");
    printf(", \"unit\": \"instructions\", \"compared_with\": \"budget\", \"reference\": %d, "
           "\"built_with\": \"%s\"}\n",
        INSTRUCTION_BUDGET, CALLGRIND_BUILT_WITH);
}

static void repeat(const char *operation, struct sample *sample)
{
    for (uint32_t i = 0; i < INSTRUCTION_RUNS; i++)
        if (strcmp(operation, "parse") == 0)
            parse(sample);
        else
            build(sample);
}

int main(int argument_count, char **arguments)
{
    const char *option = argument_count > 1 ? arguments[1] : "";
    struct sample sample = sample_make();

    if (strcmp(option, "--repeat") == 0 && argument_count == 3) {
        repeat(arguments[2], &sample);
        return 0;
    }
    print_instructions("parse headers", instructions_of("parse", "frame_parse", NULL));
    print_instructions(
        "build headers", instructions_of("build", "frame_address", "frame_build_packet"));
    if (strcmp(option, "--instructions") == 0)
        return 0;
    print_times(&sample);
    print_crc(&sample);
    return 0;
}
