/* SPDX-License-Identifier: Apache-2.0 */
/* Trace events and their sink. */
#include "spec.h"

#include "base/trace.h"

struct notebook {
    struct trace_event last;
    uint32_t count;
};

static void write_down(void *context, const struct trace_event *event)
{
    struct notebook *notebook = context;

    notebook->last = *event;
    notebook->count++;
}

SPEC("an event reaches the sink with all its numbers")
{
    struct notebook notebook = { .count = 0 };
    struct trace_sink sink = { .on_event = write_down, .context = &notebook };
    struct trace_event event = { .time_ns = 5, .kind = 2, .subject = 0x111, .values = { 7, 8, 9 } };

    trace_emit(&sink, &event);
    trace_emit(&sink, &event);
    EXPECT_EQ(notebook.count, 2);
    EXPECT_EQ(notebook.last.time_ns, 5);
    EXPECT_EQ(notebook.last.kind, 2);
    EXPECT_EQ(notebook.last.subject, 0x111);
    EXPECT_EQ(notebook.last.values[2], 9);
}

SPEC("without a sink, or with one that has no function, an event changes nothing")
{
    struct notebook notebook = { .count = 0 };
    struct trace_sink deaf = { .on_event = NULL, .context = &notebook };
    struct trace_event event = { .kind = 1 };

    trace_emit(NULL, &event);
    trace_emit(&deaf, &event);
    EXPECT_EQ(notebook.count, 0);
}
