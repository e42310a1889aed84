/* SPDX-License-Identifier: Apache-2.0 */
/* Finds the devices: those of the file in MRC_CONFIG, otherwise the folders with a `config`. */
#include "api/description.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "api/log.h"
#include "pktio/pktio.h"

#define TEXT_BYTES_MAX (1 << 20)

/* Returns the text, which the caller frees, or NULL with *err. */
static char *read_text(const char *path, int *err)
{
    FILE *file = fopen(path, "re");
    char *text = file ? malloc(TEXT_BYTES_MAX) : NULL;
    size_t length;

    *err = file ? -ENOMEM : -errno;
    if (text) {
        length = fread(text, 1, TEXT_BYTES_MAX - 1, file);
        text[length] = '\0';
    }
    if (file)
        (void)fclose(file);
    return text;
}

/* Writes the path of the file that describes `name`. */
static int config_path(const char *name, char *path, size_t room)
{
    const char *given = secure_getenv("MRC_CONFIG");
    char root[FOLDER_PATH_BYTES];
    int err;

    if (given && given[0])
        return snprintf(path, room, "%s", given) < (int)room ? 0 : -ENAMETOOLONG;
    err = folder_root(root);
    if (err)
        return err;
    return snprintf(path, room, "%s/%s/config", root, name) < (int)room ? 0 : -ENAMETOOLONG;
}

/* MRC_ENGINES applies if the description does not set the number of engines. */
static int take_environment(struct description *out)
{
    const char *engines = getenv("MRC_ENGINES");
    const char *problem = NULL;

    if (engines && out->host.engine_count == 0)
        problem = description_set_engines(out, engines);
    if (problem)
        log_line(LOG_ERROR, "MRC_ENGINES=%s: %s", engines, problem);
    return problem ? -EINVAL : 0;
}

int description_find(const char *name, struct description *out)
{
    char path[FOLDER_PATH_BYTES + FOLDER_NAME_BYTES + 16];
    char problem[DESCRIPTION_PROBLEM_BYTES];
    int err = folder_name_is_valid(name) ? config_path(name, path, sizeof(path)) : -ENODEV;
    char *text = err ? NULL : read_text(path, &err);

    if (!text)
        return err == -ENOENT ? -ENODEV : err;
    err = description_parse(text, name, out, problem);
    free(text);
    if (err == -EINVAL)
        log_line(LOG_ERROR, "%s: %s", path, problem);
    return err ? err : take_environment(out);
}

/* A soft fabric locks the file `lock` next to the socket to which its NICs attach. Devices that a
 * killed fabric has left behind do not count. */
static bool fabric_has_died(const char *config)
{
    struct process_lock_holder holder;
    char lock[DESCRIPTION_ADDRESS_BYTES + 8];
    const char *address = strstr(config, "- shm:");
    size_t length;

    if (!address)
        return false;
    address += strlen("- shm:");
    length = strcspn(address, "?\n");
    while (length > 0 && address[length - 1] != '/')
        length--;
    if (length == 0 || length >= DESCRIPTION_ADDRESS_BYTES)
        return false;
    snprintf(lock, sizeof(lock), "%.*slock", (int)length, address);
    return access(lock, F_OK) == 0 && !process_lock_look(lock, &holder);
}

static int is_device(const struct dirent *entry)
{
    char path[FOLDER_PATH_BYTES + FOLDER_NAME_BYTES + 16];
    char *text = NULL;
    bool is_there;
    int err;

    if (!folder_name_is_valid(entry->d_name) || config_path(entry->d_name, path, sizeof(path)) != 0)
        return 0;
    text = read_text(path, &err);
    is_there = text && !fabric_has_died(text);
    free(text);
    return is_there;
}

static int list_folders(struct description_names *out)
{
    char root[FOLDER_PATH_BYTES];
    struct dirent **entries;
    int err = folder_root(root);
    int count;

    out->count = 0;
    if (err)
        return err;
    count = scandir(root, &entries, is_device, versionsort);
    if (count < 0)
        return -errno;
    for (int i = 0; i < count; i++) {
        description_names_add(out, entries[i]->d_name);
        free(entries[i]);
    }
    free(entries);
    return 0;
}

int description_list(struct description_names *out)
{
    const char *given = secure_getenv("MRC_CONFIG");
    char *text;
    int err;

    if (!given || !given[0])
        return list_folders(out);
    out->count = 0;
    text = read_text(given, &err);
    if (!text) {
        log_line(LOG_ERROR, "MRC_CONFIG: %s: %s", given, strerror(-err));
        return err;
    }
    description_names(text, out);
    free(text);
    return 0;
}
