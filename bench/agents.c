/* SPDX-License-Identifier: Apache-2.0 */
/* Many agents in one thread, with epoll. Each connects from its own loopback address, as each agent
 * of a cluster has its own: a controller limits the connections of an address. */
#include "agents.h"

#include <arpa/inet.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/socket.h>
#include <time.h>
#include <unistd.h>

enum { EVENTS_AT_ONCE = 256, REQUEST_BYTES = 4096 };

static uint64_t clock_ns(void)
{
    struct timespec now;

    clock_gettime(CLOCK_MONOTONIC, &now);
    return (uint64_t)now.tv_sec * 1000000000 + (uint64_t)now.tv_nsec;
}

static void must(bool is_true, const char *what)
{
    if (is_true)
        return;
    fprintf(stderr, "bench/controller: %s: %s\n", what, strerror(errno));
    exit(1);
}

static gnutls_datum_t datum(const char *text)
{
    return (gnutls_datum_t){ (unsigned char *)(size_t)text, (unsigned)strlen(text) };
}

static gnutls_certificate_credentials_t make_credentials(
    const struct ctl_certificate *authority, uint32_t index)
{
    gnutls_certificate_credentials_t credentials;
    gnutls_datum_t trusted = datum(authority->certificate), certificate, key;
    struct ctl_certificate own = { 0 };
    char name[32];
    struct ctl_certificate_request request = { .name = name, .days = 1 };

    snprintf(name, sizeof(name), "node%u", index);
    must(ctl_certificate_sign(authority, &request, &own) == 0, "certificate");
    certificate = datum(own.certificate);
    key = datum(own.key);
    must(gnutls_certificate_allocate_credentials(&credentials) == 0, "credentials");
    gnutls_certificate_set_x509_trust_mem(credentials, &trusted, GNUTLS_X509_FMT_PEM);
    must(gnutls_certificate_set_x509_key_mem(
             credentials, &certificate, &key, GNUTLS_X509_FMT_PEM) == 0,
        "key");
    ctl_certificate_free(&own);
    return credentials;
}

void agents_open(
    struct agents *agents, const struct ctl_folder *folder, const struct plan *plan, uint32_t count)
{
    struct ctl_certificate authority = { ctl_folder_read(folder, "ca.pem"),
        ctl_folder_read(folder, "ca-key.pem") };

    *agents = (struct agents){ .count = count,
        .list = calloc(count, sizeof(*agents->list)),
        .credentials = calloc(count, sizeof(gnutls_certificate_credentials_t)),
        .epoll = epoll_create1(EPOLL_CLOEXEC) };
    must(agents->list && agents->credentials && agents->epoll >= 0, "memory");
    for (uint32_t i = 0; i < count; i++) {
        struct ipv6_addr address = plan_nic_address(plan, i);

        inet_ntop(AF_INET6, address.octets, agents->list[i].address, INET6_ADDRSTRLEN);
        agents->list[i].request = malloc(REQUEST_BYTES);
        agents->list[i].sock = -1;
        must(agents->list[i].request != NULL, "memory");
        agents->credentials[i] = make_credentials(&authority, i);
    }
    ctl_certificate_free(&authority);
}

void agents_close(struct agents *agents)
{
    for (uint32_t i = 0; i < agents->count; i++) {
        if (agents->list[i].sock >= 0)
            close(agents->list[i].sock);
        if (agents->list[i].session)
            gnutls_deinit(agents->list[i].session);
        gnutls_certificate_free_credentials(agents->credentials[i]);
        free(agents->list[i].request);
    }
    close(agents->epoll);
    free(agents->list);
    free(agents->credentials);
}

/* ---- one agent ------------------------------------------------------------------------------- */

static void watch(struct agents *agents, uint32_t index, uint32_t events, int operation)
{
    struct epoll_event event = { .events = events, .data.u32 = index };

    must(epoll_ctl(agents->epoll, operation, agents->list[index].sock, &event) == 0, "epoll");
}

static void fail(struct agents *agents, struct agent *agent, const char *where, long why)
{
    if (agent->state == AGENT_FAILED)
        return;
    if (agents->failed == 0)
        fprintf(stderr, "bench/controller: the first connection is lost: %s: %s\n", where,
            why < 0 ? gnutls_strerror((int)why) : "closed");
    if (agent->state != AGENT_CONNECTING)
        agents->connected--;
    agent->state = AGENT_FAILED;
    agents->failed++;
    close(agent->sock);
    agent->sock = -1;
}

void agents_connect(struct agents *agents, uint32_t index)
{
    struct agent *agent = &agents->list[index];
    struct sockaddr_in own = { .sin_family = AF_INET,
        .sin_addr.s_addr = htonl(0x7f010000 + index + 1) };
    int one = 1;

    agent->sock = socket(AF_INET, SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0);
    must(agent->sock >= 0, "socket");
    setsockopt(agent->sock, IPPROTO_IP, IP_BIND_ADDRESS_NO_PORT, &one, sizeof(one));
    must(bind(agent->sock, (struct sockaddr *)&own, sizeof(own)) == 0, "bind");
    must(gnutls_init(&agent->session, GNUTLS_CLIENT | GNUTLS_NONBLOCK | GNUTLS_NO_TICKETS) == 0,
        "session");
    gnutls_set_default_priority(agent->session);
    gnutls_credentials_set(agent->session, GNUTLS_CRD_CERTIFICATE, agents->credentials[index]);
    gnutls_session_set_verify_cert(agent->session, "localhost", 0);
    gnutls_transport_set_int(agent->session, agent->sock);
    if (connect(agent->sock, (struct sockaddr *)&agents->controller, sizeof(own)) != 0 &&
        errno != EINPROGRESS) {
        fail(agents, agent, "connect", 0);
        return;
    }
    agent->state = AGENT_CONNECTING;
    watch(agents, index, EPOLLIN | EPOLLOUT | EPOLLET, EPOLL_CTL_ADD);
}

static size_t write_report(const struct agent *agent, uint32_t event_count, char *out, size_t room)
{
    size_t length = (size_t)snprintf(out, room,
        "{\"agent\":\"x\",\"version\":0,\"devices\":[{\"name\":\"mrc0\",\"address\":\"%s\","
        "\"version\":0,\"open\":true,\"ports_down\":0,\"ports_ordered_down\":0,\"denied\":0}],"
        "\"events\":[",
        agent->address);

    for (uint32_t i = 0; i < event_count && length < room; i++)
        length += (size_t)snprintf(out + length, room - length,
            "%s{\"event\":\"ev\",\"device\":\"mrc0\",\"qpn\":17,\"ev\":%u,\"from\":\"good\","
            "\"to\":\"bad\",\"time_ms\":1}",
            i ? "," : "", i);
    must(length + 32 < room, "a report is too long");
    length += (size_t)snprintf(out + length, room - length, "],\"events_lost\":0}");
    return length;
}

static void send_more(struct agents *agents, struct agent *agent)
{
    while (agent->sent_bytes < agent->request_bytes) {
        ssize_t sent = gnutls_record_send(agent->session, agent->request + agent->sent_bytes,
            agent->request_bytes - agent->sent_bytes);

        if (sent == GNUTLS_E_AGAIN || sent == GNUTLS_E_INTERRUPTED)
            return;
        if (sent < 0) {
            fail(agents, agent, "send", sent);
            return;
        }
        agent->sent_bytes += (size_t)sent;
    }
    agent->state = AGENT_WAITING;
}

bool agents_report(struct agents *agents, uint32_t index, uint32_t event_count)
{
    struct agent *agent = &agents->list[index];
    char body[REQUEST_BYTES - 256];
    size_t length;

    if (agent->state != AGENT_IDLE)
        return false;
    length = write_report(agent, event_count, body, sizeof(body));
    agent->request_bytes = (size_t)snprintf(agent->request, REQUEST_BYTES,
        "POST /v1/report HTTP/1.1\r\nHost: localhost\r\nContent-Length: %zu\r\n\r\n%s", length,
        body);
    agent->sent_bytes = agent->answer_bytes = agent->answer_end = 0;
    agent->asked_ns = clock_ns();
    agent->state = AGENT_SENDING;
    send_more(agents, agent);
    return true;
}

/* Finds where the answer ends, as soon as its head is there. */
static void measure_answer(struct agent *agent)
{
    const char *end, *length;

    agent->head[agent->answer_bytes < sizeof(agent->head) ? agent->answer_bytes
                                                          : sizeof(agent->head) - 1] = '\0';
    end = strstr(agent->head, "\r\n\r\n");
    length = strstr(agent->head, "Content-Length: ");
    if (end && length)
        agent->answer_end = (size_t)(end + 4 - agent->head) +
                            strtoul(length + strlen("Content-Length: "), NULL, 10);
}

static void end_report(struct agents *agents, struct agent *agent)
{
    uint64_t took_ns = clock_ns() - agent->asked_ns;

    agents->reports++;
    agents->refused += strncmp(agent->head, "HTTP/1.1 200", 12) != 0;
    agents->longest_ns = took_ns > agents->longest_ns ? took_ns : agents->longest_ns;
    agent->state = AGENT_IDLE;
}

static void read_answer(struct agents *agents, struct agent *agent)
{
    char bytes[16384];

    for (;;) {
        ssize_t count = gnutls_record_recv(agent->session, bytes, sizeof(bytes));
        size_t kept = sizeof(agent->head) - 1 - agent->answer_bytes;

        if (count == GNUTLS_E_AGAIN)
            return;
        if (count == GNUTLS_E_INTERRUPTED || count == GNUTLS_E_REHANDSHAKE)
            continue;
        if (count <= 0) {
            fail(agents, agent, agent->state == AGENT_IDLE ? "idle" : "receive", count);
            return;
        }
        if (agent->answer_bytes < sizeof(agent->head) - 1)
            memcpy(agent->head + agent->answer_bytes, bytes,
                (size_t)count < kept ? (size_t)count : kept);
        agent->answer_bytes += (size_t)count;
        if (agent->answer_end == 0)
            measure_answer(agent);
        if (agent->answer_end > 0 && agent->answer_bytes >= agent->answer_end)
            end_report(agents, agent);
    }
}

static void shake_hands(struct agents *agents, struct agent *agent)
{
    int result = gnutls_handshake(agent->session);

    if (result == 0) {
        agents->connected++;
        agent->state = AGENT_IDLE;
    } else if (gnutls_error_is_fatal(result)) {
        fail(agents, agent, "handshake", result);
    }
}

static void serve_agent(struct agents *agents, struct agent *agent)
{
    if (agent->state == AGENT_CONNECTING)
        shake_hands(agents, agent);
    if (agent->state == AGENT_SENDING)
        send_more(agents, agent);
    if (agent->state == AGENT_IDLE || agent->state == AGENT_WAITING)
        read_answer(agents, agent);
}

void agents_serve(struct agents *agents, int wait_ms)
{
    struct epoll_event events[EVENTS_AT_ONCE];
    int count = epoll_wait(agents->epoll, events, EVENTS_AT_ONCE, wait_ms);

    for (int i = 0; i < count; i++)
        serve_agent(agents, &agents->list[events[i].data.u32]);
}
