/* SPDX-License-Identifier: Apache-2.0 */
/* Writes trace events of transports, with words for values that are not quantities. */
#include "study/study_trace.h"

#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "result/result.h"
#include "transport/transport.h"

struct study_traced {
    struct trace_event event;
    uint32_t nic;
    uint64_t order; /* order of arrival: makes the sort stable */
};

/* ---- words ----------------------------------------------------------------------------------- */

static const char *qp_state(uint64_t value)
{
    return transport_state_word((enum qp_state)value);
}

static const char *completion(uint64_t value)
{
    return transport_completion_word((enum completion_status)value);
}

static const char *cause(uint64_t value)
{
    return path_signal_word((enum path_signal)value);
}

static const char *reason(uint64_t value)
{
    return packet_nack_reason_name((uint8_t)value);
}

static const struct {
    const char *value;
    const char *(*word)(uint64_t);
} words[] = {
    { "rule", transport_rule_word },
    { "reason", reason }, /* may have none */
    { "cause", cause },
    { "from", qp_state },
    { "to", qp_state },
    { "status", completion },
};

static const char *word_of(const char *value, uint64_t number)
{
    for (size_t i = 0; i < sizeof(words) / sizeof(words[0]); i++)
        if (strcmp(words[i].value, value) == 0)
            return words[i].word(number);
    return NULL;
}

/* ---- lines ----------------------------------------------------------------------------------- */

static void write_value(FILE *file, const char *value, uint64_t number)
{
    const char *word = word_of(value, number);

    fprintf(file, ",\"%s\":", value);
    if (strcmp(value, "from_to") == 0)
        fprintf(file, "\"%s>%s\"", path_state_word((enum path_ev_state)(number >> 8)),
            path_state_word((enum path_ev_state)(number & 0xff)));
    else if (word)
        fprintf(file, "\"%s\"", word);
    else
        fprintf(file, "%" PRIu64, number);
}

static void write_line(FILE *file, const struct study_traced *traced)
{
    const struct trace_event *event = &traced->event;
    const struct event_description *description = &event_descriptions[event->kind];

    fprintf(file,
        "{\"time_ns\":%" PRIu64 ",\"nic\":%" PRIu32 ",\"qp\":%" PRIu32 ",\"event\":\"%s\"",
        event->time_ns, traced->nic, event->subject, description->name);
    for (int i = 0; i < 3; i++)
        write_value(file, description->values[i], event->values[i]);
    fputs("}\n", file);
}

/* Events of a NIC arrive in order, with either engine. */
static int by_time(const void *left, const void *right)
{
    const struct study_traced *a = left;
    const struct study_traced *b = right;

    if (a->event.time_ns != b->event.time_ns)
        return a->event.time_ns < b->event.time_ns ? -1 : 1;
    if (a->nic != b->nic)
        return a->nic < b->nic ? -1 : 1;
    return (a->order > b->order) - (a->order < b->order);
}

/* ---- the file -------------------------------------------------------------------------------- */

int study_trace_open(struct study_trace *trace, const char *path)
{
    *trace = (struct study_trace){ .file = path ? fopen(path, "w") : NULL };
    return path && !trace->file ? -errno : 0;
}

void study_trace_event(struct study_trace *trace, uint32_t nic, const struct trace_event *event)
{
    trace->waiting = grow_list(trace->waiting, trace->count, &trace->room, sizeof(*trace->waiting));
    trace->waiting[trace->count] =
        (struct study_traced){ .event = *event, .nic = nic, .order = trace->count };
    trace->count++;
}

void study_trace_flush(struct study_trace *trace)
{
    if (!trace->file || !trace->count)
        return;
    qsort(trace->waiting, trace->count, sizeof(*trace->waiting), by_time);
    for (size_t i = 0; i < trace->count; i++)
        write_line(trace->file, &trace->waiting[i]);
    trace->count = 0;
    if (ferror(trace->file) && !trace->error)
        trace->error = -errno;
}

int study_trace_close(struct study_trace *trace)
{
    study_trace_flush(trace);
    if (trace->file && fclose(trace->file) != 0 && !trace->error)
        trace->error = -errno;
    free(trace->waiting);
    return trace->error;
}
