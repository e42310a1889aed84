/* SPDX-License-Identifier: Apache-2.0 */
/* Reads price files and refuses what is missing, unknown or negative, with its line. */
#include "files/price_file.h"

#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include "files/yaml_fields.h"

#define NUMBER_MOST 1e12

const char *const price_file_keys[PRICE_COUNT + 1] = {
#define PRICE(ID, key, unit, has_power, meaning) [PRICE_##ID] = #key,
#include "files/prices.def"
};

static const struct {
    enum { PRICE_UNIT_PIECE, PRICE_UNIT_RATE } unit;
    bool has_power;
} kinds[PRICE_COUNT] = {
#define PRICE(ID, key, unit, has_power, meaning) [PRICE_##ID] = { PRICE_UNIT_##unit, has_power },
#include "files/prices.def"
};

struct entry {
    uint64_t per_bps;
    const struct yaml_node *usd;
    const struct yaml_node *watts;
    const struct yaml_node *source;
};

/* clang-format off */
static const struct yaml_field entry_fields[] = {
    { .key = "per", .type = YAML_RATE, .offset = offsetof(struct entry, per_bps), .least = 1000000, .most = UINT64_C(1) << 50 },
    { .key = "usd", .type = YAML_ANY, .offset = offsetof(struct entry, usd) },
    { .key = "watts", .type = YAML_ANY, .offset = offsetof(struct entry, watts) },
    { .key = "source", .type = YAML_ANY, .offset = offsetof(struct entry, source) },
    { .key = NULL },
};
/* clang-format on */

static bool read_number(struct yaml *yaml, const struct yaml_node *node, double *number)
{
    static const char wanted[] = "write a number such as 150000, or a list of least and most";
    char *end = NULL;

    if (node->kind != YAML_SCALAR)
        return yaml_complain(yaml, node, "%s", wanted);
    *number = strtod(node->text, &end);
    if (end == node->text || *end || !(*number == *number))
        return yaml_complain(yaml, node, "'%s' is not a number; %s", node->text, wanted);
    if (*number < 0)
        return yaml_complain(yaml, node, "%s is negative; give 0 or more", node->text);
    if (*number > NUMBER_MOST)
        return yaml_complain(yaml, node, "%s is out of range; give 0 to 1e12", node->text);
    return true;
}

static bool read_range(struct yaml *yaml, const struct yaml_node *node, struct price_range *range)
{
    if (node->kind != YAML_SEQUENCE) {
        bool is_read = read_number(yaml, node, &range->least);

        range->most = range->least;
        return is_read;
    }
    if (node->child_count != 2)
        return yaml_complain(yaml, node, "give two numbers, the least and the most");
    if (!read_number(yaml, node->first, &range->least) ||
        !read_number(yaml, node->last, &range->most))
        return false;
    return range->least <= range->most ||
           yaml_complain(yaml, node, "the least, %s, is more than the most, %s", node->first->text,
               node->last->text);
}

/* Refuses a key that an entry of this kind lacks or must not have. */
static bool check_key(
    struct yaml *yaml, const struct yaml_node *node, const char *key, bool is_wanted)
{
    const struct yaml_node *member = yaml_member(node, key);

    if (is_wanted)
        return yaml_require(yaml, node, key);
    return !member ||
           yaml_complain_key(yaml, member, "does not apply to '%s'; remove it", node->key);
}

static bool read_entry(
    struct yaml *yaml, const struct yaml_node *node, enum price_part part, struct price *price)
{
    struct entry entry = { 0 };

    if (!yaml_read(yaml, node, entry_fields, &entry) ||
        !check_key(yaml, node, "per", kinds[part].unit == PRICE_UNIT_RATE) ||
        !check_key(yaml, node, "usd", true) ||
        !check_key(yaml, node, "watts", kinds[part].has_power) ||
        !check_key(yaml, node, "source", true))
        return false;
    if (entry.source->kind != YAML_SCALAR)
        return yaml_complain(yaml, entry.source, "write the source as text");
    *price = (struct price){ .per_bps = entry.per_bps, .source = entry.source->text };
    return read_range(yaml, entry.usd, &price->usd) &&
           (!entry.watts || read_range(yaml, entry.watts, &price->watts));
}

static bool read_prices(struct yaml *yaml, const struct yaml_node *top, struct prices *prices)
{
    struct {
        uint32_t version;
        const struct yaml_node *parts[PRICE_COUNT];
    } file = { 0 };
    struct yaml_field fields[PRICE_COUNT + 2] = {
        { .key = "version", .type = YAML_COUNT, .least = 1, .most = PRICE_FILE_VERSION }
    };

    for (uint32_t i = 0; i < PRICE_COUNT; i++)
        fields[1 + i] = (struct yaml_field){ .key = price_file_keys[i],
            .type = YAML_MAP,
            .offset = (size_t)((char *)&file.parts[i] - (char *)&file) };
    if (!yaml_read(yaml, top, fields, &file))
        return false;
    for (uint32_t i = 0; i < PRICE_COUNT; i++)
        if (!yaml_require(yaml, top, price_file_keys[i]) ||
            !read_entry(yaml, file.parts[i], (enum price_part)i, &prices->parts[i]))
            return false;
    return true;
}

bool price_file_read(struct yaml *yaml, const char *path, struct prices *prices)
{
    const struct yaml_node *top =
        path ? yaml_load(yaml, path)
             : yaml_parse(yaml, "built-in", price_file_default, strlen(price_file_default), true);

    return top && read_prices(yaml, top, prices);
}

static struct price_range scaled(const struct price *price, struct price_range range, double bps)
{
    double share = price->per_bps ? bps / (double)price->per_bps : 1;

    return (struct price_range){ range.least * share, range.most * share };
}

struct price_range price_usd(const struct price *price, double bps)
{
    return scaled(price, price->usd, bps);
}

struct price_range price_watts(const struct price *price, double bps)
{
    return scaled(price, price->watts, bps);
}
