/* SPDX-License-Identifier: Apache-2.0 */
/* Writes pcapng blocks (draft-ietf-opsawg-pcapng), all big-endian: readers accept both orders. */
#include "pktio/pcapng.h"

#include <assert.h>
#include <errno.h>
#include <string.h>

#include "base/bytes.h"

enum {
    BLOCK_SECTION_HEADER = 0x0a0d0d0a,
    BLOCK_INTERFACE = 1,
    BLOCK_ENHANCED_PACKET = 6,
    BYTE_ORDER_MAGIC = 0x1a2b3c4d,
    OPTION_COMMENT = 1,
    OPTION_INTERFACE_NAME = 2,
    OPTION_SECTION_APPLICATION = 4,
    OPTION_INTERFACE_RESOLUTION = 9,
    NANOSECONDS = 9, /* a negative power of ten */
    OPTION_HEADER_BYTES = 4,
    BLOCK_FRAME_BYTES = 12, /* type and length before the block, the length again after it */
};

struct option {
    uint16_t code;
    uint16_t length;
    const void *value;
};

static uint32_t padded(uint32_t length)
{
    return (length + 3) & ~UINT32_C(3);
}

/* A failed write sets ferror(), which end_block() checks. */
static void put_bytes(FILE *file, const void *bytes, uint32_t length)
{
    fwrite(bytes, 1, length, file);
    fwrite("\0\0\0", 1, padded(length) - length, file);
}

static void put_be32(FILE *file, uint32_t value)
{
    uint8_t bytes[4];
    struct bytes_out out = bytes_out(bytes, sizeof(bytes));

    bytes_write_be(&out, sizeof(bytes), value);
    put_bytes(file, bytes, sizeof(bytes));
}

static void put_options(FILE *file, const struct option *options, uint32_t option_count)
{
    for (uint32_t i = 0; i < option_count; i++) {
        put_be32(file, (uint32_t)options[i].code << 16 | options[i].length);
        put_bytes(file, options[i].value, options[i].length);
    }
    if (option_count > 0)
        put_be32(file, 0); /* end of options */
}

static uint32_t options_bytes(const struct option *options, uint32_t option_count)
{
    uint32_t bytes = option_count > 0 ? OPTION_HEADER_BYTES : 0;

    for (uint32_t i = 0; i < option_count; i++)
        bytes += OPTION_HEADER_BYTES + padded(options[i].length);
    return bytes;
}

static void begin_block(FILE *file, uint32_t type, uint32_t block_bytes)
{
    errno = 0;
    put_be32(file, type);
    put_be32(file, block_bytes);
}

static int end_block(FILE *file, uint32_t block_bytes)
{
    put_be32(file, block_bytes);
    if (!ferror(file))
        return 0;
    return errno ? -errno : -EIO;
}

/* Truncates strings that are longer than an option can be. */
static struct option text_option(uint16_t code, const char *text)
{
    size_t length = strlen(text);

    return (struct option){
        .code = code, .length = (uint16_t)(length < UINT16_MAX ? length : UINT16_MAX), .value = text
    };
}

int pcapng_init(struct pcapng *pcapng, FILE *file, const char *application)
{
    struct option options[] = { text_option(OPTION_SECTION_APPLICATION, application) };
    uint32_t block_bytes = BLOCK_FRAME_BYTES + 16 + options_bytes(options, 1);

    *pcapng = (struct pcapng){ .file = file };
    begin_block(file, BLOCK_SECTION_HEADER, block_bytes);
    put_be32(file, BYTE_ORDER_MAGIC);
    put_be32(file, 1 << 16); /* version 1.0 */
    put_be32(file, UINT32_MAX);
    put_be32(file, UINT32_MAX); /* section length: not specified */
    put_options(file, options, 1);
    return end_block(file, block_bytes);
}

int pcapng_add_interface(
    struct pcapng *pcapng, const char *name, uint16_t link_type, uint32_t *interface)
{
    static const uint8_t resolution = NANOSECONDS;
    FILE *file = pcapng->file;
    struct option options[] = {
        text_option(OPTION_INTERFACE_NAME, name),
        { .code = OPTION_INTERFACE_RESOLUTION, .length = 1, .value = &resolution },
    };
    uint32_t block_bytes = BLOCK_FRAME_BYTES + 8 + options_bytes(options, 2);

    *interface = pcapng->interface_count++;
    begin_block(file, BLOCK_INTERFACE, block_bytes);
    put_be32(file, (uint32_t)link_type << 16);
    put_be32(file, 0); /* packets of any length */
    put_options(file, options, 2);
    return end_block(file, block_bytes);
}

int pcapng_add_packet(struct pcapng *pcapng, const struct pcapng_packet *packet)
{
    FILE *file = pcapng->file;
    struct option options[] = { text_option(
        OPTION_COMMENT, packet->comment ? packet->comment : "") };
    uint32_t option_count = packet->comment ? 1 : 0;
    uint32_t block_bytes = BLOCK_FRAME_BYTES + 20 + padded(packet->captured_bytes) +
                           options_bytes(options, option_count);

    assert(packet->interface < pcapng->interface_count);
    assert(packet->captured_bytes <= packet->original_bytes);
    begin_block(file, BLOCK_ENHANCED_PACKET, block_bytes);
    put_be32(file, packet->interface);
    put_be32(file, (uint32_t)(packet->time_ns >> 32));
    put_be32(file, (uint32_t)packet->time_ns);
    put_be32(file, packet->captured_bytes);
    put_be32(file, packet->original_bytes);
    put_bytes(file, packet->bytes, packet->captured_bytes);
    put_options(file, options, option_count);
    return end_block(file, block_bytes);
}
