/* SPDX-License-Identifier: Apache-2.0 */
/* The engines of a NIC: ownership, and one pass. */
#include "host/engine.h"

#include <errno.h>
#include <sched.h>

#include "base/pause.h"

enum {
    IDLE_POLLS = 256,  /* idle polls in a row before the thread yields */
    DRAIN_ROUNDS = 64, /* batches received before timers expire */
    BULK_WORK = 16,    /* frames, requests and so on that make a pass a large one */
    BULK_PASSES = 4,   /* consecutive large passes before a poller hands over to the thread */
};

bool engine_try_own(struct engine *engine)
{
    bool free = false;

    if (atomic_load_explicit(&engine->is_owned, memory_order_relaxed) ||
        atomic_load_explicit(&engine->waiting, memory_order_relaxed))
        return false;
    return atomic_compare_exchange_strong(&engine->is_owned, &free, true);
}

/* Spins: only calls that change something wait here. Owners keep the engine for one pass, and
 * pollers do not take it while a call waits. */
int engine_own(struct engine *engine)
{
    bool free = false;

    if (host_is_dead(engine->nic))
        return -ENODEV;
    atomic_fetch_add(&engine->waiting, 1);
    while (!atomic_compare_exchange_weak(&engine->is_owned, &free, true)) {
        free = false;
        sched_yield();
    }
    atomic_fetch_sub(&engine->waiting, 1);
    return 0;
}

static bool is_asleep(const struct engine *engine)
{
    return atomic_load_explicit(&engine->progress_state, memory_order_relaxed) == PROGRESS_ASLEEP;
}

/* The progress thread sleeps until the deadline that it knew: wake it if something is due earlier,
 * or if the engine waits for room. */
static bool progress_must_know(struct engine *engine)
{
    return is_asleep(engine) &&
           (transport_deadline_ns(engine->transport) <
                   atomic_load_explicit(&engine->progress_deadline_ns, memory_order_relaxed) ||
               engine_waits_for_room(engine));
}

/* Gives the engine up. Returns whether the progress thread must be woken. */
static bool let_go(struct engine *engine)
{
    bool wakes = progress_must_know(engine);

    if (status_has_news(engine) && is_asleep(engine->nic->engines[0]))
        progress_wake(engine->nic->engines[0]); /* the thread that reports changes */
    atomic_store(&engine->is_owned, false);
    return wakes;
}

void engine_release(struct engine *engine)
{
    bool wakes = let_go(engine);

    while (atomic_load(&engine->posted_summary) && engine_try_own(engine)) {
        engine_pass_out(engine, host_now_ns());
        wakes |= let_go(engine);
    }
    if (wakes)
        progress_wake(engine);
}

/* Takes engines in a fixed order, so that two calls cannot deadlock. */
int engine_own_all(struct host_nic *nic)
{
    if (host_is_dead(nic))
        return -ENODEV;
    for (uint32_t i = 0; i < nic->engine_count; i++)
        engine_own(nic->engines[i]);
    return 0;
}

void engine_release_all(struct host_nic *nic)
{
    for (uint32_t i = nic->engine_count; i > 0; i--)
        engine_release(nic->engines[i - 1]);
}

void engine_update_links(struct engine *engine, uint64_t now_ns)
{
    uint32_t was_up_mask = transport_ports(engine->transport).up_mask;
    uint32_t up_mask = 0;

    for (uint32_t port = 0; port < engine->nic->config.port_count; port++)
        if (pktio_port_link_up(engine->ports[port]))
            up_mask |= UINT32_C(1) << port;
    up_mask &= engine->nic->admin_mask;
    if (up_mask == was_up_mask)
        return;
    for (uint32_t port = 0; engine->index == 0 && port < engine->nic->config.port_count; port++)
        if ((up_mask ^ was_up_mask) >> port & 1)
            status_on_port(
                engine, port, up_mask >> port & 1 ? STATUS_LINK_UP : STATUS_LINK_DOWN, now_ns);
    transport_ports_changed(engine->transport, up_mask, now_ns);
}

uint32_t engine_pass_out(struct engine *engine, uint64_t now_ns)
{
    uint32_t work = engine_take_posted(engine, now_ns) + engine_answer(engine, now_ns);

    if (!engine->unsent_ports)
        work += engine_report(engine);
    return work + engine_send(engine, now_ns);
}

/* Receives before timers expire. If the engine did not run for a while, answers that arrived in
 * time may still wait in the ports. */
static uint32_t expire_timers(struct engine *engine, uint64_t now_ns)
{
    uint32_t work = 0;

    for (uint32_t round = 0; round < DRAIN_ROUNDS; round++) {
        uint32_t count;

        work += engine_pass_out(engine, now_ns); /* makes room for more answers */
        now_ns = host_now_ns();                  /* the pass took time */
        count = engine_receive(engine, now_ns);
        if (count == 0)
            break;
        work += count;
    }
    if (transport_deadline_ns(engine->transport) <= now_ns)
        transport_expire(engine->transport, now_ns);
    return work + 1;
}

uint32_t engine_pass(struct engine *engine)
{
    uint64_t now_ns = host_now_ns();
    uint32_t work;

    engine->pass_count++;
    if (atomic_load_explicit(&engine->link_changed, memory_order_relaxed) &&
        atomic_exchange(&engine->link_changed, false))
        engine_update_links(engine, now_ns);
    /* Take posted work first: a receive must be known before the write that it was posted for. */
    work = engine_take_posted(engine, now_ns) + engine_mail_take(engine, now_ns);
    work += engine_receive(engine, now_ns);
    if (transport_deadline_ns(engine->transport) <= now_ns) {
        work += expire_timers(engine, now_ns);
        now_ns = host_now_ns();
    }
    return work + engine_pass_out(engine, now_ns);
}

/* ---- which thread drives it ------------------------------------------------------------------ */

/* If there are processors for the threads of engines, a progress thread that has begun to drive its
 * engine continues until it is idle, and the application keeps its own processor. A thread that is
 * about to sleep clears the flag before it looks at posted work for the last time. */
static bool is_left_to_thread(const struct engine *engine)
{
    return engine_has_siblings(engine) && atomic_load(&engine->thread_drives);
}

/* A poller whose passes are all large hands the engine over to the thread. */
static bool hands_over(struct engine *engine, uint32_t work)
{
    engine->bulk_passes = work >= BULK_WORK ? engine->bulk_passes + 1 : 0;
    if (!engine_has_siblings(engine) || engine->bulk_passes < BULK_PASSES)
        return false;
    engine->bulk_passes = 0;
    return true;
}

/* Another thread drives the engine and may need this processor. */
static void wait_briefly(struct engine *engine)
{
    if (atomic_fetch_add_explicit(&engine->skipped_polls, 1, memory_order_relaxed) % IDLE_POLLS)
        pause_briefly();
    else
        sched_yield();
}

/* Drives it once, if no other thread does. Returns how much there was to do. */
static uint32_t engine_progress(struct engine *engine)
{
    uint32_t work;
    bool hands;
    bool yields;

    if (is_left_to_thread(engine) || !engine_try_own(engine)) {
        wait_briefly(engine);
        return 0;
    }
    work = engine_pass(engine);
    progress_note_poll(engine);
    hands = hands_over(engine, work);
    engine->idle_polls = work ? 0 : engine->idle_polls + 1;
    yields = engine->idle_polls >= IDLE_POLLS;
    engine->idle_polls = yields ? 0 : engine->idle_polls;
    engine_release(engine);
    if (hands) {
        atomic_store(&engine->is_handed_over, true);
        progress_wake(engine);
    }
    if (yields)
        sched_yield(); /* the thread that produces the answer may need this processor */
    return work;
}

uint32_t host_progress(struct host_nic *nic)
{
    uint32_t work = 0;

    if (host_is_dead(nic))
        return 0;
    for (uint32_t i = 0; i < nic->engine_count; i++)
        work += engine_progress(nic->engines[i]);
    return work;
}

static void kick_engine(struct engine *engine)
{
    if (is_left_to_thread(engine) || !engine_try_own(engine))
        return;
    engine_pass_out(engine, host_now_ns());
    engine_release(engine);
}

void host_kick(struct host_nic *nic)
{
    if (host_is_dead(nic))
        return;
    for (uint32_t i = 0; i < nic->engine_count; i++)
        if (atomic_load_explicit(&nic->engines[i]->posted_summary, memory_order_relaxed))
            kick_engine(nic->engines[i]);
}
