/* SPDX-License-Identifier: Apache-2.0 */
/* The configuration of mrcd: a file of keys, overridden by options. */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cmd/mrcd/mrcd.h"
#include "files/files.h"

struct keys {
    char state[MRCD_TEXT_BYTES];
    const struct yaml_node *fabric;
    char listen[MRCD_TEXT_BYTES];
    char agents[MRCD_TEXT_BYTES];
    char controller[MRCD_TEXT_BYTES];
    char name[MRCD_TEXT_BYTES];
    char min_capacity[MRCD_TEXT_BYTES];
    char soft[MRCD_TEXT_BYTES];
    char map_period[MRCD_TEXT_BYTES];
    char map_round[MRCD_TEXT_BYTES];
    char policy[MRCD_TEXT_BYTES];
    char policy_actions[MRCD_TEXT_BYTES];
    char policy_hold[MRCD_TEXT_BYTES];
    char policy_clean[MRCD_TEXT_BYTES];
    uint32_t ev_profile;
    uint32_t cc_profile;
    bool is_local;
};

#define TEXT_KEY(word)                                                                             \
    {                                                                                              \
#word, YAML_TEXT, offsetof(struct keys, word), .most = MRCD_TEXT_BYTES                     \
    }

static const struct yaml_field fields[] = {
    TEXT_KEY(state),
    { "fabric", YAML_ANY, offsetof(struct keys, fabric), 0, 0, NULL },
    TEXT_KEY(listen),
    TEXT_KEY(agents),
    TEXT_KEY(controller),
    TEXT_KEY(name),
    TEXT_KEY(min_capacity),
    TEXT_KEY(soft),
    TEXT_KEY(map_period),
    TEXT_KEY(map_round),
    TEXT_KEY(policy),
    TEXT_KEY(policy_actions),
    TEXT_KEY(policy_hold),
    TEXT_KEY(policy_clean),
    { "ev_profile", YAML_COUNT, offsetof(struct keys, ev_profile), 0, 0, NULL },
    { "cc_profile", YAML_COUNT, offsetof(struct keys, cc_profile), 0, 0, NULL },
    { "local", YAML_FLAG, offsetof(struct keys, is_local), 0, 0, NULL },
    { NULL, 0, 0, 0, 0, NULL },
};

/* Keeps what the command line gives. */
static void fill_in(struct yaml *yaml, const char **option, const char *value)
{
    if (!*option && value && value[0])
        *option = yaml_text(yaml, value, strlen(value));
}

enum cmd_status mrcd_config_read(
    const char *command, struct mrcd_options *options, struct yaml *yaml)
{
    struct keys keys = { 0 };
    const struct yaml_node *top;

    yaml_init(yaml);
    if (!options->config)
        return CMD_DONE;
    top = yaml_load(yaml, options->config);
    if (!top || !yaml_read(yaml, top, fields, &keys))
        return cmd_complain(CMD_MISUSED, command, "%s", yaml->problem);
    fill_in(yaml, &options->state, keys.state);
    fill_in(yaml, &options->fabric, keys.fabric ? yaml_path(yaml, keys.fabric) : NULL);
    fill_in(yaml, &options->listen, keys.listen);
    fill_in(yaml, &options->agents, keys.agents);
    fill_in(yaml, &options->controller, keys.controller);
    fill_in(yaml, &options->name, keys.name);
    fill_in(yaml, &options->min_capacity, keys.min_capacity);
    fill_in(yaml, &options->soft, keys.soft);
    fill_in(yaml, &options->map_period, keys.map_period);
    fill_in(yaml, &options->map_round, keys.map_round);
    fill_in(yaml, &options->policy, keys.policy);
    fill_in(yaml, &options->policy_actions, keys.policy_actions);
    fill_in(yaml, &options->policy_hold, keys.policy_hold);
    fill_in(yaml, &options->policy_clean, keys.policy_clean);
    options->ev_profile = options->ev_profile ? options->ev_profile : keys.ev_profile;
    options->cc_profile = options->cc_profile ? options->cc_profile : keys.cc_profile;
    options->is_local |= keys.is_local;
    return CMD_DONE;
}

static enum cmd_status refuse_address(const char *command, const char *option, const char *text)
{
    return cmd_complain(CMD_MISUSED, command,
        "%s '%s': write ADDRESS:PORT, for example 127.0.0.1:4780 or [::1]:4780", option, text);
}

enum cmd_status mrcd_config_address(const char *command, const char *option, const char *text,
    char address[static MRCD_TEXT_BYTES], uint16_t *port)
{
    const char *colon = strrchr(text, ':');
    const char *begin = text[0] == '[' ? text + 1 : text;
    size_t length = colon ? (size_t)(colon - begin) : 0;
    char *end;
    unsigned long number;

    if (!colon || colon < begin || length == 0 || length >= MRCD_TEXT_BYTES)
        return refuse_address(command, option, text);
    if (text[0] == '[' && colon[-1] != ']')
        return refuse_address(command, option, text);
    length -= text[0] == '[';
    memcpy(address, begin, length);
    address[length] = '\0';
    number = strtoul(colon + 1, &end, 10);
    if (end == colon + 1 || *end || number > UINT16_MAX || colon[1] == '-')
        return refuse_address(command, option, text);
    *port = (uint16_t)number;
    return CMD_DONE;
}

enum cmd_status mrcd_config_percent(
    const char *command, const char *option, const char *text, uint32_t *ppm)
{
    char *end;
    double value = strtod(text, &end);

    if (end == text || (*end && strcmp(end, "%") != 0 && strcmp(end, " %") != 0) ||
        !(value >= 0 && value <= 100))
        return cmd_complain(
            CMD_MISUSED, command, "%s '%s': write a percentage from 0 to 100", option, text);
    *ppm = (uint32_t)(value * 10000 + 0.5);
    return CMD_DONE;
}

enum cmd_status mrcd_config_folder(
    const char *command, const struct mrcd_options *options, struct ctl_folder *folder)
{
    int err;

    if (!ctl_folder_name(folder, options->state))
        return cmd_complain(CMD_MISUSED, command, "--state: the name is too long");
    err = ctl_folder_create(folder);
    if (err)
        return cmd_complain(CMD_FAILED, command, "%s: %s", folder->path, strerror(-err));
    err = ctl_folder_take(folder);
    if (err == -EBUSY)
        return cmd_complain(CMD_FAILED, command, "another mrcd runs on %s", folder->path);
    if (err)
        return cmd_complain(CMD_FAILED, command, "%s: %s", folder->path, strerror(-err));
    return CMD_DONE;
}
