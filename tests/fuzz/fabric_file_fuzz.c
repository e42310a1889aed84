/* SPDX-License-Identifier: Apache-2.0 */
/* Fabric files: a fabric that is read can be wired, named and addressed; else what is wrong is said
 * with its place. */
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include "files/files.h"
#include "libfyaml.h"
#include "must.h"

static void expect_sense(const struct plan *fabric)
{
    struct ipv6_addr address = plan_nic_address(fabric, fabric->topology.nic_count - 1);
    char reason[TOPOLOGY_REASON_BYTES];
    char name[TOPOLOGY_NAME_BYTES];
    struct topology_element found;
    uint32_t nic;

    MUST(plan_nic_of(fabric, &address, &nic) && nic == fabric->topology.nic_count - 1);
    for (uint32_t i = 0; i < fabric->topology.switch_count;
         i += 1 + fabric->topology.switch_count / 64) {
        struct topology_element element = topology_switch_at(&fabric->topology, i);

        topology_name(&element, name);
        MUST(topology_find(&fabric->topology, name, &found, reason));
        MUST(topology_switch_index(&fabric->topology, &found) == i);
    }
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t length_bytes)
{
    struct yaml_node *top;
    struct plan fabric;
    struct yaml yaml;

    yaml_init(&yaml);
    top = yaml_parse(&yaml, "fabric.yaml", (const char *)data, length_bytes, true);
    if (top && top->kind == YAML_MAPPING && fabric_file_read(&yaml, top, &fabric))
        expect_sense(&fabric);
    else
        MUST((top && top->kind != YAML_MAPPING) || yaml.problem[0] != 0);
    MUST(memchr(yaml.problem, 0, sizeof(yaml.problem)) != NULL);
    yaml_fini(&yaml);
    return 0;
}
