/* SPDX-License-Identifier: Apache-2.0 */
/* Parses the text of a description: device names at the margin, keys below them, lists with dashes.
 */
#include <arpa/inet.h>
#include <assert.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "api/description.h"

#define LINE_BYTES 512

struct line {
    uint32_t number;
    uint32_t indent;
    bool is_item; /* "- value" */
    char text[LINE_BYTES];
    char *key;   /* NULL for an item */
    char *value; /* may be empty */
};

static void trim_end(char *text)
{
    size_t length = strlen(text);

    while (length > 0 && strchr(" \t\r", text[length - 1]))
        text[--length] = '\0';
}

/* As in YAML, '#' begins a comment at the start of a line and after a blank. */
static void cut_comment(char *text)
{
    for (char *c = text; *c; c++)
        if (*c == '#' && (c == text || c[-1] == ' ')) {
            *c = '\0';
            return;
        }
}

static char *unquote_value(char *value)
{
    size_t length = strlen(value);

    if (length >= 2 && (value[0] == '"' || value[0] == '\'') && value[length - 1] == value[0]) {
        value[length - 1] = '\0';
        return value + 1;
    }
    return value;
}

/* Splits "key: value", "key:" or "- value". */
static const char *split_line(struct line *line)
{
    char *at = line->text + line->indent;
    char *colon = at;

    if (at[0] == '\t')
        return "indent with spaces";
    line->is_item = at[0] == '-' && at[1] == ' ';
    if (line->is_item) {
        line->value = unquote_value(at + 2 + strspn(at + 2, " "));
        return NULL;
    }
    while (*colon && !(*colon == ':' && (colon[1] == ' ' || colon[1] == '\0')))
        colon++;
    if (*colon != ':' || colon == at)
        return "neither 'key: value' nor '- value'";
    *colon = '\0';
    line->key = at;
    line->value = unquote_value(colon + 1 + strspn(colon + 1, " "));
    return NULL;
}

/* Returns the next line that is not empty, or false at the end. */
static bool next_line(const char **text, struct line *line)
{
    while (**text) {
        size_t length = strcspn(*text, "\n");
        size_t kept = length < LINE_BYTES ? length : LINE_BYTES - 1;

        memcpy(line->text, *text, kept);
        line->text[kept] = '\0';
        *text += length + ((*text)[length] == '\n');
        line->number++;
        line->key = NULL;
        cut_comment(line->text);
        trim_end(line->text);
        line->indent = (uint32_t)strspn(line->text, " ");
        if (line->text[line->indent])
            return true;
    }
    return false;
}

static bool parse_address(const char *text, struct ipv6_addr *out)
{
    if (inet_pton(AF_INET6, text, out->octets) == 1)
        return true;
    memcpy(out->octets, ip_address_v4_prefix, sizeof(ip_address_v4_prefix));
    return inet_pton(AF_INET, text, out->octets + sizeof(ip_address_v4_prefix)) == 1;
}

static bool parse_number(const char *text, uint32_t least, uint32_t most, uint32_t *out)
{
    char *end;
    unsigned long value = strtoul(text, &end, 10);

    if (text[0] < '0' || text[0] > '9' || *end || value < least || value > most)
        return false;
    *out = (uint32_t)value;
    return true;
}

/* Parses "fc00:42": the first 32 bits of an address. */
static bool parse_block(const char *text, uint32_t *out)
{
    char whole[LINE_BYTES + 4];
    struct ipv6_addr address;

    snprintf(whole, sizeof(whole), "%s::", text);
    if (inet_pton(AF_INET6, whole, address.octets) != 1)
        return false;
    for (size_t i = 4; i < sizeof(address.octets); i++)
        if (address.octets[i])
            return false;
    *out = (uint32_t)address.octets[0] << 24 | (uint32_t)address.octets[1] << 16 |
           (uint32_t)address.octets[2] << 8 | address.octets[3];
    return true;
}

static const char *set_text(char *out, const char *value)
{
    size_t length = strlen(value);

    if (length >= DESCRIPTION_ADDRESS_BYTES)
        return "too long";
    memcpy(out, value, length + 1);
    return NULL;
}

static const char *set_parameter(struct description *out, const char *key, const char *value)
{
    switch (host_config_set(&out->host, key, value)) {
    case PARAMETERS_OK:
        return NULL;
    case PARAMETERS_UNKNOWN:
        return "no such key";
    case PARAMETERS_NOT_A_NUMBER:
        return "not a number, or not one of its values";
    case PARAMETERS_OUT_OF_RANGE:
        return "out of range";
    }
    return "no such key";
}

const char *description_set_engines(struct description *out, const char *value)
{
    uint32_t count;

    if (!parse_number(value, 1, HOST_ENGINE_COUNT_MAX, &count) || (count & (count - 1)) != 0)
        return "not 1, 2 or 4";
    out->host.engine_count = count;
    return NULL;
}

/* For fabrics whose EVs are wider than the number of uplinks requires. */
static const char *set_ev_width(struct description *out, const char *value)
{
    uint32_t bits;

    if (!parse_number(value, 8, 16, &bits))
        return "not 8 to 16";
    plan_ev_set_width(&out->host.format, bits);
    return NULL;
}

static const char *set_key(struct description *out, const char *key, const char *value)
{
    uint32_t uplinks_max = 1u << 16;

    if (strcmp(key, "address") == 0) {
        out->has_address = parse_address(value, &out->host.address);
        return out->has_address ? NULL : "not an IP address";
    }
    if (strcmp(key, "fabric") == 0) {
        out->is_srv6 = strcmp(value, "srv6") == 0;
        return out->is_srv6 || strcmp(value, "none") == 0 ? NULL : "neither srv6 nor none";
    }
    if (strcmp(key, "usid_block") == 0)
        return parse_block(value, &out->plan.block) ? NULL : "not of the form fc00:42";
    if (strcmp(key, "uplinks") == 0)
        return parse_number(value, 0, uplinks_max, &out->host.uplink_count) ? NULL : "not a number";
    if (strcmp(key, "uplink_bits") == 0)
        return set_ev_width(out, value);
    if (strcmp(key, "qp_count_max") == 0)
        return parse_number(value, 1, 65536, &out->host.qp_count_max) ? NULL : "not 1 to 65536";
    if (strcmp(key, "region_count_max") == 0)
        return parse_number(value, 1, 1u << 20, &out->host.region_count_max) ? NULL
                                                                             : "not 1 to 1048576";
    if (strcmp(key, "spin_us") == 0)
        return parse_number(value, 0, 1000000, &out->host.spin_us) ? NULL : "not 0 to 1000000";
    if (strcmp(key, "engines") == 0)
        return description_set_engines(out, value);
    if (strcmp(key, "graph") == 0)
        return set_text(out->graph_path, value);
    if (strcmp(key, "exceptions") == 0)
        return set_text(out->exceptions_path, value);
    if (strcmp(key, "capture") == 0)
        return set_text(out->capture_path, value);
    return set_parameter(out, key, value);
}

static const char *add_port(struct description *out, const char *value)
{
    if (out->host.port_count == HOST_PORT_COUNT_MAX)
        return "too many ports";
    return set_text(out->ports[out->host.port_count++], value);
}

void description_attach(struct description *description)
{
    struct host_config *host = &description->host;

    for (uint32_t i = 0; i < host->port_count; i++)
        host->ports[i] = (struct host_port_config){ .address = description->ports[i] };
    host->route = description->is_srv6 ? host_route_by_plan : NULL;
    host->route_context = &description->plan;
    host->graph_path = description->graph_path[0] ? description->graph_path : NULL;
    host->exceptions_path = description->exceptions_path[0] ? description->exceptions_path : NULL;
    host->capture_path = description->capture_path[0] ? description->capture_path : NULL;
    description->plan.self = host->address;
    description->plan.plane_count = host->port_count;
    plan_ev_widen(&host->format, host->uplink_count);
}

static void begin_description(struct description *out, const char *name)
{
    memset(out, 0, sizeof(*out));
    host_config_init(&out->host);
    snprintf(out->name, sizeof(out->name), "%s", name);
    snprintf(out->host.name, sizeof(out->host.name), "%s", name);
    out->host.port_count = 0;
    out->plan.block = UINT32_C(0xfc000042);
}

static int finish_description(struct description *out, char *problem)
{
    if (!out->has_address || out->host.port_count == 0) {
        snprintf(problem, DESCRIPTION_PROBLEM_BYTES, "%s has no %s", out->name,
            out->has_address ? "ports" : "address");
        return -EINVAL;
    }
    description_attach(out);
    return 0;
}

int description_parse(const char *text, const char *name, struct description *out,
    char problem[DESCRIPTION_PROBLEM_BYTES])
{
    struct line line = { 0 };
    bool inside = false;
    bool found = false;
    bool in_ports = false;

    begin_description(out, name);
    while (next_line(&text, &line)) {
        const char *fault = split_line(&line);

        if (!fault && line.indent == 0) {
            if (line.is_item || *line.value)
                fault = "expected the name of a device and a colon";
            inside = !fault && strcmp(line.key, name) == 0;
            found |= inside;
            in_ports = false;
        } else if (!fault && inside && line.is_item) {
            fault = in_ports ? add_port(out, line.value) : "only 'ports' has a list";
        } else if (!fault && inside) {
            in_ports = strcmp(line.key, "ports") == 0;
            fault = in_ports ? (*line.value ? "list one port per line, with a dash" : NULL)
                             : set_key(out, line.key, line.value);
        }
        if (fault) {
            snprintf(problem, DESCRIPTION_PROBLEM_BYTES, "line %u: %s%s%s", line.number,
                line.key ? line.key : "", line.key ? ": " : "", fault);
            return -EINVAL;
        }
    }
    return found ? finish_description(out, problem) : -ENODEV;
}

void description_names_add(struct description_names *out, const char *name)
{
    if (out->count < DESCRIPTION_DEVICES_MAX)
        snprintf(out->names[out->count++], FOLDER_NAME_BYTES, "%s", name);
}

void description_names(const char *text, struct description_names *out)
{
    struct line line = { 0 };

    out->count = 0;
    while (next_line(&text, &line))
        if (line.indent == 0 && !split_line(&line) && !line.is_item &&
            folder_name_is_valid(line.key))
            description_names_add(out, line.key);
}
