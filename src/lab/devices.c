/* SPDX-License-Identifier: Apache-2.0 */
/* Creates and removes the folders of the devices of a fabric. */
#include "lab/devices.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>
#include <sys/file.h>
#include <time.h>
#include <unistd.h>

#include "base/scan.h"
#include "config/config.h"
#include "lab/leftovers.h"
#include "pktio/pktio.h"

#define PATH_BYTES 512

enum {
    LOOKS_MAX = 2500, /* 5 s for other processes to create their devices */
};

/* The first line of a device's config: the NIC, and the fabric that made the device. */
#define TITLE_NIC    "# NIC h"
#define TITLE_FABRIC " of the fabric '"
#define TITLE_FORMAT TITLE_NIC "%u" TITLE_FABRIC "%s'\n"

/* The file with the text of the plan. */
static const char *text_name(const struct plan *fabric)
{
    return fabric->topology.graph ? "graph" : "exceptions";
}

static void write_config(const struct devices *devices, uint32_t nic, uint32_t device, FILE *file)
{
    char port[DEVICES_ADDRESS_BYTES];
    char text[PATH_BYTES];

    fprintf(file, TITLE_FORMAT "mrc%u:\n", nic, devices->name, device);
    config_nic_address(devices->fabric, nic, file);
    fprintf(file, "  ports:\n");
    for (uint32_t plane = 0; plane < config_nic_ports(devices->fabric, nic); plane++) {
        devices->port_address(devices->context, nic, plane, port);
        fprintf(file, "    - %s\n", port);
    }
    snprintf(text, sizeof(text), "%s/mrc%u/%s", devices->root, device, text_name(devices->fabric));
    config_nic_fabric(devices->fabric, nic, text, file);
}

static int open_file(const char *path, FILE **out)
{
    int fd = open(path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0600);

    *out = fd >= 0 ? fdopen(fd, "w") : NULL;
    return *out ? 0 : -errno;
}

static int close_file(FILE *file)
{
    bool is_short = ferror(file);

    if (fclose(file) != 0)
        return -errno;
    return is_short ? -EIO : 0;
}

/* Programs that list devices meanwhile see the complete file or none. */
static int write_file(
    const struct devices *devices, uint32_t nic, uint32_t device, const char *path)
{
    char beside[PATH_BYTES + 32];
    FILE *file;
    int err;

    snprintf(beside, sizeof(beside), "%s.new", path);
    err = open_file(beside, &file);
    if (err)
        return err;
    write_config(devices, nic, device, file);
    err = close_file(file);
    if (!err && rename(beside, path) != 0)
        err = -errno;
    if (err)
        unlink(beside);
    return err;
}

static void write_lines(const struct devices *devices, FILE *file)
{
    const struct plan *weighed = devices->weighed ? devices->weighed : devices->fabric;
    char exception[PLAN_EXCEPTIONS_LINE_BYTES];
    char line[PLAN_TEXT_LINE_BYTES];

    if (devices->fabric->topology.graph)
        for (uint32_t i = 0; plan_text_line(devices->fabric, i, line); i++)
            fputs(line, file);
    else
        for (uint32_t i = 0; plan_exceptions_line(weighed, i, exception); i++)
            fputs(exception, file);
}

/* Written before the config, which refers to it. */
static int write_text(const struct devices *devices, const char *path)
{
    FILE *file;
    int err;

    if (!devices->fabric->topology.graph && plan_exceptions_count(devices->fabric) == 0)
        return 0;
    err = open_file(path, &file);
    if (err)
        return err;
    write_lines(devices, file);
    return close_file(file);
}

static int make_device(const struct devices *devices, uint32_t nic, uint32_t device)
{
    char folder_path[PATH_BYTES];
    char path[PATH_BYTES + 16];
    int folder;
    int err;

    snprintf(folder_path, sizeof(folder_path), "%s/mrc%u", devices->root, device);
    folder = run_folder_open(folder_path); /* keeps other users from removing it */
    if (folder < 0)
        return folder;
    snprintf(path, sizeof(path), "%s/%s", folder_path, text_name(devices->fabric));
    err = write_text(devices, path);
    snprintf(path, sizeof(path), "%s/config", folder_path);
    if (!err)
        err = write_file(devices, nic, device, path);
    run_folder_close(folder, folder_path);
    return err;
}

static bool exists(const char *root, uint32_t device)
{
    char path[PATH_BYTES];

    snprintf(path, sizeof(path), "%s/mrc%u/config", root, device);
    return access(path, F_OK) == 0;
}

static uint32_t first_free(const char *root, uint32_t count)
{
    uint32_t first = 0;

    for (uint32_t device = 0; device < first + count; device++)
        if (exists(root, device))
            first = device + 1;
    return first;
}

/* Keeps two fabrics that start at once from choosing the same devices. */
static int lock_root(const char *root)
{
    const struct timespec nap = { .tv_nsec = 2000000 };
    int folder = open(root, O_RDONLY | O_DIRECTORY | O_CLOEXEC);

    if (folder < 0)
        return -errno;
    for (uint32_t look = 0; flock(folder, LOCK_EX | LOCK_NB) != 0; look++) {
        if (look == LOOKS_MAX) {
            close(folder);
            return -ETIMEDOUT;
        }
        nanosleep(&nap, NULL);
    }
    return folder;
}

int devices_make(const struct devices *devices, uint32_t *first)
{
    int lock = lock_root(devices->root);
    int err = 0;

    if (lock < 0)
        return lock;
    leftovers_sweep(devices->root);
    devices_remove(devices->root, devices->name); /* of a fabric of this name that was killed */
    *first = first_free(devices->root, devices->fabric->topology.nic_count);
    for (uint32_t nic = 0; nic < devices->fabric->topology.nic_count && !err; nic++)
        err = make_device(devices, nic, *first + nic);
    close(lock);
    return err;
}

bool devices_origin(const char *root, uint32_t device, struct devices_origin *origin)
{
    char path[PATH_BYTES];
    char line[128] = "";
    const char *at = line;
    FILE *file;

    snprintf(path, sizeof(path), "%s/mrc%u/config", root, device);
    file = fopen(path, "re");
    if (!file)
        return false;
    if (!fgets(line, sizeof(line), file))
        line[0] = '\0';
    (void)fclose(file);
    return scan_word(&at, TITLE_NIC) && scan_u32(&at, &origin->nic) &&
           scan_word(&at, TITLE_FABRIC) &&
           scan_until(&at, '\'', origin->fabric, sizeof(origin->fabric));
}

/* Finds the next folder of a device. Returns false if there are no more. */
static bool next_device(DIR *folder, uint32_t *device)
{
    const struct dirent *entry;

    while (folder && (entry = readdir(folder)) != NULL) {
        const char *at = entry->d_name;

        if (scan_word(&at, "mrc") && scan_u32(&at, device) && *at == '\0')
            return true;
    }
    return false;
}

bool devices_find(const char *root, const char *name, uint32_t nic, uint32_t *device)
{
    DIR *folder = opendir(root);
    struct devices_origin origin;
    bool is_found = false;

    while (!is_found && next_device(folder, device))
        is_found = devices_origin(root, *device, &origin) && origin.nic == nic &&
                   strcmp(origin.fabric, name) == 0;
    if (folder)
        closedir(folder);
    return is_found;
}

void devices_remove(const char *root, const char *name)
{
    DIR *folder = opendir(root);
    struct devices_origin origin;
    char path[PATH_BYTES];
    uint32_t device;

    while (next_device(folder, &device)) {
        if (devices_origin(root, device, &origin) && strcmp(origin.fabric, name) == 0) {
            snprintf(path, sizeof(path), "%s/mrc%u/config", root, device);
            unlink(path);
        }
        snprintf(path, sizeof(path), "%s/mrc%u", root, device);
        run_folder_tidy(path);
    }
    if (folder)
        closedir(folder);
}
