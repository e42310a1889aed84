/* SPDX-License-Identifier: Apache-2.0 */
/* What switches know of failed links. A switch knows at a given time what its neighbour knew
 * earlier, by the time that the notice takes. With a subnet manager, it knows what was the case
 * earlier, by the time that the manager takes to reach it. */
#include "rival/routing/convergence.h"

#include <assert.h>

#include "base/bits.h"
#include "base/prng.h"

enum { ALIGNMENT = 8 };

void convergence_init(struct convergence *convergence, struct arena *arena, const struct ecmp *ecmp,
    enum convergence_set set, uint64_t seed)
{
    const struct topology *topology = ecmp->topology;
    struct convergence_size size = convergence_size_of(topology);
    uint64_t port_count = 0;

    for (uint32_t i = 0; i < topology->switch_count; i++)
        port_count += topology_port_count(topology, i);
    *convergence = (struct convergence){ .set = set,
        .seed = seed,
        .ecmp = ecmp,
        .ports = arena_take(arena, port_count, sizeof(*convergence->ports), ALIGNMENT),
        .first_ports =
            arena_take(arena, topology->switch_count, sizeof(*convergence->first_ports), ALIGNMENT),
        .sweep = convergence_sweep_of(&size) };
    if (!arena->memory)
        return;
    for (uint32_t i = 0, first = 0; i < topology->switch_count; i++) {
        convergence->first_ports[i] = first;
        first += topology_port_count(topology, i);
    }
    for (uint64_t i = 0; i < port_count; i++)
        convergence->ports[i] =
            (struct convergence_port){ .last = { .from_ps = CONVERGENCE_NEVER_PS },
                .before = { .from_ps = CONVERGENCE_NEVER_PS } };
}

static struct convergence_port *port_at(
    const struct convergence *convergence, uint32_t switch_index, uint32_t port)
{
    return &convergence->ports[convergence->first_ports[switch_index] + port];
}

static bool is_managed(const struct convergence *convergence)
{
    return convergence->set == CONVERGENCE_SUBNET_MANAGER;
}

/* ---- queries --------------------------------------------------------------------------------- */

static bool is_within(const struct convergence_gap *gap, uint64_t now_ps)
{
    return gap->from_ps <= now_ps && now_ps < gap->until_ps;
}

/* A question about a port, which its members identify. */
struct question {
    uint32_t switch_index;
    uint32_t port;
    uint32_t to;
};

typedef bool answer_fn(const struct convergence *, const struct question *, uint64_t now_ps);

/* True if the answer is true for each port of the group of the destination. */
static bool holds_for_all(const struct convergence *convergence, uint32_t switch_index, uint32_t to,
    answer_fn *answer, uint64_t now_ps)
{
    const struct ecmp_switch *here = &convergence->ecmp->switches[switch_index];
    const uint64_t *group = ecmp_group(convergence->ecmp, switch_index, to);

    for (uint32_t w = 0; group && w < here->word_count; w++)
        for (uint64_t word = group[w]; word; word &= word - 1) {
            const struct question question = {
                .switch_index = switch_index, .port = w * 64 + bits_lowest(word), .to = to
            };

            if (!answer(convergence, &question, now_ps))
                return false;
        }
    return true;
}

/* Returns the switch behind the port; false: it is the destination. */
static bool next_switch(
    const struct convergence *convergence, const struct question *question, uint32_t *next)
{
    bool has_next = ecmp_neighbour(convergence->ecmp, question->switch_index, question->port, next);

    assert(has_next);
    return has_next && *next != question->to;
}

/* True if no way behind the port has always worked. A quick test: mostly, the first way has. */
static bool has_ever_failed(
    const struct convergence *convergence, const struct question *question, uint64_t now_ps)
{
    uint32_t next;

    if (port_at(convergence, question->switch_index, question->port)->failures > 0)
        return true;
    return next_switch(convergence, question, &next) &&
           holds_for_all(convergence, next, question->to, has_ever_failed, now_ps);
}

/* Returns how much later a switch knows what its neighbour knows about a destination. */
static uint64_t notice_ps(
    const struct convergence *convergence, const struct question *question, uint32_t next)
{
    struct prng prng = prng_stream(
        convergence->seed ^ question->to, (uint64_t)question->switch_index << 32 | next);

    return convergence_notice_ps(convergence->set, 1, &prng);
}

/* True if the switch does not use the port. */
static bool is_avoided(
    const struct convergence *convergence, const struct question *question, uint64_t now_ps)
{
    const struct convergence_port *port =
        port_at(convergence, question->switch_index, question->port);
    uint32_t next;
    uint64_t later_ps;

    if (is_within(&port->last, now_ps) || is_within(&port->before, now_ps))
        return true;
    if (!next_switch(convergence, question, &next) ||
        !holds_for_all(convergence, next, question->to, has_ever_failed, now_ps))
        return false;
    later_ps = is_managed(convergence) ? 0 : notice_ps(convergence, question, next);
    return now_ps >= later_ps &&
           holds_for_all(convergence, next, question->to, is_avoided, now_ps - later_ps);
}

/* Returns how much later the manager has told a switch. The order of switches is random. */
static uint64_t manager_ps(const struct convergence *convergence, uint32_t switch_index)
{
    struct prng of_all = prng_stream(convergence->seed, 0);
    struct prng of_switch = prng_stream(convergence->seed, 1 + (uint64_t)switch_index);
    double share = (double)(prng_next(&of_switch) >> 32) / (double)UINT32_MAX;

    return convergence_detection_ps(convergence->set, &of_all) + convergence->sweep.before_ps +
           (uint64_t)((double)convergence->sweep.tables_ps * share);
}

bool convergence_uses(const struct convergence *convergence, uint32_t switch_index, uint32_t port,
    uint32_t to_switch, uint64_t now_ps)
{
    const struct question question = {
        .switch_index = switch_index, .port = port, .to = to_switch
    };
    uint64_t later_ps;

    if (!convergence->is_touched)
        return true;
    later_ps = is_managed(convergence) ? manager_ps(convergence, switch_index) : 0;
    return now_ps < later_ps || !is_avoided(convergence, &question, now_ps - later_ps);
}

/* ---- events ---------------------------------------------------------------------------------- */

/* True if the link of the port, or all ways behind it, are down at the moment. */
static bool is_dead(
    const struct convergence *convergence, const struct question *question, uint64_t now_ps)
{
    uint32_t next;

    if (port_at(convergence, question->switch_index, question->port)->down_count > 0)
        return true;
    return next_switch(convergence, question, &next) &&
           holds_for_all(convergence, next, question->to, is_dead, now_ps);
}

static uint32_t neighbour_count(const struct convergence *convergence, uint32_t switch_index)
{
    const struct topology *topology = convergence->ecmp->topology;
    uint32_t count = 0;

    for (uint32_t port = 0; port < topology_port_count(topology, switch_index); port++) {
        uint32_t next;

        count += ecmp_neighbour(convergence->ecmp, switch_index, port, &next);
    }
    return count;
}

/* Returns true if the switch has no way to a destination that it reached by the port. */
static bool is_cut_off(const struct convergence *convergence, uint32_t switch_index, uint32_t port)
{
    const struct ecmp *ecmp = convergence->ecmp;

    for (uint32_t to = 0; to < ecmp->topology->switch_count; to++) {
        const uint64_t *group;

        if (ecmp->switches[to].destination == ECMP_NO_PORT || to == switch_index)
            continue;
        group = ecmp_group(ecmp, switch_index, to);
        if (group && bits_test(group, port) &&
            holds_for_all(convergence, switch_index, to, is_dead, 0))
            return true;
    }
    return false;
}

/* A switch tells its neighbours about destinations that it can no longer reach, or can again. A
 * neighbour that has no other way either tells its own. Called while the link is down. */
static uint64_t messages_about(
    const struct convergence *convergence, uint32_t switch_index, uint32_t port)
{
    const struct topology *topology = convergence->ecmp->topology;
    uint64_t messages;

    if (is_managed(convergence))
        return convergence->sweep.discovery_smps + convergence->sweep.table_smps;
    if (!is_cut_off(convergence, switch_index, port))
        return 0;
    messages = neighbour_count(convergence, switch_index) - 1;
    for (uint32_t p = 0; p < topology_port_count(topology, switch_index); p++) {
        struct topology_end peer;

        if (p == port ||
            !topology_peer(
                topology, (struct topology_end){ .node = switch_index, .port = p }, &peer) ||
            peer.is_nic)
            continue;
        if (is_cut_off(convergence, peer.node, peer.port))
            messages += neighbour_count(convergence, peer.node) - 1;
    }
    return messages;
}

/* Returns an independent stream for each failure and recovery of each port. */
static struct prng draws_of(const struct convergence *convergence,
    const struct convergence_port *port, enum convergence_event event)
{
    struct prng of_port = prng_stream(~convergence->seed, (uint64_t)(port - convergence->ports));

    return prng_stream(of_port.state, (uint64_t)port->failures << 2 | event);
}

static uint64_t sum_ps(uint64_t a_ps, uint64_t b_ps)
{
    return a_ps > CONVERGENCE_NEVER_PS - b_ps ? CONVERGENCE_NEVER_PS : a_ps + b_ps;
}

static void on_down(const struct convergence *convergence, struct convergence_port *port,
    enum convergence_event event, uint64_t at_ps)
{
    struct prng prng;

    if (port->last.from_ps != CONVERGENCE_NEVER_PS && port->last.until_ps > at_ps) {
        port->last.until_ps = CONVERGENCE_NEVER_PS; /* it had not been used again */
        return;
    }
    port->failures++;
    prng = draws_of(convergence, port, event);
    port->before = port->last;
    port->detected_ps = sum_ps(at_ps, event == CONVERGENCE_LINK_SILENT
                                          ? convergence_silence_ps(convergence->set)
                                          : convergence_detection_ps(convergence->set, &prng));
    port->last = (struct convergence_gap){ .from_ps = sum_ps(port->detected_ps,
                                               convergence_repair_ps(convergence->set, &prng)),
        .until_ps = CONVERGENCE_NEVER_PS };
    if (is_managed(convergence))
        port->last.from_ps = event == CONVERGENCE_LINK_DOWN ? at_ps : CONVERGENCE_NEVER_PS;
}

/* A failure that has ended before its detection has no effect. */
static void on_up(struct convergence *convergence, struct convergence_port *port, uint64_t at_ps)
{
    struct prng prng = draws_of(convergence, port, CONVERGENCE_LINK_UP);
    uint64_t back_ps = sum_ps(at_ps, convergence_hold_down_ps(convergence->set));

    if (!is_managed(convergence) && at_ps < port->detected_ps) {
        port->last.from_ps = CONVERGENCE_NEVER_PS;
        convergence->messages -= port->messages;
        return;
    }
    convergence->messages += port->messages;
    port->last.until_ps = is_managed(convergence)
                              ? at_ps
                              : sum_ps(back_ps, convergence_repair_ps(convergence->set, &prng));
}

void convergence_on_link(struct convergence *convergence, uint32_t switch_index, uint32_t port,
    enum convergence_event event, uint64_t at_ps)
{
    struct convergence_port *here = port_at(convergence, switch_index, port);

    if (convergence->set == CONVERGENCE_NONE)
        return;
    if (event == CONVERGENCE_LINK_UP) {
        assert(here->down_count > 0);
        if (--here->down_count == 0)
            on_up(convergence, here, at_ps);
        return;
    }
    if (here->down_count++ > 0)
        return;
    convergence->is_touched = true;
    on_down(convergence, here, event, at_ps);
    here->messages = messages_about(convergence, switch_index, port);
    convergence->messages += here->messages;
}
