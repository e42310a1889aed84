/* SPDX-License-Identifier: Apache-2.0 */
/* What commands that work on a fabric file have in common. */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cmd/fabric.h"
#include "files/files.h"
#include "lab/lab.h"
#include "pktio/pktio.h"

enum cmd_status fabric_load(
    const char *command, const char *path, struct yaml *yaml, struct plan *fabric)
{
    const struct yaml_node *top;

    yaml_init(yaml);
    top = yaml_load(yaml, path);
    if (top && yaml_member(top, "workloads"))
        yaml_complain_key(yaml, yaml_member(top, "workloads"),
            "this is an experiment, for 'mrc sim'; name a fabric file");
    else if (top && fabric_file_read(yaml, top, fabric)) {
        if (fabric->topology.config.plane_count <= TOPOLOGY_PLANES_MAX)
            return CMD_DONE;
        yaml_complain(yaml, top, "NICs with %u ports can be planned and not run: at most %u",
            fabric->topology.config.plane_count, TOPOLOGY_PLANES_MAX);
    }
    cmd_complain(CMD_MISUSED, command, "%s", yaml->problem);
    yaml_fini(yaml);
    return CMD_MISUSED;
}

char *fabric_text(const char *path)
{
    FILE *file = fopen(path, "r");
    char *text = NULL;
    size_t room = 0;

    if (!file)
        return NULL;
    if (getdelim(&text, &room, '\0', file) < 0) {
        free(text);
        text = NULL;
    }
    (void)fclose(file);
    return text;
}

enum cmd_status fabric_check_name(const char *command, const char *name)
{
    if (netns_name_is_prefix(name))
        return CMD_DONE;
    return cmd_complain(CMD_MISUSED, command,
        "--name '%s': 1 to %d letters, digits, '-' and '_', not beginning with mrc", name,
        NETNS_PREFIX_BYTES - 1);
}

bool fabric_is_running(const char *root, const char *name, struct process_lock_holder *holder)
{
    char path[FABRIC_ROOT_BYTES + DEVICES_NAME_BYTES + 16];

    snprintf(path, sizeof(path), "%s/%.60s/lock", root, name);
    return process_lock_look(path, holder);
}

bool fabric_number(const char *text, unsigned long min, unsigned long max, unsigned long *out)
{
    char *end;

    errno = 0;
    *out = strtoul(text, &end, 10);
    return errno == 0 && *text >= '0' && *text <= '9' && *end == '\0' && *out >= min && *out <= max;
}
