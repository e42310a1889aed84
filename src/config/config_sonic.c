/* SPDX-License-Identifier: Apache-2.0 */
/* SONiC: config_db.json with ports, SRv6, QoS, ECN and trimming, and frr.conf with static routes.
 */
#include "config/config_format.h"
#include "config/config_frr.h"
#include "wire/format.h"

extern const struct config_format config_sonic;

/* Traffic classes, which are also queues, except the last. */
enum {
    PLAIN_CLASS = 0, /* data that must not be trimmed: trimming is a property of a queue */
    DATA_CLASS = 3,
    CONTROL_CLASS = 6,
    TRIM_CLASS = 7, /* of packets that this switch trims: its ports set their DSCP */
};

static const uint64_t lane_bps = UINT64_C(100000000000);

/* A table is a member of the top object. Rows follow each other with commas. */
struct table {
    const char *separator; /* before the next row */
    FILE *to;
};

static void begin_table(struct table *table, const char *name)
{
    fprintf(table->to, "%s    \"%s\": {", table->separator, name);
    table->separator = "";
}

static void begin_row(struct table *table)
{
    fprintf(table->to, "%s\n", table->separator);
    table->separator = ",";
}

static void end_table(struct table *table)
{
    fputs("\n    }", table->to);
    table->separator = ",\n";
}

static void write_row(struct table *table, const char *row)
{
    begin_row(table);
    fputs(row, table->to);
}

/* ---- ports ----------------------------------------------------------------------------------- */

static uint32_t lanes_of(const struct topology_link_kind *kind)
{
    return (uint32_t)((kind->rate_bps + lane_bps - 1) / lane_bps);
}

/* A port is named after its first lane. Lanes have 100 Gb/s. */
static uint32_t first_lane(const struct config_switch *self, uint32_t port)
{
    const struct topology_config *config = &self->plan->topology.config;
    uint32_t hosts = port < self->host_ports ? port : self->host_ports;

    return hosts * lanes_of(&config->host_link) + (port - hosts) * lanes_of(&config->uplink);
}

static uint32_t lane_count(const struct config_switch *self, uint32_t port)
{
    return first_lane(self, port + 1) - first_lane(self, port);
}

/* The rows of a table, one for each port. */
typedef void port_row(const struct config_switch *, const struct config_cable *, struct table *);

static void write_ports(const struct config_switch *self, struct table *table, port_row *row)
{
    for (uint32_t port = 0; port < self->port_count; port++) {
        struct config_cable cable;

        config_switch_port(self, port, &cable);
        row(self, &cable, table);
    }
}

static void write_port(
    const struct config_switch *self, const struct config_cable *cable, struct table *table)
{
    uint32_t lane = first_lane(self, cable->self.port);

    begin_row(table);
    fprintf(table->to, "\"Ethernet%u\":{\"index\":\"%u\",\"lanes\":\"%u", lane,
        cable->self.port + 1, lane);
    for (uint32_t i = 1; i < lane_count(self, cable->self.port); i++)
        fprintf(table->to, ",%u", lane + i);
    fprintf(table->to, "\",\"speed\":\"%llu\",\"mtu\":\"%u\",\"admin_status\":\"%s\"}",
        (unsigned long long)(cable->kind.rate_bps / 1000000), CONFIG_PORT_MTU_BYTES,
        cable->is_there ? "up" : "down");
}

static void write_interface(
    const struct config_switch *self, const struct config_cable *cable, struct table *table)
{
    char address[CONFIG_PORT_ADDRESS_BYTES];
    uint32_t lane = first_lane(self, cable->self.port);

    if (!cable->is_there)
        return;
    config_port_address(&self->plan->topology, cable->self, address);
    begin_row(table);
    fprintf(table->to, "\"Ethernet%u\":{},\n\"Ethernet%u|%s/127\":{}", lane, lane, address);
}

static void write_maps(
    const struct config_switch *self, const struct config_cable *cable, struct table *table)
{
    begin_row(table);
    fprintf(table->to,
        "\"Ethernet%u\":{\"dscp_to_tc_map\":\"mrc\",\"tc_to_queue_map\":\"mrc\", "
        "\"tc_to_dscp_map\":\"%s\"}",
        first_lane(self, cable->self.port), cable->faces_host ? "mrc_host" : "mrc_fabric");
}

static void write_queues(
    const struct config_switch *self, const struct config_cable *cable, struct table *table)
{
    uint32_t lane = first_lane(self, cable->self.port);

    begin_row(table);
    fprintf(table->to,
        "\"Ethernet%u|%u\":{\"scheduler\":\"mrc_data\"%s},\n"
        "\"Ethernet%u|%u\":{\"scheduler\":\"mrc_control\"}",
        lane, DATA_CLASS, cable->marks ? ",\"wred_profile\":\"mrc\"" : "", lane, CONTROL_CLASS);
}

static void write_buffers_of(
    const struct config_switch *self, const struct config_cable *cable, struct table *table)
{
    uint32_t lane = first_lane(self, cable->self.port);

    begin_row(table);
    fprintf(table->to,
        "\"Ethernet%u|%u\":{\"profile\":\"mrc_plain\"},\n"
        "\"Ethernet%u|%u\":{\"profile\":\"%s\"},\n"
        "\"Ethernet%u|%u\":{\"profile\":\"mrc_control\"}",
        lane, PLAIN_CLASS, lane, DATA_CLASS, cable->faces_host ? "mrc_host" : "mrc_fabric", lane,
        CONTROL_CLASS);
}

/* ---- the switch as a whole ------------------------------------------------------------------- */

static void write_identity(const struct config_switch *self, struct table *table)
{
    begin_table(table, "DEVICE_METADATA");
    begin_row(table);
    fprintf(table->to,
        "\"localhost\": { \"hostname\": \"%s\", \"docker_routing_config_mode\": \"split\", "
        "\"type\": \"not-provisioned\" }",
        self->label);
    end_table(table);
}

static void write_sids(const struct config_switch *self, struct table *table)
{
    begin_table(table, "SRV6_MY_LOCATORS");
    for (uint32_t i = 0; i < self->names.count; i++) {
        begin_row(table);
        fprintf(table->to, "\"MRC%u\": { \"prefix\": \"", i);
        config_switch_prefix(self, config_switch_usid(self, i), table->to);
        fputs("\", \"block_len\": \"32\", \"node_len\": \"16\", \"func_len\": \"16\", "
              "\"arg_len\": \"0\" }",
            table->to);
    }
    end_table(table);
    begin_table(table, "SRV6_MY_SIDS");
    for (uint32_t i = 0; i < self->names.count; i++) {
        begin_row(table);
        fprintf(table->to, "\"MRC%u|", i);
        config_switch_prefix(self, config_switch_usid(self, i), table->to);
        fputs("/48\": { \"action\": \"uN\", \"decap_dscp_mode\": \"pipe\" }", table->to);
    }
    end_table(table);
}

static void write_class(
    struct table *table, const char *separator, enum dscp_class class, int number)
{
    fprintf(table->to, "%s\"%u\": \"%d\"", separator, format_default.dscp[class], number);
}

static void write_classes(struct table *table)
{
    begin_table(table, "DSCP_TO_TC_MAP");
    write_row(table, "\"mrc\": { ");
    write_class(table, "", DSCP_NO_TRIM, PLAIN_CLASS);
    write_class(table, ", ", DSCP_TRIMMABLE, DATA_CLASS);
    write_class(table, ", ", DSCP_TRIMMABLE_RETX, DATA_CLASS);
    write_class(table, ", ", DSCP_TRIMMED, CONTROL_CLASS);
    write_class(table, ", ", DSCP_TRIMMED_LASTHOP, CONTROL_CLASS);
    write_class(table, ", ", DSCP_CONTROL, CONTROL_CLASS);
    fputs(" }", table->to);
    end_table(table);
    begin_table(table, "TC_TO_QUEUE_MAP");
    begin_row(table);
    fprintf(table->to,
        "\"mrc\": { \"%d\": \"%d\", \"%d\": \"%d\", \"%d\": \"%d\", \"%d\": \"%d\" }", PLAIN_CLASS,
        PLAIN_CLASS, DATA_CLASS, DATA_CLASS, CONTROL_CLASS, CONTROL_CLASS, TRIM_CLASS,
        CONTROL_CLASS);
    end_table(table);
    begin_table(table, "TC_TO_DSCP_MAP");
    begin_row(table);
    fprintf(table->to,
        "\"mrc_fabric\": { \"%d\": \"%u\" },\n        \"mrc_host\": { \"%d\": \"%u\" }", TRIM_CLASS,
        format_default.dscp[DSCP_TRIMMED], TRIM_CLASS, format_default.dscp[DSCP_TRIMMED_LASTHOP]);
    end_table(table);
}

static void write_marking(const struct topology_buffers *buffers, struct table *table)
{
    static const char *const colours[] = { "green", "yellow", "red" };

    begin_table(table, "SCHEDULER");
    write_row(table, "\"mrc_control\": { \"type\": \"STRICT\" }");
    write_row(table, "\"mrc_data\": { \"type\": \"DWRR\", \"weight\": \"50\" }");
    end_table(table);
    begin_table(table, "WRED_PROFILE");
    write_row(table, "\"mrc\": { \"ecn\": \"ecn_all\"");
    for (uint32_t i = 0; i < sizeof(colours) / sizeof(colours[0]); i++)
        fprintf(table->to,
            ", \"wred_%s_enable\": \"true\", \"%s_min_threshold\": \"%u\", "
            "\"%s_max_threshold\": \"%u\", \"%s_drop_probability\": \"100\"",
            colours[i], colours[i], buffers->red_min_bytes, colours[i], buffers->red_max_bytes,
            colours[i]);
    fputs(" }", table->to);
    end_table(table);
}

/* A threshold is a number of bytes, or a power of two times what is free of a shared buffer. */
static void write_profile(struct table *table, const char *name,
    const struct topology_buffers *buffers, uint32_t bytes, bool trims)
{
    begin_row(table);
    fprintf(table->to, "\"%s\": { \"pool\": \"egress_lossy_pool\", \"size\": \"0\", ", name);
    if (buffers->shared_bytes)
        fprintf(table->to, "\"dynamic_th\": \"%d\"", buffers->alpha - TOPOLOGY_ALPHA_ONE);
    else
        fprintf(table->to, "\"static_th\": \"%u\"", bytes);
    fprintf(table->to, ", \"packet_discard_action\": \"%s\" }", trims ? "trim" : "drop");
}

static void write_buffers(const struct topology_buffers *buffers, struct table *table)
{
    begin_table(table, "BUFFER_POOL");
    begin_row(table);
    fprintf(table->to, "\"egress_lossy_pool\": { \"type\": \"egress\", \"mode\": \"%s\"",
        buffers->shared_bytes ? "dynamic" : "static");
    if (buffers->shared_bytes)
        fprintf(table->to, ", \"size\": \"%u\"", buffers->shared_bytes);
    fputs(" }", table->to);
    end_table(table);
    begin_table(table, "BUFFER_PROFILE");
    write_profile(table, "mrc_fabric", buffers, buffers->data_bytes, buffers->trims);
    write_profile(table, "mrc_host", buffers, buffers->host_data_bytes, buffers->trims);
    write_profile(table, "mrc_plain", buffers, buffers->data_bytes, false);
    write_profile(table, "mrc_control", buffers, buffers->control_bytes, false);
    end_table(table);
    if (!buffers->trims)
        return;
    begin_table(table, "SWITCH_TRIMMING");
    begin_row(table);
    fprintf(table->to,
        "\"GLOBAL\": { \"size\": \"%u\", \"dscp_value\": \"from-tc\", \"tc_value\": \"%d\", "
        "\"queue_index\": \"%d\" }",
        buffers->trimmed_bytes, TRIM_CLASS, CONTROL_CLASS);
    end_table(table);
}

static void write_port_table(
    const struct config_switch *self, struct table *table, const char *name, port_row *row)
{
    begin_table(table, name);
    write_ports(self, table, row);
    end_table(table);
}

static void write_tables(const struct config_source *source, uint32_t node, FILE *to)
{
    const struct topology_buffers *buffers = &source->plan->topology.config.buffers;
    struct table table = { .separator = "", .to = to };
    struct config_switch self;

    config_switch_of(source, node, &self);
    fputs("{\n", to);
    write_identity(&self, &table);
    write_port_table(&self, &table, "PORT", write_port);
    write_port_table(&self, &table, "INTERFACE", write_interface);
    write_sids(&self, &table);
    write_classes(&table);
    write_marking(buffers, &table);
    write_buffers(buffers, &table);
    write_port_table(&self, &table, "PORT_QOS_MAP", write_maps);
    write_port_table(&self, &table, "QUEUE", write_queues);
    write_port_table(&self, &table, "BUFFER_QUEUE", write_buffers_of);
    fputs("\n}\n", to);
}

/* ---- other files ----------------------------------------------------------------------------- */

static void write_route(
    const struct config_switch *self, uint16_t usid, const struct config_cable *cable, FILE *to)
{
    char name[CONFIG_PORT_NAME_BYTES];

    snprintf(name, sizeof(name), "Ethernet%u", first_lane(self, cable->self.port));
    config_frr_route(self, usid, cable, name, to);
}

static void write_routes(const struct config_source *source, uint32_t node, FILE *to)
{
    struct config_switch self;

    config_switch_of(source, node, &self);
    config_format_router_title(&config_sonic, &self, "!", to);
    config_switch_routes(&self, write_route, to);
    fputs("!\nend\n", to);
}

static void write_about(const struct config_source *source, uint32_t node, FILE *to)
{
    struct config_switch self;

    config_switch_of(source, node, &self);
    config_format_router_title(&config_sonic, &self, "#", to);
}

const struct config_format config_sonic = {
    .word = "sonic",
    .help = "SONiC: config_db.json, frr.conf (static routes), about.txt",
    .checked =
        "Checked: tables, fields and values of config_db.json against a list made from the YANG\n"
        "models and design documents of SONiC (2026). Not loaded into SONiC. Set hwsku and lanes\n"
        "of your switch: here a lane has 100 Gb/s, and a port is named after its first lane.\n"
        "SRv6 is in config_db.json; load frr.conf with vtysh -f.",
    .scope = CONFIG_OF_SWITCH,
    .files = { { "config_db.json", write_tables }, { "frr.conf", write_routes },
        { "about.txt", write_about } },
};
