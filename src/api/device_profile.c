/* SPDX-License-Identifier: Apache-2.0 */
/* Profiles that QPs of this process use: made from the device's records, kept in step with them. */
#include <assert.h>
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "api/device.h"
#include "api/log.h"
#include "base/bytes.h"

/* UDP ports and structured EVs travel as they are; an SRv6 EV by a number of its own. */
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
    struct host_ev_profile_config config = { .id = profile->id,
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

static int take_use_lock(const struct device *device, enum record_kind kind, uint64_t id)
{
    char file[RECORD_FILE_BYTES];

    record_file(kind, id, ".use", file);
    return folder_try_lock(&device->store.folder, file, FOLDER_LOCK_SHARED);
}

static void start_seen(struct device *device, struct device_ev_profile *profile)
{
    char file[RECORD_FILE_BYTES];

    memset(profile->seen, MRC_CTL_EV_GOOD, sizeof(profile->seen));
    record_file(RECORD_EV, profile->id, ".seen", file);
    profile->seen_fd =
        openat(device->store.folder.fd, file, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0644);
}

static int load_ev(struct device *device, struct device_ev_profile *profile)
{
    int err = record_load(&device->store.folder, RECORD_EV, profile->id, &profile->record);

    if (!err && profile->record.head.state != MRC_CTL_PROFILE_ONLINE)
        err = -EINVAL;
    if (!err)
        err = profile_load_fmt_of(&device->store, &profile->record, &profile->fmt);
    if (!err)
        err = make_host_profile(device, profile);
    if (err)
        return err;
    profile->use_lock = take_use_lock(device, RECORD_EV, profile->id);
    if (profile->use_lock >= 0) {
        start_seen(device, profile);
        return 0;
    }
    if (profile->host)
        host_ev_profile_destroy(profile->host);
    return profile->use_lock;
}

/* Under the folder's lock: nobody takes the profile OFFLINE between our look and our use. */
static int make_ev(struct device *device, uint64_t id, struct device_ev_profile **out)
{
    struct device_ev_profile *profile = calloc(1, sizeof(*profile));
    int lock = profile ? folder_lock(&device->store.folder, "lock") : -ENOMEM;
    int err;

    if (lock < 0) {
        free(profile);
        return lock;
    }
    profile->id = id;
    err = load_ev(device, profile);
    close(lock);
    if (err) {
        free(profile);
        return err;
    }
    profile->next = device->ev_profiles;
    device->ev_profiles = profile;
    *out = profile;
    return 0;
}

int device_ev_profile_acquire(struct device *device, uint64_t id, struct device_ev_profile **out)
{
    int err = 0;

    *out = NULL;
    if (id == PROFILE_DEFAULT_ID)
        return 0;
    for (*out = device->ev_profiles; *out && (*out)->id != id;)
        *out = (*out)->next;
    if (!*out)
        err = make_ev(device, id, out);
    if (!err)
        (*out)->user_count++;
    return err;
}

void device_ev_profile_release(struct device *device, struct device_ev_profile *profile)
{
    struct device_ev_profile **link = &device->ev_profiles;

    if (!profile || --profile->user_count)
        return;
    while (*link != profile)
        link = &(*link)->next;
    *link = profile->next;
    if (profile->host)
        host_ev_profile_destroy(profile->host);
    close(profile->use_lock);
    if (profile->seen_fd >= 0)
        close(profile->seen_fd);
    free(profile);
}

/* ---- following the records ------------------------------------------------------------------- */

static bool entry_differs(
    const struct record_ev_entry *a, const struct record_ev_entry *b, bool fields_differ)
{
    return fields_differ || memcmp(&a->ev, &b->ev, sizeof(a->ev)) != 0;
}

static void follow(
    struct device *device, struct device_ev_profile *profile, const struct record_ev *now)
{
    bool fields_differ = memcmp(&profile->record.fields, &now->fields, sizeof(now->fields)) != 0;

    if (now->head.state != MRC_CTL_PROFILE_ONLINE || now->count != profile->record.count)
        return; /* cannot be while we hold the use lock */
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
                (unsigned long long)profile->id, i, strerror(-err));
    }
    profile->record = *now;
}

void device_refresh_profiles(struct device *device)
{
    bool is_ours = device->nic && !host_is_dead(device->nic);
    struct device_ev_profile *profile = device->ev_profiles;

    for (; is_ours && profile; profile = profile->next) {
        int err;
        struct record_ev *now = profile_load_ev(&device->store, profile->id, &err);

        if (now)
            follow(device, profile, now);
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

static int load_cc(struct device *device, struct device_cc_profile *profile)
{
    struct cc_settings settings;
    struct record_cc record;
    int err = record_load(&device->store.folder, RECORD_CC, profile->id, &record);

    if (!err && record.head.state != MRC_CTL_PROFILE_ONLINE)
        err = -EINVAL;
    if (err)
        return err;
    host_cc_settings(device->nic, &settings);
    settings.algorithm = record.is_nscc ? "nscc" : "none";
    if (record.is_nscc)
        apply_nscc(&settings, &record.config);
    err = host_cc_profile_create(device->nic, &settings, &profile->host);
    if (err)
        return err;
    profile->use_lock = take_use_lock(device, RECORD_CC, profile->id);
    if (profile->use_lock >= 0)
        return 0;
    host_cc_profile_destroy(profile->host);
    return profile->use_lock;
}

static int make_cc(struct device *device, uint64_t id, struct device_cc_profile **out)
{
    struct device_cc_profile *profile = calloc(1, sizeof(*profile));
    int lock = profile ? folder_lock(&device->store.folder, "lock") : -ENOMEM;
    int err;

    if (lock < 0) {
        free(profile);
        return lock;
    }
    profile->id = id;
    err = load_cc(device, profile);
    close(lock);
    if (err) {
        free(profile);
        return err;
    }
    profile->next = device->cc_profiles;
    device->cc_profiles = profile;
    *out = profile;
    return 0;
}

int device_cc_profile_acquire(struct device *device, uint64_t id, struct device_cc_profile **out)
{
    int err = 0;

    *out = NULL;
    if (id == PROFILE_DEFAULT_ID)
        return 0;
    for (*out = device->cc_profiles; *out && (*out)->id != id;)
        *out = (*out)->next;
    if (!*out)
        err = make_cc(device, id, out);
    if (!err)
        (*out)->user_count++;
    return err;
}

void device_cc_profile_release(struct device *device, struct device_cc_profile *profile)
{
    struct device_cc_profile **link = &device->cc_profiles;

    if (!profile || --profile->user_count)
        return;
    while (*link != profile)
        link = &(*link)->next;
    *link = profile->next;
    host_cc_profile_destroy(profile->host);
    close(profile->use_lock);
    free(profile);
}
