/* SPDX-License-Identifier: Apache-2.0 */
/* Joins store, controller, agent and servers, and runs them in one thread. */
#include "ctl/ctl_daemon.h"

#include <errno.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "ctl/ctl_agent.h"
#include "ctl/ctl_clock.h"
#include "ctl/ctl_dashboard.h"
#include "ctl/ctl_descriptors.h"
#include "ctl/ctl_link.h"
#include "ctl/ctl_loop.h"
#include "ctl/ctl_notify.h"
#include "ctl/ctl_revoked.h"

#define TICK_MS           100
#define AGENT_CONNECTIONS 24576 /* two for each agent, and some */
#define OTHER_DESCRIPTORS 512   /* operators, store, devices */
#define AGENT_BODY_BYTES  (2u << 20)
#define REVOKED_MS        1000       /* between looks for revoked certificates */
#define STREAM_BYTES      (8u << 20) /* several samples of a large fabric */

struct daemon {
    struct ctl_store *store;
    struct ctl_controller controller;
    struct ctl_agent agent;
    struct ctl_dashboard dashboard;
    struct http_server *operators;
    struct http_server *agents;
    char *token;
    struct http_tls tls;
    struct ctl_revoked revoked; /* what the server of agents has */
    uint64_t revoked_ms;
    char revoked_said[CTL_REASON_BYTES]; /* why it could not be read */
};

static int open_store(
    const struct ctl_folder *folder, struct ctl_store **store, char reason[static CTL_REASON_BYTES])
{
    char path[CTL_PATH_BYTES];
    char why[CTL_REASON_BYTES] = "";
    int err;

    ctl_folder_file(folder, "mrcd.db", path);
    err = ctl_store_open(store, path, NULL, why);
    if (err)
        snprintf(reason, CTL_REASON_BYTES, "%.200s: %.200s", path, why);
    return err;
}

static char *read_token(const struct ctl_folder *folder)
{
    char *token = ctl_folder_read(folder, "token");

    if (token)
        token[strcspn(token, "\r\n")] = '\0';
    return token;
}

static int write_url(const struct ctl_folder *folder, const char *name, const char *scheme,
    const char *address, const struct http_server *server)
{
    const char *host = address ? address : "127.0.0.1";
    bool is_v6 = strchr(host, ':');
    char url[128];

    snprintf(url, sizeof(url), "%s://%s%s%s:%u\n", scheme, is_v6 ? "[" : "", host, is_v6 ? "]" : "",
        http_server_port(server));
    return ctl_folder_write(folder, name, url);
}

static int open_operators(const struct ctl_folder *folder, struct daemon *daemon,
    const struct ctl_daemon_options *options, char reason[static CTL_REASON_BYTES])
{
    struct http_config config = { .address = options->address,
        .port = options->port,
        .token = daemon->token,
        .routes = ctl_operator_routes,
        .context = &daemon->controller,
        .stream_bytes_max = STREAM_BYTES };
    int err = http_server_open(&daemon->operators, &config);

    if (!err)
        err = write_url(folder, "url", "http", options->address, daemon->operators);
    if (err)
        snprintf(reason, CTL_REASON_BYTES, "cannot serve operators at %s port %u: %s",
            options->address ? options->address : "127.0.0.1", options->port, strerror(-err));
    return err;
}

/* Agents must leave descriptors to operators and to the store. */
static uint32_t agent_connections(void)
{
    uint32_t limit = ctl_descriptors_raise();

    if (limit >= AGENT_CONNECTIONS + OTHER_DESCRIPTORS)
        return AGENT_CONNECTIONS;
    return limit > 2 * OTHER_DESCRIPTORS ? limit - OTHER_DESCRIPTORS : limit / 2;
}

static int load_revoked(
    const struct ctl_folder *folder, struct daemon *daemon, char reason[static CTL_REASON_BYTES])
{
    struct ctl_revoked former = daemon->revoked;
    char *text;
    int err = ctl_revoked_read(&daemon->revoked, folder, &text, reason);

    if (text)
        err = http_server_revoke(daemon->agents, text);
    if (text && err) {
        daemon->revoked = former;
        snprintf(reason, CTL_REASON_BYTES, "%s/revoked: %s", folder->path, strerror(-err));
    }
    free(text);
    return err;
}

static int open_agents(const struct ctl_folder *folder, struct daemon *daemon,
    const struct ctl_daemon_options *options, char reason[static CTL_REASON_BYTES])
{
    struct http_config config = { .address = options->agents_address,
        .port = options->agents_port,
        .tls = &daemon->tls,
        .routes = ctl_agent_routes,
        .context = &daemon->controller,
        .connections_max = agent_connections(),
        .streams_max = AGENT_CONNECTIONS / 2,
        .body_bytes_max = AGENT_BODY_BYTES };
    int err;

    daemon->tls = (struct http_tls){ ctl_folder_read(folder, "controller.pem"),
        ctl_folder_read(folder, "controller-key.pem"), ctl_folder_read(folder, "ca.pem") };
    if (!daemon->tls.certificate || !daemon->tls.key || !daemon->tls.authority) {
        snprintf(reason, CTL_REASON_BYTES, "%s has no certificates; run 'mrcd init'", folder->path);
        return -ENOENT;
    }
    err = http_server_open(&daemon->agents, &config);
    if (!err)
        err = write_url(folder, "agents.url", "https", options->agents_address, daemon->agents);
    if (err)
        snprintf(reason, CTL_REASON_BYTES, "cannot serve agents at %s port %u: %s",
            options->agents_address, options->agents_port, strerror(-err));
    return err ? err : load_revoked(folder, daemon, reason);
}

/* A list that can no longer be read stays in force, and is complained of once. */
static void look_for_revoked(
    const struct ctl_folder *folder, struct daemon *daemon, uint64_t now_ms)
{
    char reason[CTL_REASON_BYTES] = "";

    if (!daemon->agents || now_ms - daemon->revoked_ms < REVOKED_MS)
        return;
    daemon->revoked_ms = now_ms;
    load_revoked(folder, daemon, reason);
    if (strcmp(reason, daemon->revoked_said) == 0)
        return;
    memcpy(daemon->revoked_said, reason, sizeof(reason));
    fprintf(stderr, "mrcd controller: %s\n",
        reason[0] ? reason : "the list of revoked certificates is read again");
}

static void daemon_close(struct daemon *daemon)
{
    http_server_close(daemon->operators);
    http_server_close(daemon->agents);
    ctl_dashboard_fini(&daemon->dashboard);
    ctl_controller_fini(&daemon->controller);
    ctl_agent_fini(&daemon->agent);
    ctl_store_close(daemon->store);
    free(daemon->token);
    free((char *)(size_t)daemon->tls.certificate);
    free((char *)(size_t)daemon->tls.key);
    free((char *)(size_t)daemon->tls.authority);
}

static int daemon_open(const struct ctl_folder *folder, const struct plan *plan,
    const struct ctl_daemon_options *options, struct daemon *daemon,
    char reason[static CTL_REASON_BYTES])
{
    struct ctl_limits limits = { .capacity_ppm = options->capacity_ppm };
    int err = open_store(folder, &daemon->store, reason);

    if (err)
        return err;
    daemon->token = read_token(folder);
    ctl_agent_init(&daemon->agent, daemon->store, options->agent_name);
    err = ctl_controller_init(&daemon->controller, plan, daemon->store, &limits, reason);
    daemon->controller.profiles = options->profiles;
    if (!err)
        err = ctl_loop_init(&daemon->controller, &options->map, &options->policy, reason);
    if (!err)
        ctl_prober_lend(&daemon->agent.prober, plan, daemon->controller.map.fabric_id);
    if (!err)
        err = ctl_dashboard_init(&daemon->dashboard, &daemon->controller, options->shown_fabric);
    daemon->controller.dashboard = &daemon->dashboard.dashboard;
    if (!err && options->agents_address)
        err = open_agents(folder, daemon, options, reason);
    if (!err)
        err = open_operators(folder, daemon, options, reason);
    daemon->controller.operators = daemon->operators;
    daemon->controller.agents = daemon->agents;
    return err;
}

/* The agent of this machine reports without a connection, through the same calls. */
static void serve_own_node(struct daemon *daemon, uint64_t now_ms)
{
    char reason[CTL_REASON_BYTES];
    json_t *report = ctl_agent_report(&daemon->agent);
    json_t *answer = ctl_controller_take_report(&daemon->controller, daemon->agent.name, report);

    ctl_agent_take_answer(&daemon->agent, answer, now_ms, reason);
    json_decref(answer);
    json_decref(report);
}

static void wait_for_requests(struct daemon *daemon, uint32_t wait_ms)
{
    struct pollfd fds[2] = { { .fd = http_server_fd(daemon->operators), .events = POLLIN },
        { .fd = daemon->agents ? http_server_fd(daemon->agents) : -1, .events = POLLIN } };

    poll(fds, 2, (int)wait_ms);
    http_server_poll(daemon->operators);
    if (daemon->agents)
        http_server_poll(daemon->agents);
}

int ctl_daemon_control(const struct ctl_folder *folder, const struct plan *plan,
    const struct ctl_daemon_options *options, char reason[static CTL_REASON_BYTES])
{
    struct daemon *daemon = calloc(1, sizeof(*daemon));
    uint64_t served_ms = 0;
    uint32_t wait_ms = 0;
    int err;

    if (!daemon)
        return -ENOMEM;
    err = daemon_open(folder, plan, options, daemon, reason);
    if (!err)
        ctl_notify_ready();
    while (!err && !*options->is_over) {
        uint64_t now_ms = ctl_clock_ms();
        int64_t version = daemon->controller.version;

        look_for_revoked(folder, daemon, now_ms);
        ctl_controller_tick(&daemon->controller, now_ms);
        wait_for_requests(daemon, wait_ms);
        ctl_dashboard_turn(&daemon->dashboard, daemon->operators);
        now_ms = ctl_clock_ms();
        wait_ms = options->is_local ? ctl_agent_tick(&daemon->agent, now_ms) : TICK_MS;
        wait_ms = wait_ms < TICK_MS ? wait_ms : TICK_MS;
        if (options->is_local &&
            (now_ms - served_ms >= TICK_MS || daemon->controller.version != version)) {
            served_ms = now_ms;
            serve_own_node(daemon, now_ms);
        }
    }
    daemon_close(daemon);
    free(daemon);
    return err;
}

int ctl_daemon_serve_node(const struct ctl_folder *folder, const struct ctl_daemon_options *options,
    char reason[static CTL_REASON_BYTES])
{
    struct ctl_agent *agent = calloc(1, sizeof(*agent));
    struct ctl_link link;
    struct ctl_store *store;
    char said[CTL_REASON_BYTES] = "";
    int err = agent ? open_store(folder, &store, reason) : -ENOMEM;

    if (err)
        goto free_agent;
    ctl_agent_init(agent, store, options->agent_name);
    err = ctl_link_open(&link, agent, folder, options->controller);
    if (!err)
        ctl_notify_ready();
    while (!err && !*options->is_over) {
        uint32_t wait_ms = ctl_agent_tick(agent, ctl_clock_ms());

        ctl_link_wait(&link, (int)(wait_ms < TICK_MS ? wait_ms : TICK_MS));
        if (strcmp(said, link.problem) != 0) {
            snprintf(said, sizeof(said), "%s", link.problem);
            fprintf(stderr, "mrcd agent: %s\n", said[0] ? said : "connected to its controller");
        }
    }
    ctl_link_close(&link);
    ctl_agent_fini(agent);
    ctl_store_close(store);
free_agent:
    free(agent);
    return err;
}
