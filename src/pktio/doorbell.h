/* SPDX-License-Identifier: Apache-2.0 */
/* Doorbells between processes that do not trust each other.
 *
 * A doorbell is an unnamed FIFO of which each side has an open file description of its own, so that
 * a flag that one side changes (such as O_NONBLOCK) does not affect the other side. (All users of
 * an eventfd share one description: a side that clears O_NONBLOCK makes the other side block.) Both
 * sides can read and write, so that ringing never raises SIGPIPE. A side that reads what was meant
 * for the other side can only lose or cause calls between these two. */
#pragma once

/* Opens a new doorbell: two descriptors, one for each side. Returns 0 or a negative errno. */
int doorbell_open(int sides[2]);

/* Reopens a descriptor that another process has sent, so that its flags are ours, and closes the
 * received one. Returns the new descriptor, or a negative errno: -EPROTO if it is not a doorbell.
 */
int doorbell_take(int received);

/* Never blocks: a doorbell that is full is already ringing. */
void doorbell_ring(int side);
/* Reads once. Afterwards an honest other side has to ring again. */
void doorbell_answer(int side);
