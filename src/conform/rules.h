/* SPDX-License-Identifier: Apache-2.0 */
/* The rules that packets are checked against. */
#pragma once

enum conform_rule {
#define RULE(id, name, section, sentence) CONFORM_##id,
#include "conform/rules.def"
#undef RULE
    CONFORM_RULE_COUNT,
};

struct conform_rule_words {
    const char *name;
    const char *section; /* of docs/protocol.md, or "wire §N" */
    const char *sentence;
};

extern const struct conform_rule_words conform_rules[CONFORM_RULE_COUNT];
