/* SPDX-License-Identifier: Apache-2.0 */
/* Hashes reports. */
#include "seen.h"

#include "sim/sim_engine.h"

static void on_event(void *context, const struct sim_event *event)
{
    struct seen *seen = context;

    seen->hash = sim_engine_mix(seen->hash, event->time_ps);
    seen->hash = sim_engine_mix(seen->hash, (uint64_t)event->kind << 32 | event->subject);
    for (uint32_t i = 0; i < 5; i++)
        seen->hash = sim_engine_mix(seen->hash, event->values[i]);
    seen->count++;
}

static void on_completion(void *context, const struct sim_completion *completion)
{
    struct seen *seen = context;

    seen->hash = sim_engine_mix(seen->hash, completion->done_ps);
    seen->hash = sim_engine_mix(seen->hash, completion->posted_ps);
    seen->hash = sim_engine_mix(seen->hash, (uint64_t)completion->rank << 32 | completion->flow);
    seen->count++;
}

struct sim_observer seen_observer(struct seen *seen)
{
    return (struct sim_observer){
        .on_event = on_event, .on_completion = on_completion, .context = seen
    };
}
