/* SPDX-License-Identifier: Apache-2.0 */
/* mrc switch: the fabric file, with all defaults written out and only the exceptional links of the
 * switch. A fabric with a shape keeps its own text. */
#include "config/config_format.h"

extern const struct config_format config_mrc_switch;

static const char *yes_or_no(bool is_yes)
{
    return is_yes ? "yes" : "no";
}

static void write_name(const char *name, FILE *to)
{
    if (!*name)
        return;
    fputs("name: '", to);
    for (; *name; name++) {
        if (*name == '\'')
            fputc('\'', to);
        fputc(*name, to);
    }
    fputs("'\n", to);
}

static void write_counts(const struct topology_config *config, FILE *to)
{
    for (const struct topology_count *count = topology_counts; count->key; count++)
        fprintf(to, "%s: %u\n", count->key, topology_count_get(config, count));
}

static void write_link(const char *key, const struct topology_link_kind *kind, FILE *to)
{
    fprintf(to, "%s: { rate: %llub/s, delay: %llups }\n", key, (unsigned long long)kind->rate_bps,
        (unsigned long long)kind->delay_ps);
}

static void write_buffers(const struct topology_buffers *buffers, FILE *to)
{
    fprintf(to,
        "buffers:\n"
        "  trims: %s\n"
        "  marks: %s\n"
        "  trimmed: %u\n"
        "  data: %u\n"
        "  host_data: %u\n"
        "  control: %u\n"
        "  red_min: %u\n"
        "  red_max: %u\n"
        "  marks_hosts: %s\n"
        "  shared: %u\n"
        "  cell: %u\n"
        "  alpha: %s\n",
        yes_or_no(buffers->trims), yes_or_no(buffers->marks), buffers->trimmed_bytes,
        buffers->data_bytes, buffers->host_data_bytes, buffers->control_bytes,
        buffers->red_min_bytes, buffers->red_max_bytes, yes_or_no(buffers->marks_hosts),
        buffers->shared_bytes, buffers->cell_bytes, topology_alpha_words[buffers->alpha]);
}

/* Returns whether the link, which may be missing, ends at the switch. */
static bool ends_here(
    const struct topology *topology, const struct topology_element *link, uint32_t node)
{
    struct topology whole = *topology;
    struct topology_end lower;
    struct topology_end upper;

    whole.config.exception_count = 0;
    return topology_link_of(&whole, link, 0, &lower, &upper) &&
           ((!lower.is_nic && lower.node == node) || upper.node == node);
}

static void write_exception(const struct topology_exception *exception, FILE *to)
{
    char name[TOPOLOGY_NAME_BYTES];

    topology_name(&exception->link, name);
    fprintf(to, "- { link: %s", name);
    if (exception->missing)
        fputs(", missing: yes", to);
    if (exception->rate_bps)
        fprintf(to, ", rate: %llub/s", (unsigned long long)exception->rate_bps);
    if (exception->unmarked)
        fputs(", marks: no", to);
    fputs(" }\n", to);
}

static void write_exceptions(const struct topology *topology, uint32_t node, FILE *to)
{
    const struct topology_config *config = &topology->config;
    bool is_first = true;

    for (uint32_t i = 0; i < config->exception_count; i++) {
        if (!ends_here(topology, &config->exceptions[i].link, node))
            continue;
        fputs(is_first ? "exceptions:\n" : "", to);
        write_exception(&config->exceptions[i], to);
        is_first = false;
    }
}

static void write_description(const struct topology *topology, uint32_t node, FILE *to)
{
    const struct topology_config *config = &topology->config;

    write_name(config->name, to);
    write_counts(config, to);
    write_link("host_link", &config->host_link, to);
    write_link("uplink", &config->uplink, to);
    fprintf(to,
        "switch_latency: %llups\nnic_latency: %llups\nframing: %u\ncut_through: %u\n"
        "usid_block: %04x:%04x\ncheck_source: %s\n",
        (unsigned long long)config->switch_latency_ps, (unsigned long long)config->nic_latency_ps,
        config->framing_bytes, config->cut_through_bytes, config->usid_block >> 16,
        config->usid_block & 0xffff, yes_or_no(config->checks_source));
    write_buffers(&config->buffers, to);
    write_exceptions(topology, node, to);
}

static void write_config(const struct config_source *source, uint32_t node, FILE *to)
{
    char name[TOPOLOGY_NAME_BYTES];

    config_format_name(&config_mrc_switch, source->plan, node, name);
    config_format_title(&config_mrc_switch, source->plan, name, "#", to);
    fprintf(to, "# Run: mrc switch --netns PREFIX --name NAME --only %s switch.yaml\n", name);
    if (source->plan->topology.graph)
        fputs(source->text, to);
    else
        write_description(&source->plan->topology, node, to);
}

const struct config_format config_mrc_switch = {
    .word = "mrc-switch",
    .help = "mrc switch: switch.yaml",
    .checked =
        "Checked: loaded by mrc switch in network namespaces, where MRC traffic crossed it.\n"
        "It has all values of the fabric, and of the exceptional links those of this switch.",
    .scope = CONFIG_OF_SWITCH,
    .files = { { "switch.yaml", write_config } },
};
