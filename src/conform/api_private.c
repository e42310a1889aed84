/* SPDX-License-Identifier: Apache-2.0 */
/* Describes devices whose ports are UDP sockets. */
#include "conform/api_private.h"

#include <arpa/inet.h>
#include <errno.h>
#include <ftw.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/socket.h>
#include <unistd.h>

enum { DEVICES = 4, PLANES = 2, FIRST_PORT = 7100, FIRST_SINK = 7200, FOLDERS_OPEN = 16 };

/* Process ids have at most 22 bits. 127.0.x.x stays free for others. */
static uint32_t own_address(void)
{
    uint32_t pid = (uint32_t)getpid();

    return 127u << 24 | (1u + (pid >> 16) % 254u) << 16 | (pid & 0xffffu);
}

static uint16_t port_of(uint32_t device, uint32_t plane)
{
    return (uint16_t)(FIRST_PORT + device * PLANES + plane);
}

static const char *own_text(void)
{
    return inet_ntoa((struct in_addr){ .s_addr = htonl(own_address()) });
}

static void describe_device(FILE *file, uint32_t device)
{
    fprintf(file, "mrc%u:\n  address: 2001:db8:0:%u::1\n", device, device);
    if (device >= 2)
        fputs("  timeout_floor: 12\n  give_up_floor: 100ms\n  qp_count_max: 32\n", file);
    fputs("  ports:\n", file);
    for (uint32_t plane = 0; plane < PLANES; plane++) {
        uint16_t remote = device >= 2 && plane == 1 ? (uint16_t)(FIRST_SINK + device % 2)
                                                    : port_of(device ^ 1u, plane);

        fprintf(file, "    - udp:%s:%u", own_text(), port_of(device, plane));
        fprintf(file, ",%s:%u\n", own_text(), remote);
    }
}

static int describe_devices(const struct api_private *network)
{
    FILE *file = fopen(network->config, "w");

    if (!file)
        return -errno;
    for (uint32_t device = 0; device < DEVICES; device++)
        describe_device(file, device);
    return fclose(file) == 0 ? 0 : -errno;
}

static int open_sink(uint16_t port)
{
    struct sockaddr_in address = {
        .sin_family = AF_INET, .sin_port = htons(port), .sin_addr.s_addr = htonl(own_address())
    };
    int fd = socket(AF_INET, SOCK_DGRAM | SOCK_CLOEXEC, 0);

    if (fd >= 0 && bind(fd, (struct sockaddr *)&address, sizeof(address)) != 0) {
        int err = -errno;

        close(fd);
        return err;
    }
    return fd >= 0 ? fd : -errno;
}

int api_private_open(struct api_private *network)
{
    const char *place = getenv("TMPDIR");
    int err;

    *network = (struct api_private){ .sinks = { -1, -1 } };
    snprintf(network->folder, sizeof(network->folder), "%.40s/mrc-conform-XXXXXX",
        place && place[0] ? place : "/tmp");
    if (!mkdtemp(network->folder))
        return -errno;
    snprintf(network->config, sizeof(network->config), "%s/devices.yaml", network->folder);
    err = describe_devices(network);
    for (uint16_t i = 0; i < 2 && !err; i++) {
        network->sinks[i] = open_sink((uint16_t)(FIRST_SINK + i));
        err = network->sinks[i] < 0 ? network->sinks[i] : 0;
    }
    if (err)
        api_private_close(network);
    return err;
}

static int remove_entry(const char *path, const struct stat *status, int kind, struct FTW *position)
{
    (void)status;
    (void)kind;
    (void)position;
    (void)remove(path);
    return 0;
}

void api_private_close(struct api_private *network)
{
    for (int i = 0; i < 2; i++)
        if (network->sinks[i] >= 0)
            close(network->sinks[i]);
    nftw(network->folder, remove_entry, FOLDERS_OPEN, FTW_DEPTH | FTW_PHYS);
}

void api_private_enter(const struct api_private *network)
{
    setenv("MRC_RUN_DIR", network->folder, 1);
    setenv("MRC_CONFIG", network->config, 1);
}
