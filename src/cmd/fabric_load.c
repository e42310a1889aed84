/* SPDX-License-Identifier: Apache-2.0 */
/* Reads fabric files for the commands that run them. */
#include "cmd/fabric_load.h"

#include "files/files.h"
#include "lab/lab.h"

enum cmd_status fabric_load(
    const char *command, const char *path, struct yaml *yaml, struct plan *fabric)
{
    const struct yaml_node *top;

    yaml_init(yaml);
    top = fabric_file_load(yaml, path);
    if (top && yaml_member(top, "workloads"))
        yaml_complain_key(yaml, yaml_member(top, "workloads"),
            "this file is an experiment for 'mrc sim'; name a fabric file");
    else if (top && fabric_file_read(yaml, top, fabric))
        return CMD_DONE;
    cmd_complain(CMD_MISUSED, command, "%s", yaml->problem);
    yaml_fini(yaml);
    return CMD_MISUSED;
}

enum cmd_status fabric_load_check_name(const char *command, const char *option, const char *fabric)
{
    if (netns_name_is_prefix(fabric))
        return CMD_DONE;
    return cmd_complain(CMD_MISUSED, command,
        "%s '%s': 1 to %d letters, digits, '-' and '_', not beginning with mrc", option, fabric,
        NETNS_PREFIX_BYTES - 1);
}
