/* SPDX-License-Identifier: Apache-2.0 */
/* The NICs and switches of an experiment: what they are, and where each value comes from. */
#include "result/result_hardware.h"

#include <string.h>

static const char *const units[] = {
    [HARDWARE_COUNT] = "count",
    [HARDWARE_RATE] = "bit/s",
    [HARDWARE_TIME] = "ps",
    [HARDWARE_SIZE] = "bytes",
};

static json_t *value_json(const struct hardware_value *value, enum hardware_unit unit)
{
    json_t *json = json_pack("{s:I,s:s,s:s}", "value", (json_int_t)value->number, "unit",
        units[unit], "origin", hardware_origin_words[value->origin]);

    if (value->source)
        json_object_set_new(json, "source", json_string(value->source));
    return json;
}

json_t *result_hardware(const struct hardware *hardware)
{
    json_t *settings = json_object();

    for (uint32_t i = 0; i < HARDWARE_SETTING_COUNT; i++)
        if (hardware->values[i].origin != HARDWARE_IDEAL)
            json_object_set_new(settings, hardware_descriptions[i].key,
                value_json(&hardware->values[i], hardware_descriptions[i].unit));
    return json_pack("{s:s,s:s,s:o}", "nic", hardware->nic ? hardware->nic : "ideal", "switch",
        hardware->switches ? hardware->switches : "ideal", "settings", settings);
}

static bool is_default(const json_t *json)
{
    struct hardware hardware;
    json_t *usual;
    bool is_same;

    hardware_init(&hardware);
    usual = result_hardware(&hardware);
    is_same = json_equal(json, usual);
    json_decref(usual);
    return is_same;
}

void result_hardware_print(FILE *to, const json_t *json)
{
    const char *separator = "; assumed: ";
    const char *key;
    json_t *value;

    if (is_default(json))
        return;
    fprintf(to, "hardware: NIC %s, switch %s", json_string_value(json_object_get(json, "nic")),
        json_string_value(json_object_get(json, "switch")));
    json_object_foreach(json_object_get(json, "settings"), key, value)
    {
        const char *origin = json_string_value(json_object_get(value, "origin"));

        if (strcmp(origin, hardware_origin_words[HARDWARE_ASSUMED]) != 0)
            continue;
        fprintf(to, "%s%s", separator, key);
        separator = ", ";
    }
    fputc('\n', to);
}
