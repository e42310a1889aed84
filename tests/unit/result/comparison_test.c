/* SPDX-License-Identifier: Apache-2.0 */
/* What faults cost: comparison_reduce() and comparison_entry() on runs written by hand. */
#include "result/result.h"

#include <string.h>

#include "spec.h"

/* A run with a fault at 40 us and samples of 10 us. */
static json_t *run_of(const char *goodputs, const char *shares)
{
    char text[1024];

    snprintf(text, sizeof(text),
        "{\"state\": {}, \"events\": [], \"summary\": {\"goodput_bps\": 7, \"packets_sent\": 200, "
        "\"retransmitted\": {\"a\": 3, \"b\": 1},"
        "\"faults\": [{\"kind\": \"down\", \"where\": [\"h0.p0\"], \"began\": {\"at_us\": 40}}]},"
        "\"series\": {\"time_us\": [10, 20, 30, 40, 50, 60, 70, 80],"
        "\"goodput_bps\": {\"w\": [%s]}, \"capacity_fraction\": [%s]}}",
        goodputs, shares);
    return json_loads(text, 0, NULL);
}

static json_t *entry_of(json_t *run)
{
    json_t *runs = json_array();
    json_t *entry;

    comparison_reduce(run);
    json_array_append_new(runs, run);
    entry = comparison_entry(runs);
    json_decref(runs);
    return entry;
}

static double mean(const json_t *entry, const char *figure)
{
    const json_t *spread = json_object_get(json_object_get(entry, "figures"), figure);

    return json_is_object(spread) ? json_number_value(json_object_get(spread, "mean")) : -1;
}

static double unrecovered(const json_t *entry)
{
    return json_number_value(json_object_get(entry, "unrecovered"));
}

SPEC("a run that stands for two samples recovers after them and loses their time")
{
    json_t *entry = entry_of(run_of("0, 50, 100, 100, 0, 0, 100, 100", "1, 1, 1, 1, 0, 0, 1, 1"));

    EXPECT(mean(entry, "recovery_us") == 20);
    EXPECT(mean(entry, "stood_us") == 20);
    EXPECT(unrecovered(entry) == 0);
    json_decref(entry);
}

SPEC("a stall that begins late counts to its end")
{
    json_t *entry = entry_of(run_of("9, 9, 100, 100, 100, 100, 0, 100", "1, 1, 1, 1, 1, 1, 0, 1"));

    EXPECT(mean(entry, "recovery_us") == 30);
    EXPECT(mean(entry, "stood_us") == 10);
    json_decref(entry);
}

SPEC("time that several faults cost together is counted once")
{
    json_t *run = run_of("0, 50, 100, 100, 0, 0, 0, 100", "1, 1, 1, 1, 0, 0, 0, 1");
    json_t *faults = json_object_get(json_object_get(run, "summary"), "faults");
    json_t *second = json_deep_copy(json_array_get(faults, 0));
    json_t *entry;

    json_object_set_new(json_object_get(second, "began"), "at_us", json_real(50));
    json_array_append_new(faults, second);
    entry = entry_of(run);
    EXPECT(mean(entry, "recovery_us") == 30);
    EXPECT(mean(entry, "stood_us") == 30);
    json_decref(entry);
}

SPEC("a sample without capacity is one in which all waited")
{
    json_t *entry =
        entry_of(run_of("9, 9, 100, 100, 0, 100, 100, 100", "1, 1, 1, 1, null, 1, 1, 1"));

    EXPECT(mean(entry, "recovery_us") == 10);
    json_decref(entry);
}

SPEC("capacity that the fault takes is no dip, but it is time lost")
{
    json_t *entry =
        entry_of(run_of("9, 9, 100, 100, 40, 40, 40, 40", "1, 1, 1, 1, 0.9, 0.9, 0.9, 0.9"));

    EXPECT(mean(entry, "recovery_us") == 0);
    EXPECT(mean(entry, "stood_us") > 23.99 && mean(entry, "stood_us") < 24.01);
    json_decref(entry);
}

SPEC("a run that stands to its end has not recovered")
{
    json_t *entry = entry_of(run_of("9, 9, 100, 100, 100, 0, 0, 0", "1, 1, 1, 1, 1, 0, 0, 0"));

    EXPECT(unrecovered(entry) == 1);
    EXPECT(mean(entry, "recovery_us") == -1);
    EXPECT(mean(entry, "stood_us") == 30);
    json_decref(entry);
}

SPEC("a run without goodput before the fault is not judged")
{
    json_t *entry = entry_of(run_of("9, 9, 0, 0, 0, 0, 0, 9", "1, 1, 0, 0, 0, 0, 0, 1"));

    EXPECT(unrecovered(entry) == 0);
    EXPECT(mean(entry, "recovery_us") == -1);
    EXPECT(mean(entry, "stood_us") == -1);
    json_decref(entry);
}

SPEC("counts of an object are added up, and divided where a figure is a share")
{
    json_t *entry = entry_of(run_of("1, 1, 1, 1, 1, 1, 1, 1", "1, 1, 1, 1, 1, 1, 1, 1"));

    EXPECT(mean(entry, "goodput_bps") == 7);
    EXPECT(mean(entry, "resent_fraction") == 0.02);
    EXPECT(mean(entry, "trimmed") == -1);
    json_decref(entry);
}

SPEC("recovery is also told by kind of failure")
{
    json_t *entry = entry_of(run_of("0, 50, 100, 100, 0, 0, 100, 100", "1, 1, 1, 1, 0, 0, 1, 1"));
    const json_t *down = json_object_get(json_object_get(entry, "recovery"), "down");

    EXPECT(json_integer_value(json_object_get(down, "faults")) == 1);
    EXPECT(json_integer_value(json_object_get(down, "unrecovered")) == 0);
    EXPECT(json_number_value(json_object_get(json_object_get(down, "recovered_us"), "mean")) == 20);
    json_decref(entry);
}
