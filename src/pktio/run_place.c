/* SPDX-License-Identifier: Apache-2.0 */
/* The folder of what runs. */
#include "pktio/run_place.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

int run_place(char *path, size_t room_bytes, const char *name, const char *file)
{
    const char *run = secure_getenv("MRC_RUN_DIR");
    char own[32];
    int length;

    snprintf(own, sizeof(own), "/tmp/mrc-%u", (unsigned int)geteuid());
    if (!run || !run[0])
        run = geteuid() == 0 ? "/run" : secure_getenv("XDG_RUNTIME_DIR");
    if (!run || !run[0])
        run = own;
    length = snprintf(path, room_bytes, "%s/mrc%s%s%s%s", run, name ? "/" : "", name ? name : "",
        name && file ? "/" : "", name && file ? file : "");
    return length >= 0 && (size_t)length < room_bytes ? 0 : -ENAMETOOLONG;
}
