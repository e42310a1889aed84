/* SPDX-License-Identifier: Apache-2.0 */
/* Ends packets, reports events, stops the run. */
#include "sim/sim_engine.h"

void sim_engine_lose(struct sim *sim, uint32_t packet, enum loss_reason loss)
{
    sim->packets_lost[loss]++;
    packets_give_back(&sim->packets, packet);
}

void sim_engine_event(struct sim *sim, const struct sim_event *event)
{
    const struct sim_observer *observer = &sim->config.observer;

    if (observer->on_event)
        observer->on_event(observer->context, event);
}

static uint32_t put_text(char *out, uint32_t at, const char *text)
{
    while (*text && at + 1 < ENGINE_VIOLATION_BYTES)
        out[at++] = *text++;
    out[at] = '\0';
    return at;
}

static uint32_t put_number(char *out, uint32_t at, uint64_t number)
{
    char digits[24];
    uint32_t first = sizeof(digits) - 1;

    digits[first] = '\0';
    do {
        digits[--first] = (char)('0' + number % 10);
        number /= 10;
    } while (number > 0);
    return put_text(out, at, &digits[first]);
}

void sim_engine_violated(struct sim *sim, const char *what, uint64_t subject, uint64_t time_ps)
{
    char *out = sim->violation;
    uint32_t at;

    if (sim->status == SIM_VIOLATED)
        return;
    sim->status = SIM_VIOLATED;
    at = put_text(out, 0, what);
    at = put_text(out, at, " ");
    at = put_number(out, at, subject);
    at = put_text(out, at, ", at ");
    at = put_number(out, at, time_ps);
    at = put_text(out, at, " ps, seed ");
    put_number(out, at, sim->config.seed);
}
