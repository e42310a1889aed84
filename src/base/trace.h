/* SPDX-License-Identifier: Apache-2.0 */
/* Trace events. Pure code passes them as numbers to a sink that it is given; the owner of the sink
 * formats them. */
#pragma once

#include <stddef.h>
#include <stdint.h>

struct trace_event {
    uint64_t time_ns;
    uint32_t kind;      /* of events.def of the emitting layer */
    uint32_t subject;   /* usually a QP number */
    uint64_t values[3]; /* events.def has their names for each kind */
};

struct trace_sink {
    void (*on_event)(void *context, const struct trace_event *);
    void *context;
};

/* Costs one test if there is no sink. */
static inline void trace_emit(const struct trace_sink *sink, const struct trace_event *event)
{
    if (sink && sink->on_event)
        sink->on_event(sink->context, event);
}
