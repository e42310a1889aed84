/* SPDX-License-Identifier: Apache-2.0 */
/* The grammar of requests: a table decides what is a request, what is wrong, and what help says. */
#include "control/control.h"

#include <stdlib.h>
#include <string.h>

#include "spec.h"

static const char *const colours[] = { "red", "green", NULL };

static const struct request_argument paint_arguments[] = {
    { .name = "part", .kind = REQUEST_TEXT, .is_required = true },
    { .name = "colour", .kind = REQUEST_WORD, .words = colours },
    { .name = "coats", .kind = REQUEST_NUMBER, .min = 1, .max = 3 },
    { .name = "dry", .kind = REQUEST_FLAG },
    { 0 },
};

static char *answer_look(void *context, const struct request *request)
{
    (void)request;
    return strdup(context);
}

static const struct request_form forms[] = {
    { "look", "shows everything", NULL, answer_look },
    { "paint", "paints a part", paint_arguments, NULL },
    { 0 },
};

static struct request request;
static char reason[REQUEST_REASON_BYTES];

static bool parse(const char *text)
{
    return request_form_parse(forms, text, &request, reason);
}

static void expect_refusal(const char *text, const char *why)
{
    EXPECT(!parse(text));
    EXPECT_STR_EQ(reason, why);
}

SPEC("named arguments may come in any order")
{
    EXPECT(parse("paint dry coats=2 colour=green part=h0.p0,h1.p0"));
    EXPECT_STR_EQ(request.form->name, "paint");
    EXPECT_STR_EQ(request_form_text(&request, "part"), "h0.p0,h1.p0");
    EXPECT_EQ(request_form_number(&request, "colour"), 1);
    EXPECT_EQ(request_form_number(&request, "coats"), 2);
    EXPECT(request_form_has(&request, "dry"));
}

SPEC("values without a name belong to the arguments in the order of the table")
{
    EXPECT(parse("  paint\th0  red 3\n"));
    EXPECT_STR_EQ(request_form_text(&request, "part"), "h0");
    EXPECT_EQ(request_form_number(&request, "colour"), 0);
    EXPECT_EQ(request_form_number(&request, "coats"), 3);
    EXPECT(!request_form_has(&request, "dry"));
}

SPEC("an argument that is not given has no value")
{
    EXPECT(parse("paint h0"));
    EXPECT(!request_form_has(&request, "coats"));
    EXPECT_EQ(request_form_number(&request, "coats"), 0);
    EXPECT(request_form_text(&request, "colour") == NULL);
}

SPEC("an unknown request is answered with the list of requests")
{
    expect_refusal("pant h0", "'pant' is not a request; the requests are look, paint and help");
    expect_refusal("", "the request is empty; the requests are look, paint and help");
    expect_refusal("looks", "'looks' is not a request; the requests are look, paint and help");
}

SPEC("an unknown argument is answered with those of the request")
{
    expect_refusal("paint h0 shade=red",
        "paint: 'shade=red' is not an argument; "
        "write 'paint part=TEXT [colour=red|green] [coats=NUMBER] [dry]'");
    expect_refusal("look now", "look: 'now' is not an argument; write 'look'");
    expect_refusal("paint h0 dry=1",
        "paint: 'dry=1' is not an argument; "
        "write 'paint part=TEXT [colour=red|green] [coats=NUMBER] [dry]'");
}

SPEC("a wrong value is answered with those that are allowed")
{
    expect_refusal("paint h0 colour=blue", "paint: colour=blue: must be red or green");
    expect_refusal("paint h0 coats=4", "paint: coats=4: must be a number from 1 to 3");
    expect_refusal("paint h0 coats=0", "paint: coats=0: must be a number from 1 to 3");
    expect_refusal("paint h0 coats=-1", "paint: coats=-1: must be a number from 1 to 3");
    expect_refusal("paint h0 coats=2x", "paint: coats=2x: must be a number from 1 to 3");
}

SPEC("a missing argument and a second value are named")
{
    expect_refusal("paint colour=red", "paint: part= is missing");
    expect_refusal("paint h0 part=h1", "paint: part is given twice");
}

static void expect_answer(const char *text, const char *answer)
{
    char *got = request_form_answer(forms, "{\"all\":1}", text);

    EXPECT_STR_EQ(got, answer);
    free(got);
}

SPEC("the function of the table answers, and help comes from the table")
{
    expect_answer("look", "{\"all\":1}");
    expect_answer("help",
        "{\"requests\":[{\"request\":\"look\",\"help\":\"shows everything\"},\n"
        "{\"request\":\"paint part=TEXT [colour=red|green] [coats=NUMBER] [dry]\","
        "\"help\":\"paints a part\"}]}\n");
}

SPEC("an error is valid JSON whatever the request contains")
{
    expect_answer("\"\\\x01\xff",
        "{\"error\":\"'\\\"\\\\?\?' is not a request; the requests are look, paint and help\"}\n");
}

SPEC("a line that is written parses to the same request")
{
    static const char *const parts[] = { "h0.p0", "h1.p0" };
    struct request_line line;

    request_line_begin(&line, "paint");
    request_line_list(&line, "part", parts, 2);
    request_line_text(&line, "colour", "green");
    request_line_number(&line, "coats", 2);
    request_line_flag(&line, "dry");
    EXPECT(!line.is_cut);
    EXPECT(parse(line.text));
    EXPECT_STR_EQ(request_form_text(&request, "part"), "h0.p0,h1.p0");
    EXPECT_EQ(request_form_number(&request, "coats"), 2);
}

SPEC("a line with values that it cannot hold is marked as cut")
{
    struct request_line line;

    request_line_begin(&line, "paint");
    request_line_text(&line, "part", "h0 p0");
    EXPECT(line.is_cut);
    request_line_begin(&line, "paint");
    for (uint32_t i = 0; i < REQUEST_LINE_BYTES; i++)
        request_line_flag(&line, "dry");
    EXPECT(line.is_cut);
    EXPECT_LT(line.length, REQUEST_LINE_BYTES);
}
