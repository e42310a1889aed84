/* SPDX-License-Identifier: Apache-2.0 */
/* Chooses units. */
#include "result/units_text.h"

#include <stddef.h>
#include <stdio.h>

enum { UNIT_COUNT = 4 };

static const struct unit {
    double size;
    const char *name;
} units[UNITS_KIND_COUNT][UNIT_COUNT] = {
    [UNITS_RATE] = { { 1e12, "Tb/s" }, { 1e9, "Gb/s" }, { 1e6, "Mb/s" }, { 1, "b/s" } },
    [UNITS_TIME] = { { 1e12, "s" }, { 1e9, "ms" }, { 1e6, "us" }, { 1e3, "ns" } },
    [UNITS_SIZE] = { { 1 << 30, "GiB" }, { 1 << 20, "MiB" }, { 1 << 10, "KiB" }, { 1, "B" } },
};

struct units_text units_text(enum units_kind kind, double value)
{
    const struct unit *unit = units[kind];
    struct units_text text;
    double shown;
    int digits;

    while (unit < &units[kind][UNIT_COUNT - 1] && value < unit->size * 0.9995)
        unit++;
    shown = value / unit->size;
    digits = shown < 99.95 ? 1 : 0;
    if (shown < 9.995 && value > 0)
        digits = 2;
    snprintf(text.at, sizeof(text.at), "%.*f %s", digits, shown, unit->name);
    return text;
}
