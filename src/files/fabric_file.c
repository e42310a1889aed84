/* SPDX-License-Identifier: Apache-2.0 */
/* Reads fabric.yaml into a fabric. */
#include "files/fabric_file.h"

#include <assert.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "files/graph_file.h"
#include "files/group_file.h"
#include "files/topo_file.h"
#include "files/whole_file.h"
#include "files/yaml_fields.h"

#define MS_PS       UINT64_C(1000000000)
#define MBPS        UINT64_C(1000000)
#define TBPS        UINT64_C(1000000000000)
#define GIB         (UINT32_C(1) << 30)
#define FRAMING_MAX 256

struct description {
    uint32_t version;
    struct topology_config config;
    const struct yaml_node *host_link;
    const struct yaml_node *uplink;
    const struct yaml_node *buffers;
    const struct yaml_node *usid_block;
    const struct yaml_node *exceptions;
    const struct yaml_node *failure_groups;
};

#define CONFIG(member)  offsetof(struct description, config.member)
#define BUFFERS(member) offsetof(struct topology_buffers, member)
#define LINK(member)    offsetof(struct topology_link_kind, member)

/* clang-format off */
static const struct yaml_field first_fields[] = {
    { .key = "name", .type = YAML_TEXT, .offset = CONFIG(name), .most = TOPOLOGY_NAME_BYTES },
    { .key = "version", .type = YAML_COUNT, .offset = offsetof(struct description, version), .least = 1, .most = FABRIC_FILE_VERSION },
    { .key = NULL },
};

static const struct yaml_field last_fields[] = {
    { .key = "switch_latency", .type = YAML_TIME, .offset = CONFIG(switch_latency_ps), .most = 10 * MS_PS },
    { .key = "nic_latency", .type = YAML_TIME, .offset = CONFIG(nic_latency_ps), .most = 10 * MS_PS },
    { .key = "framing", .type = YAML_COUNT16, .offset = CONFIG(framing_bytes), .most = FRAMING_MAX },
    { .key = "cut_through", .type = YAML_COUNT16, .offset = CONFIG(cut_through_bytes), .most = TOPOLOGY_PACKET_BYTES },
    { .key = "host_link", .type = YAML_MAP, .offset = offsetof(struct description, host_link) },
    { .key = "uplink", .type = YAML_MAP, .offset = offsetof(struct description, uplink) },
    { .key = "buffers", .type = YAML_MAP, .offset = offsetof(struct description, buffers) },
    { .key = "usid_block", .type = YAML_ANY, .offset = offsetof(struct description, usid_block) },
    { .key = "check_source", .type = YAML_FLAG, .offset = CONFIG(checks_source) },
    { .key = "exceptions", .type = YAML_LIST, .offset = offsetof(struct description, exceptions) },
    { .key = "failure_groups", .type = YAML_LIST, .offset = offsetof(struct description, failure_groups) },
    { .key = NULL },
};

static const struct yaml_field link_fields[] = {
    { .key = "rate", .type = YAML_RATE, .offset = LINK(rate_bps), .least = MBPS, .most = 8 * TBPS },
    { .key = "delay", .type = YAML_TIME, .offset = LINK(delay_ps), .most = 10 * MS_PS },
    { .key = NULL },
};

static const struct yaml_field buffer_fields[] = {
    { .key = "trims", .type = YAML_FLAG, .offset = BUFFERS(trims) },
    { .key = "marks", .type = YAML_FLAG, .offset = BUFFERS(marks) },
    { .key = "trimmed", .type = YAML_COUNT16, .offset = BUFFERS(trimmed_bytes), .least = 108, .most = 4224 },
    { .key = "data", .type = YAML_SIZE32, .offset = BUFFERS(data_bytes), .least = 4224, .most = GIB },
    { .key = "host_data", .type = YAML_SIZE32, .offset = BUFFERS(host_data_bytes), .least = 4224, .most = GIB },
    { .key = "control", .type = YAML_SIZE32, .offset = BUFFERS(control_bytes), .least = 140, .most = GIB },
    { .key = "red_min", .type = YAML_SIZE32, .offset = BUFFERS(red_min_bytes), .least = 1, .most = GIB },
    { .key = "red_max", .type = YAML_SIZE32, .offset = BUFFERS(red_max_bytes), .least = 1, .most = GIB },
    { .key = "marks_hosts", .type = YAML_FLAG, .offset = BUFFERS(marks_hosts) },
    { .key = "shared", .type = YAML_SIZE32, .offset = BUFFERS(shared_bytes), .most = GIB },
    { .key = "cell", .type = YAML_COUNT16, .offset = BUFFERS(cell_bytes), .most = TOPOLOGY_PACKET_BYTES },
    { .key = "alpha", .type = YAML_WORD, .offset = BUFFERS(alpha), .words = topology_alpha_words },
    { .key = NULL },
};
/* clang-format on */

enum { FIELDS_MAX = 32 };

/* Lists all keys of a fabric, including the counts of the topology, ending with NULL. */
static void list_fields(struct yaml_field out[static FIELDS_MAX])
{
    uint32_t count = yaml_append(first_fields, out, 0);

    for (const struct topology_count *number = topology_counts; number->key; number++)
        out[count++] = (struct yaml_field){ .key = number->key,
            .type = YAML_COUNT,
            .offset = offsetof(struct description, config) + number->offset,
            .least = number->least,
            .most = number->most };
    count = yaml_append(last_fields, out, count);
    assert(count < FIELDS_MAX);
    out[count] = (struct yaml_field){ .key = NULL };
}

struct exception_entry {
    struct topology_exception exception;
    const struct yaml_node *link;
    bool marks;
};

/* clang-format off */
static const struct yaml_field exception_fields[] = {
    { .key = "link", .type = YAML_ANY, .offset = offsetof(struct exception_entry, link) },
    { .key = "missing", .type = YAML_FLAG, .offset = offsetof(struct exception_entry, exception.missing) },
    { .key = "rate", .type = YAML_RATE, .offset = offsetof(struct exception_entry, exception.rate_bps),
      .least = MBPS, .most = 8 * TBPS },
    { .key = "marks", .type = YAML_FLAG, .offset = offsetof(struct exception_entry, marks) },
    { .key = NULL },
};
/* clang-format on */

/* Reads two groups of four hex digits, the beginning of an address: fc00:0042. */
static bool read_usid_block(struct yaml *yaml, const struct yaml_node *node, uint32_t *block)
{
    static const char wanted[] = "four hex digits, a colon, four hex digits: fc00:0042";
    unsigned long halves[2];
    const char *text;
    char *end;

    if (node->kind != YAML_SCALAR)
        return yaml_complain(yaml, node, "the first 32 bits of an address are expected here");
    text = node->text;
    for (int i = 0; i < 2; i++) {
        size_t digits = strspn(text, "0123456789abcdefABCDEF");

        if (digits == 0 || digits > 4)
            return yaml_complain(
                yaml, node, "'%s' is not a uSID block; write %s", node->text, wanted);
        halves[i] = strtoul(text, &end, 16);
        text = end + (i == 0 && *end == ':');
    }
    if (*text)
        return yaml_complain(yaml, node, "'%s' is not a uSID block; write %s", node->text, wanted);
    *block = (uint32_t)(halves[0] << 16 | halves[1]);
    return true;
}

bool fabric_file_block(struct yaml *yaml, const struct yaml_node *node, uint32_t *block)
{
    return !node || read_usid_block(yaml, node, block);
}

bool fabric_file_link(
    struct yaml *yaml, const struct yaml_node *node, struct topology_link_kind *kind)
{
    return !node || yaml_read(yaml, node, link_fields, kind);
}

bool fabric_file_buffers(
    struct yaml *yaml, const struct yaml_node *node, struct topology_buffers *buffers)
{
    return !node || yaml_read(yaml, node, buffer_fields, buffers);
}

bool fabric_file_find(struct yaml *yaml, const struct yaml_node *name,
    const struct topology *topology, struct topology_element *element)
{
    char reason[160];

    if (name->kind != YAML_SCALAR)
        return yaml_complain(
            yaml, name, "the name of a component is expected here, such as p0.t1.3");
    if (!topology_find(topology, name->text, element, reason))
        return yaml_complain(yaml, name, "'%s': %s", name->text, reason);
    return true;
}

bool fabric_file_ev(
    struct yaml *yaml, const struct yaml_node *node, const struct plan *fabric, uint32_t *ev)
{
    static const struct yaml_field number = { .type = YAML_COUNT };

    if (node->kind == YAML_SCALAR && node->text[0] == 'p')
        return plan_ev_find(fabric, node->text, ev) ||
               yaml_complain(yaml, node,
                   "'%s' is not a path of this fabric; write plane and uplink as in p0/u3",
                   node->text);
    return yaml_read_value(yaml, node, &number, ev);
}

static bool read_exception(struct yaml *yaml, const struct yaml_node *node,
    const struct topology *plain, struct topology_exception *out)
{
    struct exception_entry entry = { .marks = true };

    if (!yaml_read(yaml, node, exception_fields, &entry) || !yaml_require(yaml, node, "link") ||
        !fabric_file_find(yaml, entry.link, plain, &entry.exception.link))
        return false;
    entry.exception.unmarked = !entry.marks;
    if (entry.exception.missing == (entry.exception.rate_bps != 0 || entry.exception.unmarked))
        return yaml_complain(yaml, node, "give 'missing: yes', or a 'rate' or 'marks: no'");
    *out = entry.exception;
    return true;
}

/* Returns the node from which a member ("host_link.rate") was read, or its nearest parent. */
static const struct yaml_node *node_of_member(const struct yaml_node *top, const char *member)
{
    const struct yaml_node *node = top;
    char segment[64];

    while (*member) {
        size_t length = strcspn(member, ".");
        const struct yaml_node *child;

        if (length >= sizeof(segment))
            return node;
        memcpy(segment, member, length);
        segment[length] = '\0';
        child = yaml_member(node, segment);
        if (!child)
            return node;
        node = child;
        member += length + (member[length] == '.');
    }
    return node;
}

bool fabric_file_complain(
    struct yaml *yaml, const struct yaml_node *top, const struct topology_problem *problem)
{
    const struct yaml_node *node = node_of_member(top, problem->member);

    if (strcmp(problem->member, "exceptions") == 0 && node->kind == YAML_SEQUENCE)
        for (const struct yaml_node *entry = node->first; entry; entry = entry->next)
            if (entry->index == problem->exception)
                return yaml_complain(yaml, entry, "%s", problem->reason);
    if (node == top)
        return yaml_complain(yaml, node, "%s: %s", problem->member, problem->reason);
    return yaml_complain(yaml, node, "%s", problem->reason);
}

static bool read_parts(struct yaml *yaml, struct description *description)
{
    struct topology_config *config = &description->config;

    return fabric_file_link(yaml, description->host_link, &config->host_link) &&
           fabric_file_link(yaml, description->uplink, &config->uplink) &&
           fabric_file_buffers(yaml, description->buffers, &config->buffers) &&
           fabric_file_block(yaml, description->usid_block, &config->usid_block);
}

static bool wire(struct yaml *yaml, const struct yaml_node *mapping,
    const struct topology_config *config, struct plan *fabric)
{
    struct topology_exception *sorted = yaml_take(yaml, config->exception_count, sizeof(*sorted));
    struct topology_problem problem = { .member = "" };

    return plan_init(fabric, config, sorted, &problem) ||
           fabric_file_complain(yaml, mapping, &problem);
}

static bool is_topo(const char *path)
{
    const char *dot = strrchr(path, '.');

    return dot && strcmp(dot, ".topo") == 0;
}

struct yaml_node *fabric_file_load(struct yaml *yaml, const char *path)
{
    const char *source = yaml_text(yaml, path, strlen(path));
    struct yaml_node *top = NULL;
    char *text;

    if (!is_topo(path))
        return yaml_load(yaml, path);
    errno = 0;
    text = whole_file_text(path);
    if (text)
        top = topo_file_parse(yaml, source, text);
    else
        yaml_complain_at(yaml, (struct yaml_place){ .source = source }, "%s",
            errno ? strerror(errno) : "is empty");
    free(text);
    return top;
}

bool fabric_file_read(struct yaml *yaml, const struct yaml_node *mapping, struct plan *fabric)
{
    struct topology_config usual;

    topology_config_init(&usual);
    return fabric_file_read_over(yaml, mapping, &usual, fabric);
}

bool fabric_file_read_over(struct yaml *yaml, const struct yaml_node *mapping,
    const struct topology_config *usual, struct plan *fabric)
{
    struct description description = { .config = *usual };
    struct topology_exception *exceptions;
    struct yaml_field fields[FIELDS_MAX];
    uint32_t count = 0;

    if (yaml_member(mapping, "shape"))
        return graph_file_read(yaml, mapping, usual, fabric);
    list_fields(fields);
    if (!yaml_read(yaml, mapping, fields, &description) || !read_parts(yaml, &description) ||
        !wire(yaml, mapping, &description.config, fabric))
        return false;
    if (!description.exceptions)
        return group_file_read(yaml, description.failure_groups, &fabric->topology);

    /* Exceptions come second, because their names can be looked up only when there is a fabric. */
    exceptions = yaml_take(yaml, description.exceptions->child_count, sizeof(*exceptions));
    for (const struct yaml_node *node = description.exceptions->first; node; node = node->next)
        if (!read_exception(yaml, node, &fabric->topology, &exceptions[count++]))
            return false;
    description.config.exceptions = exceptions;
    description.config.exception_count = count;
    return wire(yaml, mapping, &description.config, fabric) &&
           group_file_read(yaml, description.failure_groups, &fabric->topology);
}
