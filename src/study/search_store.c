/* SPDX-License-Identifier: Apache-2.0 */
/* Names files by a hash of their inputs and of the program. */
#include "study/search_store.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

#include <sys/stat.h>
#include <unistd.h>

#include "pktio/pktio.h"
#include "result/result.h"

void search_store_path(
    const struct search_store *store, const char *name, char out[static SEARCH_STORE_REASON_BYTES])
{
    snprintf(out, SEARCH_STORE_REASON_BYTES, "%.3800s/%.200s", store->folder, name);
}

static bool fail_store(struct search_store *store, const char *path, int err)
{
    snprintf(store->reason, sizeof(store->reason), "%.3900s: %s", path, strerror(-err));
    return false;
}

static bool make_folder(struct search_store *store, const char *path)
{
    return mkdir(path, 0777) == 0 || errno == EEXIST || fail_store(store, path, -errno);
}

bool search_store_open(struct search_store *store, const char *folder)
{
    char runs[SEARCH_STORE_REASON_BYTES];
    char lock[SEARCH_STORE_REASON_BYTES];

    *store = (struct search_store){ .folder = folder, .lock = -1 };
    if (!folder)
        return true;
    store->maker = study_stored_maker(0);
    search_store_path(store, "runs", runs);
    search_store_path(store, ".lock", lock);
    if (!make_folder(store, folder) || !make_folder(store, runs))
        return false;
    store->lock = process_lock_try(lock);
    if (store->lock == -EBUSY) {
        snprintf(store->reason, sizeof(store->reason),
            "%.3900s: another mrc search writes to this folder", folder);
        return false;
    }
    return store->lock >= 0 || fail_store(store, lock, store->lock);
}

void search_store_close(struct search_store *store)
{
    char lock[SEARCH_STORE_REASON_BYTES];

    if (store->lock < 0)
        return;
    search_store_path(store, ".lock", lock);
    process_lock_remove(store->lock, lock);
}

/* ---- runs ------------------------------------------------------------------------------------ */

static void name_run(struct search_store *store, json_t *document, char *path)
{
    json_t *identity = json_pack(
        "[O,O]", json_object_get(document, "experiment"), json_object_get(document, "sweep"));
    char hash[JSON_HASH_BYTES];
    char name[JSON_HASH_BYTES + 16];

    json_hash(identity, hash);
    json_decref(identity);
    snprintf(name, sizeof(name), "runs/%s.json", hash);
    search_store_path(store, name, path);
}

json_t *search_store_find(struct search_store *store, const struct study_run *plan)
{
    json_t *wanted =
        store->folder ? study_stored_document(plan, &store->maker, json_object()) : NULL;
    char reason[STUDY_STORED_REASON_BYTES];
    char path[SEARCH_STORE_REASON_BYTES];
    json_t *document;
    json_t *run = NULL;

    if (!wanted)
        return NULL;
    name_run(store, wanted, path);
    json_decref(wanted);
    document = json_load_file(path, 0, NULL);
    if (document && study_stored_matches(document, plan, &store->maker, reason))
        run = json_incref(json_array_get(json_object_get(document, "runs"), 0));
    json_decref(document);
    store->found_count += run != NULL;
    return run;
}

bool search_store_keep(struct search_store *store, const struct study_run *plan, json_t *run)
{
    json_t *document;
    char path[SEARCH_STORE_REASON_BYTES];
    int err;

    if (!store->folder)
        return true;
    document = study_stored_document(plan, &store->maker, json_incref(run));
    name_run(store, document, path);
    err = result_document_write(document, path);
    json_decref(document);
    store->kept_count++;
    return err == 0 || fail_store(store, path, err);
}
