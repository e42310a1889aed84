/* SPDX-License-Identifier: Apache-2.0 */
/* The list of formats, and what all of them share. */
#include "config/config_format.h"

#include <string.h>

#define FORMAT(name) extern const struct config_format config_##name;
#include "config/config_formats.def"
#undef FORMAT

const struct config_format *const config_formats[] = {
#define FORMAT(name) &config_##name,
#include "config/config_formats.def"
#undef FORMAT
    NULL,
};

const struct config_format *config_format_find(const char *word)
{
    for (uint32_t i = 0; config_formats[i]; i++)
        if (strcmp(config_formats[i]->word, word) == 0)
            return config_formats[i];
    return NULL;
}

uint32_t config_format_count(const struct config_format *format, const struct plan *plan)
{
    const struct topology *topology = &plan->topology;

    if (format->scope == CONFIG_OF_FABRIC)
        return 1;
    return format->scope == CONFIG_OF_NIC ? topology->nic_count : topology->switch_count;
}

void config_format_name(const struct config_format *format, const struct plan *plan, uint32_t node,
    char out[static TOPOLOGY_NAME_BYTES])
{
    struct topology_element element = { .kind = TOPOLOGY_NIC, .nic = node };

    out[0] = '\0';
    if (format->scope == CONFIG_OF_FABRIC)
        return;
    if (format->scope == CONFIG_OF_SWITCH)
        element = topology_switch_at(&plan->topology, node);
    topology_name(&element, out);
}

bool config_format_find_node(
    const struct config_format *format, const struct plan *plan, const char *name, uint32_t *node)
{
    char reason[TOPOLOGY_REASON_BYTES];
    struct topology_element element;

    if (!topology_find(&plan->topology, name, &element, reason))
        return false;
    if (format->scope == CONFIG_OF_NIC && element.kind == TOPOLOGY_NIC)
        *node = element.nic;
    else if (format->scope == CONFIG_OF_SWITCH && topology_is_switch(element.kind))
        *node = topology_switch_index(&plan->topology, &element);
    else
        return false;
    return true;
}

void config_format_title(const struct config_format *format, const struct plan *plan,
    const char *name, const char *sign, FILE *to)
{
    const char *fabric = plan->topology.config.name;
    const char *line = format->checked;

    fprintf(to, "%s %s%s%s: configuration for %s, written by mrc plan config\n", sign, name,
        *name && *fabric ? " of " : "", *name || *fabric ? fabric : "fabric", format->word);
    while (*line) {
        size_t length = strcspn(line, "\n");

        fprintf(to, "%s %.*s\n", sign, (int)length, line);
        line += length + (line[length] == '\n');
    }
}

void config_format_router_title(const struct config_format *format,
    const struct config_switch *self, const char *sign, FILE *to)
{
    config_format_title(format, self->plan, self->name, sign, to);
    if (config_switch_has_local(self))
        fprintf(to,
            "%s Warning: some uSIDs are 0x%x or more, where routers begin local functions; extend "
            "the global range.\n",
            sign, CONFIG_LOCAL_USIDS);
}
