/* SPDX-License-Identifier: Apache-2.0 */
/* Folders of devices come and go with their fabric. */
#include "lab/devices.h"

#include <arpa/inet.h>
#include <dirent.h>
#include <errno.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#define PATH_BYTES 512

enum {
    TIMEOUT_MIN = 17, /* of software on a real clock: 134 ms */
    TIMEOUT_MAX = 24,
    TIMEOUT_RTTS = 25, /* a timeout that is as long fires for nothing but silence */
};

/* The first line of a `config` says whose it is. */
#define TITLE_FORMAT "# NIC h%u of the fabric '%s'\n"
#define TITLE_SCAN   "# NIC h%u of the fabric '%63[^'\n]'"

/* Of links that are longer than software: a NIC takes a round trip for short unless told, would
 * keep its window small for ever and repeat what is still under way. */
static void write_round_trip(uint64_t base_rtt_ps, FILE *file)
{
    uint64_t base_rtt_ns = (base_rtt_ps + DEVICES_SOFTWARE_RTT_PS) / 1000;
    uint32_t timeout = TIMEOUT_MIN;

    if (base_rtt_ps <= DEVICES_SOFTWARE_RTT_PS)
        return;
    while (timeout < TIMEOUT_MAX && UINT64_C(1024) << timeout < TIMEOUT_RTTS * base_rtt_ns)
        timeout++;
    fprintf(file, "  base_rtt: %lluns\n  timeout: %u\n", (unsigned long long)base_rtt_ns, timeout);
}

static void write_config(const struct devices *devices, uint32_t nic, FILE *file)
{
    const struct fabric_config *config = &devices->fabric->config;
    struct ipv6_addr address = fabric_nic_address(devices->fabric, nic);
    char port[DEVICES_ADDRESS_BYTES];
    char text[INET6_ADDRSTRLEN];

    inet_ntop(AF_INET6, address.octets, text, sizeof(text));
    fprintf(file,
        TITLE_FORMAT "mrc%u:\n"
                     "  address: %s\n"
                     "  ports:\n",
        nic, devices->name, nic, text);
    for (uint32_t plane = 0; plane < config->plane_count; plane++) {
        devices->port_address(devices->context, nic, plane, port);
        fprintf(file, "    - %s\n", port);
    }
    fprintf(file,
        "  fabric: srv6\n"
        "  usid_block: %x:%x\n"
        "  uplinks: %u\n"
        "  link_bps: %llu\n"
        "  network_trims: %s\n",
        config->usid_block >> 16, config->usid_block & 0xffff, config->t1_count,
        (unsigned long long)config->host_link.rate_bps * config->plane_count,
        config->buffers.trims ? "on" : "off");
    write_round_trip(devices->fabric->base_rtt_ps, file);
}

static int make_device(const struct devices *devices, uint32_t nic)
{
    char path[PATH_BYTES];
    FILE *file;
    int err = 0;

    snprintf(path, sizeof(path), "%s/mrc%u", devices->root, nic);
    if (mkdir(path, 0700) != 0 && errno != EEXIST)
        return -errno;
    snprintf(path, sizeof(path), "%s/mrc%u/config", devices->root, nic);
    file = fopen(path, "we");
    if (!file)
        return -errno;
    write_config(devices, nic, file);
    if (ferror(file))
        err = -EIO;
    if (fclose(file) != 0 && !err)
        err = -errno;
    return err;
}

int devices_make(const struct devices *devices)
{
    int err = 0;

    for (uint32_t nic = 0; nic < devices->fabric->nic_count && !err; nic++)
        err = make_device(devices, nic);
    return err;
}

bool devices_owner(const char *root, uint32_t nic, char name[static DEVICES_NAME_BYTES])
{
    char path[PATH_BYTES];
    unsigned int found;
    bool is_known;
    FILE *file;

    snprintf(path, sizeof(path), "%s/mrc%u/config", root, nic);
    file = fopen(path, "re");
    if (!file)
        return false;
    is_known = fscanf(file, TITLE_SCAN, &found, name) == 2 && found == nic;
    fclose(file);
    return is_known;
}

/* What libmrc leaves in a folder besides profiles. */
static bool is_left_over(const char *file)
{
    static const char *const names[] = { "lock", "owner", "events", "events.bell" };

    for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++)
        if (strcmp(file, names[i]) == 0)
            return true;
    return false;
}

static void remove_device(const char *root, unsigned int nic)
{
    char path[PATH_BYTES];
    char file_path[PATH_BYTES + 256];
    DIR *folder;
    const struct dirent *entry;

    snprintf(path, sizeof(path), "%s/mrc%u/config", root, nic);
    unlink(path);
    snprintf(path, sizeof(path), "%s/mrc%u", root, nic);
    folder = opendir(path);
    while (folder && (entry = readdir(folder)) != NULL)
        if (is_left_over(entry->d_name)) {
            snprintf(file_path, sizeof(file_path), "%s/%s", path, entry->d_name);
            unlink(file_path);
        }
    if (folder)
        closedir(folder);
    rmdir(path);
}

void devices_remove(const char *root, const char *name)
{
    DIR *folder = opendir(root);
    const struct dirent *entry;
    char owner[DEVICES_NAME_BYTES];
    unsigned int nic;
    int used;

    while (folder && (entry = readdir(folder)) != NULL) {
        if (sscanf(entry->d_name, "mrc%u%n", &nic, &used) != 1 || entry->d_name[used] != '\0')
            continue;
        if (devices_owner(root, nic, owner) && strcmp(owner, name) == 0)
            remove_device(root, nic);
    }
    if (folder)
        closedir(folder);
}
