/* SPDX-License-Identifier: Apache-2.0 */
/* What commands that work on a fabric file have in common. */
#include <errno.h>
#include <stdlib.h>

#include "cmd/fabric.h"
#include "files/files.h"

enum cmd_status fabric_load(
    const char *command, const char *path, struct yaml *yaml, struct fabric *fabric)
{
    const struct yaml_node *top;

    yaml_init(yaml);
    top = yaml_load(yaml, path);
    if (top && fabric_file_read(yaml, top, fabric))
        return CMD_DONE;
    cmd_complain(CMD_MISUSED, command, "%s", yaml->problem);
    yaml_fini(yaml);
    return CMD_MISUSED;
}

bool fabric_number(const char *text, unsigned long min, unsigned long max, unsigned long *out)
{
    char *end;

    errno = 0;
    *out = strtoul(text, &end, 10);
    return errno == 0 && *text >= '0' && *text <= '9' && *end == '\0' && *out >= min && *out <= max;
}
