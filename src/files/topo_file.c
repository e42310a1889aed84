/* SPDX-License-Identifier: Apache-2.0 */
/* Reads a topology of htsim and writes it as the keys of a fabric.
 *
 * A tier has links down: tier 0 to hosts, tier 1 to tier 0, tier 2 to tier 1. A switch has Bundle
 * parallel links to each switch below it. */
#include "files/topo_file.h"

#include <stdio.h>
#include <string.h>
#include <strings.h>

#include "files/text_file.h"
#include "files/word.h"

enum { TIERS_MAX = 3, YAML_BYTES = 1024 };

enum key { SPEED, DOWN, UP, LINK_LATENCY, SWITCH_LATENCY, OVERSUBSCRIBED, BUNDLE, KEY_COUNT };

static const char *const keys[KEY_COUNT + 1] = {
    [SPEED] = "Downlink_speed_Gbps",
    [DOWN] = "Radix_Down",
    [UP] = "Radix_Up",
    [LINK_LATENCY] = "Downlink_Latency_ns",
    [SWITCH_LATENCY] = "Switch_Latency_ns",
    [OVERSUBSCRIBED] = "Oversubscribed",
    [BUNDLE] = "Bundle",
    [KEY_COUNT] = NULL,
};

struct tier {
    uint32_t values[KEY_COUNT];
    uint32_t lines[KEY_COUNT]; /* 0: not given */
    uint32_t line;             /* 0: not there */
};

struct reading {
    struct text_file file;
    uint32_t nodes;
    uint32_t tiers;
    uint32_t pod;
    struct tier tier[TIERS_MAX];
};

/* ---- lines ----------------------------------------------------------------------------------- */

/* Files differ in the case of letters. */
static int find_key(const char *word)
{
    for (int key = 0; key < KEY_COUNT; key++)
        if (strcasecmp(keys[key], word) == 0)
            return key;
    return -1;
}

static bool next_number(struct text_file *file, const char *what, uint64_t most, uint32_t *out)
{
    uint64_t number = 0;

    text_file_next(file, "");
    if (!text_file_number(file, what, most, &number))
        return false;
    *out = (uint32_t)number;
    return true;
}

static bool read_tier_key(struct text_file *file, struct tier *tier)
{
    int key = find_key(file->word);
    char words[160];

    word_list(keys, words, sizeof(words));
    if (key < 0)
        return text_file_complain(file, "there is no '%s' of a tier; write %s", file->word, words);
    if (!tier)
        return text_file_complain(file, "'%s' is of a tier; begin one: Tier 0", file->word);
    if (tier->lines[key])
        return text_file_complain(
            file, "line %u also gives %s of this tier", tier->lines[key], keys[key]);
    tier->lines[key] = file->line;
    return next_number(file, keys[key], 1 << 20, &tier->values[key]);
}

static bool read_line(struct reading *reading, struct tier **tier)
{
    struct text_file *file = &reading->file;
    uint32_t number;

    if (strcasecmp(file->word, "Nodes") == 0)
        return next_number(file, "Nodes", 1 << 20, &reading->nodes);
    if (strcasecmp(file->word, "Podsize") == 0)
        return next_number(file, "Podsize", 1 << 20, &reading->pod);
    if (strcasecmp(file->word, "Tiers") == 0)
        return next_number(file, "Tiers", TIERS_MAX, &reading->tiers);
    if (strcasecmp(file->word, "Tier") != 0)
        return read_tier_key(file, *tier);
    if (!next_number(file, "Tier", TIERS_MAX - 1, &number))
        return false;
    *tier = &reading->tier[number];
    if ((*tier)->line)
        return text_file_complain(file, "line %u also begins tier %u", (*tier)->line, number);
    (*tier)->line = file->line;
    return true;
}

static bool read_lines(struct reading *reading)
{
    struct text_file *file = &reading->file;
    struct tier *tier = NULL;

    while (text_file_next_line(file)) {
        if (!text_file_next(file, "") || file->word[0] == '#')
            continue;
        if (!read_line(reading, &tier))
            return false;
        if (text_file_next(file, "") && file->word[0] != '#')
            return text_file_complain(file, "a new line is expected here");
    }
    return !*file->yaml->problem;
}

/* ---- checks ---------------------------------------------------------------------------------- */

static bool check_given(struct reading *reading, uint32_t number)
{
    struct tier *tier = &reading->tier[number];
    bool is_last = number + 1 == reading->tiers;

    if (!tier->line)
        return text_file_complain_line(&reading->file, 1, "tier %u is missing", number);
    for (int key = SPEED; key <= LINK_LATENCY; key++)
        if (tier->values[key] == 0 && !(key == UP && (is_last || tier->values[OVERSUBSCRIBED])))
            return text_file_complain_line(
                &reading->file, tier->line, "%s of this tier is missing", keys[key]);
    if (!tier->lines[BUNDLE])
        tier->values[BUNDLE] = 1;
    if (tier->values[BUNDLE] == 0 || (number == 0 && tier->values[BUNDLE] > 1))
        return text_file_complain_line(&reading->file, tier->lines[BUNDLE],
            "a host has one link; only higher tiers have bundles of 1 or more");
    return true;
}

/* Oversubscription is the ratio of the rates down and up, which must agree with Radix_Up. */
static bool settle_uplinks(struct reading *reading, uint32_t number)
{
    struct tier *tier = &reading->tier[number];
    uint64_t down = (uint64_t)tier->values[DOWN] * tier->values[SPEED];
    uint64_t each = (uint64_t)tier[1].values[SPEED] * tier->values[OVERSUBSCRIBED];

    if (!tier->values[OVERSUBSCRIBED])
        return true;
    if (!tier->values[UP])
        tier->values[UP] = (uint32_t)(down / each);
    return down == each * tier->values[UP] ||
           text_file_complain_line(&reading->file, tier->lines[OVERSUBSCRIBED],
               "Oversubscribed is %u, but links down and up have %llu and %llu Gb/s",
               tier->values[OVERSUBSCRIBED], (unsigned long long)down,
               (unsigned long long)tier->values[UP] * tier[1].values[SPEED]);
}

/* A fabric has links of two kinds, and all switches have the same latency. */
static bool check_equal(struct reading *reading, uint32_t number)
{
    const struct tier *tier = &reading->tier[number];
    const struct tier *first = &reading->tier[0];

    if (tier->values[SWITCH_LATENCY] != first->values[SWITCH_LATENCY])
        return text_file_complain_line(&reading->file, tier->line,
            "switches of this tier have another latency than those of tier 0; make it the same");
    for (int key = SPEED; number == 2 && key <= LINK_LATENCY; key += LINK_LATENCY)
        if (tier->values[key] != first[1].values[key])
            return text_file_complain_line(&reading->file, tier->lines[key],
                "links between switches have one %s: %u in tier 1",
                key == SPEED ? "speed" : "latency", first[1].values[key]);
    return true;
}

static bool check_tiers(struct reading *reading)
{
    if (reading->nodes == 0 || reading->tiers < 2)
        return text_file_complain_line(
            &reading->file, 1, "Nodes and Tiers are needed; 2 or 3 tiers can be read");
    for (uint32_t i = 0; i < reading->tiers; i++)
        if (!check_given(reading, i))
            return false;
    for (uint32_t i = 0; i < reading->tiers; i++)
        if (!check_equal(reading, i) || (i + 1 < reading->tiers && !settle_uplinks(reading, i)))
            return false;
    return true;
}

/* ---- the fabric ------------------------------------------------------------------------------ */

struct sizes {
    uint32_t leaves; /* of a pod */
    uint32_t pods;
    uint32_t spines; /* of a pod */
    uint32_t cores;
};

static bool complain_sizes(struct reading *reading, uint32_t number, uint32_t down)
{
    return text_file_complain_line(&reading->file, reading->tier[number].lines[DOWN],
        "Radix_Down of tier %u must be %u: that many links lead to it from each unit below", number,
        down);
}

static bool divide(
    struct reading *reading, uint32_t whole, uint32_t part, const char *what, uint32_t *out)
{
    *out = part ? whole / part : 0;
    return (part && whole % part == 0 && *out > 0) ||
           text_file_complain_line(
               &reading->file, 1, "%s: %u cannot be divided by %u", what, whole, part);
}

static bool find_sizes(struct reading *reading, struct sizes *sizes)
{
    const struct tier *tier = reading->tier;
    uint32_t pod = reading->tiers == 3 ? reading->pod : reading->nodes;
    uint32_t columns = 0;

    if (!divide(reading, reading->nodes, pod, "Nodes by Podsize", &sizes->pods) ||
        !divide(reading, pod, tier[0].values[DOWN], "Podsize by Radix_Down", &sizes->leaves) ||
        !divide(reading, tier[0].values[UP], tier[1].values[BUNDLE], "Radix_Up by Bundle",
            &sizes->spines))
        return false;
    if (tier[1].values[DOWN] != sizes->leaves * tier[1].values[BUNDLE])
        return complain_sizes(reading, 1, sizes->leaves * tier[1].values[BUNDLE]);
    if (reading->tiers == 2)
        return true;
    if (!divide(
            reading, tier[1].values[UP], tier[2].values[BUNDLE], "Radix_Up by Bundle", &columns))
        return false;
    sizes->cores = sizes->spines * columns;
    return tier[2].values[DOWN] == sizes->pods * tier[2].values[BUNDLE] ||
           complain_sizes(reading, 2, sizes->pods * tier[2].values[BUNDLE]);
}

static int write_shape(const struct reading *reading, const struct sizes *sizes, char *out)
{
    uint32_t bundle = reading->tier[1].values[BUNDLE];
    uint32_t hosts = reading->tier[0].values[DOWN];

    if (reading->tiers == 3)
        return snprintf(out, YAML_BYTES,
            "shape: clos\ntiers: 3\nhosts_per_leaf: %u\nleaves_per_pod: %u\npods: %u\n"
            "spines_per_pod: %u\ncores: %u\nleaf_links: %u\nspine_links: %u\n",
            hosts, sizes->leaves, sizes->pods, sizes->spines, sizes->cores, bundle,
            reading->tier[2].values[BUNDLE]);
    if (bundle > 1)
        return snprintf(out, YAML_BYTES,
            "shape: clos\ntiers: 2\nhosts_per_leaf: %u\nleaves_per_pod: %u\nspines_per_pod: %u\n"
            "leaf_links: %u\n",
            hosts, sizes->leaves, sizes->spines, bundle);
    return snprintf(out, YAML_BYTES, "planes: 1\nt0s: %u\nt1s: %u\nhosts_per_t0: %u\n",
        sizes->leaves, sizes->spines, hosts);
}

static struct yaml_node *write_fabric(
    struct reading *reading, const struct sizes *sizes, const char *source)
{
    const struct tier *tier = reading->tier;
    char text[YAML_BYTES];
    int length = write_shape(reading, sizes, text);
    struct yaml_node *top;

    length += snprintf(text + length, sizeof(text) - (size_t)length,
        "host_link: { rate: %uGb/s, delay: %uns }\nuplink: { rate: %uGb/s, delay: %uns }\n"
        "switch_latency: %uns\n",
        tier[0].values[SPEED], tier[0].values[LINK_LATENCY], tier[1].values[SPEED],
        tier[1].values[LINK_LATENCY], tier[0].values[SWITCH_LATENCY]);
    top = yaml_parse(reading->file.yaml, source, text, (size_t)length, false);
    if (top)
        top->is_root = true;
    return top;
}

struct yaml_node *topo_file_parse(struct yaml *yaml, const char *source, const char *text)
{
    struct reading reading = { 0 };
    struct sizes sizes = { 0 };

    text_file_init(&reading.file, yaml, source, text);
    if (!read_lines(&reading) || !check_tiers(&reading) || !find_sizes(&reading, &sizes))
        return NULL;
    return write_fabric(&reading, &sizes, source);
}
