/* SPDX-License-Identifier: Apache-2.0 */
/* Topologies of htsim: what is read is a fabric, or what is wrong is said. */
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "files/files.h"
#include "must.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t length_bytes)
{
    char *text = calloc(1, length_bytes + 1);
    struct yaml_node *top;
    struct plan fabric;
    struct yaml yaml;

    MUST(text != NULL);
    if (length_bytes > 0)
        memcpy(text, data, length_bytes);
    yaml_init(&yaml);
    top = topo_file_parse(&yaml, "fabric.topo", text);
    MUST(!top == (yaml.problem[0] != 0));
    if (top && fabric_file_read(&yaml, top, &fabric))
        MUST(fabric.topology.nic_count >= 1);
    else
        MUST(yaml.problem[0] != 0);
    yaml_fini(&yaml);
    free(text);
    return 0;
}
