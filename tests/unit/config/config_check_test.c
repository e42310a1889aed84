/* SPDX-License-Identifier: Apache-2.0 */
/* Reading configurations back, and what the messages say. */
#include "config/config_check.h"

#include "config_bench.h"

struct outcome {
    uint32_t differences;
    char *text;
};

static struct outcome check(const char *format, const char *text)
{
    struct outcome outcome = { 0 };
    struct config_tally tally = { 0 };
    struct config_bench bench;
    size_t length;

    config_bench_start(&bench, 2, NULL);
    bench.job.format = config_format_find(format);
    tally.to = open_memstream(&outcome.text, &length);
    config_check_text(&bench.job, 0, &bench.job.format->files[0], "f", text, &tally);
    fclose(tally.to);
    outcome.differences = tally.differences;
    config_bench_stop(&bench);
    return outcome;
}

/* Returns the text of p0.t0.0 with one part replaced, which the caller frees. */
static char *changed(const char *format, const char *part, const char *by)
{
    struct config_bench bench;
    char *text;
    char *out;
    char *at;

    config_bench_start(&bench, 2, NULL);
    text = config_bench_text(&bench, &config_format_find(format)->files[0], 0);
    at = strstr(text, part);
    EXPECT(at);
    EXPECT(asprintf(&out, "%.*s%s%s", (int)(at - text), text, by, at + strlen(part)) > 0);
    free(text);
    config_bench_stop(&bench);
    return out;
}

static void expect_message(
    const char *format, const char *part, const char *by, const char *message)
{
    char *text = changed(format, part, by);
    struct outcome outcome = check(format, text);

    if (message) {
        EXPECT_EQ(outcome.differences, 1);
        EXPECT(strstr(outcome.text, message));
    } else {
        EXPECT_EQ(outcome.differences, 0);
    }
    free(outcome.text);
    free(text);
}

SPEC("comments, blanks and the order of lines of a script for Linux do not matter")
{
    expect_message(
        "linux", "route 800 u0\nroute 801 u1\n", "route 801  u1 # x\nroute 800 u0\n", NULL);
    expect_message("linux", "# p0.t0.0", "# another comment", NULL);
}

SPEC("a route that leads elsewhere is told with both ways")
{
    expect_message("linux", "route 801 u1\n", "route 801 u0\n",
        "'route 801 u0' is there, the plan says 'route 801 u1'");
}

SPEC("lines that are missing and lines that are not in the plan are told")
{
    expect_message("linux", "route 801 u1\n", "", "f: 'route 801 u1' is missing");
    expect_message("linux", "route 801 u1\n", "route 801 u1\nroute 805 u1\n",
        "'route 805 u1' is not in the plan");
}

SPEC("a function of the script that was changed is told")
{
    expect_message("linux", "lblen 32", "lblen 48", "lblen 48");
    expect_message("linux", "red_max=104200", "red_max=104201", "the plan says 'red_max=104200'");
}

SPEC("of other formats the first line that differs is told, and what it means")
{
    expect_message(
        "frr", "fc00:42:801::/48 fd", "fc00:42:802::/48 fd", "a route: 'ipv6 route fc00:42:802");
    expect_message("sonic", "\"size\": \"128\"", "\"size\": \"256\"", "trimming: ");
    expect_message("eos", "maximum-threshold 105", "maximum-threshold 500", "marking (ECN): ");
    expect_message("eos", "usid 0x400", "usid 0x401", "the uSID of the switch: ");
    expect_message("nvue", "swp1-2 link mtu 9216", "swp1-2 link mtu 1500", "a port: ");
}

SPEC("a file that ends early differs at its end")
{
    expect_message("frr", "!\nend\n", "", ": '' is there, the plan says '!'");
}
