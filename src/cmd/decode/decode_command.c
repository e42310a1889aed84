/* SPDX-License-Identifier: Apache-2.0 */
/* mrc decode: reads captures, prints their packets and reports malformed ones. */
#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include <sys/stat.h>

#include "cmd/cmd.h"
#include "cmd/decode/decode_options.h"
#include "decode/decode.h"
#include "pktio/pktio.h"

static const char name[] = "decode";

struct decoding {
    const struct decode_options *options;
    enum cmd_status status;
    bool is_over; /* the count of -c is reached, or standard output is closed */
    struct decode_columns columns;
    uint64_t shown_count;
    uint64_t foreign_count;
    uint64_t malformed_count;
    bool has_first_time;
    uint64_t first_time_ns;
    struct pcapng output; /* file is NULL without --write */
    uint8_t scratch[DECODE_PACKET_BYTES_MAX];
};

/* One input. */
struct source {
    struct capture capture;
    const char *file;
    uint64_t packet_count;
    uint32_t interface; /* number of the interface in the output, with --write */
};

static void print_item(struct decoding *decoding, const struct decode_item *item)
{
    switch (decoding->options->form) {
    case DECODE_LINES:
        decode_print_line(stdout, item, &decoding->columns);
        break;
    case DECODE_TREE:
        decode_print_tree(stdout, item);
        break;
    case DECODE_JSON:
        decode_print_json(stdout, item);
        break;
    }
}

static void fail_write(struct decoding *decoding, int error)
{
    decoding->status =
        cmd_complain(CMD_FAILED, name, "%s: %s", decoding->options->write_path, strerror(-error));
    decoding->is_over = true;
}

static void write_packet(
    struct decoding *decoding, const struct source *source, const struct capture_packet *raw)
{
    int err = 0;

    if (decoding->output.file)
        err = pcapng_add_packet(&decoding->output, &(struct pcapng_packet){ .bytes = raw->bytes,
                                                       .captured_bytes = raw->captured_bytes,
                                                       .original_bytes = raw->original_bytes,
                                                       .time_ns = raw->time_ns,
                                                       .interface = source->interface,
                                                       .comment = raw->name });
    if (err)
        fail_write(decoding, err);
}

/* Counts the packet. Returns true if it is to be printed. */
static bool count_packet(struct decoding *decoding, const struct decode_packet *packet)
{
    if (packet->verdict == DECODE_FOREIGN)
        decoding->foreign_count++;
    if (packet->verdict == DECODE_FOREIGN && !decoding->options->shows_foreign)
        return false;
    if (packet->verdict == DECODE_MALFORMED)
        decoding->malformed_count++;
    decoding->shown_count++;
    return true;
}

static void show_packet(struct decoding *decoding, const struct source *source,
    const struct capture_packet *raw, const struct decode_packet *packet)
{
    struct decode_item item = { .packet = packet,
        .file = source->file,
        .number = source->packet_count,
        .name = raw->name,
        .has_time = raw->has_time,
        .time_ns = raw->time_ns };

    if (!decoding->has_first_time && raw->has_time) {
        decoding->has_first_time = true;
        decoding->first_time_ns = raw->time_ns;
    }
    item.first_time_ns = decoding->first_time_ns;
    print_item(decoding, &item);
    if (source->capture.is_stream)
        fflush(stdout);
    if (cmd_output_is_lost(&decoding->status, name))
        decoding->is_over = true;
}

static void decode_frame(
    struct decoding *decoding, const struct source *source, const struct capture_packet *raw)
{
    struct decode_packet packet;

    decode_captured(
        &packet, &decoding->options->wire.format, &source->capture, raw, decoding->scratch);
    if (!decoding->options->skips_icrc)
        decode_packet_check_icrc(&packet);
    if (!count_packet(decoding, &packet))
        return;
    show_packet(decoding, source, raw, &packet);
    write_packet(decoding, source, raw);
    if (decoding->shown_count == decoding->options->count_max)
        decoding->is_over = true;
}

static void add_interface(struct decoding *decoding, struct source *source)
{
    int err = 0;

    if (decoding->output.file)
        err = pcapng_add_interface(&decoding->output, source->capture.title,
            source->capture.link_type, &source->interface);
    if (err)
        fail_write(decoding, err);
}

static void decode_source(struct decoding *decoding, struct source *source)
{
    struct capture_packet raw;
    int got = 0;

    add_interface(decoding, source);
    while (!decoding->is_over && (got = capture_next(&source->capture, &raw)) > 0) {
        source->packet_count++;
        decode_frame(decoding, source, &raw);
    }
    if (got < 0)
        decoding->status = cmd_complain(CMD_FAILED, name, "%s", source->capture.error);
    else if (source->packet_count == 0 && !decoding->is_over)
        cmd_complain(CMD_DONE, name, "%s contains no packet", source->capture.title);
}

static void decode_file(struct decoding *decoding, const char *file)
{
    struct source source = { .file = file };

    if (capture_open(&source.capture, file) < 0) {
        decoding->status = cmd_complain(CMD_FAILED, name, "%s", source.capture.error);
        return;
    }
    if (link_layer_is_known(source.capture.link_type))
        decode_source(decoding, &source);
    else
        decoding->status = cmd_complain(CMD_FAILED, name,
            "%s: link type %u is not supported; supported: Ethernet, raw IP, Linux cooked, "
            "loopback",
            source.capture.title, source.capture.link_type);
    capture_close(&source.capture);
}

static void sum_up_foreign(const struct decoding *decoding)
{
    const struct wire_format *format = &decoding->options->wire.format;
    bool is_one = decoding->foreign_count == 1;
    char also[16] = "";

    if (format->udp_port_also)
        snprintf(also, sizeof(also), " or %u", format->udp_port_also);
    if (decoding->shown_count == 0)
        cmd_complain(CMD_DONE, name,
            "no MRC on UDP port %u%s (--udp-port) in %" PRIu64 " frame%s; -a shows %s",
            format->udp_port, also, decoding->foreign_count, is_one ? "" : "s",
            is_one ? "it" : "them");
    else if (!decoding->options->shows_foreign)
        cmd_complain(CMD_DONE, name, "%" PRIu64 " frame%s not MRC; -a shows %s",
            decoding->foreign_count, is_one ? " was" : "s were", is_one ? "it" : "them");
}

static void sum_up(const struct decoding *decoding)
{
    if (decoding->foreign_count > 0)
        sum_up_foreign(decoding);
    if (decoding->malformed_count > 0)
        cmd_complain(CMD_DONE, name, "%" PRIu64 " of %" PRIu64 " packets %s malformed",
            decoding->malformed_count, decoding->shown_count,
            decoding->malformed_count == 1 ? "is" : "are");
}

static bool is_same_file(const char *a, const char *b)
{
    struct stat status_a;
    struct stat status_b;

    return stat(a, &status_a) == 0 && stat(b, &status_b) == 0 &&
           status_a.st_dev == status_b.st_dev && status_a.st_ino == status_b.st_ino;
}

static bool overwrites_input(const struct decode_options *options)
{
    bool reads_stdin = options->file_count == 0;

    for (int i = 0; i < options->file_count; i++) {
        if (is_same_file(options->write_path, options->files[i]))
            return true;
        reads_stdin |= strcmp(options->files[i], "-") == 0;
    }
    return reads_stdin && is_same_file(options->write_path, "/dev/stdin");
}

static enum cmd_status open_output(struct decoding *decoding)
{
    const struct decode_options *options = decoding->options;
    FILE *file;
    int err;

    if (overwrites_input(options))
        return cmd_complain(
            CMD_MISUSED, name, "--write %s would overwrite what it reads", options->write_path);
    file = fopen(options->write_path, "wb");
    if (!file)
        return cmd_complain(CMD_FAILED, name, "%s: %s", options->write_path, strerror(errno));
    err = pcapng_init(&decoding->output, file, "mrc decode, OpenMRC " OPENMRC_VERSION);
    if (err)
        fail_write(decoding, err);
    return CMD_DONE;
}

static void close_output(struct decoding *decoding)
{
    if (decoding->output.file && fclose(decoding->output.file) != 0 && decoding->status == CMD_DONE)
        fail_write(decoding, -errno);
}

static void decode_files(struct decoding *decoding)
{
    const struct decode_options *options = decoding->options;

    if (options->file_count == 0)
        decode_file(decoding, "-");
    for (int i = 0; i < options->file_count && !decoding->is_over; i++) {
        if (options->file_count > 1 && options->form != DECODE_JSON)
            printf("%s==> %s <==\n", i > 0 ? "\n" : "", options->files[i]);
        decode_file(decoding, options->files[i]);
    }
}

static enum cmd_status run_decode(int argument_count, char **arguments)
{
    struct decode_options options;
    struct decoding decoding = { .options = &options };
    enum cmd_status status;

    if (!decode_options_read(&options, argument_count, arguments, &status))
        return status;
    if (options.write_path)
        status = open_output(&decoding);
    if (status != CMD_DONE)
        return status;
    decode_files(&decoding);
    close_output(&decoding);
    sum_up(&decoding);
    return decoding.malformed_count > 0 ? CMD_FAILED : decoding.status;
}

const struct cmd decode_command = {
    .name = "decode",
    .summary = "show the packets of a capture or of hex lines",
    .run = run_decode,
    .options = &decode_option_table,
};
