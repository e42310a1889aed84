/* SPDX-License-Identifier: Apache-2.0 */
/* Sentences about a network: what happens between hosts, what goes wrong when, and what came of it.
 *
 * Nothing need be cleaned up: a scenario lasts until a dozen others have been begun. Hosts are
 * connected at first use. A violation that the network notices while a scenario runs fails the
 * test. */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "network.h"
#include "traffic.h"

#define NS(count)  ((uint64_t)(count)*1000)
#define US(count)  ((uint64_t)(count)*1000000)
#define MS(count)  ((uint64_t)(count)*1000000000)
#define KIB(count) ((uint32_t)(count)*1024)
#define MIB(count) ((uint32_t)(count)*1024 * 1024)
#define GBPS(rate) ((uint64_t)(rate)*1000000000)

enum {
    HOST_A,
    HOST_B,
    HOST_C,
    HOST_D,
};

struct scenario {
    struct network *network;
};

struct scenario scenario_two_planes(
    uint64_t seed); /* A and B, 2 planes of 8 paths, 2 x 100 Gb/s, 10 us */
struct scenario scenario_eight_planes(uint64_t seed); /* network_config_default(), lengths only */
/* Host A receives from `senders` others through one port of 100 Gb/s, 10 us, queue of 1.5 BDP. */
struct scenario scenario_incast(uint64_t seed, uint32_t senders);
struct scenario scenario_of(const struct network_config *);

/* ---- work ----------------------------------------------------------------------------------- */

uint32_t scenario_write(struct scenario *, uint32_t from, uint32_t to, uint32_t length_bytes);
uint32_t scenario_write_immediate(
    struct scenario *, uint32_t from, uint32_t to, uint32_t length_bytes);
/* Without end: writes of this size, `outstanding` posted at a time. */
void scenario_stream(
    struct scenario *, uint32_t from, uint32_t to, uint32_t length_bytes, uint32_t outstanding);

/* ---- faults, at a time from the beginning ---------------------------------------------------- */

void scenario_fail_plane(struct scenario *, uint32_t plane, uint64_t at_ps);
void scenario_fail_path(struct scenario *, uint32_t plane, uint32_t uplink, uint64_t at_ps);
void scenario_fail_way(struct scenario *, struct fault_where, uint64_t from_ps, uint64_t until_ps);
void scenario_fail_port(
    struct scenario *, uint32_t host, uint32_t port, uint64_t from_ps, uint64_t until_ps);
/* Now and from now on; the probability is a FAULT_PERMILLE() or the like. */
void scenario_lose(struct scenario *, struct fault_where, uint32_t probability);
void scenario_fault(struct scenario *, const struct fault_rule *);

/* Anything may happen until `until_ps`, by the seed; then the network is whole again. */
struct scenario_chaos {
    uint64_t until_ps;
    uint32_t faults_max;
    uint32_t spared_plane; /* FAULT_ANY: none. It stays up, and loses nothing but spared_loss */
    uint32_t spared_loss;  /* everywhere: a FAULT_PERMILLE() or 0 */
    bool ports;            /* NIC ports go down and up, too */
};
void scenario_chaos(struct scenario *, uint64_t seed, const struct scenario_chaos *);

/* ---- time ----------------------------------------------------------------------------------- */

void scenario_run_until(struct scenario *, uint64_t time_ps);
void scenario_run_for(struct scenario *, uint64_t duration_ps);
void scenario_run_until_idle(
    struct scenario *); /* fails the test after 100 s of the network's time */

/* ---- what came of it ------------------------------------------------------------------------ */

uint32_t scenario_completions(
    const struct scenario *, uint32_t host); /* successful, as requester */
uint32_t scenario_failures(const struct scenario *, uint32_t host);
uint32_t scenario_immediates(const struct scenario *, uint32_t host); /* received */
uint64_t scenario_counter(const struct scenario *, uint32_t host, enum counter);
uint64_t scenario_placed_bytes(const struct scenario *, uint32_t from, uint32_t to);
uint64_t scenario_host_ports_sum(const struct scenario *, uint32_t to, enum port_counter);
/* Largest and smallest number of first transmissions of a plane, apart. */
uint64_t scenario_plane_spread(const struct scenario *, uint32_t from, uint32_t to);
struct qp_status scenario_qp(const struct scenario *, uint32_t from, uint32_t to);
struct path_set *scenario_paths(const struct scenario *, uint32_t from, uint32_t to);

/* Runs on for `duration_ps` and returns the rate of payload placed meanwhile. */
uint64_t scenario_goodput_bps(struct scenario *, uint32_t from, uint32_t to, uint64_t duration_ps);
