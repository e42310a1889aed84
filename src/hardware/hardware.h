/* SPDX-License-Identifier: Apache-2.0 */
/* Models of NICs and switches as they are built: settings, presets with their sources, and what a
 * packet costs. Without a preset nothing has a limit and only the framing of Ethernet costs. */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "hardware/nic_cost.h"
#include "hardware/qp_cache.h"

enum hardware_owner {
    HARDWARE_NIC,
    HARDWARE_SWITCH,
    HARDWARE_WIRE, /* of NICs and switches alike */
    HARDWARE_OWNER_COUNT,
};

enum hardware_unit {
    HARDWARE_COUNT,
    HARDWARE_RATE, /* bit/s */
    HARDWARE_TIME, /* ps */
    HARDWARE_SIZE, /* bytes */
};

/* Where a value comes from. */
enum hardware_origin {
    HARDWARE_IDEAL,
    HARDWARE_PUBLISHED,
    HARDWARE_CALCULATED, /* from published figures */
    HARDWARE_ASSUMED,    /* not published */
    HARDWARE_GIVEN,      /* by the experiment */
    HARDWARE_ORIGIN_COUNT,
};
/* "ideal", ...; NULL at the end. */
extern const char *const hardware_origin_words[HARDWARE_ORIGIN_COUNT + 1];

enum hardware_setting {
#define SETTING(owner, id, key, unit, least, most, meaning) HARDWARE_##id,
#include "hardware/settings.def"
    HARDWARE_SETTING_COUNT,
};

struct hardware_description {
    const char *key;
    const char *meaning;
    uint64_t least;
    uint64_t most;
    enum hardware_owner owner;
    enum hardware_unit unit;
};
extern const struct hardware_description hardware_descriptions[HARDWARE_SETTING_COUNT];

struct hardware_value {
    uint64_t number; /* 0: ideal */
    enum hardware_origin origin;
    const char *source; /* NULL: none */
};

struct hardware {
    struct hardware_value values[HARDWARE_SETTING_COUNT];
    const char *nic; /* words of the presets */
    const char *switches;
};

/* Both presets are "default": ideal, but for the framing of Ethernet. */
void hardware_init(struct hardware *);

enum hardware_word {
    HARDWARE_WORD_DEFAULT,
    HARDWARE_WORD_IDEAL,
    HARDWARE_WORD_PRODUCT, /* the first of them */
};
/* The words of the presets of NICs or of switches: see enum hardware_word; NULL at the end. */
const char *const *hardware_presets(enum hardware_owner);
/* The name of a product for readers; NULL: there is no such product. */
const char *hardware_name(const char *word);

/* Takes the values of a preset. Returns false if the owner has no such preset. When NICs and
 * switches are both ideal, wires are, too: they carry packets without framing. */
bool hardware_take(struct hardware *, enum hardware_owner, const char *word);
/* Sets one value, as an experiment does. */
void hardware_give(struct hardware *, enum hardware_setting, uint64_t number);

static inline uint64_t hardware_number(const struct hardware *hardware, enum hardware_setting which)
{
    return hardware->values[which].number;
}

/* Returns what packets cost at a NIC with these settings. */
struct nic_cost hardware_nic_cost(const struct hardware *);
/* Returns the number of QPs whose state is on the chip; UINT32_MAX: all. */
uint32_t hardware_qps_on_chip(const struct hardware *);
