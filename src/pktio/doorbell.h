/* SPDX-License-Identifier: Apache-2.0 */
/* Doorbells between processes that do not trust each other.
 *
 * A doorbell is a FIFO without a name of which each side has an open file description of its own:
 * flags that one side changes, O_NONBLOCK above all, are its own. (An eventfd has one description
 * for all, and the side that clears O_NONBLOCK makes the other wait.) Both sides can read and
 * write, so that ringing never raises SIGPIPE. A side that reads what was meant for the other
 * misses or causes calls between the two, nothing else. */
#pragma once

/* Two descriptors of a new doorbell, one for each side. 0 or a negative errno. */
int doorbell_open(int sides[2]);

/* A descriptor that another process has sent, which is closed, becomes one with flags of our own.
 * Returns it, or a negative errno; -EPROTO: this is no doorbell. */
int doorbell_take(int received);

/* Never waits: a doorbell that is full rings already. */
void doorbell_ring(int side);
/* One read, after which an honest other side has to ring again. */
void doorbell_answer(int side);
