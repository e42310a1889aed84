/* SPDX-License-Identifier: Apache-2.0 */
/* Reads a fabric file for the verbs that write and compare configurations. */
#include "cmd/plan/plan_source.h"

#include <stdlib.h>

#include "cmd/fabric_load.h"

enum cmd_status plan_source_open(struct plan_source *source, const char *command, const char *path)
{
    enum cmd_status status = fabric_load(command, path, &source->yaml, &source->plan);

    if (status != CMD_DONE)
        return status;
    source->text = whole_file_text(path);
    if (source->text && config_source_init(&source->source, &source->plan, source->text))
        return CMD_DONE;
    free(source->text);
    yaml_fini(&source->yaml);
    return cmd_complain(CMD_FAILED, command, "out of memory");
}

void plan_source_close(struct plan_source *source)
{
    config_source_fini(&source->source);
    free(source->text);
    yaml_fini(&source->yaml);
}
