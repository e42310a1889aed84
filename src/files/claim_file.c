/* SPDX-License-Identifier: Apache-2.0 */
/* Reads claims and their cases. */
#include "files/claim_file.h"

#include <stddef.h>

#include "files/criterion.h"
#include "files/yaml.h"
#include "files/yaml_fields.h"

struct document {
    const struct yaml_node *id;
    const struct yaml_node *says;
    const struct yaml_node *scale;
    const struct yaml_node *comment;
    const struct yaml_node *reason;
    const struct yaml_node *experiment;
    const struct yaml_node *cases;
};

#define IN_DOCUMENT(member) .type = YAML_ANY, .offset = offsetof(struct document, member)

static const struct yaml_field document_fields[] = {
    { .key = "claim", IN_DOCUMENT(id) },
    { .key = "says", IN_DOCUMENT(says) },
    { .key = "scale", IN_DOCUMENT(scale) },
    { .key = "comment", IN_DOCUMENT(comment) },
    { .key = "not_testable", IN_DOCUMENT(reason) },
    { .key = "experiment", IN_DOCUMENT(experiment) },
    { .key = "cases", .type = YAML_LIST, .offset = offsetof(struct document, cases) },
    { .key = NULL },
};

struct entry {
    const struct yaml_node *what;
    const struct yaml_node *expect;
    const struct yaml_node *experiment;
    const struct yaml_node *test;
    const struct yaml_node *script;
    const struct yaml_node *sentence;
    bool contradicts;
};

#define IN_ENTRY(member) .type = YAML_ANY, .offset = offsetof(struct entry, member)

static const struct yaml_field entry_fields[] = {
    { .key = "what", IN_ENTRY(what) },
    { .key = "expect", IN_ENTRY(expect) },
    { .key = "experiment", IN_ENTRY(experiment) },
    { .key = "test", IN_ENTRY(test) },
    { .key = "script", IN_ENTRY(script) },
    { .key = "sentence", IN_ENTRY(sentence) },
    { .key = "contradicts", .type = YAML_FLAG, .offset = offsetof(struct entry, contradicts) },
    { .key = NULL },
};

static bool take_text(struct yaml *yaml, const struct yaml_node *node, const char **text)
{
    if (node && (node->kind != YAML_SCALAR || yaml_is_empty(node)))
        return yaml_complain(yaml, node, "a text is expected here");
    *text = node ? node->text : NULL;
    return true;
}

/* Any name may have a value: the summaries of runs are not there yet. */
static bool take_any(void *context, const char *name, double *value)
{
    (void)context;
    (void)name;
    *value = 1;
    return true;
}

static bool take_comparison(struct yaml *yaml, const struct yaml_node *node, const char **text)
{
    struct criterion_outcome outcome;

    if (!take_text(yaml, node, text))
        return false;
    criterion_evaluate(*text, take_any, NULL, &outcome);
    return outcome.result != CRITERION_MALFORMED ||
           yaml_complain(
               yaml, node, "'%s': %s; write e.g. goodput_fraction >= 0.95", *text, outcome.problem);
}

static bool take_measured(struct yaml *yaml, const struct yaml_node *node,
    const struct entry *entry, struct claim_case *out)
{
    if (entry->contradicts)
        return yaml_complain(yaml, yaml_member(node, "contradicts"),
            "only a test can contradict; turn the comparison round instead");
    if (!entry->experiment)
        return yaml_complain(
            yaml, node, "no experiment measures this; name one under 'experiment'");
    if (!take_comparison(yaml, entry->expect, &out->expect) ||
        !take_text(yaml, entry->experiment, &out->experiment))
        return false;
    out->experiment = yaml_path(yaml, entry->experiment);
    return true;
}

static bool take_tested(struct yaml *yaml, const struct yaml_node *node, const struct entry *entry,
    struct claim_case *out)
{
    out->contradicts = entry->contradicts;
    if (!yaml_require(yaml, node, entry->script ? "script" : "test") ||
        !yaml_require(yaml, node, "sentence") || !take_text(yaml, entry->test, &out->test) ||
        !take_text(yaml, entry->script, &out->script) ||
        !take_text(yaml, entry->sentence, &out->sentence))
        return false;
    if (entry->script)
        out->script = yaml_path(yaml, entry->script);
    return true;
}

static bool read_case(struct yaml *yaml, const struct yaml_node *node,
    const struct yaml_node *experiment, struct claim_case *out)
{
    struct entry entry = { .experiment = experiment };

    if (node->kind != YAML_MAPPING)
        return yaml_complain(
            yaml, node, "a case is written as { what: in words, expect: goodput_fraction >= 0.9 }");
    if (!yaml_read(yaml, node, entry_fields, &entry) || !yaml_require(yaml, node, "what") ||
        !take_text(yaml, entry.what, &out->what))
        return false;
    if (!!entry.expect + !!entry.test + !!entry.script > 1)
        return yaml_complain(yaml, entry.script ? entry.script : entry.test,
            "a case has one of 'expect', 'test' and 'script'");
    return entry.expect ? take_measured(yaml, node, &entry, out)
                        : take_tested(yaml, node, &entry, out);
}

static bool read_cases(struct yaml *yaml, const struct yaml_node *top,
    const struct document *document, struct claim *claim)
{
    if (document->reason && document->cases)
        return yaml_complain(yaml, document->cases,
            "a claim that cannot be tested has no cases; remove one of both");
    if (!document->reason && (!document->cases || document->cases->child_count == 0))
        return yaml_complain(yaml, document->cases ? document->cases : top,
            "what decides this claim is missing; list 'cases', or say why it is 'not_testable'");
    if (!document->cases)
        return true;
    claim->cases = yaml_take(yaml, document->cases->child_count, sizeof(*claim->cases));
    claim->case_count = document->cases->child_count;
    for (const struct yaml_node *node = document->cases->first; node; node = node->next)
        if (!read_case(yaml, node, document->experiment, &claim->cases[node->index]))
            return false;
    return true;
}

bool claim_file_read(struct yaml *yaml, const char *path, struct claim *claim)
{
    const struct yaml_node *top = yaml_load(yaml, path);
    struct document document = { 0 };

    *claim = (struct claim){ .file = path };
    if (!top || !yaml_read(yaml, top, document_fields, &document))
        return false;
    return yaml_require(yaml, top, "claim") && yaml_require(yaml, top, "says") &&
           take_text(yaml, document.id, &claim->id) &&
           take_text(yaml, document.says, &claim->says) &&
           take_text(yaml, document.scale, &claim->scale) &&
           take_text(yaml, document.comment, &claim->comment) &&
           take_text(yaml, document.reason, &claim->reason) &&
           read_cases(yaml, top, &document, claim);
}
