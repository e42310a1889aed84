/* SPDX-License-Identifier: Apache-2.0 */
/* Reads the settings of RoCEv2. */
#include "files/experiment_part.h"
#include "files/yaml_fields.h"

#define TIMEOUT_LEAST_PS  UINT64_C(4096000)        /* the unit of the local ACK timeout */
#define TIMEOUT_MOST_PS   UINT64_C(34359738368000) /* 2^23 times as long */
#define WATCHDOG_LEAST_PS UINT64_C(1000000)
#define WATCHDOG_MOST_PS  UINT64_C(60000000000000)

#define FLOWLET_GAP_LEAST_PS UINT64_C(1000)
#define FLOWLET_GAP_MOST_PS  UINT64_C(1000000000000)

#define IN_SETTINGS(member) offsetof(struct roce_settings, member)

/* clang-format off */
static const struct yaml_field fields[] = {
    { .key = "qps", .type = YAML_COUNT, .offset = IN_SETTINGS(qps), .least = 1, .most = ROCE_QPS_MAX },
    { .key = "split", .type = YAML_FLAG, .offset = IN_SETTINGS(split) },
    { .key = "recovery", .type = YAML_WORD, .offset = IN_SETTINGS(recovery), .words = roce_recovery_words },
    { .key = "placement", .type = YAML_WORD, .offset = IN_SETTINGS(placement), .words = roce_placement_words },
    { .key = "cc", .type = YAML_WORD, .offset = IN_SETTINGS(cc), .words = roce_cc_words },
    { .key = "dcqcn", .type = YAML_WORD, .offset = IN_SETTINGS(dcqcn), .words = dcqcn_set_words },
    { .key = "marking", .type = YAML_WORD, .offset = IN_SETTINGS(marking), .words = ecn_set_words },
    { .key = "timeout", .type = YAML_TIME, .offset = IN_SETTINGS(timeout_ps), .least = TIMEOUT_LEAST_PS, .most = TIMEOUT_MOST_PS },
    { .key = "retries", .type = YAML_COUNT, .offset = IN_SETTINGS(retries), .least = 0, .most = ROCE_RETRIES_MAX },
    { .key = "ack_every", .type = YAML_COUNT, .offset = IN_SETTINGS(ack_every), .least = 1, .most = ROCE_ACK_EVERY_MAX },
    { .key = "pfc", .type = YAML_FLAG, .offset = IN_SETTINGS(pfc) },
    { .key = "headroom", .type = YAML_SIZE, .offset = IN_SETTINGS(headroom_bytes) },
    { .key = "watchdog", .type = YAML_WORD, .offset = IN_SETTINGS(watchdog.action), .words = pfc_watchdog_action_words },
    { .key = "watchdog_detect", .type = YAML_TIME, .offset = IN_SETTINGS(watchdog.detect_ps), .least = WATCHDOG_LEAST_PS, .most = WATCHDOG_MOST_PS },
    { .key = "watchdog_restore", .type = YAML_TIME, .offset = IN_SETTINGS(watchdog.restore_ps), .least = WATCHDOG_LEAST_PS, .most = WATCHDOG_MOST_PS },
    { .key = "polarised", .type = YAML_FLAG, .offset = IN_SETTINGS(polarised) },
    { .key = "routing", .type = YAML_WORD, .offset = IN_SETTINGS(routing), .words = routing_words },
    { .key = "flowlet_gap", .type = YAML_TIME, .offset = IN_SETTINGS(flowlet_gap_ps), .least = FLOWLET_GAP_LEAST_PS, .most = FLOWLET_GAP_MOST_PS },
    { .key = "convergence", .type = YAML_WORD, .offset = IN_SETTINGS(convergence), .words = convergence_set_words },
    { .key = NULL },
};
/* clang-format on */

/* Settings without effect are mistakes. */
static bool check_use(
    struct yaml *yaml, const struct yaml_node *mapping, const struct roce_settings *roce)
{
    static const char *const of_dcqcn[] = { "dcqcn", "marking" };
    static const char *const of_pfc[] = { "headroom", "watchdog", "watchdog_detect",
        "watchdog_restore" };

    for (uint32_t i = 0; roce->cc != ROCE_CC_DCQCN && i < 2; i++)
        if (yaml_member(mapping, of_dcqcn[i]))
            return yaml_complain_key(yaml, yaml_member(mapping, of_dcqcn[i]),
                "it has no effect with cc: none; remove it, or set cc: dcqcn");
    for (uint32_t i = 0; !roce->pfc && i < 4; i++)
        if (yaml_member(mapping, of_pfc[i]))
            return yaml_complain_key(yaml, yaml_member(mapping, of_pfc[i]),
                "it has no effect with pfc: false; remove it, or set pfc: true");
    for (uint32_t i = 2; roce->watchdog.action == PFC_WATCHDOG_OFF && i < 4; i++)
        if (yaml_member(mapping, of_pfc[i]))
            return yaml_complain_key(yaml, yaml_member(mapping, of_pfc[i]),
                "it has no effect with watchdog: off; remove it, or set watchdog: drop");
    if (roce->routing != ROUTING_FLOWLET && yaml_member(mapping, "flowlet_gap"))
        return yaml_complain_key(yaml, yaml_member(mapping, "flowlet_gap"),
            "it has no effect without routing: flowlet; remove it, or set routing: flowlet");
    return true;
}

bool experiment_read_roce(
    struct yaml *yaml, const struct yaml_node *mapping, struct roce_settings *roce)
{
    return yaml_read(yaml, mapping, fields, roce) && check_use(yaml, mapping, roce);
}
