/* SPDX-License-Identifier: Apache-2.0 */
/* Compares what came out of a switch with what should have come out, and reports differences. */
#pragma once

#include "conform/switch_bench.h"

/* Returns whether the frame came out of the right port. */
bool switch_expect_out(struct switch_bench *, const struct switch_shot *, const char *what);

void switch_expect_drop(struct switch_bench *, const struct switch_shot *, const char *what);

/* Returns the destination as it was sent, and without its first uSID. */
struct ipv6_addr switch_expect_sent(const struct switch_shot *);
struct ipv6_addr switch_expect_shifted(const struct switch_shot *);

void switch_expect_destination(
    struct switch_bench *, const struct switch_shot *, const struct ipv6_addr *wanted);

/* One less than it was sent with. */
void switch_expect_hop_limit(struct switch_bench *, const struct switch_shot *);

/* The bytes that came out are as sent, except for what switches change. */
void switch_expect_unchanged(struct switch_bench *, const struct switch_shot *);

/* ---- whole checks ---------------------------------------------------------------------------- */

/* Loads a frame for each pair of ports, as `change` makes it; NULL: as switch_bench_aim() does. */
void switch_expect_load(
    struct switch_bench *, void (*change)(const struct switch_bench *, struct switch_aim *));

/* Fires what is loaded, and has each shot judged. */
void switch_expect_each(
    struct switch_bench *, void (*judge)(struct switch_bench *, const struct switch_shot *));

/* Fires what is loaded, and expects that all of it is dropped. */
void switch_expect_drops(struct switch_bench *, const char *what);
