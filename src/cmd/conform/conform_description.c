/* SPDX-License-Identifier: Apache-2.0 */
/* Reads descriptions of devices and applies options to them. */
#include "cmd/conform/conform_description.h"

#include <string.h>

#include "conform/conform.h"

static struct yaml_node *load_top(struct yaml *yaml, const char *file)
{
    struct yaml_node *top =
        file ? yaml_load(yaml, file) : yaml_parse(yaml, "command line", "{}", 2, false);

    if (top)
        top->is_root = true;
    return top;
}

enum cmd_status conform_description_load(
    const char *command, const char *file, conform_description_reader *reader, void *context)
{
    enum cmd_status status = CMD_DONE;
    struct yaml_node *top;
    struct yaml yaml;

    yaml_init(&yaml);
    top = load_top(&yaml, file);
    if (!top || !reader(context, &yaml, top))
        status = cmd_complain(CMD_MISUSED, command, "%s", yaml.problem);
    yaml_fini(&yaml);
    return status;
}

bool conform_description_set(
    struct yaml *yaml, struct yaml_node *top, const char *option, const char *key, const char *text)
{
    struct yaml_node *value = yaml_parse(yaml, option, text, strlen(text), false);

    return value && yaml_put(yaml, top, key, value);
}

static bool set_pair(struct yaml *yaml, struct yaml_node *top, const char *pair)
{
    size_t length = strcspn(pair, "=");

    if (pair[length] == '\0' || length == 0)
        return yaml_complain_at(yaml, (struct yaml_place){ .source = "--set" },
            "KEY=VALUE is expected, not '%s'", pair);
    return conform_description_set(
        yaml, top, "--set", yaml_text(yaml, pair, length), pair + length + 1);
}

bool conform_description_set_pairs(
    struct yaml *yaml, struct yaml_node *top, const struct option_list *pairs)
{
    for (uint32_t i = 0; i < pairs->count; i++)
        if (!set_pair(yaml, top, pairs->at[i]))
            return false;
    return true;
}

bool conform_description_add_ports(struct yaml *yaml, struct yaml_node *top, const char *option,
    const struct option_list *list, const char *flag)
{
    for (uint32_t i = 0; i < list->count; i++)
        if (!conform_spec_add_port(yaml, top, option, list->at[i], flag))
            return false;
    return true;
}
