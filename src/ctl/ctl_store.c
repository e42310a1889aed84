/* SPDX-License-Identifier: Apache-2.0 */
/* The store of mrcd. Times of day are for readers only: rows are ordered by their ids, so that a
 * clock that jumps changes nothing. */
#include "ctl/ctl_store.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "ctl/ctl_clock.h"
#include "ctl/ctl_schema.h"
#include "ctl/ctl_sql.h"

#define BUSY_MS 2000

struct ctl_store {
    sqlite3 *db;
};

static int end_change(struct ctl_store *store, int err)
{
    int committed = err ? err : ctl_sql_script(store->db, "COMMIT");

    if (committed)
        sqlite3_exec(store->db, "ROLLBACK", NULL, NULL, NULL);
    return committed;
}

static int migrate(struct ctl_store *store, char reason[static CTL_REASON_BYTES])
{
    int version = (int)ctl_sql_number(store->db, "PRAGMA user_version", -1);
    int err = 0;

    if (version > CTL_SCHEMA_VERSION) {
        snprintf(reason, CTL_REASON_BYTES,
            "a newer mrcd wrote it (schema %d, this one knows %d); install that version", version,
            CTL_SCHEMA_VERSION);
        return -EPROTO;
    }
    while (version < CTL_SCHEMA_VERSION && !err) {
        char set[64];

        snprintf(set, sizeof(set), "PRAGMA user_version = %d", version + 1);
        err = ctl_sql_script(store->db, "BEGIN IMMEDIATE");
        if (!err)
            err = ctl_sql_script(store->db, ctl_schema[version]);
        if (!err)
            err = ctl_sql_script(store->db, set);
        err = end_change(store, err);
        version++;
    }
    if (err)
        snprintf(reason, CTL_REASON_BYTES, "%s", sqlite3_errmsg(store->db));
    return err;
}

/* FULL: a change that is reported as done survives a loss of power. */
static int prepare_file(struct ctl_store *store, char reason[static CTL_REASON_BYTES])
{
    int err;

    sqlite3_busy_timeout(store->db, BUSY_MS);
    err = ctl_sql_script(store->db, "PRAGMA journal_mode = WAL; PRAGMA synchronous = FULL;"
                                    "PRAGMA trusted_schema = OFF; PRAGMA secure_delete = OFF");
    if (!err)
        err = migrate(store, reason);
    else
        snprintf(reason, CTL_REASON_BYTES, "%s", sqlite3_errmsg(store->db));
    return err;
}

int ctl_store_open(
    struct ctl_store **out, const char *path, const char *vfs, char reason[static CTL_REASON_BYTES])
{
    struct ctl_store *store = calloc(1, sizeof(*store));
    int result;
    int err;

    *out = NULL;
    if (!store)
        return -ENOMEM;
    result = sqlite3_open_v2(
        path, &store->db, SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE | SQLITE_OPEN_NOMUTEX, vfs);
    err = ctl_sql_errno(result);
    if (err)
        snprintf(reason, CTL_REASON_BYTES, "%s", sqlite3_errmsg(store->db));
    else
        err = prepare_file(store, reason);
    if (err) {
        ctl_store_close(store);
        return err;
    }
    *out = store;
    return 0;
}

void ctl_store_close(struct ctl_store *store)
{
    if (!store)
        return;
    sqlite3_close(store->db);
    free(store);
}

/* ---- changes --------------------------------------------------------------------------------- */

static int log_action(struct ctl_store *store, const struct ctl_action *action)
{
    int err = ctl_sql_run(store->db,
        "INSERT INTO audit (time_ms, actor, verb, element, outcome, reason, evidence)"
        " VALUES (?, ?, ?, ?, ?, ?, ?)",
        "issssss", ctl_clock_day_ms(), action->actor, action->verb, action->element,
        action->outcome, action->reason, action->evidence);

    return err ? err
               : ctl_sql_run(store->db, "DELETE FROM audit WHERE id <= ?", "i",
                     (int64_t)sqlite3_last_insert_rowid(store->db) - CTL_EVENTS_KEPT);
}

static int finish_change(struct ctl_store *store, const struct ctl_action *action, int err)
{
    if (!err)
        err = ctl_sql_run(
            store->db, "UPDATE numbers SET value = value + 1 WHERE name = 'denylist_version'", "");
    if (!err)
        err = log_action(store, action);
    return end_change(store, err);
}

int ctl_store_drain(struct ctl_store *store, const struct ctl_action *action)
{
    int err = ctl_sql_script(store->db, "BEGIN IMMEDIATE");

    if (err)
        return err;
    err = ctl_sql_run(store->db, "INSERT INTO denylist VALUES (?, ?, ?, ?, ?)", "sisss",
        action->element, ctl_clock_day_ms(), action->actor, action->reason, action->evidence);
    return finish_change(store, action, err);
}

int ctl_store_restore(struct ctl_store *store, const struct ctl_action *action)
{
    int err = ctl_sql_script(store->db, "BEGIN IMMEDIATE");

    if (err)
        return err;
    err = ctl_sql_run(store->db, "DELETE FROM denylist WHERE element = ?", "s", action->element);
    if (!err && sqlite3_changes(store->db) == 0)
        err = -ENOENT;
    return finish_change(store, action, err);
}

int ctl_store_take_over(struct ctl_store *store, const struct ctl_action *action)
{
    int err = ctl_sql_script(store->db, "BEGIN IMMEDIATE");

    if (err)
        return err;
    err = ctl_sql_run(store->db,
        "UPDATE denylist SET actor = ?, reason = ?, evidence = ? WHERE element = ?", "ssss",
        action->actor, action->reason, action->evidence, action->element);
    if (!err && sqlite3_changes(store->db) == 0)
        err = -ENOENT;
    return finish_change(store, action, err);
}

int64_t ctl_store_version(struct ctl_store *store)
{
    return ctl_sql_number(
        store->db, "SELECT value FROM numbers WHERE name = 'denylist_version'", -1);
}

int ctl_store_note(struct ctl_store *store, const struct ctl_action *action)
{
    int err = ctl_sql_script(store->db, "BEGIN IMMEDIATE");

    return err ? err : end_change(store, log_action(store, action));
}

int ctl_store_add_events(struct ctl_store *store, const struct ctl_event *events, uint32_t count)
{
    static const char insert[] =
        "INSERT INTO events (time_ms, agent, device, kind, evidence) VALUES (?, ?, ?, ?, ?)";
    sqlite3_stmt *statement = NULL;
    int err = ctl_sql_script(store->db, "BEGIN IMMEDIATE");

    if (err)
        return err;
    err = ctl_sql_errno(sqlite3_prepare_v2(store->db, insert, -1, &statement, NULL));
    for (uint32_t i = 0; i < count && !err; i++)
        err = ctl_sql_repeat(statement, "issss", events[i].time_ms, events[i].agent,
            events[i].device, events[i].kind, events[i].text);
    sqlite3_finalize(statement);
    if (!err)
        err = ctl_sql_run(store->db, "DELETE FROM events WHERE id <= ?", "i",
            (int64_t)sqlite3_last_insert_rowid(store->db) - CTL_EVENTS_KEPT);
    return end_change(store, err);
}

int ctl_store_put_verdict(struct ctl_store *store, const struct ctl_verdict *verdict)
{
    return ctl_sql_run(store->db,
        "INSERT INTO verdicts (element, text, confidence_ppm, since_ms, evidence)"
        " VALUES (?, ?, ?, ?, ?) ON CONFLICT (element) WHERE until_ms IS NULL DO UPDATE SET"
        " text = excluded.text, confidence_ppm = excluded.confidence_ppm,"
        " evidence = excluded.evidence",
        "ssiis", verdict->element, verdict->text, verdict->confidence_ppm,
        verdict->since_ms ? verdict->since_ms : ctl_clock_day_ms(), verdict->evidence);
}

int ctl_store_end_verdict(struct ctl_store *store, const char *element)
{
    int err = ctl_sql_run(store->db,
        "UPDATE verdicts SET until_ms = ? WHERE element = ? AND until_ms IS NULL", "is",
        ctl_clock_day_ms(), element);

    return err || sqlite3_changes(store->db) > 0 ? err : -ENOENT;
}

int ctl_store_put_orders(struct ctl_store *store, int64_t version, const char *text)
{
    return ctl_sql_run(
        store->db, "INSERT OR REPLACE INTO orders VALUES (1, ?, ?)", "is", version, text);
}

char *ctl_store_orders(struct ctl_store *store, int64_t *version)
{
    json_t *rows = ctl_sql_rows(store->db, "SELECT version, text FROM orders", "");
    const json_t *row = json_array_get(rows, 0);
    const char *text = json_string_value(json_object_get(row, "text"));
    char *copy = text ? strdup(text) : NULL;

    *version = json_integer_value(json_object_get(row, "version"));
    json_decref(rows);
    return copy;
}

int ctl_store_put_number(struct ctl_store *store, const char *name, int64_t value)
{
    return ctl_sql_run(
        store->db, "INSERT OR REPLACE INTO numbers VALUES (?, ?)", "si", name, value);
}

int64_t ctl_store_number(struct ctl_store *store, const char *name)
{
    json_t *rows = ctl_sql_rows(store->db, "SELECT value FROM numbers WHERE name = ?", "s", name);
    int64_t value = json_integer_value(json_object_get(json_array_get(rows, 0), "value"));

    json_decref(rows);
    return value;
}

/* ---- queries --------------------------------------------------------------------------------- */

json_t *ctl_store_denylist(struct ctl_store *store)
{
    return ctl_sql_rows(store->db,
        "SELECT element, since_ms, actor, reason, evidence FROM denylist ORDER BY element", "");
}

/* `table` is one of ours. */
static json_t *list_rows(struct ctl_store *store, const char *table, int64_t after)
{
    char text[256];

    snprintf(text, sizeof(text),
        after < 0 ? "SELECT * FROM (SELECT * FROM %s WHERE id > ? ORDER BY id DESC LIMIT %d)"
                    " ORDER BY id"
                  : "SELECT * FROM %s WHERE id > ? ORDER BY id LIMIT %d",
        table, CTL_STORE_ROWS_MAX);
    return ctl_sql_rows(store->db, text, "i", after);
}

json_t *ctl_store_audit(struct ctl_store *store, int64_t after)
{
    return list_rows(store, "audit", after);
}

json_t *ctl_store_events(struct ctl_store *store, int64_t after)
{
    return list_rows(store, "events", after);
}

json_t *ctl_store_verdicts(struct ctl_store *store, int64_t after)
{
    return list_rows(store, "verdicts", after);
}

json_t *ctl_store_open_verdicts(struct ctl_store *store)
{
    return ctl_sql_rows(store->db, "SELECT * FROM verdicts WHERE until_ms IS NULL ORDER BY id", "");
}

json_t *ctl_store_changes(struct ctl_store *store)
{
    return ctl_sql_rows(store->db,
        "SELECT * FROM audit WHERE outcome = 'done' ORDER BY id DESC LIMIT ?", "i",
        (int64_t)CTL_STORE_ROWS_MAX);
}
