/* SPDX-License-Identifier: Apache-2.0 */
/* Agents of a load test: each has a certificate, a TLS connection to a controller, and a NIC. */
#pragma once

#include <gnutls/gnutls.h>
#include <netinet/in.h>
#include <stdbool.h>
#include <stdint.h>

#include "ctl/ctl.h"

enum agent_state {
    AGENT_CONNECTING, /* TCP and TLS */
    AGENT_IDLE,
    AGENT_SENDING,
    AGENT_WAITING, /* for the answer */
    AGENT_FAILED,
};

struct agent {
    enum agent_state state;
    int sock;
    gnutls_session_t session;
    char address[INET6_ADDRSTRLEN]; /* of its NIC */
    char *request;
    size_t request_bytes;
    size_t sent_bytes;
    size_t answer_bytes; /* read so far */
    size_t answer_end;   /* of the whole answer; 0: not known yet */
    uint64_t asked_ns;   /* when the request began */
    char head[1024];     /* the beginning of the answer */
};

struct agents {
    gnutls_certificate_credentials_t *credentials; /* one for each agent */
    struct agent *list;
    uint32_t count;
    struct sockaddr_in controller;
    int epoll;
    uint32_t connected;
    uint32_t failed;
    uint64_t reports; /* answered */
    uint64_t refused; /* answered with another status than 200 */
    uint64_t longest_ns;
};

/* Makes a certificate for each agent with the authority of the folder. */
void agents_open(struct agents *, const struct ctl_folder *, const struct plan *, uint32_t count);
void agents_close(struct agents *);

/* Begins the connection of an agent. */
void agents_connect(struct agents *, uint32_t index);
/* Begins a report with this many events. Returns false if the agent is not idle. */
bool agents_report(struct agents *, uint32_t index, uint32_t event_count);
/* Serves connections for at most this time. */
void agents_serve(struct agents *, int wait_ms);
