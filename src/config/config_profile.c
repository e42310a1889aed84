/* SPDX-License-Identifier: Apache-2.0 */
/* The EV profile of a NIC: a source file with the paths that it uses, the paths that missing links
 * deny, and calls of mrc_ctl.h that load both for one destination. */
#include "config/config_profile.h"

#include "base/bytes.h"
#include "base/prng.h"

enum {
    PATHS_PER_LINE = 12,
    ANY = -1,
    PROFILE_SEED = 1,
};

/* The template of all paths to other leaves, plane 0 and uplink 0: 16 bits each. */
struct words {
    uint32_t source;
    uint32_t middle;
    uint32_t leaf; /* of leaf 0 */
    uint32_t host; /* of downlink 0 */
};

static const char structures[] = "struct ev_path {\n"
                                 "    uint8_t plane;\n"
                                 "    uint16_t uplink;\n"
                                 "};\n"
                                 "\n"
                                 "/* Links that the plan lacks; -1: all. */\n"
                                 "struct ev_denied {\n"
                                 "    int32_t leaf;\n"
                                 "    int32_t downlink;\n"
                                 "    int32_t plane;\n"
                                 "    int32_t uplink;\n"
                                 "};\n"
                                 "\n";

static const char path_loader[] =
    "static void put_bits(uint8_t *value, uint32_t *at, uint32_t bits, uint32_t count)\n"
    "{\n"
    "    for (uint32_t i = count; i-- > 0; ++*at)\n"
    "        value[*at / 8] |= (uint8_t)((bits >> i & 1) << (7 - *at % 8));\n"
    "}\n"
    "\n"
    "/* Plane in all uSIDs, uplink in the second: the order of the masks below. */\n"
    "static struct mrc_ctl_ev ev_of(struct ev_path path)\n"
    "{\n"
    "    struct mrc_ctl_ev ev = { .port = (uint8_t)(path.plane + 1) };\n"
    "    uint32_t at = 0;\n"
    "\n"
    "    put_bits(ev.val, &at, path.plane, 3);\n"
    "    put_bits(ev.val, &at, path.plane, 3);\n"
    "    put_bits(ev.val, &at, path.uplink, 10);\n"
    "    put_bits(ev.val, &at, path.plane, 3);\n"
    "    put_bits(ev.val, &at, path.plane, 3);\n"
    "    return ev;\n"
    "}\n"
    "\n"
    "static int is_denied(struct ev_path path, int32_t leaf, int32_t downlink)\n"
    "{\n"
    "    for (uint32_t i = 0; i < sizeof(denied) / sizeof(denied[0]); i++)\n"
    "        if ((denied[i].leaf == -1 || denied[i].leaf == leaf) &&\n"
    "            (denied[i].downlink == -1 || denied[i].downlink == downlink) &&\n"
    "            denied[i].plane == path.plane &&\n"
    "            (denied[i].uplink == -1 || denied[i].uplink == path.uplink))\n"
    "            return 1;\n"
    "    return 0;\n"
    "}\n"
    "\n"
    "static int load_format(struct mrc_context *mrc, uint64_t format)\n"
    "{\n"
    "    struct mrc_ctl_ev_fmt_field widths[] = { { 32 }, { 16 }, { 16 }, { 16 }, { 16 } };\n"
    "    struct mrc_ctl_ev_fmt_profile_attr attr = { .profile_state = MRC_CTL_PROFILE_OFFLINE,\n"
    "        .ev_fmt_mode = MRC_CTL_EV_FMT_MODE_SRV6,\n"
    "        .ev_fmt_op = { .op = MRC_CTL_EV_FMT_OP_MODIFY_FIELDS, .fmt_fields = widths,\n"
    "            .fmt_field_count = 5 } };\n"
    "    int err = mrc_ctl_modify_ev_fmt_profile(mrc, format, &attr, MRC_CTL_EV_FMT_PROFILE_STATE "
    "|\n"
    "        MRC_CTL_EV_FMT_PROFILE_MODE | MRC_CTL_EV_FMT_PROFILE_OP);\n"
    "\n"
    "    attr.profile_state = MRC_CTL_PROFILE_ONLINE;\n"
    "    return err ? err : mrc_ctl_modify_ev_fmt_profile(mrc, format, &attr,\n"
    "        MRC_CTL_EV_FMT_PROFILE_STATE);\n"
    "}\n"
    "\n"
    "static int load_paths(struct mrc_context *mrc, uint64_t profile, int32_t leaf, int32_t "
    "downlink)\n"
    "{\n"
    "    struct mrc_ctl_ev_op_entry entry = { .flags = 0 };\n"
    "    struct mrc_ctl_ev_profile_attr attr = { .ev_op = { .entries = &entry, .entry_count = 1 } "
    "};\n"
    "    int err = 0;\n"
    "\n"
    "    for (uint32_t i = 0; i < EV_COUNT && !err; i++) {\n"
    "        entry.ev = MRC_CTL_EV_UNPOPULATED;\n"
    "        entry.ev_new = ev_of(paths[i]);\n"
    "        attr.ev_op.op = MRC_CTL_EV_OP_REPLACE_EV;\n"
    "        err = mrc_ctl_modify_ev_profile(mrc, profile, &attr, MRC_CTL_EV_PROFILE_EV_OP);\n"
    "        if (err || !is_denied(paths[i], leaf, downlink))\n"
    "            continue;\n"
    "        entry.ev = entry.ev_new;\n"
    "        entry.state = MRC_CTL_EV_DENIED;\n"
    "        attr.ev_op.op = MRC_CTL_EV_OP_MODIFY_EV_STATE;\n"
    "        err = mrc_ctl_modify_ev_profile(mrc, profile, &attr, MRC_CTL_EV_PROFILE_EV_OP);\n"
    "    }\n"
    "    return err;\n"
    "}\n"
    "\n";

static const char profile_loader[] =
    "/* Creates the profiles for QPs to the NIC at this leaf and downlink. The leaf must not be "
    "that\n"
    " * of this NIC: within a leaf each plane is one path, and QPs need no profile. Returns 0, or "
    "-1\n"
    " * with errno. */\n"
    "int ev_profile_load(struct mrc_context *mrc, uint64_t format, uint64_t profile, int32_t "
    "leaf,\n"
    "    int32_t downlink)\n"
    "{\n"
    "    struct mrc_ctl_ev_field fields[] = {\n"
    "        { .width = 32, .init_val = EV_BLOCK },\n"
    "        { .width = 16, .init_val = EV_SOURCE, .mask = 0xe000 },\n"
    "        { .width = 16, .init_val = EV_MIDDLE, .mask = 0xe3ff },\n"
    "        { .width = 16, .init_val = EV_LEAF + (uint32_t)leaf, .mask = 0xe000 },\n"
    "        { .width = 16, .init_val = EV_HOST + (uint32_t)downlink, .mask = 0xe000 },\n"
    "    };\n"
    "    struct mrc_ctl_ev_profile_attr attr = { .profile_state = MRC_CTL_PROFILE_OFFLINE,\n"
    "        .ev_mode = MRC_CTL_EV_MODE_EXP, .ev_fmt_profile_id = format, .ev_count = EV_COUNT,\n"
    "        .ev_fields_op = { .op = MRC_CTL_EV_FIELDS_OP_MODIFY_FIELDS, .fields = fields,\n"
    "            .field_count = 5 } };\n"
    "\n"
    "    if (load_format(mrc, format) != 0 || mrc_ctl_modify_ev_profile(mrc, profile, &attr,\n"
    "            MRC_CTL_EV_PROFILE_STATE | MRC_CTL_EV_PROFILE_MODE | MRC_CTL_EV_PROFILE_FMT_ID |\n"
    "            MRC_CTL_EV_PROFILE_COUNT | MRC_CTL_EV_PROFILE_EV_FIELDS_OP) != 0 ||\n"
    "        load_paths(mrc, profile, leaf, downlink) != 0)\n"
    "        return -1;\n"
    "    attr.profile_state = MRC_CTL_PROFILE_ONLINE;\n"
    "    return mrc_ctl_modify_ev_profile(mrc, profile, &attr, MRC_CTL_EV_PROFILE_STATE);\n"
    "}\n";

/* ---- paths ----------------------------------------------------------------------------------- */

/* Returns a NIC of another leaf. */
static uint32_t other_nic(const struct plan *plan, uint32_t nic)
{
    return topology_leaf_of(&plan->topology, nic) == 0 ? plan->topology.nic_count - 1 : 0;
}

static bool has_profile(const struct plan *plan, uint32_t nic)
{
    return plan->graph.layout == PLAN_LAYOUT_ONE_BLOCK &&
           !plan_is_local(plan, nic, other_nic(plan, nic));
}

static struct words words_of(const struct plan *plan, uint32_t nic)
{
    uint32_t other = other_nic(plan, nic);
    struct ipv6_addr outer = plan_outer(plan, nic, other, 0);
    const uint8_t *octets = outer.octets;

    return (struct words){ .source = bytes_get_be16(octets + 4),
        .middle = bytes_get_be16(octets + 6),
        .leaf = bytes_get_be16(octets + 8) - topology_leaf_of(&plan->topology, other),
        .host = bytes_get_be16(octets + 10) - topology_downlink_of(&plan->topology, other) };
}

static uint32_t write_paths(const struct plan *plan, uint32_t nic, FILE *to)
{
    struct path_entry entries[PATH_EV_COUNT_MAX];
    struct plan_generate generate = plan_paths_across(plan);
    struct prng prng = prng_stream(PROFILE_SEED, nic);
    struct path_profile profile;

    plan_generate(&profile, &generate, entries, &prng);
    fputs("static const struct ev_path paths[] = {", to);
    for (uint32_t i = 0; i < profile.entry_count; i++) {
        struct ev_path path = plan_ev_path(plan, entries[i].ev);

        fprintf(
            to, "%s{%u,%u},", i % PATHS_PER_LINE == 0 ? "\n    " : " ", path.plane, path.uplink);
    }
    fputs("\n};\n", to);
    return profile.entry_count;
}

/* ---- links that are missing ------------------------------------------------------------------ */

static void write_denied(
    const struct plan *plan, uint32_t nic, const struct topology_element *link, FILE *to)
{
    struct topology whole = plan->topology;
    struct topology_end lower = { 0 };
    struct topology_end upper;
    struct topology_element at;
    int32_t leaf;

    whole.config.exception_count = 0;
    topology_link_of(&whole, link, 0, &lower, &upper);
    if (lower.is_nic && lower.node == nic)
        fprintf(to, "    { %d, %d, %u, %d },\n", ANY, ANY, link->plane, ANY);
    else if (lower.is_nic)
        fprintf(to, "    { %u, %u, %u, %d },\n", topology_leaf_of(&whole, lower.node),
            topology_downlink_of(&whole, lower.node), link->plane, ANY);
    if (lower.is_nic)
        return;
    at = topology_switch_at(&whole, lower.node);
    leaf = (int32_t)topology_place_of(&at).index;
    fprintf(to, "    { %d, %d, %u, %u },\n",
        leaf == (int32_t)topology_leaf_of(&whole, nic) ? ANY : leaf, ANY, link->plane,
        topology_leaf_uplink_number(&whole, link));
}

/* The last entry denies nothing: an array has at least one. */
static void write_denied_list(const struct plan *plan, uint32_t nic, FILE *to)
{
    const struct topology_config *config = &plan->topology.config;

    fputs("static const struct ev_denied denied[] = {\n", to);
    for (uint32_t i = 0; i < config->exception_count; i++)
        if (config->exceptions[i].missing)
            write_denied(plan, nic, &config->exceptions[i].link, to);
    fprintf(to, "    { %d, %d, %d, %d },\n};\n\n", ANY, ANY, ANY, ANY);
}

void config_profile_write(const struct plan *plan, uint32_t nic, FILE *to)
{
    struct words words;
    uint32_t count;

    if (!has_profile(plan, nic)) {
        fputs("// No profile: all NICs share a leaf, or the plane is not part of uSIDs.\n", to);
        return;
    }
    words = words_of(plan, nic);
    fputs("#include <stdint.h>\n\n#include \"mrc_ctl.h\"\n\n", to);
    fputs(structures, to);
    count = write_paths(plan, nic, to);
    write_denied_list(plan, nic, to);
    fprintf(to,
        "#define EV_COUNT  %uU\n"
        "#define EV_BLOCK  0x%xU\n"
        "#define EV_SOURCE 0x%xU\n"
        "#define EV_MIDDLE 0x%xU\n"
        "#define EV_LEAF   0x%xU\n"
        "#define EV_HOST   0x%xU\n\n",
        count, plan->topology.config.usid_block, words.source, words.middle, words.leaf,
        words.host);
    fputs(path_loader, to);
    fputs(profile_loader, to);
}
