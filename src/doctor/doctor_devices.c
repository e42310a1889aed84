/* SPDX-License-Identifier: Apache-2.0 */
/* Finds existing folders, fabrics and devices of MRC. */
#include <dirent.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "control/control.h"
#include "doctor/doctor_look.h"
#include "pktio/pktio.h"

enum { PATH_BYTES = 512, SOCKET_PATH_BYTES = 108 };

void doctor_look_at_run_folder(struct doctor_finding *finding)
{
    char path[PATH_BYTES];
    int err = run_place(path, sizeof(path), NULL, NULL);

    if (err || strlen(path) + 40 >= SOCKET_PATH_BYTES)
        doctor_find(finding, DOCTOR_LIMITED, "set MRC_RUN_DIR to a shorter path",
            "its path is too long for sockets");
    else if (access(path, W_OK) == 0)
        doctor_find(finding, DOCTOR_OK, "", "%s", path);
    else if (errno == ENOENT)
        doctor_find(finding, DOCTOR_OK, "", "%s, created when first needed", path);
    else
        doctor_find(finding, DOCTOR_NO, "set MRC_RUN_DIR to a folder that you own", "%s: %s", path,
            strerror(errno));
}

static bool is_running(const char *name)
{
    struct process_lock_holder holder;
    char path[PATH_BYTES];

    return name[0] != '.' && strncmp(name, "mrc", 3) != 0 &&
           run_place(path, sizeof(path), name, "lock") == 0 && process_lock_look(path, &holder);
}

void doctor_look_at_fabrics(struct doctor_finding *finding)
{
    char path[PATH_BYTES];
    char names[128] = "";
    struct dirent *entry;
    DIR *folder = run_place(path, sizeof(path), NULL, NULL) == 0 ? opendir(path) : NULL;

    while (folder && (entry = readdir(folder)))
        if (is_running(entry->d_name))
            snprintf(names + strlen(names), sizeof(names) - strlen(names), " %.60s", entry->d_name);
    if (folder)
        closedir(folder);
    if (names[0])
        doctor_find(finding, DOCTOR_OK, "", "running:%s", names);
    else
        doctor_find(finding, DOCTOR_OK, "'mrc fabric run --background FABRIC.yaml' starts one",
            "none is running");
}

void doctor_look_at_devices(struct doctor_finding *finding)
{
    static struct device_list devices;
    uint32_t open_count = 0;

    device_list_read(&devices);
    for (uint32_t i = 0; i < devices.count; i++) {
        char reason[REQUEST_REASON_BYTES];
        json_t *answer;

        if (request_device(devices.names[i], "dev", &answer, reason) == REQUEST_ANSWERED)
            open_count++;
        json_decref(answer);
    }
    if (devices.count > 0)
        doctor_find(
            finding, DOCTOR_OK, "", "%u, %u of them open in a process", devices.count, open_count);
    else
        doctor_find(finding, DOCTOR_NO,
            "run 'mrc fabric run', or describe a device in a file and set MRC_CONFIG to it",
            "none");
}
