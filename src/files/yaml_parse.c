/* SPDX-License-Identifier: Apache-2.0 */
/* Parses text into the tree. libfyaml finds the tokens; this file refuses what experiment files do
 * not need: anchors, tags, second documents, keys that are not words. */
#include <assert.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <libfyaml.h>

#include "files/yaml.h"

#define FILE_BYTES_MAX (8u << 20)
#define NODES_MAX      1000000u
#define KEYS_MAX       1000u /* per mapping: each key is compared with all before it */

struct builder {
    struct yaml *yaml;
    const char *source;
    bool has_lines;
    struct yaml_node *root;
    struct yaml_node *open; /* the innermost list or mapping */
    const char *key;        /* of the value that follows */
    bool has_ended;         /* the parser has seen the end */
    struct yaml_place key_place;
};

static struct yaml_place place_of(const struct builder *builder, struct fy_token *token)
{
    const struct fy_mark *mark = token ? fy_token_start_mark(token) : NULL;
    struct yaml_place place = { .source = builder->source };

    if (!builder->has_lines)
        return place;
    if (!mark)
        return builder->key ? builder->key_place : (struct yaml_place){ builder->source, 1, 1 };
    place.line = (uint32_t)mark->line + 1;
    place.column = (uint32_t)mark->column + 1;
    return place;
}

static bool refuse_token(const struct builder *builder, struct fy_token *token, const char *why)
{
    return yaml_complain_at(builder->yaml, place_of(builder, token), "%s", why);
}

static bool take_key(struct builder *builder, struct fy_token *token)
{
    const char *text = token ? fy_token_get_text0(token) : NULL;
    const struct yaml_node *before = NULL;

    if (!text || !*text)
        return refuse_token(builder, token, "a key is missing here");
    before = yaml_member(builder->open, text);
    builder->key_place = place_of(builder, token);
    if (before)
        return yaml_complain_at(builder->yaml, builder->key_place,
            "%s: this key is already in line %u; keep one", text, before->key_place.line);
    if (builder->open->child_count == KEYS_MAX)
        return refuse_token(builder, token, "more than 1000 keys in one mapping");
    builder->key = yaml_text(builder->yaml, text, strlen(text));
    return true;
}

static bool add_node(struct builder *builder, struct yaml_node node)
{
    struct yaml_node *added = yaml_take(builder->yaml, 1, sizeof(*added));
    struct yaml_node *parent = builder->open;

    *added = node;
    if (++builder->yaml->node_count > NODES_MAX)
        return yaml_complain_at(
            builder->yaml, node.place, "the file has more than a million values");
    if (!parent) {
        builder->root = added;
    } else {
        added->key = builder->key;
        added->key_place = builder->key ? builder->key_place : node.place;
        added->parent = parent;
        added->index = parent->child_count++;
        *(parent->last ? &parent->last->next : &parent->first) = added;
        parent->last = added;
    }
    builder->key = NULL;
    if (node.kind != YAML_SCALAR)
        builder->open = added;
    return true;
}

static bool add_scalar(struct builder *builder, struct fy_token *token)
{
    size_t length = 0;
    const char *text = token ? fy_token_get_text(token, &length) : "";

    if (!text)
        text = "";
    if (memchr(text, '\0', length))
        return refuse_token(builder, token, "a NUL character in a value");
    return add_node(builder, (struct yaml_node){
                                 .kind = YAML_SCALAR,
                                 .is_plain = fy_token_scalar_style(token) == FYSS_PLAIN,
                                 .text = yaml_text(builder->yaml, text, length),
                                 .place = place_of(builder, token),
                             });
}

static bool has_anchor_or_tag(const struct fy_event *event)
{
    switch (event->type) {
    case FYET_SCALAR:
        return event->scalar.anchor || event->scalar.tag;
    case FYET_SEQUENCE_START:
        return event->sequence_start.anchor || event->sequence_start.tag;
    case FYET_MAPPING_START:
        return event->mapping_start.anchor || event->mapping_start.tag;
    default:
        return event->type == FYET_ALIAS;
    }
}

static bool open_or_scalar(
    struct builder *builder, const struct fy_event *event, struct fy_token *token)
{
    bool wants_key = builder->open && builder->open->kind == YAML_MAPPING && !builder->key;

    if (event->type == FYET_SCALAR)
        return wants_key ? take_key(builder, token) : add_scalar(builder, token);
    if (wants_key)
        return refuse_token(builder, token, "a key must be a word, not a list or a mapping");
    return add_node(
        builder, (struct yaml_node){
                     .kind = event->type == FYET_SEQUENCE_START ? YAML_SEQUENCE : YAML_MAPPING,
                     .place = place_of(builder, token),
                 });
}

static bool take_event(struct builder *builder, struct fy_event *event)
{
    struct fy_token *token = fy_event_get_token(event);

    if (has_anchor_or_tag(event))
        return refuse_token(
            builder, token, "anchors, aliases and tags are not used here; write it out");
    switch (event->type) {
    case FYET_DOCUMENT_START:
        return !builder->root || refuse_token(builder, token,
                                     "a second document begins here; put it into its own file");
    case FYET_SCALAR:
    case FYET_SEQUENCE_START:
    case FYET_MAPPING_START:
        return open_or_scalar(builder, event, token);
    case FYET_SEQUENCE_END:
    case FYET_MAPPING_END:
        assert(builder->open);
        builder->open = builder->open->parent;
        return true;
    case FYET_STREAM_END:
        builder->has_ended = true;
        return true;
    default:
        return true;
    }
}

static void complain_syntax(const struct builder *builder, struct fy_diag *diag)
{
    void *iterator = NULL;
    const struct fy_diag_error *error = fy_diag_errors_iterate(diag, &iterator);
    struct yaml_place place = { .source = builder->source };

    if (builder->has_lines && error && error->line > 0) {
        place.line = (uint32_t)error->line;
        place.column = (uint32_t)error->column;
    }
    yaml_complain_at(
        builder->yaml, place, "not YAML: %s", error ? error->msg : "cannot be understood");
}

static bool build_tree(struct builder *builder, struct fy_parser *parser, struct fy_diag *diag)
{
    struct fy_event *event;
    bool goes_on = true;

    while (goes_on && (event = fy_parser_parse(parser))) {
        goes_on = take_event(builder, event);
        fy_parser_event_free(parser, event);
    }
    if (goes_on && (fy_parser_get_stream_error(parser) || !builder->has_ended)) {
        complain_syntax(builder, diag);
        goes_on = false;
    }
    return goes_on;
}

/* Returns the length of the first character; 0: it is not UTF-8, or not text. */
static size_t character_bytes(const unsigned char *at, size_t left)
{
    static const uint32_t least[] = { 0, 0, 0x80, 0x800, 0x10000 };
    size_t bytes = at[0] < 0x80 ? 1 : at[0] < 0xe0 ? 2 : at[0] < 0xf0 ? 3 : 4;
    uint32_t value = at[0] & (0xffu >> (bytes == 1 ? 1 : bytes + 1));

    if (bytes == 1)
        return at[0] >= 0x20 || at[0] == '\t' || at[0] == '\n' || at[0] == '\r' ? 1 : 0;
    if (at[0] < 0xc0 || at[0] > 0xf4 || bytes > left)
        return 0;
    for (size_t i = 1; i < bytes; i++) {
        if ((at[i] & 0xc0) != 0x80)
            return 0;
        value = value << 6 | (at[i] & 0x3f);
    }
    if (value < least[bytes] || value > 0x10ffff || (value >= 0xd800 && value < 0xe000))
        return 0;
    return bytes;
}

static bool check_text(const struct builder *builder, const char *text, size_t length)
{
    struct yaml_place place = { .source = builder->source, .line = 1, .column = 1 };

    for (size_t at = 0; at < length; place.column++) {
        size_t bytes = character_bytes((const unsigned char *)text + at, length - at);

        if (bytes == 0) {
            place.line = builder->has_lines ? place.line : 0;
            return yaml_complain_at(builder->yaml, place, "not text: a byte that is not UTF-8");
        }
        if (text[at] == '\n') {
            place.line++;
            place.column = 0;
        }
        at += bytes;
    }
    return true;
}

struct yaml_node *yaml_parse(
    struct yaml *yaml, const char *source, const char *text, size_t length, bool has_lines)
{
    struct builder builder = { .yaml = yaml, .source = source, .has_lines = has_lines };
    struct fy_diag_cfg diag_config;
    struct fy_diag *diag;
    struct fy_parser *parser;
    bool is_built = false;

    if (!check_text(&builder, text, length))
        return NULL;
    fy_diag_cfg_default(&diag_config);
    diag_config.fp = NULL;
    diag = fy_diag_create(&diag_config);
    if (diag)
        fy_diag_set_collect_errors(diag, true);
    parser = fy_parser_create(
        &(struct fy_parse_cfg){ .flags = FYPCF_QUIET | FYPCF_COLLECT_DIAG, .diag = diag });
    if (parser && fy_parser_set_string(parser, text, length) == 0)
        is_built = build_tree(&builder, parser, diag);
    else
        yaml_complain_at(yaml, (struct yaml_place){ .source = source }, "out of memory");
    if (parser)
        fy_parser_destroy(parser);
    fy_diag_destroy(diag);
    if (is_built && !builder.root)
        is_built = yaml_complain_at(yaml, (struct yaml_place){ .source = source }, "is empty");
    return is_built ? builder.root : NULL;
}

static bool complain_file(struct yaml *yaml, const char *path, const char *why)
{
    return yaml_complain_at(yaml, (struct yaml_place){ .source = path }, "%s", why);
}

/* Reads the whole file. Returns NULL after an error message. */
static char *read_all(struct yaml *yaml, FILE *file, const char *path, size_t *length)
{
    char *text = malloc(FILE_BYTES_MAX + 1);

    if (!text) {
        complain_file(yaml, path, "out of memory");
        return NULL;
    }
    *length = fread(text, 1, FILE_BYTES_MAX + 1, file);
    if (ferror(file))
        complain_file(yaml, path, strerror(errno));
    else if (*length > FILE_BYTES_MAX)
        complain_file(yaml, path, "the file is larger than 8 MiB");
    else
        return text;
    free(text);
    return NULL;
}

struct yaml_node *yaml_load(struct yaml *yaml, const char *path)
{
    const char *source = yaml_text(yaml, path, strlen(path));
    FILE *file = fopen(path, "rb");
    struct yaml_node *root = NULL;
    size_t length;
    char *text;

    if (!file) {
        complain_file(yaml, source, strerror(errno));
        return NULL;
    }
    text = read_all(yaml, file, source, &length);
    (void)fclose(file);
    if (text)
        root = yaml_parse(yaml, source, text, length, true);
    free(text);
    if (root && root->kind != YAML_MAPPING) {
        yaml_complain(yaml, root, "keys with values are expected here: 'name: ...'");
        return NULL;
    }
    if (root)
        root->is_root = true;
    return root;
}
