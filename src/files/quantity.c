/* SPDX-License-Identifier: Apache-2.0 */
/* Decimal arithmetic in 128 bits: digits times the unit, divided by the power of ten of the decimal
 * point. Only fractions are rounded. */
#include "files/quantity.h"

#include <inttypes.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>

__extension__ typedef unsigned __int128 wide;

#define DIGITS_MAX 19 /* with the largest unit, 10^12, inside 128 bits */

struct unit {
    enum quantity_kind kind;
    const char *name;
    uint64_t multiplier;
    uint64_t divisor;
};

/* clang-format off */
/* For each kind from small to large. Of equal units, quantity_format() uses the first. */
static const struct unit units[] = {
    { QUANTITY_COUNT, "", 1, 1 },
    { QUANTITY_RATE, "b/s", 1, 1 },
    { QUANTITY_RATE, "bps", 1, 1 },
    { QUANTITY_RATE, "kb/s", 1000, 1 },
    { QUANTITY_RATE, "kbps", 1000, 1 },
    { QUANTITY_RATE, "k", 1000, 1 },
    { QUANTITY_RATE, "Mb/s", 1000000, 1 },
    { QUANTITY_RATE, "Mbps", 1000000, 1 },
    { QUANTITY_RATE, "M", 1000000, 1 },
    { QUANTITY_RATE, "Gb/s", 1000000000, 1 },
    { QUANTITY_RATE, "Gbps", 1000000000, 1 },
    { QUANTITY_RATE, "G", 1000000000, 1 },
    { QUANTITY_RATE, "Tb/s", 1000000000000, 1 },
    { QUANTITY_RATE, "Tbps", 1000000000000, 1 },
    { QUANTITY_RATE, "T", 1000000000000, 1 },
    { QUANTITY_TIME, "ps", 1, 1 },
    { QUANTITY_TIME, "ns", 1000, 1 },
    { QUANTITY_TIME, "us", 1000000, 1 },
    { QUANTITY_TIME, "ms", 1000000000, 1 },
    { QUANTITY_TIME, "s", 1000000000000, 1 },
    { QUANTITY_SIZE, "", 1, 1 },
    { QUANTITY_SIZE, "B", 1, 1 },
    { QUANTITY_SIZE, "KB", 1000, 1 },
    { QUANTITY_SIZE, "kB", 1000, 1 },
    { QUANTITY_SIZE, "KiB", 1024, 1 },
    { QUANTITY_SIZE, "MB", 1000000, 1 },
    { QUANTITY_SIZE, "MiB", 1 << 20, 1 },
    { QUANTITY_SIZE, "GB", 1000000000, 1 },
    { QUANTITY_SIZE, "GiB", 1 << 30, 1 },
    { QUANTITY_FRACTION, "", UINT64_C(1) << 32, 1 },
    { QUANTITY_FRACTION, "%", UINT64_C(1) << 32, 100 },
    { QUANTITY_PERMILLE, "", 1000, 1 },
    { QUANTITY_PERMILLE, "%", 10, 1 },
};

static const char *const examples[QUANTITY_KIND_COUNT] = {
    [QUANTITY_COUNT] = "a whole number such as 64",
    [QUANTITY_RATE] = "a rate such as 400Gb/s, 100G or 1.5Tb/s",
    [QUANTITY_TIME] = "a time such as 500ns, 1.5us, 2ms or 3s",
    [QUANTITY_SIZE] = "a size such as 4096, 64KiB or 2MB",
    [QUANTITY_FRACTION] = "a fraction such as 0.1%, 0.001 or 1e-6",
    [QUANTITY_PERMILLE] = "a fraction such as 25% or 0.25, in steps of 0.1%",
};
/* clang-format on */

#define UNIT_COUNT (sizeof(units) / sizeof(units[0]))

const char *quantity_example(enum quantity_kind kind)
{
    return examples[kind];
}

/* digits / 10^scale */
struct decimal {
    uint64_t digits;
    uint32_t scale;
    bool is_long;
};

static bool is_digit(char c)
{
    return c >= '0' && c <= '9';
}

/* Returns what follows the number. NULL: there is no number, or, with `is_long`, it has too many
 * digits. */
static const char *read_decimal(const char *text, struct decimal *decimal)
{
    uint32_t significant = 0;
    uint32_t seen = 0;
    bool has_point = false;

    *decimal = (struct decimal){ 0 };
    for (;; text++) {
        if (*text == '.' && !has_point && seen) {
            has_point = true;
            continue;
        }
        if (!is_digit(*text))
            break;
        seen++;
        significant += significant || *text != '0';
        if (significant > DIGITS_MAX - 1 || decimal->scale == DIGITS_MAX) {
            decimal->is_long = true;
            return NULL;
        }
        decimal->digits = decimal->digits * 10 + (uint64_t)(*text - '0');
        decimal->scale += has_point;
    }
    return seen && text[-1] != '.' ? text : NULL;
}

/* Reads the exponent of a fraction, e.g. "e-6". */
static const char *read_exponent(const char *text, struct decimal *decimal)
{
    uint32_t exponent = 0;

    if (text[0] != 'e' || text[1] != '-' || !is_digit(text[2]))
        return text;
    for (text += 2; is_digit(*text) && exponent < 100; text++)
        exponent = exponent * 10 + (uint32_t)(*text - '0');
    decimal->scale += exponent;
    return text;
}

static const struct unit *find_unit(enum quantity_kind kind, const char *name)
{
    for (size_t i = 0; i < UNIT_COUNT; i++)
        if (units[i].kind == kind && strcmp(units[i].name, name) == 0)
            return &units[i];
    return NULL;
}

static enum quantity_error scaled(
    enum quantity_kind kind, struct decimal decimal, const struct unit *unit, uint64_t *value)
{
    wide number = (wide)decimal.digits * unit->multiplier;
    wide divisor = unit->divisor;
    wide whole;

    if (decimal.scale > 30) { /* smaller than any unit */
        *value = 0;
        return QUANTITY_OK;
    }
    for (uint32_t i = 0; i < decimal.scale; i++)
        divisor *= 10;
    whole = number / divisor;
    if (kind == QUANTITY_FRACTION) {
        whole = (number + divisor / 2) / divisor;
        if (number > (divisor << 32))
            return QUANTITY_TOO_LARGE;
        *value = whole > UINT32_MAX ? UINT32_MAX : (uint64_t)whole;
        return QUANTITY_OK;
    }
    if (whole * divisor != number)
        return QUANTITY_NOT_WHOLE;
    if (whole > UINT64_MAX / 2 || (kind == QUANTITY_PERMILLE && whole > 1000))
        return QUANTITY_TOO_LARGE;
    *value = (uint64_t)whole;
    return QUANTITY_OK;
}

enum quantity_error quantity_parse(enum quantity_kind kind, const char *text, uint64_t *value)
{
    struct decimal decimal;
    const char *rest = read_decimal(text, &decimal);
    const struct unit *unit;

    if (!rest)
        return decimal.is_long && !decimal.scale ? QUANTITY_TOO_LARGE : QUANTITY_NOT_A_NUMBER;
    if (kind == QUANTITY_FRACTION)
        rest = read_exponent(rest, &decimal);
    rest += *rest == ' ';
    unit = find_unit(kind, rest);
    if (!unit && !*rest)
        return decimal.digits ? QUANTITY_NO_UNIT : (*value = 0, QUANTITY_OK);
    if (!unit)
        return QUANTITY_UNKNOWN_UNIT;
    return scaled(kind, decimal, unit, value);
}

void quantity_format(enum quantity_kind kind, uint64_t value, char out[static QUANTITY_BYTES])
{
    const struct unit *best = NULL;

    for (size_t i = 0; i < UNIT_COUNT; i++) {
        const struct unit *unit = &units[i];

        if (unit->kind != kind || value % unit->multiplier != 0)
            continue;
        if (!best || (value && unit->multiplier > best->multiplier))
            best = unit;
    }
    snprintf(out, QUANTITY_BYTES, "%" PRIu64 "%s", best ? value / best->multiplier : value,
        best ? best->name : "");
}
