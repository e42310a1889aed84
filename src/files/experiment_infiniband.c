/* SPDX-License-Identifier: Apache-2.0 */
/* Reads the settings of InfiniBand. */
#include "files/experiment_part.h"
#include "files/yaml_fields.h"

#define TIMEOUT_LEAST_PS UINT64_C(4096000)        /* the unit of the local ACK timeout */
#define TIMEOUT_MOST_PS  UINT64_C(34359738368000) /* 2^23 times as long */
#define BUFFER_MOST      (IB_LANES_MAX * UINT64_C(131072))

#define IN_SETTINGS(member) offsetof(struct ib_settings, member)

/* clang-format off */
static const struct yaml_field fields[] = {
    { .key = "routing", .type = YAML_WORD, .offset = IN_SETTINGS(routing), .words = ib_routing_words },
    { .key = "recovery", .type = YAML_WORD, .offset = IN_SETTINGS(recovery), .words = ib_recovery_words },
    { .key = "lanes", .type = YAML_COUNT, .offset = IN_SETTINGS(lanes), .least = 1, .most = IB_LANES_MAX },
    { .key = "buffer", .type = YAML_SIZE, .offset = IN_SETTINGS(buffer_bytes), .most = BUFFER_MOST },
    { .key = "link_retry", .type = YAML_FLAG, .offset = IN_SETTINGS(link_retry) },
    { .key = "qps", .type = YAML_COUNT, .offset = IN_SETTINGS(qps), .least = 1, .most = ROCE_QPS_MAX },
    { .key = "timeout", .type = YAML_TIME, .offset = IN_SETTINGS(timeout_ps), .least = TIMEOUT_LEAST_PS, .most = TIMEOUT_MOST_PS },
    { .key = "retries", .type = YAML_COUNT, .offset = IN_SETTINGS(retries), .least = 0, .most = ROCE_RETRIES_MAX },
    { .key = NULL },
};
/* clang-format on */

bool experiment_read_infiniband(
    struct yaml *yaml, const struct yaml_node *mapping, struct ib_settings *infiniband)
{
    return yaml_read(yaml, mapping, fields, infiniband);
}
