/* SPDX-License-Identifier: Apache-2.0 */
/* Reads the settings of UET. */
#include "files/experiment_part.h"
#include "files/yaml_fields.h"

#define TIMEOUT_LEAST_PS UINT64_C(1000000)
#define TIMEOUT_MOST_PS  UINT64_C(8000000000000)

#define IN_SETTINGS(member) offsetof(struct uet_settings, member)

/* clang-format off */
static const struct yaml_field fields[] = {
    { .key = "cc", .type = YAML_WORD, .offset = IN_SETTINGS(cc), .words = uet_cc_words },
    { .key = "spray", .type = YAML_WORD, .offset = IN_SETTINGS(spray), .words = uet_spray_words },
    { .key = "paths", .type = YAML_COUNT, .offset = IN_SETTINGS(paths), .least = 1, .most = UET_PATHS_MAX },
    { .key = "ack_bytes", .type = YAML_SIZE, .offset = IN_SETTINGS(ack_bytes), .least = UET_ACK_BYTES_LEAST, .most = UET_ACK_BYTES_MAX },
    { .key = "timeout", .type = YAML_TIME, .offset = IN_SETTINGS(timeout_ps), .least = TIMEOUT_LEAST_PS, .most = TIMEOUT_MOST_PS },
    { .key = "retries", .type = YAML_COUNT, .offset = IN_SETTINGS(retries), .least = 0, .most = UET_RETRIES_MAX },
    { .key = "polarised", .type = YAML_FLAG, .offset = IN_SETTINGS(polarised) },
    { .key = NULL },
};
/* clang-format on */

bool experiment_read_uet(
    struct yaml *yaml, const struct yaml_node *mapping, struct uet_settings *uet)
{
    return yaml_read(yaml, mapping, fields, uet);
}
