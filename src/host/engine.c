/* SPDX-License-Identifier: Apache-2.0 */
/* The engine of a NIC: who owns it, and one pass of it. */
#include "host/engine.h"

#include <errno.h>
#include <sched.h>

enum {
    IDLE_POLLS = 256,  /* in a row, between two looks at who else wants to run */
    DRAIN_ROUNDS = 64, /* batches that are looked at before time is let pass */
};

bool engine_try_own(struct host_nic *nic)
{
    bool free = false;

    if (atomic_load_explicit(&nic->is_owned, memory_order_relaxed) ||
        atomic_load_explicit(&nic->waiting, memory_order_relaxed))
        return false;
    return atomic_compare_exchange_strong(&nic->is_owned, &free, true);
}

/* Only calls that change something come here; owners do one pass and leave, and pollers stand back
 * while somebody waits. */
int engine_own(struct host_nic *nic)
{
    bool free = false;

    if (atomic_load_explicit(&nic->is_dead, memory_order_relaxed))
        return -ENODEV;
    atomic_fetch_add(&nic->waiting, 1);
    while (!atomic_compare_exchange_weak(&nic->is_owned, &free, true)) {
        free = false;
        sched_yield();
    }
    atomic_fetch_sub(&nic->waiting, 1);
    return 0;
}

/* The progress thread sleeps on what it knew: tell it when that is no longer all. */
static bool progress_must_know(struct host_nic *nic)
{
    return atomic_load_explicit(&nic->progress_state, memory_order_relaxed) == PROGRESS_ASLEEP &&
           (transport_deadline_ns(nic->transport) <
                   atomic_load_explicit(&nic->progress_deadline_ns, memory_order_relaxed) ||
               engine_waits_for_room(nic) || status_has_news(nic));
}

void engine_release(struct host_nic *nic)
{
    bool wakes = progress_must_know(nic);

    atomic_store(&nic->is_owned, false);
    while (atomic_load(&nic->posted_summary) && engine_try_own(nic)) {
        engine_pass_out(nic, host_now_ns());
        wakes |= progress_must_know(nic);
        atomic_store(&nic->is_owned, false);
    }
    if (wakes)
        progress_wake(nic);
}

void engine_update_links(struct host_nic *nic, uint64_t now_ns)
{
    uint32_t up_mask = 0;

    for (uint32_t port = 0; port < nic->config.port_count; port++)
        if (pktio_port_link_up(nic->ports[port]))
            up_mask |= UINT32_C(1) << port;
    up_mask &= nic->admin_mask;
    if (up_mask == nic->up_mask)
        return;
    for (uint32_t port = 0; port < nic->config.port_count; port++)
        if ((up_mask ^ nic->up_mask) >> port & 1)
            status_on_port(
                nic, port, up_mask >> port & 1 ? STATUS_LINK_UP : STATUS_LINK_DOWN, now_ns);
    nic->up_mask = up_mask;
    transport_ports_changed(nic->transport, up_mask, now_ns);
}

uint32_t engine_pass_out(struct host_nic *nic, uint64_t now_ns)
{
    uint32_t work = engine_take_posted(nic, now_ns) + engine_answer(nic, now_ns);

    if (!nic->unsent_ports)
        work += engine_report(nic);
    if (transport_wants_to_send(nic->transport))
        work += engine_send(nic, now_ns);
    return work;
}

/* After a while without a processor, answers wait in the ports beside timers that have run out:
 * they came in time, it is us who are late. */
static uint32_t expire(struct host_nic *nic, uint64_t now_ns)
{
    uint32_t work = 0;

    for (uint32_t round = 0; round < DRAIN_ROUNDS; round++) {
        uint32_t count;

        work += engine_pass_out(nic, now_ns); /* there is not room for the answers of all */
        now_ns = host_now_ns();               /* it took a while */
        count = engine_receive(nic, now_ns);
        if (count == 0)
            break;
        work += count;
    }
    if (transport_deadline_ns(nic->transport) <= now_ns)
        transport_expire(nic->transport, now_ns);
    return work + 1;
}

uint32_t engine_pass(struct host_nic *nic)
{
    uint64_t now_ns = host_now_ns();
    uint32_t work;

    nic->pass_count++;
    if (atomic_load_explicit(&nic->link_changed, memory_order_relaxed) &&
        atomic_exchange(&nic->link_changed, false))
        engine_update_links(nic, now_ns);
    /* First what was posted: a receive must be there for the write that it was posted for. */
    work = engine_take_posted(nic, now_ns);
    work += engine_receive(nic, now_ns);
    if (transport_deadline_ns(nic->transport) <= now_ns) {
        work += expire(nic, now_ns);
        now_ns = host_now_ns();
    }
    return work + engine_pass_out(nic, now_ns);
}

uint32_t host_progress(struct host_nic *nic)
{
    uint32_t work;
    bool yields;

    if (atomic_load_explicit(&nic->is_dead, memory_order_relaxed) || !engine_try_own(nic))
        return 0;
    work = engine_pass(nic);
    progress_note_poll(nic);
    nic->idle_polls = work ? 0 : nic->idle_polls + 1;
    yields = nic->idle_polls >= IDLE_POLLS;
    nic->idle_polls = yields ? 0 : nic->idle_polls;
    engine_release(nic);
    if (yields)
        sched_yield(); /* whoever has the answer may need this very processor */
    return work;
}

void host_kick(struct host_nic *nic)
{
    if (atomic_load_explicit(&nic->is_dead, memory_order_relaxed) || !engine_try_own(nic))
        return;
    engine_pass_out(nic, host_now_ns());
    engine_release(nic);
}
