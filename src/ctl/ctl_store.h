/* SPDX-License-Identifier: Apache-2.0 */
/* What a controller or an agent must not forget, in one SQLite file: the denylist, the audit log,
 * events, verdicts, and the last orders of an agent. A change and its entry in the audit log are
 * one transaction: after a crash or a loss of power both are there, or neither. Calls that change
 * something return 0 or a negative errno, as ctl_sql.h says; after an error nothing has changed. */
#pragma once

#include <jansson.h>
#include <stdbool.h>
#include <stdint.h>

#define CTL_REASON_BYTES   1024
#define CTL_EVENTS_KEPT    100000 /* older events and audit entries are removed */
#define CTL_STORE_ROWS_MAX 1000   /* of one query */

struct ctl_store;

/* An entry of the audit log. */
struct ctl_action {
    const char *actor;    /* operator, policy, or the name of an agent */
    const char *verb;     /* drain, restore, ... */
    const char *element;  /* p1.t1.7 */
    const char *outcome;  /* done, refused, dry_run */
    const char *reason;   /* of the actor, or of the refusal; NULL: none */
    const char *evidence; /* JSON; NULL: none */
};

struct ctl_event {
    const char *agent;
    const char *device;
    const char *kind; /* ev, port, qp, ... */
    const char *text; /* JSON, as the NIC reported it */
    int64_t time_ms;  /* of the agent's clock */
};

/* Opens or creates the file and brings its schema up to date. `vfs`: of SQLite; NULL: the usual
 * one. Returns 0 or a negative errno, and a reason: -EPROTO if a newer version has written the
 * file. */
int ctl_store_open(
    struct ctl_store **, const char *path, const char *vfs, char reason[static CTL_REASON_BYTES]);
void ctl_store_close(struct ctl_store *);

/* Puts an element on the denylist or takes it off, and logs the action. Each change increments the
 * version of the denylist. -EEXIST: it is drained already; -ENOENT: it is not. */
int ctl_store_drain(struct ctl_store *, const struct ctl_action *);
int ctl_store_restore(struct ctl_store *, const struct ctl_action *);
/* Makes a drain that is in force one of this actor, with this reason and evidence. */
int ctl_store_take_over(struct ctl_store *, const struct ctl_action *);
int64_t ctl_store_version(struct ctl_store *);

/* Logs an action that changed nothing. */
int ctl_store_note(struct ctl_store *, const struct ctl_action *);

/* Stores the events in one transaction. */
int ctl_store_add_events(struct ctl_store *, const struct ctl_event *, uint32_t count);

/* Opens a verdict on an element, or replaces the open one; ends the open one. */
struct ctl_verdict {
    const char *element;
    const char *text;
    const char *evidence; /* JSON */
    int64_t confidence_ppm;
    int64_t since_ms; /* when it began; 0: now. The first one of an open verdict stays */
};
int ctl_store_put_verdict(struct ctl_store *, const struct ctl_verdict *);
int ctl_store_end_verdict(struct ctl_store *, const char *element);

/* The last orders of an agent: a text. */
int ctl_store_put_orders(struct ctl_store *, int64_t version, const char *text);
/* Returns NULL if there are none; the caller frees the text. */
char *ctl_store_orders(struct ctl_store *, int64_t *version);

/* A number under a name, such as the ports of a device that an agent has disabled. 0 if it was
 * never stored. */
int ctl_store_put_number(struct ctl_store *, const char *name, int64_t value);
int64_t ctl_store_number(struct ctl_store *, const char *name);

/* Rows as arrays of objects, which the caller releases; NULL: an error. Rows with an id above
 * `after` come in ascending order, at most CTL_STORE_ROWS_MAX. With `after` < 0: the newest. */
json_t *ctl_store_denylist(struct ctl_store *);
json_t *ctl_store_audit(struct ctl_store *, int64_t after);
json_t *ctl_store_events(struct ctl_store *, int64_t after);
json_t *ctl_store_verdicts(struct ctl_store *, int64_t after);
json_t *ctl_store_open_verdicts(struct ctl_store *);
/* The newest changes that were made, of anybody, the newest first. */
json_t *ctl_store_changes(struct ctl_store *);
