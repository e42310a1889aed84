/* SPDX-License-Identifier: Apache-2.0 */
#include "conform/rules.h"

const struct conform_rule_words conform_rules[CONFORM_RULE_COUNT] = {
#define RULE(id, name, section, sentence) { name, section, sentence },
#include "conform/rules.def"
#undef RULE
};
