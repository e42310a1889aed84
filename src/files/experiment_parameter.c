/* SPDX-License-Identifier: Apache-2.0 */
/* Reads the parameters of an experiment. */
#include <string.h>

#include "files/experiment_part.h"
#include "files/word.h"

bool experiment_parameter_is_of_fabric(const char *name)
{
    static const char *const of_fabric[] = { "link_bps", "slowest_bps", "share_bps", "base_rtt",
        "network_trims", "last_hop_ecn", NULL };

    return word_find(of_fabric, name) >= 0;
}

static bool complain_parameter(
    struct yaml *yaml, const struct yaml_node *node, enum parameters_error error)
{
    const struct parameter_description *description;
    const char **names = yaml_take(yaml, parameter_count + 1, sizeof(*names));
    const char *meant;

    if (error == PARAMETERS_UNKNOWN) {
        for (uint32_t i = 0; i < parameter_count; i++)
            names[i] = parameter_descriptions[i].name;
        meant = word_nearest(names, node->key);
        return yaml_complain_key(yaml, node, "there is no such parameter; %s%s%s",
            meant ? "did you mean '" : "'mrc sim --parameters' lists them", meant ? meant : "",
            meant ? "'?" : "");
    }
    description = &parameter_descriptions[parameters_find(node->key, (uint32_t)strlen(node->key))];
    if (description->choices) {
        char words[128];

        word_list(description->choices, words, sizeof(words));
        return yaml_complain(
            yaml, node, "'%s' is not a valid choice; choices: %s", node->text, words);
    }
    if (error == PARAMETERS_NOT_A_NUMBER)
        return yaml_complain(yaml, node, "'%s' is not a number of %s; write one, such as %llu",
            node->text, description->unit, (unsigned long long)description->default_value);
    return yaml_complain(yaml, node, "%s is out of range; give %llu to %llu %s", node->text,
        (unsigned long long)description->minimum, (unsigned long long)description->maximum,
        description->unit);
}

static bool read_parameter(
    struct yaml *yaml, const struct yaml_node *node, struct parameters *parameters)
{
    enum parameters_error error;

    if (node->kind != YAML_SCALAR)
        return yaml_complain(yaml, node, "a single value is expected here");
    if (experiment_parameter_is_of_fabric(node->key))
        return yaml_complain_key(yaml, node, "is derived from the fabric; set it there instead");
    error = parameters_set(parameters, node->key, node->text);
    return error == PARAMETERS_OK || complain_parameter(yaml, node, error);
}

/* Reads `timers` first, wherever it is in the file: it sets the defaults of other parameters. */
bool experiment_read_parameters(
    struct yaml *yaml, const struct yaml_node *mapping, struct parameters *parameters)
{
    for (int first = 1; first >= 0; first--)
        for (const struct yaml_node *node = mapping->first; node; node = node->next)
            if ((strcmp(node->key, "timers") == 0) == first &&
                !read_parameter(yaml, node, parameters))
                return false;
    return true;
}
