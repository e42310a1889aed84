/* SPDX-License-Identifier: Apache-2.0 */
/* Prints the fabric file with a line about its size. */
#include "cmd/plan/plan_fabric_text.h"

#include <stdio.h>
#include <stdlib.h>

enum cmd_status plan_fabric_text(
    const char *command, const struct size_fabric *fabric, const struct size_site *site)
{
    uint64_t places = fabric->tier_count == 1 ? fabric->request.gpus : fabric->places;
    char *text = NULL;
    size_t bytes = 0;
    FILE *to = open_memstream(&text, &bytes);
    bool is_built = to && size_text_write(to, fabric, site, "\n");

    if (to)
        (void)fclose(to);
    if (is_built)
        printf("# %llu GPUs, %llu places\n%s\n", (unsigned long long)fabric->request.gpus,
            (unsigned long long)places, text);
    free(text);
    return is_built ? CMD_DONE
                    : cmd_complain(CMD_MISUSED, command,
                          "--yaml: no generator of mrc-fabric(5) builds this fabric; give fewer "
                          "GPUs, or another shape");
}
