/* SPDX-License-Identifier: Apache-2.0 */
/* The store of mrcd: what it keeps across crashes, losses of power, and full or read-only disks. */
#include "ctl/ctl_store.h"

#include <errno.h>
#include <sqlite3.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/prng.h"
#include "lossy_vfs.h"
#include "spec.h"

enum { ELEMENTS = 24, CHANGES = 40 };

struct world {
    char folder[64];
    char path[96];
    char reason[CTL_REASON_BYTES];
    struct ctl_store *store;
};

static void world_open(struct world *world, const char *vfs)
{
    *world = (struct world){ 0 };
    snprintf(world->folder, sizeof(world->folder), "/tmp/mrc-test-store-XXXXXX");
    EXPECT(mkdtemp(world->folder) != NULL);
    snprintf(world->path, sizeof(world->path), "%s/mrcd.db", world->folder);
    EXPECT_EQ(ctl_store_open(&world->store, world->path, vfs, world->reason), 0);
}

static void world_close(struct world *world)
{
    char command[128];

    ctl_store_close(world->store);
    snprintf(command, sizeof(command), "rm -rf %s", world->folder);
    EXPECT_EQ(system(command), 0);
}

static struct ctl_action action_on(const char *verb, const char *element)
{
    return (struct ctl_action){ .actor = "operator",
        .verb = verb,
        .element = element,
        .outcome = "done",
        .evidence = "{\"loss\": 1}" };
}

static int drain(struct ctl_store *store, const char *element)
{
    struct ctl_action action = action_on("drain", element);

    return ctl_store_drain(store, &action);
}

static int restore(struct ctl_store *store, const char *element)
{
    struct ctl_action action = action_on("restore", element);

    return ctl_store_restore(store, &action);
}

static size_t count_rows(json_t *rows)
{
    size_t count = json_array_size(rows);

    EXPECT(rows != NULL);
    json_decref(rows);
    return count;
}

SPEC("a drained element is listed until it is restored, and each change is logged")
{
    struct world world;
    json_t *rows;

    world_open(&world, NULL);
    EXPECT_EQ(drain(world.store, "p1.t1.7"), 0);
    EXPECT_EQ(drain(world.store, "p1.t1.7"), -EEXIST);
    EXPECT_EQ(drain(world.store, "p0.t1.1"), 0);
    EXPECT_EQ(ctl_store_version(world.store), 2);
    rows = ctl_store_denylist(world.store);
    EXPECT_EQ(json_array_size(rows), 2);
    EXPECT_EQ(json_integer_value(
                  json_object_get(json_object_get(json_array_get(rows, 0), "evidence"), "loss")),
        1);
    json_decref(rows);
    EXPECT_EQ(restore(world.store, "p1.t1.7"), 0);
    EXPECT_EQ(restore(world.store, "p1.t1.7"), -ENOENT);
    EXPECT_EQ(ctl_store_version(world.store), 3);
    EXPECT_EQ(count_rows(ctl_store_audit(world.store, -1)), 3);
    world_close(&world);
}

SPEC("the store of a newer version is refused, and left alone")
{
    struct world world;
    sqlite3 *db;

    world_open(&world, NULL);
    ctl_store_close(world.store);
    EXPECT_EQ(sqlite3_open(world.path, &db), SQLITE_OK);
    EXPECT_EQ(sqlite3_exec(db, "PRAGMA user_version = 99", NULL, NULL, NULL), SQLITE_OK);
    sqlite3_close(db);
    EXPECT_EQ(ctl_store_open(&world.store, world.path, NULL, world.reason), -EPROTO);
    EXPECT(strstr(world.reason, "newer") != NULL);
    EXPECT(world.store == NULL);
    world_close(&world);
}

SPEC("a file that is no store is refused with a reason")
{
    struct world world;
    FILE *file;

    world_open(&world, NULL);
    ctl_store_close(world.store);
    file = fopen(world.path, "w");
    for (int i = 0; i < 2000; i++)
        fputs("this is no database ", file);
    fclose(file);
    EXPECT(ctl_store_open(&world.store, world.path, NULL, world.reason) < 0);
    EXPECT(world.reason[0] != '\0');
    world_close(&world);
}

SPEC("orders and numbers of an agent are those stored last")
{
    struct world world;
    int64_t version;
    char *text;

    world_open(&world, NULL);
    EXPECT(ctl_store_orders(world.store, &version) == NULL);
    EXPECT_EQ(ctl_store_put_orders(world.store, 3, "{}"), 0);
    EXPECT_EQ(ctl_store_put_orders(world.store, 4, "{\"a\": 1}"), 0);
    text = ctl_store_orders(world.store, &version);
    EXPECT_STR_EQ(text, "{\"a\": 1}");
    EXPECT_EQ(version, 4);
    free(text);
    EXPECT_EQ(ctl_store_number(world.store, "ports mrc0"), 0);
    EXPECT_EQ(ctl_store_put_number(world.store, "ports mrc0", 5), 0);
    EXPECT_EQ(ctl_store_number(world.store, "ports mrc0"), 5);
    world_close(&world);
}

SPEC("an element has one open verdict, and history keeps those that ended")
{
    struct world world;
    struct ctl_verdict verdict = {
        .element = "p0.t0.1-t1.0", .text = "2 % loss", .evidence = "1", .confidence_ppm = 990000
    };

    world_open(&world, NULL);
    EXPECT_EQ(ctl_store_put_verdict(world.store, &verdict), 0);
    EXPECT_EQ(ctl_store_put_verdict(world.store, &verdict), 0);
    EXPECT_EQ(count_rows(ctl_store_verdicts(world.store, -1)), 1);
    EXPECT_EQ(ctl_store_end_verdict(world.store, verdict.element), 0);
    EXPECT_EQ(ctl_store_end_verdict(world.store, verdict.element), -ENOENT);
    EXPECT_EQ(ctl_store_put_verdict(world.store, &verdict), 0);
    EXPECT_EQ(count_rows(ctl_store_verdicts(world.store, -1)), 2);
    world_close(&world);
}

SPEC("events come after an id in ascending order, or are the newest")
{
    struct world world;
    struct ctl_event events[3] = { { "a", "h0", "ev", "{}", 5 }, { "a", "h1", "ev", "{}", 4 },
        { "b", "h2", "port", "{}", 3 } };
    json_t *rows;

    world_open(&world, NULL);
    EXPECT_EQ(ctl_store_add_events(world.store, events, 3), 0);
    rows = ctl_store_events(world.store, 1);
    EXPECT_EQ(json_array_size(rows), 2);
    EXPECT_STR_EQ(json_string_value(json_object_get(json_array_get(rows, 0), "device")), "h1");
    json_decref(rows);
    EXPECT_EQ(count_rows(ctl_store_events(world.store, -1)), 3);
    world_close(&world);
}

SPEC("a full disk refuses a change, and nothing is half done")
{
    struct world world;

    lossy_vfs_register();
    world_open(&world, LOSSY_VFS);
    EXPECT_EQ(drain(world.store, "p0.t1.0"), 0);
    lossy_vfs_fill(1);
    EXPECT_EQ(drain(world.store, "p0.t1.1"), -ENOSPC);
    EXPECT_EQ(restore(world.store, "p0.t1.0"), -ENOSPC);
    EXPECT_EQ(count_rows(ctl_store_denylist(world.store)), 1);
    EXPECT_EQ(ctl_store_version(world.store), 1);
    lossy_vfs_fill(0);
    EXPECT_EQ(drain(world.store, "p0.t1.1"), 0);
    EXPECT_EQ(ctl_store_version(world.store), 2);
    world_close(&world);
}

static bool is_listed(json_t *rows, const char *element)
{
    const json_t *row;
    size_t i;

    json_array_foreach(rows, i, row) if (strcmp(json_string_value(json_object_get(row, "element")),
                                             element) == 0) return true;
    return false;
}

/* What must be true after any loss of power: the changes that were reported as done are there, and
 * one that was under way is there as a whole or not at all. */
static void expect_whole(struct ctl_store *store, const bool *drained, int64_t version)
{
    json_t *rows = ctl_store_denylist(store);

    EXPECT_EQ(ctl_store_version(store), version);
    EXPECT_EQ(count_rows(ctl_store_audit(store, 0)), (size_t)version);
    for (uint32_t i = 0; i < ELEMENTS; i++) {
        char name[32];

        snprintf(name, sizeof(name), "p0.t1.%u", i);
        EXPECT_EQ(is_listed(rows, name), drained[i]);
    }
    json_decref(rows);
}

PROPERTY("after a loss of power, every change that was reported as done is there, in full", 30)
{
    struct prng prng = prng_stream(seed, 1);
    bool drained[ELEMENTS] = { false };
    struct world world;
    int64_t version = 0;

    lossy_vfs_register();
    world_open(&world, LOSSY_VFS);
    for (uint32_t i = 0; i < CHANGES; i++) {
        uint32_t at = prng_below(&prng, ELEMENTS);
        char name[32];
        int err;

        snprintf(name, sizeof(name), "p0.t1.%u", at);
        err = drained[at] ? restore(world.store, name) : drain(world.store, name);
        EXPECT_EQ(err, 0);
        drained[at] = !drained[at];
        version++;
        if (prng_below(&prng, 4) > 0)
            continue;
        lossy_vfs_cut(prng_next(&prng));
        ctl_store_close(world.store);
        EXPECT_EQ(ctl_store_open(&world.store, world.path, LOSSY_VFS, world.reason), 0);
        expect_whole(world.store, drained, version);
    }
    EXPECT_GT(lossy_vfs_syncs(), CHANGES);
    world_close(&world);
}

SPEC("a store that cannot be written is refused with a reason")
{
    struct world world;
    int status;
    pid_t child;

    world_open(&world, NULL);
    EXPECT_EQ(drain(world.store, "p0.t1.0"), 0);
    ctl_store_close(world.store);
    world.store = NULL;
    EXPECT_EQ(chmod(world.folder, 0555), 0);
    EXPECT_EQ(chmod(world.path, 0444), 0);
    fflush(stdout);
    child = fork();
    if (child == 0) {
        if (geteuid() == 0 && setuid(65534) != 0)
            _exit(1);
        _exit(ctl_store_open(&world.store, world.path, NULL, world.reason) < 0 && world.reason[0]
                  ? 0
                  : 1);
    }
    EXPECT_EQ(waitpid(child, &status, 0), child);
    EXPECT_EQ(status, 0);
    EXPECT_EQ(chmod(world.folder, 0755), 0);
    world_close(&world);
}
