/* SPDX-License-Identifier: Apache-2.0 */
/* The devices that a soft fabric offers: one folder with a `config` for each NIC, mrc0 for NIC 0.
 */
#include <arpa/inet.h>
#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "lab/soft_state.h"

static void device_path(const struct soft *soft, uint32_t nic, const char *file, char *path)
{
    snprintf(path, SOFT_PATH_BYTES, "%s/mrc%u%s%s", soft->config.root, nic, *file ? "/" : "", file);
}

static void write_config(const struct soft *soft, uint32_t nic, FILE *file)
{
    const struct fabric_config *config = &soft->fabric.config;
    struct ipv6_addr address = fabric_nic_address(&soft->fabric, nic);
    char text[INET6_ADDRSTRLEN];

    inet_ntop(AF_INET6, address.octets, text, sizeof(text));
    fprintf(file,
        "# NIC h%u of the soft fabric '%s'\n"
        "mrc%u:\n"
        "  address: %s\n"
        "  ports:\n",
        nic, soft->config.name, nic, text);
    for (uint32_t plane = 0; plane < config->plane_count; plane++)
        fprintf(file, "    - shm:%s/attach\n", soft->folder);
    fprintf(file,
        "  fabric: srv6\n"
        "  usid_block: %x:%x\n"
        "  uplinks: %u\n"
        "  link_bps: %llu\n"
        "  network_trims: %s\n",
        config->usid_block >> 16, config->usid_block & 0xffff, config->t1_count,
        (unsigned long long)config->host_link.rate_bps * config->plane_count,
        config->buffers.trims ? "on" : "off");
}

static int make_device(const struct soft *soft, uint32_t nic)
{
    char path[SOFT_PATH_BYTES];
    FILE *file;
    int err = 0;

    device_path(soft, nic, "", path);
    if (mkdir(path, 0755) != 0 && errno != EEXIST)
        return -errno;
    device_path(soft, nic, "config", path);
    file = fopen(path, "we");
    if (!file)
        return -errno;
    write_config(soft, nic, file);
    if (ferror(file))
        err = -EIO;
    if (fclose(file) != 0 && !err)
        err = -errno;
    return err;
}

int soft_devices_make(struct soft *soft)
{
    int err = 0;

    for (uint32_t nic = 0; nic < soft->fabric.nic_count && !err; nic++)
        err = make_device(soft, nic);
    return err;
}

void soft_devices_remove(struct soft *soft)
{
    char path[SOFT_PATH_BYTES];

    for (uint32_t nic = 0; nic < soft->fabric.nic_count; nic++) {
        device_path(soft, nic, "config", path);
        unlink(path);
        device_path(soft, nic, "", path);
        rmdir(path); /* stays where profiles are kept in it */
    }
}
