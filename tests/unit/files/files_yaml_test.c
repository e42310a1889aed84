/* SPDX-License-Identifier: Apache-2.0 */
/* YAML as a tree with places, and reading it by table. */
#include "files/yaml.h"

#include <string.h>

#include "base/prng.h"
#include "files/yaml_fields.h"
#include "spec.h"

static struct yaml yaml;

static struct yaml_node *parse(const char *text)
{
    yaml_fini(&yaml);
    yaml_init(&yaml);
    return yaml_parse(&yaml, "f.yaml", text, strlen(text), true);
}

static const char *problem_of(const char *text)
{
    EXPECT(parse(text) == NULL);
    return yaml.problem;
}

struct sample {
    char name[8];
    bool is_on;
    uint32_t count;
    uint64_t time_ps;
    int word;
    const struct yaml_node *list;
};

static const char *const colours[] = { "red", "green", "blue", NULL };
static const struct yaml_field fields[] = {
    { .key = "name", .type = YAML_TEXT, .offset = offsetof(struct sample, name), .most = 8 },
    { .key = "on", .type = YAML_FLAG, .offset = offsetof(struct sample, is_on) },
    { .key = "count",
        .type = YAML_COUNT,
        .offset = offsetof(struct sample, count),
        .least = 2,
        .most = 9 },
    { .key = "time",
        .type = YAML_TIME,
        .offset = offsetof(struct sample, time_ps),
        .least = 1000,
        .most = 2000000 },
    { .key = "colour",
        .type = YAML_WORD,
        .offset = offsetof(struct sample, word),
        .words = colours },
    { .key = "list", .type = YAML_LIST, .offset = offsetof(struct sample, list) },
    { .key = NULL },
};

static const char *refusal_of(const char *text)
{
    struct sample sample;
    struct yaml_node *top = parse(text);

    EXPECT(top != NULL);
    EXPECT(!(yaml_read(&yaml, top, fields, &sample)));
    return yaml.problem;
}

SPEC("a mapping is read into a struct, and missing keys change nothing")
{
    struct sample sample = { .count = 7 };
    struct yaml_node *top = parse("name: abc\non: yes\ntime: 1.5us\ncolour: blue\nlist: [1, 2]\n");

    EXPECT(yaml_read(&yaml, top, fields, &sample));
    EXPECT_STR_EQ(sample.name, "abc");
    EXPECT(sample.is_on);
    EXPECT_EQ(sample.count, 7);
    EXPECT_EQ(sample.time_ps, 1500000);
    EXPECT_EQ(sample.word, 2);
    EXPECT_EQ(sample.list->child_count, 2);
}

SPEC("every node has its line and column")
{
    struct yaml_node *top = parse("a: 1\nb:\n  - x\n  - { c: 2 }\n");
    const struct yaml_node *c = yaml_member(yaml_member(top, "b")->last, "c");

    EXPECT_EQ(c->place.line, 4);
    EXPECT_EQ(c->place.column, 10);
    EXPECT_EQ(c->key_place.column, 7);
    EXPECT(!yaml_complain(&yaml, c, "is odd"));
    EXPECT_STR_EQ(yaml.problem, "f.yaml:4:10: b.1.c: is odd");
}

SPEC("a value that does not fit is refused with place, key and advice")
{
    EXPECT_STR_EQ(
        refusal_of("nme: x\n"), "f.yaml:1:1: nme: there is no such key here; did you mean 'name'?");
    EXPECT_STR_EQ(refusal_of("zzzzzz: x\n"), "f.yaml:1:1: zzzzzz: there is no such key here; keys "
                                             "are name, on, count, time, colour or list");
    EXPECT_STR_EQ(refusal_of("on: 1\ncount: 10\n"),
        "f.yaml:1:5: on: there is no '1'; write off, on, no, yes, false or "
        "true");
    EXPECT_STR_EQ(refusal_of("count: 10\n"), "f.yaml:1:8: count: 10 is out of range; give 2 to 9");
    EXPECT_STR_EQ(
        refusal_of("time: 3us\n"), "f.yaml:1:7: time: 3us is out of range; give 1ns to 2us");
    EXPECT_STR_EQ(
        refusal_of("name: abcdefgh\n"), "f.yaml:1:7: name: is 8 characters long; at most 7 fit");
    EXPECT_STR_EQ(refusal_of("colour: gren\n"),
        "f.yaml:1:9: colour: there is no 'gren'; did you mean "
        "'green'? Known: red, green or blue");
    EXPECT_STR_EQ(refusal_of("list: 3\n"),
        "f.yaml:1:7: list: a list is expected here; begin each entry with '- '");
    EXPECT_STR_EQ(refusal_of("count: [3]\n"),
        "f.yaml:1:8: count: a single value is expected here, not a list");
    EXPECT_STR_EQ(
        refusal_of("count:\n"), "f.yaml:1:1: count: has no value; give it one or remove the key");
}

SPEC("text that is not YAML, or uses features that we do not support, is refused")
{
    EXPECT_STR_EQ(
        problem_of("a: 1\na: 2\n"), "f.yaml:2:1: a: this key is already in line 1; keep one");
    EXPECT_STR_EQ(problem_of("a: &x 1\n"),
        "f.yaml:1:7: anchors, aliases and tags are not used here; write it out");
    EXPECT_STR_EQ(problem_of("a: [*x, *x]\n"),
        "f.yaml:1:6: anchors, aliases and tags are not used here; write it out");
    EXPECT_STR_EQ(problem_of("a: 1\n---\nb: 2\n"),
        "f.yaml:2:1: a second document begins here; put it into its own file");
    EXPECT_STR_EQ(
        problem_of("? [1]\n: 2\n"), "f.yaml:1:3: a key must be a word, not a list or a mapping");
    EXPECT_STR_EQ(problem_of("a: \x01\n"), "f.yaml:1:4: not text: a byte that is not UTF-8");
    EXPECT_STR_EQ(problem_of("a: \xc0\x80\n"), "f.yaml:1:4: not text: a byte that is not UTF-8");
    EXPECT_STR_EQ(problem_of("# nothing\n"), "f.yaml: is empty");
}

SPEC("a missing file is reported with its name")
{
    yaml_fini(&yaml);
    yaml_init(&yaml);
    EXPECT(yaml_load(&yaml, "/nowhere/x.yaml") == NULL);
    EXPECT_STR_EQ(yaml.problem, "/nowhere/x.yaml: No such file or directory");
}

static const char *after_put(const char *path, const char *value)
{
    struct yaml_node *top = parse("a: { b: 1 }\nl: [x, { y: 2 }]\n");
    struct yaml_node *node = yaml_parse(&yaml, "--set", value, strlen(value), false);
    const char *dot = strrchr(path, '.');

    if (!yaml_put(&yaml, top, path, node))
        return yaml.problem;
    for (const char *at = path; at < dot;) {
        size_t length = strcspn(at, ".");
        const char *key = yaml_text(&yaml, at, length);
        const struct yaml_node *child = yaml_member(top, key);

        top = (struct yaml_node *)(child ? child : top->last);
        at += length + 1;
    }
    return yaml_member(top, dot ? dot + 1 : path)->text;
}

SPEC("a value is stored at its path")
{
    EXPECT_STR_EQ(after_put("a.b", "7"), "7");
    EXPECT_STR_EQ(after_put("a.c", "7"), "7");
    EXPECT_STR_EQ(after_put("l.1.y", "7"), "7");
    EXPECT_STR_EQ(after_put("new.deep.key", "7"), "7");
    EXPECT_STR_EQ(after_put("l.2.y", "7"), "--set: l has no entry '2'; its entries are 0 to 1");
    EXPECT_STR_EQ(after_put("a.b.c", "7"), "--set: a.b is a single value and has no 'c'");
    EXPECT_STR_EQ(after_put("a..b", "7"),
        "--set: this is not a key; write names with single dots between them");
}

SPEC("a key with line breaks and escapes is reported in one line")
{
    EXPECT_STR_EQ(refusal_of("\"co\\nu\\e[31mnt\": 3"),
        "f.yaml:1:2: co u [31mnt: there is no such key here; keys are name, on, count, time, "
        "colour or list");
}

PROPERTY("any text is parsed or refused with a message of one line", 3000)
{
    static const char letters[] = "ab:-[]{}, \n\n#&*!|>'\"%@`?\t\\x0";
    struct prng prng = prng_stream(seed, 0);
    char text[64] = "";
    size_t length = prng_next(&prng) % (sizeof(text) - 1);

    for (size_t i = 0; i < length; i++)
        text[i] = letters[prng_next(&prng) % (sizeof(letters) - 1)];
    EXPECT((parse(text) == NULL) == (yaml.problem[0] != '\0'));
    EXPECT(strchr(yaml.problem, '\n') == NULL);
}
