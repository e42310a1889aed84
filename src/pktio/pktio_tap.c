/* SPDX-License-Identifier: Apache-2.0 */
/* Writes captures. Frames that cannot be written are lost: a full disk must not stop a NIC. */
#include "pktio/pktio_tap.h"

#include <errno.h>
#include <limits.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "pktio/pcapng.h"
#include "pktio/pktio_port.h"

enum { FRAME_BYTES_MAX = 9216, PORT_COUNT_MAX = 16 };

#define NOT_ADDED UINT32_MAX

struct pktio_tap {
    FILE *file;
    struct pcapng pcapng;
    bool has_failed;
    char device[64];
    uint32_t interfaces[PORT_COUNT_MAX]; /* NOT_ADDED before the first frame of a port */
    uint8_t whole[FRAME_BYTES_MAX];
};

static void expand_path(const char *path, const char *device, char *out, size_t room)
{
    size_t used = 0;

    while (*path && used + 1 < room) {
        int wrote;

        if (path[0] == '%' && path[1] == 'p')
            wrote = snprintf(out + used, room - used, "%d", (int)getpid());
        else if (path[0] == '%' && path[1] == 'd')
            wrote = snprintf(out + used, room - used, "%s", device);
        else {
            out[used++] = *path++;
            continue;
        }
        path += 2;
        used += wrote > 0 && (size_t)wrote < room - used ? (size_t)wrote : 0;
    }
    out[used] = '\0';
}

int pktio_tap_open(const char *path, const char *device, struct pktio_tap **out)
{
    struct pktio_tap *tap = calloc(1, sizeof(*tap));
    char expanded[PATH_MAX];
    int err;

    if (!tap)
        return -ENOMEM;
    expand_path(path, device, expanded, sizeof(expanded));
    snprintf(tap->device, sizeof(tap->device), "%s", device);
    for (uint32_t i = 0; i < PORT_COUNT_MAX; i++)
        tap->interfaces[i] = NOT_ADDED;
    tap->file = fopen(expanded, "wbe");
    if (!tap->file) {
        err = -errno;
        goto free_tap;
    }
    err = pcapng_init(&tap->pcapng, tap->file, "OpenMRC " OPENMRC_VERSION);
    if (err)
        goto close_file;
    *out = tap;
    return 0;

close_file:
    (void)fclose(tap->file);
free_tap:
    free(tap);
    return err;
}

void pktio_tap_close(struct pktio_tap *tap)
{
    if (!tap)
        return;
    (void)fclose(tap->file);
    free(tap);
}

int pktio_tap_attach(struct pktio_tap *tap, struct pktio_port *port, uint32_t index)
{
    if (index >= PORT_COUNT_MAX)
        return -EINVAL;
    fflush(tap->file);
    port->tap_interface = index;
    port->tap = tap;
    return 0;
}

/* Raw IP would be the natural type, but libpcap 1.10 has two numbers for it, sees two types at the
 * second interface, and refuses the file. The types for a single IP version have one number. The
 * interface is therefore added with its first frame, which shows the version. */
static int add_interface(struct pktio_tap *tap, uint32_t port, uint8_t first_byte)
{
    char name[sizeof(tap->device) + 16];

    snprintf(name, sizeof(name), "%s.p%u", tap->device, port);
    return pcapng_add_interface(&tap->pcapng, name,
        first_byte >> 4 == 4 ? LINK_TYPE_IPV4 : LINK_TYPE_IPV6, &tap->interfaces[port]);
}

static void write_frame(
    struct pktio_tap *tap, uint32_t port, const uint8_t *bytes, uint32_t length_bytes)
{
    struct timespec now;

    if (tap->has_failed || length_bytes == 0)
        return;
    if (tap->interfaces[port] == NOT_ADDED && add_interface(tap, port, bytes[0]) != 0) {
        tap->has_failed = true;
        return;
    }
    clock_gettime(CLOCK_REALTIME, &now);
    tap->has_failed = pcapng_add_packet(&tap->pcapng,
                          &(struct pcapng_packet){ .bytes = bytes,
                              .captured_bytes = length_bytes,
                              .original_bytes = length_bytes,
                              .time_ns = (uint64_t)now.tv_sec * 1000000000u + (uint64_t)now.tv_nsec,
                              .interface = tap->interfaces[port] }) != 0;
}

void pktio_tap_sent(struct pktio_tap *tap, uint32_t port, const struct pktio_frame *frame)
{
    uint32_t length_bytes = 0;

    if (frame->length_bytes > sizeof(tap->whole))
        return;
    for (uint32_t i = 0; i < frame->piece_count; i++) {
        memcpy(tap->whole + length_bytes, frame->pieces[i].iov_base, frame->pieces[i].iov_len);
        length_bytes += (uint32_t)frame->pieces[i].iov_len;
    }
    write_frame(tap, port, tap->whole, length_bytes);
}

void pktio_tap_received(struct pktio_tap *tap, uint32_t port, const struct pktio_received *frame)
{
    write_frame(tap, port, frame->bytes, frame->length_bytes);
}
