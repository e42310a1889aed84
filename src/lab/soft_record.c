/* SPDX-License-Identifier: Apache-2.0 */
/* Records faults. */
#include "lab/soft_record.h"

#include <stdlib.h>
#include <string.h>

void soft_record_fini(struct soft_record *record)
{
    free(record->faults);
    free(record->events);
}

void soft_record_clear(struct soft_record *record)
{
    soft_record_fini(record);
    *record = (struct soft_record){ .is_off = record->is_off };
}

void soft_record_begin(struct soft_record *record, uint64_t time_ps)
{
    if (record->has_origin)
        return;
    record->has_origin = true;
    record->origin_ps = time_ps;
}

/* Makes room for one more. */
static void *grow_list(void *list, uint32_t count, uint32_t *max, size_t bytes)
{
    uint32_t wanted = *max > 0 ? 2 * *max : 64;
    void *more;

    if (count < *max)
        return list;
    more = realloc(list, wanted * bytes);
    if (more)
        *max = wanted;
    return more;
}

void soft_record_fault(struct soft_record *record, const struct soft_fault *fault)
{
    struct soft_fault *faults;

    if (record->is_off)
        return;
    soft_record_begin(record, fault->what.from_ps);
    faults = record->fault_count < SOFT_RECORD_MAX ? grow_list(record->faults, record->fault_count,
                                                         &record->fault_max, sizeof(*faults))
                                                   : NULL;
    record->is_cut |= !faults;
    if (!faults)
        return;
    record->faults = faults;
    record->faults[record->fault_count++] = *fault;
}

static uint32_t index_of(const struct soft_record *record, uint32_t id)
{
    uint32_t index = 0;

    while (index < record->fault_count && record->faults[index].id != id)
        index++;
    return index;
}

static void add_event(struct soft_record *record, struct soft_record_event event)
{
    struct soft_record_event *events;

    if (record->is_off || index_of(record, event.fault) == record->fault_count)
        return;
    events = grow_list(record->events, record->event_count, &record->event_max, sizeof(*events));
    record->is_cut |= !events;
    if (!events)
        return;
    record->events = events;
    record->events[record->event_count++] = event;
}

void soft_record_change(struct soft_record *record, uint32_t id, const struct fault_change *change)
{
    if (change->begins || change->ends)
        add_event(record, (struct soft_record_event){ change->time_ps, id, change->begins });
}

/* Removes a fault that has not begun from the recording. */
void soft_record_repair(struct soft_record *record, const struct soft_fault *fault, uint64_t now_ps)
{
    uint32_t index = index_of(record, fault->id);

    if (index == record->fault_count)
        return;
    if (fault->course.has_begun) {
        record->faults[index].what.until_ps = now_ps;
        add_event(record, (struct soft_record_event){ now_ps, fault->id, false });
        return;
    }
    record->fault_count--;
    memmove(&record->faults[index], &record->faults[index + 1],
        (record->fault_count - index) * sizeof(record->faults[0]));
}
