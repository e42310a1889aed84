/* SPDX-License-Identifier: Apache-2.0 */
/* Captures: libpcap reads both pcap formats; getline() and hex_line.c read text. */
#include "pktio/capture.h"

#include <errno.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include <fcntl.h>
#include <pcap/pcap.h>
#include <sys/stat.h>
#include <unistd.h>

#include "pktio/hex_line.h"

#define RAW_IP_OPENBSD 14

__attribute__((format(printf, 3, 4))) static int refuse_capture(
    struct capture *capture, int error, const char *format, ...)
{
    int length = snprintf(capture->error, sizeof(capture->error), "%.256s", capture->title);
    va_list arguments;

    va_start(arguments, format);
    vsnprintf(capture->error + length, sizeof(capture->error) - (size_t)length, format, arguments);
    va_end(arguments);
    return error;
}

/* Reads fewer than four bytes only at the end of the file. */
static int peek_start(struct capture *capture)
{
    while (capture->peeked_count < sizeof(capture->peeked)) {
        ssize_t got = read(capture->fd, capture->peeked + capture->peeked_count,
            sizeof(capture->peeked) - capture->peeked_count);

        if (got < 0 && errno == EINTR)
            continue;
        if (got < 0)
            return refuse_capture(capture, -errno, ": %s", strerror(errno));
        if (got == 0)
            break;
        capture->peeked_count += (size_t)got;
    }
    return 0;
}

/* Returns the peeked bytes again: a pipe cannot seek, and ungetc() guarantees room for one byte
 * only. */
static ssize_t replay_then_read(void *context, char *to, size_t size)
{
    struct capture *capture = context;
    size_t left = capture->peeked_count - capture->replayed_count;

    if (left == 0)
        return read(capture->fd, to, size);
    if (size > left)
        size = left;
    memcpy(to, capture->peeked + capture->replayed_count, size);
    capture->replayed_count += size;
    return (ssize_t)size;
}

static int close_fd(void *context)
{
    struct capture *capture = context;

    return capture->fd == STDIN_FILENO ? 0 : close(capture->fd);
}

enum content { CONTENT_TEXT, CONTENT_PCAP, CONTENT_COMPRESSED, CONTENT_UNKNOWN };

static enum content content_by_magic(const uint8_t *bytes)
{
    static const struct {
        uint8_t magic[4];
        uint8_t length;
        enum content content;
    } known[] = {
        { { 0x0a, 0x0d, 0x0d, 0x0a }, 4, CONTENT_PCAP }, /* pcapng */
        { { 0xa1, 0xb2, 0xc3, 0xd4 }, 4, CONTENT_PCAP }, /* microseconds */
        { { 0xd4, 0xc3, 0xb2, 0xa1 }, 4, CONTENT_PCAP },
        { { 0xa1, 0xb2, 0x3c, 0x4d }, 4, CONTENT_PCAP }, /* nanoseconds */
        { { 0x4d, 0x3c, 0xb2, 0xa1 }, 4, CONTENT_PCAP },
        { { 0x1f, 0x8b }, 2, CONTENT_COMPRESSED },             /* gzip */
        { { 0x28, 0xb5, 0x2f, 0xfd }, 4, CONTENT_COMPRESSED }, /* zstd */
        { { 0xfd, '7', 'z', 'X' }, 4, CONTENT_COMPRESSED },    /* xz */
    };

    for (size_t i = 0; i < sizeof(known) / sizeof(known[0]); i++)
        if (memcmp(bytes, known[i].magic, known[i].length) == 0)
            return known[i].content;
    return CONTENT_UNKNOWN;
}

static enum content content_of(const struct capture *capture)
{
    enum content content = CONTENT_UNKNOWN;

    if (capture->peeked_count == sizeof(capture->peeked))
        content = content_by_magic(capture->peeked);
    if (content != CONTENT_UNKNOWN)
        return content;
    for (size_t i = 0; i < capture->peeked_count; i++) {
        uint8_t byte = capture->peeked[i];

        if ((byte < ' ' && !strchr("\t\r\n", byte)) || byte == 0x7f || byte == 0)
            return CONTENT_UNKNOWN;
    }
    return CONTENT_TEXT;
}

static int open_pcap(struct capture *capture, FILE *file)
{
    char why[PCAP_ERRBUF_SIZE];
    int link_type;

    capture->pcap = pcap_fopen_offline_with_tstamp_precision(file, PCAP_TSTAMP_PRECISION_NANO, why);
    if (!capture->pcap)
        return refuse_capture(capture, -EINVAL, ": %s", why);
    link_type = pcap_datalink(capture->pcap);
    /* New files use one number for raw IP. libpcap and old files use one for each system. */
    if (link_type == DLT_RAW || link_type == RAW_IP_OPENBSD)
        link_type = LINK_TYPE_RAW_IP;
    capture->link_type = (uint16_t)link_type;
    return 0;
}

static int open_content(struct capture *capture, FILE *file)
{
    const uint8_t *bytes = capture->peeked;

    if (capture->peeked_count == 0)
        return refuse_capture(capture, -ENODATA, " is empty: there is nothing to decode");
    switch (content_of(capture)) {
    case CONTENT_PCAP:
        return open_pcap(capture, file);
    case CONTENT_COMPRESSED:
        return refuse_capture(
            capture, -EINVAL, " is compressed: unpack it, for example with zcat or zstdcat");
    case CONTENT_TEXT:
        capture->is_text = true;
        capture->text = file;
        capture->link_type = LINK_TYPE_RAW_IP;
        return 0;
    default:
        return refuse_capture(capture, -EINVAL,
            " is neither pcap, pcapng nor hex lines: it begins with the bytes %02x %02x %02x %02x",
            bytes[0], bytes[1], bytes[2], bytes[3]);
    }
}

static int open_fd(struct capture *capture, const char *path)
{
    struct stat status;

    capture->fd = strcmp(path, "-") == 0 ? STDIN_FILENO : open(path, O_RDONLY | O_CLOEXEC);
    if (capture->fd < 0)
        return refuse_capture(capture, -errno, ": %s", strerror(errno));
    capture->is_stream = fstat(capture->fd, &status) == 0 && !S_ISREG(status.st_mode);
    return 0;
}

int capture_open(struct capture *capture, const char *path)
{
    FILE *file;
    int err;

    *capture = (struct capture){ .title = strcmp(path, "-") == 0 ? "standard input" : path };
    err = open_fd(capture, path);
    if (err)
        return err;
    err = peek_start(capture);
    if (err)
        goto close_fd;
    file = fopencookie(
        capture, "r", (cookie_io_functions_t){ .read = replay_then_read, .close = close_fd });
    if (!file) {
        err = refuse_capture(capture, -ENOMEM, ": %s", strerror(ENOMEM));
        goto close_fd;
    }
    err = open_content(capture, file);
    if (err)
        (void)fclose(file);
    return err;

close_fd:
    close_fd(capture);
    return err;
}

void capture_close(struct capture *capture)
{
    if (capture->is_text)
        (void)fclose(capture->text);
    else
        pcap_close(capture->pcap);
    free(capture->line);
}

static int next_hex_line(struct capture *capture, struct capture_packet *packet)
{
    struct hex_line line = { .length = 0 };

    while (line.length == 0) {
        ssize_t length = getline(&capture->line, &capture->line_size, capture->text);

        if (length < 0 && ferror(capture->text))
            return refuse_capture(capture, -errno, ": %s", strerror(errno));
        if (length < 0)
            return 0;
        capture->line_number++;
        if (!hex_line_parse(capture->line, (size_t)length, &line))
            return refuse_capture(capture, -EINVAL, ":%u:%u: %s", capture->line_number,
                line.fault_column, line.fault);
    }
    *packet = (struct capture_packet){ .bytes = line.bytes,
        .captured_bytes = line.length,
        .original_bytes = line.length,
        .name = line.name };
    return 1;
}

static int refuse_pcap(struct capture *capture)
{
    const char *why = pcap_geterr(capture->pcap);

    if (strstr(why, "different from the type of the first"))
        return refuse_capture(capture, -EINVAL,
            " has interfaces of different link types, which libpcap cannot read: give each its own "
            "file");
    return refuse_capture(capture, -EINVAL, ": %s", why);
}

int capture_next(struct capture *capture, struct capture_packet *packet)
{
    struct pcap_pkthdr *header;
    const u_char *bytes;

    if (capture->is_text)
        return next_hex_line(capture, packet);
    switch (pcap_next_ex(capture->pcap, &header, &bytes)) {
    case 1:
        break;
    case PCAP_ERROR_BREAK:
        return 0;
    default:
        return refuse_pcap(capture);
    }
    *packet = (struct capture_packet){ .bytes = bytes,
        .captured_bytes = header->caplen,
        .original_bytes = header->len > header->caplen ? header->len : header->caplen,
        .has_time = true,
        .time_ns = (uint64_t)header->ts.tv_sec * 1000000000 + (uint64_t)header->ts.tv_usec };
    return 1;
}
