/* SPDX-License-Identifier: Apache-2.0 */
/* Checks of the ports of the controller. */
#include <errno.h>
#include <string.h>

#include "conform/api_events.h"
#include "conform/api_peer.h"
#include "conform/api_suite.h"

#define PORTS_MAX ((uint8_t)31)

static uint32_t ports_of(struct api_side *side)
{
    struct mrc_ctl_device_attr attr = { .phy_port_mask = 0 };
    int err = api_run_error_minus(API(side->run, ctl_query_device)(side->verbs, &attr));

    api_run_must(side->run, err == 0, "mrc_ctl_query_device: %s", api_run_error_text(err));
    return attr.phy_port_mask;
}

static uint8_t last_port(uint32_t mask)
{
    uint8_t port = PORTS_MAX;

    while (port > 0 && !(mask >> port & 1))
        port--;
    return port;
}

static int set_port(struct api_side *side, uint8_t port, enum mrc_ctl_port_admin_state state)
{
    struct mrc_ctl_port_attr attr = { .port_admin_state = state };

    return api_run_error_minus(
        API(side->run, ctl_modify_port)(side->mrc, port, &attr, MRC_CTL_PORT_ADMIN_STATE));
}

static int query_port(struct api_side *side, uint8_t port)
{
    struct mrc_ctl_port_attr attr = { .port_admin_state = (enum mrc_ctl_port_admin_state)7 };
    int err = api_run_error_minus(
        API(side->run, ctl_query_port)(side->mrc, port, &attr, MRC_CTL_PORT_ADMIN_STATE));

    api_run_must(
        side->run, err == 0, "mrc_ctl_query_port of port %u: %s", port, api_run_error_text(err));
    return (int)attr.port_admin_state;
}

static int port_is_up(struct api_side *side, uint8_t port)
{
    struct ibv_port_attr attr;
    int err;

    memset(&attr, 0, sizeof(attr));
    err = VERB(side->run, query_port)(side->verbs, port, (struct _compat_ibv_port_attr *)&attr);
    api_run_must(side->run, err == 0, "ibv_query_port of port %u: %s", port, strerror(err));
    return attr.state == IBV_PORT_ACTIVE;
}

/* Enables the port again, through a context of its own. */
static void enable_port(struct api_run *run)
{
    struct api_side side;

    api_side_open(&side, run, run->device);
    set_port(&side, atomic_load(&run->watch->port), MRC_CTL_PORT_ADMIN_ENABLED);
}

/* Returns the last port that is enabled, which is enabled again at the end. */
static uint8_t choose_port(struct api_side *side)
{
    uint32_t mask = ports_of(side);
    uint8_t port = last_port(mask);

    while (
        port > 0 && (!(mask >> port & 1) || query_port(side, port) != MRC_CTL_PORT_ADMIN_ENABLED))
        port--;
    if (port == 0)
        api_run_skip(side->run, "no port of the device is enabled");
    atomic_store(&side->run->watch->port, port);
    atomic_store(&side->run->watch->at_end, enable_port);
    return port;
}

void api_suite_port(struct api_run *run)
{
    struct mrc_ctl_port_attr attr = { .port_admin_state = MRC_CTL_PORT_ADMIN_ENABLED };
    struct api_side side;
    uint32_t mask;
    uint8_t last;

    api_side_open(&side, run, run->device);
    mask = ports_of(&side);
    last = last_port(mask);
    for (uint8_t port = 1; port <= PORTS_MAX; port++)
        if (mask >> port & 1) {
            int state = query_port(&side, port);

            api_run_expect(run,
                state == MRC_CTL_PORT_ADMIN_ENABLED || state == MRC_CTL_PORT_ADMIN_DISABLED,
                "the state of port %u is %d", port, state);
        }
    api_run_ends(run,
        api_run_error_minus(API(run, ctl_query_port)(side.mrc, 0, &attr, MRC_CTL_PORT_ADMIN_STATE)),
        EINVAL, "mrc_ctl_query_port of port 0");
    api_run_ends(run,
        api_run_error_minus(API(run, ctl_query_port)(
            side.mrc, (uint8_t)(last + 1), &attr, MRC_CTL_PORT_ADMIN_STATE)),
        EINVAL, "mrc_ctl_query_port of a port that does not exist");
    api_run_ends(run, set_port(&side, (uint8_t)(last + 1), MRC_CTL_PORT_ADMIN_ENABLED), EINVAL,
        "mrc_ctl_modify_port of a port that does not exist");
    api_run_ends(run, api_run_error_minus(API(run, ctl_query_port)(side.mrc, last, &attr, 0x100)),
        EINVAL, "mrc_ctl_query_port with an unknown bit");
    api_run_ends(run, set_port(&side, last, (enum mrc_ctl_port_admin_state)7), EINVAL,
        "mrc_ctl_modify_port to an unknown state");
    api_side_close(&side);
}

static void must_set(struct api_side *side, uint8_t port, enum mrc_ctl_port_admin_state state)
{
    int err = set_port(side, port, state);

    if (err == EPERM)
        api_run_skip(side->run, "the controller needs CAP_NET_ADMIN");
    api_run_must(side->run, err == 0, "mrc_ctl_modify_port: %s", api_run_error_text(err));
    api_run_expect(side->run, query_port(side, port) == (int)state,
        "port %u was set to %d and is %d", port, state, query_port(side, port));
}

static void expect_port_event(
    struct api_events *events, enum ibv_event_type type, uint8_t port, const char *cause)
{
    struct mrc_async_event event = api_events_of(events, type, cause);

    api_run_expect(events->side->run, event.element.port_num == port,
        "the event is of port %d instead of %u", event.element.port_num, port);
    API(events->side->run, ack_async_event)(&event);
}

static void wait_up(struct api_side *side, uint8_t port, int is_up)
{
    struct api_wait wait = api_run_wait(side->run);

    while (port_is_up(side, port) != is_up)
        if (!api_run_goes_on(&wait))
            api_run_silent(side->run, "ibv_query_port reports port %u as %s", port,
                is_up ? "down after it was enabled" : "up although it is disabled");
}

void api_suite_port_disable(struct api_run *run)
{
    struct api_events events;
    struct api_side side;
    uint8_t port;

    api_side_open(&side, run, run->device);
    api_side_make(&side, &(struct api_side_wants){ .depth = 1 });
    port = choose_port(&side);
    wait_up(&side, port, 1);
    api_events_start(&events, &side);
    must_set(&side, port, MRC_CTL_PORT_ADMIN_DISABLED);
    wait_up(&side, port, 0);
    expect_port_event(&events, IBV_EVENT_PORT_ERR, port, "a port was disabled");
    must_set(&side, port, MRC_CTL_PORT_ADMIN_ENABLED);
    wait_up(&side, port, 1);
    expect_port_event(&events, IBV_EVENT_PORT_ACTIVE, port, "a port was enabled");
}

void api_suite_port_traffic(struct api_run *run)
{
    struct api_side side = { .run = NULL };
    uint32_t mask;
    uint8_t port;

    api_peer_join(run, &side, NULL, NULL, 0);
    mask = ports_of(&side);
    if ((mask & (mask - 1)) == 0)
        api_run_skip(run, "the device has one port");
    port = choose_port(&side);
    for (int round = 0; round < 3; round++) {
        struct api_write write = {
            .bytes = 100000, .remote = run->peer->card.address, .rkey = run->peer->card.rkey
        };

        must_set(
            &side, port, round == 1 ? MRC_CTL_PORT_ADMIN_DISABLED : MRC_CTL_PORT_ADMIN_ENABLED);
        api_side_fill(&side, 0, write.bytes, (uint8_t)round);
        api_run_must(run, api_side_write(&side, &write) == 0, "mrc_post_send fails");
        api_side_succeed(&side, side.send_cq);
        api_run_expect(run, api_peer_differs(run, 0, write.bytes, (uint8_t)round) == write.bytes,
            "a write with port %u %s does not arrive", port, round == 1 ? "disabled" : "enabled");
    }
    api_side_close(&side);
}
