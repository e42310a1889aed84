/* SPDX-License-Identifier: Apache-2.0 */
/* config_db.json against the tables of SONiC: names, fields, values and references, from its YANG
 * models (sonic-port, sonic-interface, sonic-srv6, sonic-trimming, sonic-wred-profile, sonic-queue,
 * sonic-buffer-*, sonic-port-qos-map, sonic-*-map) and the design document of packet trimming. */
#include <jansson.h>
#include <regex.h>

#include "config_bench.h"

struct rule {
    const char *table;
    const char *key;   /* an expression */
    const char *field; /* an expression; NULL: rows without fields */
    const char *value; /* an expression; "@TABLE": the key of a row there */
};

#define NUMBER "^[0-9]+$"
#define NAME   "^[a-zA-Z0-9][-a-zA-Z0-9_]{0,31}$"
#define PORT   "^Ethernet[0-9]+$"
#define DSCP   "^(6[0-3]|[1-5]?[0-9])$"
#define CLASS  "^[0-7]$"

/* clang-format off */
static const struct rule rules[] = {
    { "DEVICE_METADATA", "^localhost$", "^hostname$", "^[a-zA-Z0-9]([a-zA-Z0-9-]{0,61}[a-zA-Z0-9])?$" },
    { "DEVICE_METADATA", "^localhost$", "^docker_routing_config_mode$", "^(separated|unified|split|split-unified)$" },
    { "DEVICE_METADATA", "^localhost$", "^type$", "^not-provisioned$" },
    { "PORT", PORT, "^index$", NUMBER },
    { "PORT", PORT, "^lanes$", "^[0-9]+(,[0-9]+)*$" },
    { "PORT", PORT, "^speed$", "^[1-9][0-9]{0,6}$" },
    { "PORT", PORT, "^mtu$", "^(9[01][0-9][0-9]|92(0[0-9]|1[0-6]))$" },
    { "PORT", PORT, "^admin_status$", "^(up|down)$" },
    { "INTERFACE", "^Ethernet[0-9]+([|][0-9a-f:]+/[0-9]+)?$", NULL, NULL },
    { "SRV6_MY_LOCATORS", NAME, "^prefix$", "^[0-9a-f:]+::$" },
    { "SRV6_MY_LOCATORS", NAME, "^block_len$", "^32$" },
    { "SRV6_MY_LOCATORS", NAME, "^(node|func)_len$", "^16$" },
    { "SRV6_MY_LOCATORS", NAME, "^arg_len$", "^0$" },
    { "SRV6_MY_SIDS", "^MRC[0-9]+[|][0-9a-f:]+/48$", "^action$", "^(uN|uDT46|uA)$" },
    { "SRV6_MY_SIDS", "^MRC[0-9]+[|][0-9a-f:]+/48$", "^decap_dscp_mode$", "^(uniform|pipe)$" },
    { "DSCP_TO_TC_MAP", NAME, DSCP, CLASS },
    { "TC_TO_QUEUE_MAP", NAME, CLASS, CLASS },
    { "TC_TO_DSCP_MAP", NAME, CLASS, DSCP },
    { "SCHEDULER", NAME, "^type$", "^(DWRR|WRR|STRICT)$" },
    { "SCHEDULER", NAME, "^weight$", "^([1-9][0-9]?|100)$" },
    { "WRED_PROFILE", NAME, "^ecn$", "^ecn_all$" },
    { "WRED_PROFILE", NAME, "^wred_(green|yellow|red)_enable$", "^(true|false)$" },
    { "WRED_PROFILE", NAME, "^(green|yellow|red)_(min|max)_threshold$", NUMBER },
    { "WRED_PROFILE", NAME, "^(green|yellow|red)_drop_probability$", "^([0-9]|[1-9][0-9]|100)$" },
    { "BUFFER_POOL", NAME, "^type$", "^(ingress|egress)$" },
    { "BUFFER_POOL", NAME, "^mode$", "^(static|dynamic)$" },
    { "BUFFER_POOL", NAME, "^size$", NUMBER },
    { "BUFFER_PROFILE", NAME, "^pool$", "@BUFFER_POOL" },
    { "BUFFER_PROFILE", NAME, "^(size|static_th)$", NUMBER },
    { "BUFFER_PROFILE", NAME, "^dynamic_th$", "^(-8|-[1-7]|[0-8])$" },
    { "BUFFER_PROFILE", NAME, "^packet_discard_action$", "^(drop|trim)$" },
    { "SWITCH_TRIMMING", "^GLOBAL$", "^size$", NUMBER },
    { "SWITCH_TRIMMING", "^GLOBAL$", "^dscp_value$", "^from-tc$" },
    { "SWITCH_TRIMMING", "^GLOBAL$", "^(tc_value|queue_index)$", CLASS },
    { "PORT_QOS_MAP", PORT, "^dscp_to_tc_map$", "@DSCP_TO_TC_MAP" },
    { "PORT_QOS_MAP", PORT, "^tc_to_queue_map$", "@TC_TO_QUEUE_MAP" },
    { "PORT_QOS_MAP", PORT, "^tc_to_dscp_map$", "@TC_TO_DSCP_MAP" },
    { "QUEUE", "^Ethernet[0-9]+[|][0-7]$", "^scheduler$", "@SCHEDULER" },
    { "QUEUE", "^Ethernet[0-9]+[|][0-7]$", "^wred_profile$", "@WRED_PROFILE" },
    { "BUFFER_QUEUE", "^Ethernet[0-9]+[|][0-7]$", "^profile$", "@BUFFER_PROFILE" },
};
/* clang-format on */

static bool matches(const char *text, const char *expression)
{
    regex_t compiled;
    bool is_match;

    EXPECT_EQ(regcomp(&compiled, expression, REG_EXTENDED | REG_NOSUB), 0);
    is_match = regexec(&compiled, text, 0, NULL, 0) == 0;
    regfree(&compiled);
    return is_match;
}

static bool is_allowed(
    json_t *top, const char *table, const char *key, const char *field, const char *value)
{
    for (uint32_t i = 0; i < sizeof(rules) / sizeof(rules[0]); i++) {
        const struct rule *rule = &rules[i];

        if (strcmp(rule->table, table) != 0 || !matches(key, rule->key) || !field != !rule->field)
            continue;
        if (!field)
            return true;
        if (!matches(field, rule->field))
            continue;
        if (rule->value[0] == '@')
            return json_object_get(json_object_get(top, rule->value + 1), value) != NULL;
        return matches(value, rule->value);
    }
    return false;
}

/* Returns the number of values that the models do not allow. */
static uint32_t forbidden(const char *text)
{
    json_error_t problem;
    json_t *top = json_loads(text, JSON_REJECT_DUPLICATES, &problem);
    uint32_t count = 0;
    const char *table;
    const char *key;
    const char *field;
    json_t *rows;
    json_t *row;
    json_t *value;

    EXPECT(top);
    json_object_foreach(top, table, rows)
    {
        json_object_foreach(rows, key, row)
        {
            if (json_object_size(row) == 0)
                count += !is_allowed(top, table, key, NULL, NULL);
            json_object_foreach(row, field, value)
            {
                count += !is_allowed(top, table, key, field, json_string_value(value));
            }
        }
    }
    json_decref(top);
    return count;
}

SPEC("config_db.json has only tables, fields and values of SONiC's models, and no row twice")
{
    struct config_bench bench;

    config_bench_start(&bench, 8, "p1.t0.0-t1.1");
    for (uint32_t node = 0; node < bench.plan.topology.switch_count; node++) {
        char *text = config_bench_text(&bench, &config_format_find("sonic")->files[0], node);

        EXPECT_EQ(forbidden(text), 0);
        free(text);
    }
    config_bench_stop(&bench);
}

SPEC("the check finds a table, a field, a value and a reference that SONiC does not have")
{
    EXPECT_EQ(forbidden("{\"PORTS\":{\"Ethernet0\":{\"speed\":\"1\"}}}"), 1);
    EXPECT_EQ(forbidden("{\"PORT\":{\"Ethernet0\":{\"rate\":\"1\"}}}"), 1);
    EXPECT_EQ(forbidden("{\"SWITCH_TRIMMING\":{\"GLOBAL\":{\"dscp_value\":\"64\"}}}"), 1);
    EXPECT_EQ(forbidden("{\"BUFFER_QUEUE\":{\"Ethernet0|3\":{\"profile\":\"none\"}}}"), 1);
}

SPEC("ports to hosts give trimmed packets the DSCP of the last hop, and do not mark")
{
    struct config_bench bench;
    json_t *top;
    char *text;

    config_bench_start(&bench, 2, NULL);
    text = config_bench_text(&bench, &config_format_find("sonic")->files[0], 0);
    top = json_loads(text, 0, NULL);
    EXPECT(top);
    json_t *maps = json_object_get(json_object_get(top, "PORT_QOS_MAP"), "Ethernet0");
    json_t *queues = json_object_get(top, "QUEUE");

    EXPECT_EQ(strcmp(json_string_value(json_object_get(maps, "tc_to_dscp_map")), "mrc_host"), 0);
    EXPECT(!json_object_get(json_object_get(queues, "Ethernet0|3"), "wred_profile"));
    EXPECT(json_object_get(json_object_get(queues, "Ethernet2|3"), "wred_profile"));
    json_decref(top);
    free(text);
    config_bench_stop(&bench);
}
