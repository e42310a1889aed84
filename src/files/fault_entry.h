/* SPDX-License-Identifier: Apache-2.0 */
/* One entry of the lists `faults` and `generators` (mrc-experiment(5)), with names left as they
 * are: experiments and scripts for running fabrics are written alike. */
#pragma once

#include "files/yaml.h"
#include "network/network.h"

struct fault_entry {
    struct fault_generator generator; /* its fault is that of either list */
    uint64_t duration_ps;
    const struct yaml_node *where; /* NULL: not said */
    const struct yaml_node *ev;
};

/* False after a complaint. */
bool fault_entry_read_listed(struct yaml *, const struct yaml_node *, struct fault_entry *);
bool fault_entry_read_generator(struct yaml *, const struct yaml_node *, struct fault_entry *);

/* Names in `where`, which is one or a list of them. */
uint32_t fault_entry_name_count(const struct yaml_node *where);
const struct yaml_node *fault_entry_first_name(const struct yaml_node *where);
