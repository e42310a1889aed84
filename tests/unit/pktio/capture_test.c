/* SPDX-License-Identifier: Apache-2.0 */
/* Captures: formats are told apart by their content, faults are named with their place. */
#include "pktio/capture.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include <pcap/pcap.h>
#include <sys/stat.h>
#include <unistd.h>

#include "pktio/pcapng.h"
#include "spec.h"

static char path[] = "/tmp/capture-test-XXXXXX";

static void write_file(const void *content, size_t length)
{
    int fd;

    strcpy(path + strlen(path) - 6, "XXXXXX");
    fd = mkstemp(path);
    EXPECT(fd >= 0);
    EXPECT_EQ(write(fd, content, length), length);
    close(fd);
}

/* Written by libpcap itself. */
static void write_pcap(int link_type, u_int precision)
{
    pcap_t *dead = pcap_open_dead_with_tstamp_precision(link_type, 65535, precision);
    struct pcap_pkthdr header = { .ts = { 1700000000, 123456 }, .caplen = 2, .len = 60 };
    pcap_dumper_t *dumper;

    write_file("", 0);
    dumper = pcap_dump_open(dead, path);
    EXPECT(dumper != NULL);
    pcap_dump((u_char *)dumper, &header, (const u_char *)"\x60\x01");
    pcap_dump_close(dumper);
    pcap_close(dead);
}

static void expect_refusal(int error, const char *message)
{
    struct capture capture;
    const char *after_path;

    EXPECT_EQ(capture_open(&capture, path), error);
    EXPECT(strncmp(capture.error, path, strlen(path)) == 0);
    after_path = capture.error + strlen(path);
    EXPECT_STR_EQ(after_path, message);
    unlink(path);
}

SPEC("a pcap file is read, with times in nanoseconds")
{
    struct capture capture;
    struct capture_packet packet;

    write_pcap(DLT_EN10MB, PCAP_TSTAMP_PRECISION_MICRO);
    EXPECT_EQ(capture_open(&capture, path), 0);
    EXPECT(!capture.is_text);
    EXPECT(!capture.is_stream);
    EXPECT_EQ(capture.link_type, LINK_TYPE_ETHERNET);
    EXPECT_EQ(capture_next(&capture, &packet), 1);
    EXPECT_EQ(packet.time_ns, 1700000000123456000);
    EXPECT_EQ(packet.captured_bytes, 2);
    EXPECT_EQ(packet.original_bytes, 60);
    EXPECT_EQ(packet.bytes[1], 1);
    EXPECT_EQ(capture_next(&capture, &packet), 0);
    capture_close(&capture);
    unlink(path);
}

SPEC("a pcap file with nanoseconds keeps them, and raw IP has its link type of files")
{
    struct capture capture;
    struct capture_packet packet;

    write_pcap(DLT_RAW, PCAP_TSTAMP_PRECISION_NANO);
    EXPECT_EQ(capture_open(&capture, path), 0);
    EXPECT_EQ(capture.link_type, LINK_TYPE_RAW_IP);
    EXPECT_EQ(capture_next(&capture, &packet), 1);
    EXPECT_EQ(packet.time_ns, 1700000000000123456);
    capture_close(&capture);
    unlink(path);
}

SPEC("hex lines are read, with their names and without a time")
{
    static const char lines[] = "# two packets\n\nW1 2 612f\n61 2f ab\n";
    struct capture capture;
    struct capture_packet packet;

    write_file(lines, sizeof(lines) - 1);
    EXPECT_EQ(capture_open(&capture, path), 0);
    EXPECT(capture.is_text);
    EXPECT_EQ(capture_next(&capture, &packet), 1);
    EXPECT_STR_EQ(packet.name, "W1");
    EXPECT_EQ(packet.captured_bytes, 2);
    EXPECT(!packet.has_time);
    EXPECT_EQ(capture_next(&capture, &packet), 1);
    EXPECT(packet.name == NULL);
    EXPECT_EQ(packet.captured_bytes, 3);
    EXPECT_EQ(capture_next(&capture, &packet), 0);
    capture_close(&capture);
    unlink(path);
}

SPEC("an error in a hex line is reported with file, line and column")
{
    static const char lines[] = "# comment\n612f\n61x2\n";
    struct capture capture;
    struct capture_packet packet;

    write_file(lines, sizeof(lines) - 1);
    EXPECT_EQ(capture_open(&capture, path), 0);
    EXPECT_EQ(capture_next(&capture, &packet), 1);
    EXPECT_EQ(capture_next(&capture, &packet), -EINVAL);
    EXPECT_STR_EQ(capture.error + strlen(path),
        ":3:3: 'x' is not a hex digit; a line is [NAME LENGTH] HEXDIGITS");
    capture_close(&capture);
    unlink(path);
}

SPEC("a file shorter than a magic number can still be a hex line")
{
    struct capture capture;
    struct capture_packet packet;

    write_file("61", 2);
    EXPECT_EQ(capture_open(&capture, path), 0);
    EXPECT_EQ(capture_next(&capture, &packet), 1);
    EXPECT_EQ(packet.captured_bytes, 1);
    capture_close(&capture);
    unlink(path);
}

SPEC("a file that is empty, compressed or of another kind is refused with its name")
{
    write_file("", 0);
    expect_refusal(-ENODATA, " is empty: there is nothing to decode");
    write_file("\x1f\x8b\x08\0\0\0", 6);
    expect_refusal(-EINVAL, " is compressed: unpack it, for example with zcat or zstdcat");
    write_file("\x7f"
               "ELF\2",
        5);
    expect_refusal(-EINVAL, " is neither pcap, pcapng nor hex lines: it begins with the bytes "
                            "7f 45 4c 46");
}

SPEC("a missing file, and a folder, are refused with the message of the system")
{
    struct capture capture;

    EXPECT_EQ(capture_open(&capture, "/nonexistent.pcap"), -ENOENT);
    EXPECT_STR_EQ(capture.error, "/nonexistent.pcap: No such file or directory");
    EXPECT_EQ(capture_open(&capture, "/"), -EISDIR);
    EXPECT_STR_EQ(capture.error, "/: Is a directory");
}

SPEC("a pcap file that ends within a packet returns the complete packets, then an error")
{
    struct capture capture;
    struct capture_packet packet;
    struct stat status;

    write_pcap(DLT_EN10MB, PCAP_TSTAMP_PRECISION_MICRO);
    EXPECT_EQ(stat(path, &status), 0);
    EXPECT_EQ(truncate(path, status.st_size - 1), 0);
    EXPECT_EQ(capture_open(&capture, path), 0);
    EXPECT_LT(capture_next(&capture, &packet), 0);
    EXPECT(strstr(capture.error, "truncated") != NULL);
    capture_close(&capture);
    unlink(path);
}

SPEC("interfaces of different link types are an error with a message")
{
    struct capture capture;
    struct capture_packet packet;
    struct pcapng pcapng;
    uint32_t port;
    FILE *file;

    write_file("", 0);
    file = fopen(path, "wb");
    pcapng_init(&pcapng, file, "capture_test");
    pcapng_add_interface(&pcapng, "raw", LINK_TYPE_RAW_IP, &port);
    pcapng_add_interface(&pcapng, "ethernet", LINK_TYPE_ETHERNET, &port);
    fclose(file);
    EXPECT_EQ(capture_open(&capture, path), 0);
    EXPECT_EQ(capture_next(&capture, &packet), -EINVAL);
    EXPECT(strstr(capture.error, "interfaces of different link types") != NULL);
    capture_close(&capture);
    unlink(path);
}
