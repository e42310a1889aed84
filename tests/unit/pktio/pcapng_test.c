/* SPDX-License-Identifier: Apache-2.0 */
/* The pcapng writer, read back by libpcap and, for what libpcap does not tell, byte by byte. */
#include "pktio/pcapng.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "pktio/capture.h"
#include "spec.h"

struct written {
    char path[32];
    FILE *file;
    struct pcapng pcapng;
};

static void begin(struct written *written)
{
    strcpy(written->path, "/tmp/pcapng-test-XXXXXX");
    written->file = fdopen(mkstemp(written->path), "w+b");
    EXPECT(written->file != NULL);
    EXPECT_EQ(pcapng_init(&written->pcapng, written->file, "pcapng_test"), 0);
}

static void end(struct written *written)
{
    fclose(written->file);
    unlink(written->path);
}

/* Whether these bytes stand somewhere in the file. */
static bool holds(struct written *written, const void *wanted, size_t wanted_bytes)
{
    uint8_t content[4096];
    size_t length;

    fflush(written->file);
    rewind(written->file);
    length = fread(content, 1, sizeof(content), written->file);
    return memmem(content, length, wanted, wanted_bytes) != NULL;
}

SPEC("packets of any length are read back with bytes, lengths and nanoseconds")
{
    static const uint8_t bytes[5] = { 0x60, 1, 2, 3, 4 };
    struct written written;
    struct capture capture;
    struct capture_packet packet;
    uint32_t port;

    begin(&written);
    EXPECT_EQ(pcapng_add_interface(&written.pcapng, "port1", LINK_TYPE_RAW_IP, &port), 0);
    for (uint32_t length = 0; length <= sizeof(bytes); length++)
        EXPECT_EQ(pcapng_add_packet(&written.pcapng, &(struct pcapng_packet){ .bytes = bytes,
                                                         .captured_bytes = length,
                                                         .original_bytes = length + 1000,
                                                         .time_ns = 1700000000123456789 + length,
                                                         .interface = port }),
            0);
    fflush(written.file);

    EXPECT_EQ(capture_open(&capture, written.path), 0);
    EXPECT_EQ(capture.link_type, LINK_TYPE_RAW_IP);
    for (uint32_t length = 0; length <= sizeof(bytes); length++) {
        EXPECT_EQ(capture_next(&capture, &packet), 1);
        EXPECT_EQ(packet.captured_bytes, length);
        EXPECT_EQ(packet.original_bytes, length + 1000);
        EXPECT(packet.has_time);
        EXPECT_EQ(packet.time_ns, 1700000000123456789 + length);
        EXPECT_MEM_EQ(packet.bytes, bytes, length);
    }
    EXPECT_EQ(capture_next(&capture, &packet), 0);
    capture_close(&capture);
    end(&written);
}

SPEC("each port is an interface with its name")
{
    struct written written;
    uint32_t first;
    uint32_t second;

    begin(&written);
    EXPECT_EQ(pcapng_add_interface(&written.pcapng, "plane 0", LINK_TYPE_ETHERNET, &first), 0);
    EXPECT_EQ(pcapng_add_interface(&written.pcapng, "plane 1", LINK_TYPE_ETHERNET, &second), 0);
    EXPECT_EQ(first, 0);
    EXPECT_EQ(second, 1);
    EXPECT(holds(&written, "plane 0", 7));
    EXPECT(holds(&written, "plane 1", 7));
    end(&written);
}

SPEC("a comment is an option of its packet, padded to four bytes")
{
    static const uint8_t option[] = { 0, 1, 0, 2, 'W', '1', 0, 0, 0, 0, 0, 0 };
    static const uint8_t bytes[4] = { 0x60 };
    struct written written;
    uint32_t port;

    begin(&written);
    pcapng_add_interface(&written.pcapng, "port1", LINK_TYPE_RAW_IP, &port);
    EXPECT_EQ(pcapng_add_packet(&written.pcapng, &(struct pcapng_packet){ .bytes = bytes,
                                                     .captured_bytes = 4,
                                                     .original_bytes = 4,
                                                     .interface = port,
                                                     .comment = "W1" }),
        0);
    EXPECT(holds(&written, option, sizeof(option)));
    end(&written);
}

SPEC("a full disk is reported as an error")
{
    FILE *full = fopen("/dev/full", "wb");
    struct pcapng pcapng;

    if (!full)
        SKIP("/dev/full cannot be opened");
    setvbuf(full, NULL, _IONBF, 0);
    EXPECT_EQ(pcapng_init(&pcapng, full, "pcapng_test"), -ENOSPC);
    fclose(full);
}
