/* SPDX-License-Identifier: Apache-2.0 */
/* Profiles that QPs of this process use: created from the device's records and updated with them.
 */
#include <assert.h>
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "api/device.h"
#include "api/log.h"
#include "base/bytes.h"

struct profile_kind {
    enum record_kind record;
    size_t bytes;
    int (*load)(struct device *, struct device_profile *);
    void (*unload)(struct device_profile *);
};

static int take_use_lock(const struct device *device, enum record_kind kind, uint64_t id)
{
    char file[RECORD_FILE_BYTES];

    record_file(kind, id, ".use", file);
    return folder_try_lock(&device->store.folder, file, FOLDER_LOCK_SHARED);
}

/* Needs the folder's lock, so that no process takes the profile OFFLINE before we use it. */
static int load_locked(
    struct device *device, const struct profile_kind *kind, struct device_profile *profile)
{
    int lock = folder_lock(&device->store.folder, "lock");
    int err = lock < 0 ? lock : kind->load(device, profile);

    if (!err) {
        profile->use_lock = take_use_lock(device, kind->record, profile->id);
        if (profile->use_lock < 0) {
            err = profile->use_lock;
            kind->unload(profile);
        }
    }
    if (lock >= 0)
        close(lock);
    return err;
}

static int make_profile(struct device *device, const struct profile_kind *kind,
    struct device_profile **list, uint64_t id, struct device_profile **out)
{
    struct device_profile *profile = calloc(1, kind->bytes);
    int err = -ENOMEM;

    if (profile) {
        profile->id = id;
        err = load_locked(device, kind, profile);
    }
    if (err) {
        free(profile);
        return err;
    }
    profile->next = *list;
    *list = profile;
    *out = profile;
    return 0;
}

/* The default profile has no record: returns NULL. */
static int acquire_profile(struct device *device, const struct profile_kind *kind,
    struct device_profile **list, uint64_t id, struct device_profile **out)
{
    int err = 0;

    *out = NULL;
    if (id == PROFILE_DEFAULT_ID)
        return 0;
    *out = device_profile_find(*list, id);
    if (!*out)
        err = make_profile(device, kind, list, id, out);
    if (!err)
        (*out)->user_count++;
    return err;
}

static void release_profile(
    const struct profile_kind *kind, struct device_profile **list, struct device_profile *profile)
{
    if (--profile->user_count)
        return;
    while (*list != profile)
        list = &(*list)->next;
    *list = profile->next;
    kind->unload(profile);
    close(profile->use_lock);
    free(profile);
}

struct device_profile *device_profile_find(struct device_profile *list, uint64_t id)
{
    while (list && list->id != id)
        list = list->next;
    return list;
}

/* ---- entropy values -------------------------------------------------------------------------- */

/* UDP ports and structured EVs are carried unchanged; an SRv6 EV is carried as a number. */
static struct host_ev_entry make_entry(const struct device *device, const struct record_ev *record,
    const struct record_fmt *fmt, uint32_t index)
{
    const struct record_ev_entry *from = &record->entries[index];
    struct host_ev_entry entry = { .plane = (uint8_t)(from->ev.port - 1),
        .denied = from->state == MRC_CTL_EV_DENIED };
    mrc_ctl_ev_t expanded;

    ev_bits_expand(&fmt->format, &record->fields, from->ev.val, expanded);
    if (fmt->mode == MRC_CTL_EV_FMT_MODE_SRV6) {
        entry.ev = (uint32_t)entry.plane << 16 | index;
        memcpy(entry.addresses.destination.octets, expanded, 16);
        memcpy(entry.addresses.segment.octets, expanded + 16, 16);
    } else if (fmt->mode == MRC_CTL_EV_FMT_MODE_STEV) {
        entry.ev = bytes_get_be32(expanded);
    } else {
        struct ev_fields fields = { .source_port = (uint16_t)(expanded[0] << 8 | expanded[1]) };

        entry.ev = ev_join(&device->description.host.format, fields);
    }
    return entry;
}

static uint32_t address_count(const struct record_fmt *fmt)
{
    if (fmt->mode != MRC_CTL_EV_FMT_MODE_SRV6)
        return 0;
    return ev_bits_expanded_width(&fmt->format) > 128 ? 2 : 1;
}

static int make_host_profile(struct device *device, struct device_ev_profile *profile)
{
    const struct record_ev *record = &profile->record;
    struct host_ev_profile_config config = { .id = profile->shared.id,
        .address_count = address_count(&profile->fmt),
        .min_active = record->min_active,
        .event_mask = 1u << EV_GOOD | 1u << EV_ASSUMED_BAD,
        .entry_count = record->count };
    struct host_ev_entry *entries;
    int err;

    if (record->mode == MRC_CTL_EV_MODE_AUTO)
        return 0;
    entries = calloc(record->count, sizeof(*entries));
    if (!entries)
        return -ENOMEM;
    for (uint32_t i = 0; i < record->count; i++)
        entries[i] = make_entry(device, record, &profile->fmt, i);
    config.entries = entries;
    err = host_ev_profile_create(device->nic, &config, &profile->host);
    free(entries);
    return err;
}

static void start_seen(struct device *device, struct device_ev_profile *profile)
{
    char file[RECORD_FILE_BYTES];

    memset(profile->seen, MRC_CTL_EV_GOOD, sizeof(profile->seen));
    record_file(RECORD_EV, profile->shared.id, ".seen", file);
    profile->seen_fd =
        openat(device->store.folder.fd, file, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0644);
}

static int load_ev(struct device *device, struct device_profile *shared)
{
    struct device_ev_profile *profile = (struct device_ev_profile *)shared;
    int err = record_load(&device->store.folder, RECORD_EV, shared->id, &profile->record);

    if (!err && profile->record.head.state != MRC_CTL_PROFILE_ONLINE)
        err = -EINVAL;
    if (!err)
        err = profile_load_fmt_of(&device->store, &profile->record, &profile->fmt);
    if (!err)
        err = make_host_profile(device, profile);
    if (!err)
        start_seen(device, profile);
    return err;
}

static void unload_ev(struct device_profile *shared)
{
    struct device_ev_profile *profile = (struct device_ev_profile *)shared;

    if (profile->host)
        host_ev_profile_destroy(profile->host);
    if (profile->seen_fd >= 0)
        close(profile->seen_fd);
}

static const struct profile_kind ev_kind = { .record = RECORD_EV,
    .bytes = sizeof(struct device_ev_profile),
    .load = load_ev,
    .unload = unload_ev };

int device_ev_profile_acquire(struct device *device, uint64_t id, struct device_ev_profile **out)
{
    struct device_profile *shared;
    int err = acquire_profile(device, &ev_kind, &device->ev_profiles, id, &shared);

    *out = (struct device_ev_profile *)shared;
    return err;
}

void device_ev_profile_release(struct device *device, struct device_ev_profile *profile)
{
    if (profile)
        release_profile(&ev_kind, &device->ev_profiles, &profile->shared);
}

/* ---- following the records ------------------------------------------------------------------- */

static bool entry_differs(
    const struct record_ev_entry *a, const struct record_ev_entry *b, bool fields_differ)
{
    return fields_differ || memcmp(&a->ev, &b->ev, sizeof(a->ev)) != 0;
}

static void follow_record(
    struct device *device, struct device_ev_profile *profile, const struct record_ev *now)
{
    bool fields_differ = memcmp(&profile->record.fields, &now->fields, sizeof(now->fields)) != 0;

    if (now->head.state != MRC_CTL_PROFILE_ONLINE || now->count != profile->record.count)
        return; /* impossible while we hold the use lock */
    for (uint32_t i = 0; profile->host && i < now->count; i++) {
        const struct record_ev_entry *was = &profile->record.entries[i];
        const struct record_ev_entry *is = &now->entries[i];
        struct host_ev_entry entry = make_entry(device, now, &profile->fmt, i);
        int err = 0;

        if (entry_differs(was, is, fields_differ))
            err = host_ev_profile_replace(profile->host, i, &entry);
        if ((was->state == MRC_CTL_EV_DENIED) != entry.denied)
            err = host_ev_profile_deny(profile->host, i, entry.denied);
        if (err)
            log_line(LOG_WARN, "%s: EV profile %llx, entry %u: %s", device->description.name,
                (unsigned long long)profile->shared.id, i, strerror(-err));
    }
    profile->record = *now;
}

static void refresh_own(struct device *device)
{
    int err;
    struct record_ev *record = profile_load_ev(&device->store, PROFILE_DEFAULT_ID, &err);
    uint32_t evs[RECORD_EV_MAX];

    if (record) {
        for (uint32_t i = 0; i < record->count; i++)
            evs[i] = bytes_get_be32(record->entries[i].ev.val);
        err = host_ev_profile_deny_own(device->nic, evs, record->count);
    }
    if (err)
        log_line(LOG_WARN, "%s: the denied EVs of its own profile are not in force: %s",
            device->description.name, strerror(-err));
    free(record);
}

void device_refresh_profiles(struct device *device)
{
    bool is_ours = device->nic && !host_is_dead(device->nic);
    struct device_profile *profile = device->ev_profiles;

    if (is_ours)
        refresh_own(device);

    for (; is_ours && profile; profile = profile->next) {
        int err;
        struct record_ev *now = profile_load_ev(&device->store, profile->id, &err);

        if (now)
            follow_record(device, (struct device_ev_profile *)profile, now);
        free(now);
    }
}

/* ---- congestion control ---------------------------------------------------------------------- */

static uint32_t permille(float share)
{
    return (uint32_t)(share * 1000.0f + 0.5f);
}

static void apply_nscc(struct cc_settings *settings, const struct mrc_ctl_cc_nscc_cfg *config)
{
    settings->quick_adapt_off = config->disable_qa;
    settings->adjust_bytes = config->adjust_bytes_threshold;
    settings->adjust_period_ns = config->adjust_period_threshold;
    if (config->base_rtt)
        settings->base_rtt_ns = config->base_rtt;
    settings->eta_bytes = (uint32_t)config->eta;
    settings->fair_increase_bytes = (uint32_t)config->fi;
    settings->fast_scale_permille = permille(config->fi_scale);
    settings->gamma_permille = permille(config->gamma);
    settings->max_md_jump_permille = permille(config->max_md_jump);
    if (config->max_cwnd)
        settings->max_window_bytes = config->max_cwnd;
    settings->quick_adapt_gate = config->qa_gate;
    settings->quick_adapt_threshold_ns = config->qa_threshold;
    if (config->target_delay)
        settings->target_delay_ns = config->target_delay;
}

static int load_cc(struct device *device, struct device_profile *shared)
{
    struct device_cc_profile *profile = (struct device_cc_profile *)shared;
    struct cc_settings settings;
    struct record_cc record;
    int err = record_load(&device->store.folder, RECORD_CC, shared->id, &record);

    if (!err && record.head.state != MRC_CTL_PROFILE_ONLINE)
        err = -EINVAL;
    if (err)
        return err;
    host_cc_settings(device->nic, &settings);
    settings.algorithm = record.is_nscc ? "nscc" : "none";
    if (record.is_nscc)
        apply_nscc(&settings, &record.config);
    return host_cc_profile_create(device->nic, &settings, &profile->host);
}

static void unload_cc(struct device_profile *shared)
{
    host_cc_profile_destroy(((struct device_cc_profile *)shared)->host);
}

static const struct profile_kind cc_kind = { .record = RECORD_CC,
    .bytes = sizeof(struct device_cc_profile),
    .load = load_cc,
    .unload = unload_cc };

int device_cc_profile_acquire(struct device *device, uint64_t id, struct device_cc_profile **out)
{
    struct device_profile *shared;
    int err = acquire_profile(device, &cc_kind, &device->cc_profiles, id, &shared);

    *out = (struct device_cc_profile *)shared;
    return err;
}

void device_cc_profile_release(struct device *device, struct device_cc_profile *profile)
{
    if (profile)
        release_profile(&cc_kind, &device->cc_profiles, &profile->shared);
}
