/* SPDX-License-Identifier: Apache-2.0 */
/* Fabrics are found by their folders and locks. */
#include "lab/fabric_list.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "pktio/pktio.h"
#include "spec.h"

static char found[128];

static void note(void *context, const struct fabric_list_entry *entry)
{
    (void)context;
    snprintf(found + strlen(found), sizeof(found) - strlen(found), "%s %d %d;", entry->name,
        (int)entry->kind, entry->is_running);
}

SPEC("a folder is a fabric while a process holds its lock")
{
    char root[] = "/tmp/fabric_list_test.XXXXXX";
    char folder[64];
    char path[80];
    int lock;

    EXPECT(mkdtemp(root));
    snprintf(folder, sizeof(folder), "%s/lab", root);
    snprintf(path, sizeof(path), "%s/lock", folder);
    EXPECT_EQ(mkdir(folder, 0700), 0);
    found[0] = '\0';
    fabric_list_visit(root, note, NULL);
    EXPECT_STR_EQ(found, "");
    lock = process_lock_try(path);
    EXPECT_GE(lock, 0);
    fabric_list_visit(root, note, NULL);
    EXPECT_STR_EQ(found, "lab 0 1;");
    process_lock_remove(lock, path);
    rmdir(folder);
    rmdir(root);
}

SPEC("a run folder that does not exist has no fabrics")
{
    found[0] = '\0';
    fabric_list_visit("/nonexistent", note, NULL);
    EXPECT_STR_EQ(found, "");
}
