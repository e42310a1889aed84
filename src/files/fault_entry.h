/* SPDX-License-Identifier: Apache-2.0 */
/* One entry of the lists `faults` and `generators` (mrc-experiment(5)). Names are not looked up,
 * because experiments and scripts for running fabrics have the same form. */
#pragma once

#include "files/yaml.h"
#include "network/network.h"

struct fault_entry {
    struct fault_generator generator; /* its fault is used for both lists */
    uint64_t duration_ps;
    const struct yaml_node *where; /* NULL: not given */
    const struct yaml_node *ev;
};

/* Returns false after an error message. */
bool fault_entry_read_listed(struct yaml *, const struct yaml_node *, struct fault_entry *);
bool fault_entry_read_generator(struct yaml *, const struct yaml_node *, struct fault_entry *);

/* Returns the number of names in `where`, a single name or a list. */
uint32_t fault_entry_name_count(const struct yaml_node *where);
const struct yaml_node *fault_entry_first_name(const struct yaml_node *where);
