/* SPDX-License-Identifier: Apache-2.0 */
/* Leaves out settings of an experiment, and adds usual ones. */
#include "study/entrant_tree.h"

#include <stdio.h>
#include <string.h>

struct without {
    const char *setting;
    const char *keys;
};

static const struct without withouts[] = {
#define WITHOUT(setting, keys) { setting, keys },
#include "study/contenders.def"
};

enum { KEY_BYTES = 64 };

/* Returns the word after `at`, which blanks separate; "": the last one was before. */
static const char *next_word(const char *at, char word[static KEY_BYTES])
{
    size_t length;

    at += strspn(at, " ");
    length = strcspn(at, " ");
    snprintf(word, KEY_BYTES, "%.*s", (int)length, at);
    return at + length;
}

static bool has_word(const char *words, const char *wanted)
{
    char word[KEY_BYTES];

    for (words = next_word(words, word); *word; words = next_word(words, word))
        if (strcmp(word, wanted) == 0)
            return true;
    return false;
}

/* Returns the mapping that a key, SECTION.MEMBER, is in, and sets the member; NULL: none. */
static struct yaml_node *find_section(
    const struct yaml_node *top, const char *key, const char **member)
{
    char section[KEY_BYTES];
    const struct yaml_node *node;

    *member = strchr(key, '.') + 1;
    snprintf(section, sizeof(section), "%.*s", (int)(*member - key - 1), key);
    node = yaml_member(top, section);
    return node && node->kind == YAML_MAPPING ? (struct yaml_node *)node : NULL;
}

/* A case without a label is named after its values, which stay. */
static void leave_key_out(struct yaml_node *top, const char *key)
{
    const struct yaml_node *sweep = yaml_member(top, "sweep");
    const char *member;
    struct yaml_node *section = find_section(top, key, &member);

    if (section)
        yaml_drop(section, member);
    for (struct yaml_node *entry = sweep ? sweep->first : NULL; entry; entry = entry->next)
        if (entry->kind == YAML_MAPPING && yaml_member(entry, "label"))
            yaml_drop(entry, key);
}

/* What a search has drawn stays, and is refused: it draws again. */
static void leave_out(const struct study_entrant *entrant, struct yaml_node *top)
{
    char key[KEY_BYTES];

    for (size_t i = 0; i < sizeof(withouts) / sizeof(withouts[0]); i++) {
        const char *keys = withouts[i].keys;

        if (!has_word(entrant->contender->settings, withouts[i].setting))
            continue;
        for (keys = next_word(keys, key); *key; keys = next_word(keys, key))
            if (!study_entrant_has_key(entrant->found, key))
                leave_key_out(top, key);
    }
}

static bool has_setting(const struct yaml_node *top, const char *setting)
{
    char key[KEY_BYTES];
    const char *member;
    const struct yaml_node *section;

    snprintf(key, sizeof(key), "%.*s", (int)strcspn(setting, "="), setting);
    section = find_section(top, key, &member);
    return section && yaml_member(section, member);
}

static bool add_usual(struct study_entrant *entrant, struct yaml *yaml, struct yaml_node *top)
{
    const char *usual = entrant->contender->usual;
    char setting[KEY_BYTES];

    entrant->usual[0] = '\0';
    for (usual = next_word(usual, setting); *setting; usual = next_word(usual, setting)) {
        size_t used = strlen(entrant->usual);

        if (has_setting(top, setting))
            continue;
        if (!experiment_set(yaml, top, setting))
            return false;
        snprintf(
            entrant->usual + used, sizeof(entrant->usual) - used, "%s%s", used ? " " : "", setting);
    }
    return true;
}

bool entrant_tree_change(struct study_entrant *entrant, struct yaml *yaml, struct yaml_node *top)
{
    leave_out(entrant, top);
    return add_usual(entrant, yaml, top);
}
