/* SPDX-License-Identifier: Apache-2.0 */
/* Fork: the child gets copies of all handles but must not touch what its parent shares with other
 * processes. NICs of the child are dead and close their descriptors, so that peers notice when the
 * parent ends. */
#include <unistd.h>

#include "host/engine.h"

static pthread_mutex_t nics_lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_once_t once = PTHREAD_ONCE_INIT;
static struct host_nic *nics;

static void before_fork(void)
{
    pthread_mutex_lock(&nics_lock);
}

static void in_parent(void)
{
    pthread_mutex_unlock(&nics_lock);
}

static void abandon_engine(struct engine *engine)
{
    engine->has_thread = false;
    for (uint32_t i = 0; i < engine->nic->config.port_count; i++)
        pktio_port_abandon(engine->ports[i]);
}

static void in_child(void)
{
    for (struct host_nic *nic = nics; nic; nic = nic->next) {
        atomic_store(&nic->is_dead, true);
        status_abandon(nic);
        for (uint32_t i = 0; i < nic->engine_count; i++)
            abandon_engine(nic->engines[i]);
    }
    pthread_mutex_unlock(&nics_lock);
}

static void install_handlers(void)
{
    pthread_atfork(before_fork, in_parent, in_child);
}

void fork_guard_add(struct host_nic *nic)
{
    pthread_once(&once, install_handlers);
    pthread_mutex_lock(&nics_lock);
    nic->next = nics;
    if (nics)
        nics->previous = nic;
    nics = nic;
    pthread_mutex_unlock(&nics_lock);
}

void fork_guard_remove(struct host_nic *nic)
{
    pthread_mutex_lock(&nics_lock);
    if (nic->previous)
        nic->previous->next = nic->next;
    else
        nics = nic->next;
    if (nic->next)
        nic->next->previous = nic->previous;
    pthread_mutex_unlock(&nics_lock);
}
