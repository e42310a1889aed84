/* SPDX-License-Identifier: Apache-2.0 */
/* Reads the settings of probes. */
#include "files/experiment_part.h"
#include "files/yaml_fields.h"

/* A period as in production, and as many periods as judge a dead link at once. */
#define PERIOD_PS (SIM_PS_PER_S / 1000)
#define ROUND     10

#define IN_MAP(member) offsetof(struct sim_map_config, member)

/* clang-format off */
static const struct yaml_field fields[] = {
    { .key = "period", .type = YAML_TIME, .offset = IN_MAP(period_ps), .least = 1000, .most = SIM_PS_PER_S },
    { .key = "round", .type = YAML_COUNT, .offset = IN_MAP(round_periods), .least = 1, .most = MAP_ROUND_PERIODS_MAX },
    { .key = NULL },
};
/* clang-format on */

bool experiment_read_map(
    struct yaml *yaml, const struct yaml_node *mapping, struct sim_map_config *map)
{
    *map = (struct sim_map_config){ .period_ps = PERIOD_PS, .round_periods = ROUND };
    return yaml_read(yaml, mapping, fields, map);
}
