/* SPDX-License-Identifier: Apache-2.0 */
/* The words of a fault become a request; what is wrong with them is said. */
#include "control/control.h"

#include <stdlib.h>
#include <string.h>

#include "device_process.h"

#define WORDS_MAX 16

static char reason[FAULT_WORDS_REASON_BYTES];

static struct request_line request;

/* Returns the request; NULL: refused. */
static const char *read_words(const char *line)
{
    char text[256];
    char *words[WORDS_MAX];
    struct fault_words all = { .next = words, .rate_bps_min = 1000000 };

    snprintf(text, sizeof(text), "%s", line);
    for (char *word = strtok(text, " "); word; word = strtok(NULL, " "))
        words[all.left++] = word;
    return fault_words_read(&all, &request, reason) ? request.text : NULL;
}

static void expect_request(const char *line, const char *expected)
{
    const char *read = read_words(line);

    EXPECT_STR_EQ(read ? read : reason, expected);
}

static void expect_refusal(const char *line, const char *words)
{
    EXPECT(!read_words(line));
    EXPECT_STR_EQ(reason, words);
}

SPEC("the words for a link that goes down become a request")
{
    expect_request("link p0.t0.3-t1.2 down", "fault what=link where=p0.t0.3-t1.2 kind=down");
}

SPEC("several parts fail together, in one direction and for a time")
{
    expect_request("link h0.p0,h1.p0 down direction up for 2us",
        "fault what=link where=h0.p0,h1.p0 kind=down direction=up for_ps=2000000");
}

SPEC("the parameters of a kind of fault follow the kind")
{
    expect_request("plane p2 flap 10ms 25%",
        "fault what=plane where=p2 kind=flap period_ps=10000000000 duty_permille=250");
}

SPEC("an EV is a path, not a part of the fabric")
{
    expect_request("ev p0/u3 blackhole", "fault ev=p0/u3 kind=blackhole");
}

SPEC("up ends the faults of a part")
{
    expect_request("switch p0.t1.2 up", "clear what=switch where=p0.t1.2");
    expect_refusal(
        "switch p0.t1.2 up for 2s", "up: takes no duration and no direction; omit 'for'");
}

SPEC("a misspelt word is answered with a suggestion")
{
    expect_refusal("swtch p0.t1.2 down", "swtch: did you mean 'switch'?");
    expect_refusal("link h0.p0 blckhole", "blckhole: did you mean 'blackhole'?");
}

SPEC("a missing or wrong parameter is named with an example")
{
    expect_refusal(
        "link h0.p0 loss", "loss (nothing): must be a fraction such as 0.1%, 0.001 or 1e-6");
    expect_refusal(
        "link h0.p0 down for ever", "for ever: must be a time such as 500ns, 1.5us, 2ms or 3s");
}

SPEC("a rate below the least that the fabric can pace is refused")
{
    expect_refusal("link h0.p0 slow 1kb/s",
        "slow: must be at least 1Mb/s; use 'blackhole' to stop all packets");
}

SPEC("words after the duration are refused")
{
    expect_refusal("link h0.p0 down for 2s direction up", "direction: nothing may follow the time");
    expect_refusal("link h0.p0", "give a place and a kind of fault; see 'mrc fabric fault --help'");
}

/* ---- faults as requests ---------------------------------------------------------------------- */

static const struct fault flap = {
    .kind = FAULT_FLAP,
    .direction = FAULT_UPWARD,
    .from_ps = 3000,
    .until_ps = 9000,
    .period_ps = 600,
    .duty_permille = 250,
};

SPEC("a fault becomes a request with its parameters and times")
{
    fault_request_write(&flap, &request);
    EXPECT_STR_EQ(request.text,
        "fault kind=flap direction=up period_ps=600 duty_permille=250 at_ps=3000 for_ps=6000");
}

SPEC("a fault slowed down and sped up by one factor is the same fault")
{
    struct fault slow = fault_request_slowed(&flap, 100);
    struct fault fast = fault_request_sped_up(&slow, 100);

    EXPECT_EQ(slow.from_ps, 300000);
    EXPECT_EQ(slow.period_ps, 60000);
    EXPECT_EQ(fast.until_ps, flap.until_ps);
    EXPECT_EQ(fast.period_ps, flap.period_ps);
}

SPEC("a fault without an end has no end at any speed")
{
    struct fault lasting = { .kind = FAULT_DOWN, .until_ps = FAULT_NEVER_PS };

    EXPECT_EQ(fault_request_slowed(&lasting, 1000).until_ps, FAULT_NEVER_PS);
    EXPECT_EQ(fault_request_sped_up(&lasting, 1000).until_ps, FAULT_NEVER_PS);
}

SPEC("recorded faults become an experiment that lasts longer than the faults")
{
    json_t *answer = json_pack("{s:s,s:[{s:s,s:s,s:I,s:I,s:[s]}]}", "fabric",
        "---\nplanes: 1\nt0s: 2\n", "faults", "kind", "down", "direction", "both", "at_ps",
        (json_int_t)2000, "until_ps", (json_int_t)4000, "where", "h0.p0");
    char *text = NULL;
    size_t length;
    FILE *to = open_memstream(&text, &length);

    EXPECT_EQ(fault_record_write(to, &(struct fault_record){ "lab", answer, 2 }), 0);
    fclose(to);
    EXPECT(strstr(text, "\nduration: 1000002000ps\n"));
    EXPECT(strstr(text, "fabric:\n  planes: 1\n  t0s: 2\n"));
    EXPECT(strstr(text, "    where: [h0.p0]\n"));
    free(text);
    json_decref(answer);
}

/* ---- answers --------------------------------------------------------------------------------- */

static char *same_text(void *context, const char *question)
{
    return strdup(strcmp(question, "stat") == 0 ? context : "{}");
}

/* Asks the device "mrc0" for its status. */
static enum request_result ask(const char *text, json_t **answer, char why[REQUEST_REASON_BYTES])
{
    static struct device_process device;
    enum request_result result;

    device_process_open(&device, same_text, (char *)(size_t)text);
    result = request_device("mrc0", "stat", answer, why);
    device_process_close(&device);
    return result;
}

SPEC("an answer with \"error\" is a refusal with its reason; any other is the answer")
{
    char why[REQUEST_REASON_BYTES];
    json_t *answer;

    EXPECT_EQ(ask("{\"error\":\"no path p9/u0\"}", &answer, why), REQUEST_REFUSED);
    EXPECT_STR_EQ(why, "no path p9/u0");
    EXPECT(!answer);
    EXPECT_EQ(ask("{\"cleared\":1}", &answer, why), REQUEST_ANSWERED);
    EXPECT_EQ(json_integer_value(json_object_get(answer, "cleared")), 1);
    json_decref(answer);
}

SPEC("an answer that is not JSON is a failure")
{
    char why[REQUEST_REASON_BYTES];
    json_t *answer;

    EXPECT_EQ(ask("{\"cleared\":", &answer, why), REQUEST_FAILED);
    EXPECT(strstr(why, "the answer is damaged: "));
}

SPEC("a request to a device that no process has open fails")
{
    char why[REQUEST_REASON_BYTES];
    json_t *answer;

    setenv("MRC_RUN_DIR", "/nonexistent", 1);
    EXPECT_EQ(request_device("mrc0", "stat", &answer, why), REQUEST_NOT_RUNNING);
    EXPECT(!answer);
}

SPEC("a list of devices is reduced to the device asked for")
{
    struct device_list list = { .names = { "mrc0", "mrc1", "mrc10" }, .count = 3 };

    EXPECT(!device_list_keep(&list, "mrc2"));
    EXPECT_EQ(list.count, 3);
    EXPECT(device_list_keep(&list, "mrc10"));
    EXPECT_EQ(list.count, 1);
    EXPECT_STR_EQ(list.names[0], "mrc10");
}
