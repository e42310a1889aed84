/* SPDX-License-Identifier: Apache-2.0 */
/* The subcommands of mrcd, and its configuration. */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "cmd/options.h"
#include "ctl/ctl.h"

extern const struct cmd mrcd_init_command;
extern const struct cmd mrcd_controller_command;
extern const struct cmd mrcd_agent_command;
extern const struct cmd mrcd_revoke_command;

#define MRCD_PORT        4780
#define MRCD_AGENTS_PORT 4781
#define MRCD_TEXT_BYTES  256

struct mrcd_options {
    const char *state;
    const char *config; /* a file with the keys below; options take precedence */
    const char *fabric;
    const char *listen;       /* ADDRESS:PORT */
    const char *agents;       /* ADDRESS:PORT */
    const char *controller;   /* https://HOST:PORT */
    const char *name;         /* of the agent */
    const char *min_capacity; /* a percentage */
    const char *soft;         /* the name of a soft fabric */
    const char *map_period;   /* milliseconds, or off */
    const char *map_round;    /* periods */
    const char *policy;       /* off, dry-run, on */
    const char *policy_actions;
    const char *policy_hold;  /* seconds */
    const char *policy_clean; /* rounds */
    uint32_t ev_profile;      /* 0: none */
    uint32_t cc_profile;
    bool is_local;
    struct option_list hosts;
    const char *agent; /* for which init makes certificates */
};

#define MRCD_STATE_ROW                                                                             \
    {                                                                                              \
        OPTION_TEXT, '\0', "state", "DIR", "the folder of its state",                              \
            OPTION_AT(struct mrcd_options, state)                                                  \
    }
#define MRCD_CONFIG_ROW                                                                            \
    {                                                                                              \
        OPTION_TEXT, '\0', "config", "FILE", "read options from this file (mrcd(8))",              \
            OPTION_AT(struct mrcd_options, config)                                                 \
    }

/* Reads the file, if one is named, into the options that are not given. Its texts belong to `yaml`.
 * Reports errors. */
enum cmd_status mrcd_config_read(const char *command, struct mrcd_options *, struct yaml *yaml);

/* Splits ADDRESS:PORT or [ADDRESS]:PORT. Reports errors. */
enum cmd_status mrcd_config_address(const char *command, const char *option, const char *text,
    char address[static MRCD_TEXT_BYTES], uint16_t *port);

/* Reads a percentage as millionths. Reports errors. */
enum cmd_status mrcd_config_percent(
    const char *command, const char *option, const char *text, uint32_t *ppm);

/* Reads the options of map and policy, with their defaults. Reports errors. */
enum cmd_status mrcd_config_loop(const char *command, const struct mrcd_options *,
    struct ctl_map_config *, struct ctl_policy_config *);

/* Finds, creates and takes the state folder. Reports errors. */
enum cmd_status mrcd_config_folder(
    const char *command, const struct mrcd_options *, struct ctl_folder *);
