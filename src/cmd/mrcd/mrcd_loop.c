/* SPDX-License-Identifier: Apache-2.0 */
/* The options of the map and of the policy of a controller. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cmd/mrcd/mrcd.h"

enum {
    PERIOD_MS = 100,
    ROUND_PERIODS = 30,
    ROUND_MS_MIN = 100, /* reports of shorter ones are late */
    ACTIONS = 6,
    HOLD_S = 300,
    CLEAN_ROUNDS = 20,
};

struct number {
    const char *option;
    const char *text; /* NULL: the default */
    unsigned long least;
    unsigned long most;
    unsigned long otherwise;
};

static enum cmd_status read_number(
    const char *command, const struct number *number, unsigned long *out)
{
    char *end;

    *out = number->otherwise;
    if (!number->text)
        return CMD_DONE;
    *out = strtoul(number->text, &end, 10);
    if (end == number->text || *end || number->text[0] == '-' || *out < number->least ||
        *out > number->most)
        return cmd_complain(CMD_MISUSED, command, "%s '%s': write a number from %lu to %lu",
            number->option, number->text, number->least, number->most);
    return CMD_DONE;
}

static enum cmd_status read_map(
    const char *command, const struct mrcd_options *options, struct ctl_map_config *map)
{
    bool is_off = options->map_period && strcmp(options->map_period, "off") == 0;
    struct number numbers[] = {
        { "--map-period", is_off ? NULL : options->map_period, 1, 60000, PERIOD_MS },
        { "--map-round", options->map_round, 2, MAP_ROUND_PERIODS_MAX, ROUND_PERIODS },
    };
    unsigned long period_ms, round_periods;
    enum cmd_status status = read_number(command, &numbers[0], &period_ms);

    if (status == CMD_DONE)
        status = read_number(command, &numbers[1], &round_periods);
    if (status == CMD_DONE && !is_off && period_ms * round_periods < ROUND_MS_MIN)
        return cmd_complain(CMD_MISUSED, command,
            "--map-period %lu, --map-round %lu: a round must last %d ms at least", period_ms,
            round_periods, ROUND_MS_MIN);
    if (status == CMD_DONE) {
        map->period_ms = is_off ? 0 : (uint32_t)period_ms;
        map->round_periods = (uint32_t)round_periods;
    }
    return status;
}

static enum cmd_status read_mode(const char *command, const char *text, enum ctl_policy_mode *mode)
{
    int word = 0;

    *mode = CTL_POLICY_DRY_RUN;
    if (!text)
        return CMD_DONE;
    while (ctl_policy_mode_words[word] && strcmp(ctl_policy_mode_words[word], text) != 0)
        word++;
    if (!ctl_policy_mode_words[word])
        return cmd_complain(CMD_MISUSED, command, "--policy '%s': write off, dry-run or on", text);
    *mode = (enum ctl_policy_mode)word;
    return CMD_DONE;
}

static enum cmd_status read_policy(
    const char *command, const struct mrcd_options *options, struct ctl_policy_config *policy)
{
    struct number numbers[] = {
        { "--policy-actions", options->policy_actions, 0, CTL_POLICY_ACTIONS_MAX, ACTIONS },
        { "--policy-hold", options->policy_hold, 0, 86400, HOLD_S },
        { "--policy-clean", options->policy_clean, 1, 1000000, CLEAN_ROUNDS },
    };
    enum { COUNT = sizeof(numbers) / sizeof(numbers[0]) };
    unsigned long values[COUNT];
    enum cmd_status status = read_mode(command, options->policy, &policy->mode);

    for (int i = 0; i < COUNT && status == CMD_DONE; i++)
        status = read_number(command, &numbers[i], &values[i]);
    if (status != CMD_DONE)
        return status;
    policy->actions_max = (uint32_t)values[0];
    policy->hold_ms = values[1] * 1000;
    policy->clean_rounds = (uint32_t)values[2];
    return CMD_DONE;
}

enum cmd_status mrcd_config_loop(const char *command, const struct mrcd_options *options,
    struct ctl_map_config *map, struct ctl_policy_config *policy)
{
    enum cmd_status status = read_map(command, options, map);

    return status == CMD_DONE ? read_policy(command, options, policy) : status;
}
