/* SPDX-License-Identifier: Apache-2.0 */
/* Tests api/record.c and api/folder.c: the stored state of a device, and the locks of its folder.
 */
#include "api/record.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "spec.h"

struct place {
    char path[64];
    struct folder folder;
};

static void start(struct place *place)
{
    snprintf(place->path, sizeof(place->path), "/tmp/api-test-XXXXXX");
    EXPECT(mkdtemp(place->path) != NULL);
    setenv("MRC_RUN_DIR", place->path, 1);
    EXPECT_EQ(folder_open(&place->folder, "mrc0"), 0);
}

static void stop(struct place *place)
{
    char command[128];

    folder_close(&place->folder);
    snprintf(command, sizeof(command), "rm -rf '%s'", place->path);
    EXPECT_EQ(system(command), 0);
}

static struct record_cc some_cc(uint64_t id)
{
    return (struct record_cc){
        .head = { .kind = RECORD_CC, .id = id, .state = 2 }, .is_nscc = 1, .vendor_cfg = { 1, 2, 3 }
    };
}

/* Saves a profile as record_load() returned it, with these contents. */
static void save_cc(struct place *place, uint64_t id)
{
    struct record_cc loaded;
    struct record_cc record = some_cc(id);

    EXPECT_EQ(record_load(&place->folder, RECORD_CC, id, &loaded), 0);
    record.head.magic = loaded.head.magic;
    EXPECT_EQ(record_save(&place->folder, &record.head), 0);
}

SPEC("a record that was never saved is all zero and in state INIT")
{
    struct record_cc record;
    struct place place;

    start(&place);
    memset(&record, 0x5a, sizeof(record));
    EXPECT_EQ(record_load(&place.folder, RECORD_CC, 7, &record), 0);
    EXPECT_EQ(record.head.state, MRC_CTL_PROFILE_INIT);
    EXPECT_EQ(record.head.id, 7);
    EXPECT_EQ(record.is_nscc, 0);
    stop(&place);
}

SPEC("a saved record is loaded with its contents, and state INIT removes it")
{
    struct record_cc record;
    struct record_cc wanted = some_cc(0x1f);
    struct place place;

    start(&place);
    save_cc(&place, 0x1f);
    EXPECT_EQ(record_load(&place.folder, RECORD_CC, 0x1f, &record), 0);
    EXPECT_EQ(record.head.state, 2);
    EXPECT_EQ(record.is_nscc, 1);
    EXPECT_MEM_EQ(record.vendor_cfg, wanted.vendor_cfg, sizeof(record.vendor_cfg));
    EXPECT_EQ(faccessat(place.folder.fd, "cc.1f", R_OK, 0), 0);
    EXPECT_NE(faccessat(place.folder.fd, "cc.1f.new", F_OK, 0), 0);
    record.head.state = MRC_CTL_PROFILE_INIT;
    EXPECT_EQ(record_save(&place.folder, &record.head), 0);
    EXPECT_NE(faccessat(place.folder.fd, "cc.1f", F_OK, 0), 0);
    stop(&place);
}

SPEC("an EV record takes the room of its entries only")
{
    static struct record_ev record;
    static struct record_ev again;
    struct place place;

    start(&place);
    EXPECT_EQ(record_load(&place.folder, RECORD_EV, 1, &record), 0);
    record.head.state = 2;
    record.count = 3;
    record.entries[2].state = 9;
    EXPECT_EQ(record_save(&place.folder, &record.head), 0);
    EXPECT_EQ(record.head.length_bytes,
        offsetof(struct record_ev, entries) + 3 * sizeof(struct record_ev_entry));
    EXPECT_EQ(record_load(&place.folder, RECORD_EV, 1, &again), 0);
    EXPECT_EQ(again.count, 3);
    EXPECT_EQ(again.entries[2].state, 9);
    stop(&place);
}

SPEC("a file that is truncated, too long, or of another kind or id is refused")
{
    struct record_cc record;
    struct place place;
    int fd;

    start(&place);
    save_cc(&place, 5);
    EXPECT_EQ(renameat(place.folder.fd, "cc.5", place.folder.fd, "cc.6"), 0);
    EXPECT_EQ(record_load(&place.folder, RECORD_CC, 6, &record), -EIO);
    EXPECT_EQ(renameat(place.folder.fd, "cc.6", place.folder.fd, "cc.5"), 0);
    EXPECT_EQ(record_load(&place.folder, RECORD_CC, 5, &record), 0);
    fd = openat(place.folder.fd, "cc.5", O_WRONLY | O_CLOEXEC);
    EXPECT_EQ(ftruncate(fd, sizeof(record) - 1), 0);
    EXPECT_EQ(record_load(&place.folder, RECORD_CC, 5, &record), -EIO);
    EXPECT_EQ(ftruncate(fd, 3), 0);
    EXPECT_EQ(record_load(&place.folder, RECORD_CC, 5, &record), -EIO);
    close(fd);
    EXPECT_EQ(renameat(place.folder.fd, "cc.5", place.folder.fd, "fmt.5"), 0);
    EXPECT_EQ(record_load(&place.folder, RECORD_FMT, 5, &(struct record_fmt){ 0 }), -EIO);
    stop(&place);
}

static int add_id(void *context, const struct folder *folder, uint64_t id)
{
    uint64_t *sum = context;

    (void)folder;
    *sum += id;
    return id == 99;
}

SPEC("a visit sees the records of one kind, without locks and other kinds")
{
    struct place place;
    uint64_t sum = 0;
    int lock;

    start(&place);
    save_cc(&place, 0x10);
    save_cc(&place, 0x20);
    lock = folder_try_lock(&place.folder, "cc.10.use", FOLDER_LOCK_SHARED);
    EXPECT_GE(lock, 0);
    EXPECT_EQ(record_each(&place.folder, RECORD_CC, add_id, &sum), 0);
    EXPECT_EQ(sum, 0x30);
    EXPECT_EQ(record_each(&place.folder, RECORD_EV, add_id, &sum), 0);
    EXPECT_EQ(sum, 0x30);
    save_cc(&place, 99);
    EXPECT_EQ(record_each(&place.folder, RECORD_CC, add_id, &sum), 1);
    close(lock);
    stop(&place);
}

SPEC("a name begins with a letter and has letters, digits, '-' and '_'")
{
    static const char *const bad[] = { "", "0mrc", "-a", "a/b", "..", "a b", "a.b",
        "abcdefghijklmnopqrstuvwxyzabcdefghijklmnopqrstuvwxyzabcdefghijklmnopqrstuvwxyz" };
    struct folder folder;
    struct place place;

    start(&place);
    EXPECT(folder_name_is_valid("mrc0"));
    EXPECT(folder_name_is_valid("a-B_9"));
    for (size_t i = 0; i < sizeof(bad) / sizeof(bad[0]); i++) {
        EXPECT(!folder_name_is_valid(bad[i]));
        EXPECT_EQ(folder_open(&folder, bad[i]), -EINVAL);
    }
    stop(&place);
}

SPEC("shared locks do not exclude each other, and an exclusive lock excludes all")
{
    struct place place;
    int first;
    int second;

    start(&place);
    first = folder_try_lock(&place.folder, "lock", FOLDER_LOCK_SHARED);
    second = folder_try_lock(&place.folder, "lock", FOLDER_LOCK_SHARED);
    EXPECT_GE(first, 0);
    EXPECT_GE(second, 0);
    EXPECT_EQ(folder_try_lock(&place.folder, "lock", FOLDER_LOCK_EXCLUSIVE), -EBUSY);
    close(first);
    close(second);
    first = folder_lock(&place.folder, "lock");
    EXPECT_GE(first, 0);
    EXPECT_EQ(folder_try_lock(&place.folder, "lock", FOLDER_LOCK_SHARED), -EBUSY);
    close(first);
    stop(&place);
}

SPEC("the creator of a folder may change it")
{
    struct place place;

    start(&place);
    EXPECT_EQ(folder_check_privilege(&place.folder), 0);
    stop(&place);
}
