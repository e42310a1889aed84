/* SPDX-License-Identifier: Apache-2.0 */
/* Trace events leave pure code as numbers through a sink it was given; whoever gave it formats
 * them. */
#pragma once

#include <stddef.h>
#include <stdint.h>

struct trace_event {
    uint64_t time_ns;
    uint32_t kind;      /* of the emitting layer's events.def */
    uint32_t subject;   /* usually a QP number */
    uint64_t values[3]; /* named per kind in events.def */
};

struct trace_sink {
    void (*on_event)(void *context, const struct trace_event *);
    void *context;
};

/* Free of cost but for one test when nobody listens. */
static inline void trace_emit(const struct trace_sink *sink, const struct trace_event *event)
{
    if (sink && sink->on_event)
        sink->on_event(sink->context, event);
}
