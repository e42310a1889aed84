/* SPDX-License-Identifier: Apache-2.0 */
/* Holding a transport to what it owes for each message. */
#include "traffic.h"

#include "network_state.h"

/* ---- events ------------------------------------------------------------------------------ */

static void verify(struct network *network, uint32_t index, const char *when)
{
    const struct message *message = &network->traffic.messages[index];
    const struct region *region = &network->traffic.flows[message->seen.flow].region;

    if (!message->is_verified)
        return;
    if (!region_is_complete(region, message->offset_bytes, message->seen.length_bytes))
        network_violation(
            network, "message %u: not every byte was placed once when %s", index, when);
    else if (!region_matches(
                 region, message->offset_bytes, message->seen.length_bytes, message->key))
        network_violation(network, "message %u: wrong bytes were placed when %s", index, when);
}

static void on_send_done(
    struct network *network, uint32_t host, const struct transport_event *event)
{
    struct traffic *traffic = &network->traffic;
    uint32_t index = (uint32_t)event->id;
    struct message *message;
    struct flow_state *flow;

    if (event->id >= traffic->message_count) {
        network_violation(network, "host %u completes a message that does not exist", host);
        return;
    }
    message = &traffic->messages[index];
    flow = &traffic->flows[message->seen.flow];
    if (flow->oldest != index || flow->seen.from_qpn != event->qpn || flow->seen.from != host) {
        network_violation(network, "message %u completes out of order", index);
        return;
    }
    flow->oldest = message->next;
    message->seen.completed_ps = network->now_ps;
    message->seen.status = event->status;
    traffic->finished++;
    if (event->status != COMPLETION_SUCCESS) {
        message->seen.state = TRAFFIC_FAILED;
        flow->seen.failed++;
        traffic_stop(network, message->seen.flow);
        return;
    }
    message->seen.state = TRAFFIC_DONE;
    flow->seen.completed++;
    verify(network, index, "it completed");
    traffic_continue(network, message->seen.flow);
}

/* An immediate is a barrier: its message and all before it are in place (docs/protocol.md §6.2). */
static void on_immediate(
    struct network *network, uint32_t flow_index, const struct transport_event *event)
{
    struct traffic *traffic = &network->traffic;
    struct flow_state *flow = &traffic->flows[flow_index];
    uint32_t index = flow->awaited;

    while (index != NETWORK_NONE && !traffic->messages[index].seen.has_immediate) {
        if (traffic->messages[index].seen.state == TRAFFIC_OPEN)
            verify(network, index, "a later immediate arrived");
        index = traffic->messages[index].next;
    }
    if (index != event->immediate) {
        network_violation(network, "immediate %u arrives out of order", event->immediate);
        return;
    }
    if (event->length_bytes != traffic->messages[index].seen.length_bytes)
        network_violation(network, "immediate %u arrives with a wrong length", index);
    if (traffic->messages[index].seen.state == TRAFFIC_OPEN)
        verify(network, index, "its immediate arrived");
    traffic->messages[index].seen.received = true;
    flow->awaited = traffic->messages[index].next;
    flow->seen.received++;
}

static void on_recv_done(
    struct network *network, uint32_t host, const struct transport_event *event)
{
    uint32_t flow_index = traffic_flow_to(network, event->qpn);
    struct flow_state *flow;

    if (flow_index == NETWORK_NONE || event->status != COMPLETION_SUCCESS)
        return;
    flow = &network->traffic.flows[flow_index];
    if (flow->posts_receives && event->id != flow->receives_done++)
        network_violation(network, "host %u consumes receives out of order", host);
    on_immediate(network, flow_index, event);
    if (flow->posts_receives)
        transport_post_recv(network->hosts[host].transport, event->qpn, flow->receives_posted++);
}

void traffic_on_event(struct network *network, uint32_t host, const struct transport_event *event)
{
    if (event->kind == TRANSPORT_SEND_DONE)
        on_send_done(network, host, event);
    else if (event->kind == TRANSPORT_RECV_DONE)
        on_recv_done(network, host, event);
}

/* ---- packets -------------------------------------------------------------------------------- */

uint64_t traffic_key(const struct network *network, uint32_t host, const struct packet *packet)
{
    const struct work_request *request =
        opcode_is_write(packet->opcode) ? transport_request(network->hosts[host].transport, packet)
                                        : NULL;

    return request ? network->traffic.messages[request->local].key : 0;
}

/* New PSNs follow one another; a repeat is of one that was sent. */
void traffic_on_sent(struct network *network, const struct packet *packet)
{
    uint32_t index = traffic_flow_to(network, packet->dest_qpn);
    struct flow_state *flow;
    int32_t ahead;

    if (!opcode_is_write(packet->opcode) || index == NETWORK_NONE)
        return;
    flow = &network->traffic.flows[index];
    ahead = psn_distance(flow->newest_psn, packet->psn);
    if (packet->flags & PACKET_RETRANSMISSION) {
        flow->seen.resent++;
        if (ahead > 0)
            network_violation(
                network, "flow %u repeats PSN %u, never sent", index, packet->psn.value);
        return;
    }
    flow->seen.first_sent[packet->port]++;
    flow->newest_psn = packet->psn;
    if (ahead != 1)
        network_violation(
            network, "flow %u: PSN %u is %d after the one before", index, packet->psn.value, ahead);
}

enum transport_access traffic_place(struct network *network, uint32_t host, uint32_t qpn,
    uint32_t rkey, uint64_t va, const struct payload *payload)
{
    uint32_t index = traffic_flow_to(network, qpn);
    enum region_verdict verdict = REGION_REFUSED;

    if (index != NETWORK_NONE && network->traffic.flows[index].seen.to == host)
        verdict = region_place(&network->traffic.flows[index].region, rkey, va, payload);
    if (verdict == REGION_REFUSED) {
        network->hosts[host].refused++;
        return TRANSPORT_ACCESS_REFUSED;
    }
    if (verdict == REGION_PLACED_TWICE)
        network_violation(network, "flow %u: bytes at offset %llu are placed again", index,
            (unsigned long long)(va - network->traffic.flows[index].region.va));
    network->traffic.flows[index].seen.placed_bytes += payload->length;
    return TRANSPORT_ACCESS_OK;
}

void traffic_check(struct network *network)
{
    for (uint32_t i = 0; i < network->traffic.flow_count; i++)
        if (!region_is_intact(&network->traffic.flows[i].region))
            network_violation(network, "something was written beside the region of flow %u", i);
}
