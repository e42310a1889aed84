/* SPDX-License-Identifier: Apache-2.0 */
/* Congestion control profiles: an algorithm and its settings. */
#include <errno.h>
#include <string.h>
#include <unistd.h>

#include "api/profile.h"

#define KNOWN                                                                                      \
    (MRC_CTL_CC_PROFILE_STATE | MRC_CTL_CC_PROFILE_CUR_STATE | MRC_CTL_CC_PROFILE_ALGORITHM |      \
        MRC_CTL_CC_PROFILE_CONFIG | (uint32_t)MRC_CTL_CC_PROFILE_VENDOR_CFG)

#define BYTES_MAX 4e9f

/* Returns false for NaN, too. */
static bool is_within(float value, float most)
{
    return value >= 0 && value <= most;
}

static bool config_is_valid(const struct mrc_ctl_cc_nscc_cfg *config)
{
    const uint32_t second_ns = 1000000000;

    return config->disable_qa <= 1 && is_within(config->eta, BYTES_MAX) &&
           is_within(config->fi, BYTES_MAX) && is_within(config->fi_scale, 1000) &&
           is_within(config->gamma, 1) && is_within(config->max_md_jump, 1) &&
           config->base_rtt <= second_ns && config->target_delay <= second_ns &&
           config->adjust_period_threshold <= second_ns && config->qa_threshold <= second_ns;
}

static int take_attributes(
    struct record_cc *record, const struct mrc_ctl_cc_profile_attr *attr, uint32_t mask)
{
    if (record->head.state == MRC_CTL_PROFILE_INIT && !(mask & MRC_CTL_CC_PROFILE_ALGORITHM))
        return -EINVAL;
    if (mask & MRC_CTL_CC_PROFILE_ALGORITHM) {
        if (attr->algorithm && strcmp(attr->algorithm, PROFILE_NSCC) != 0)
            return -EINVAL;
        record->is_nscc = attr->algorithm != NULL;
        memset(&record->config, 0, sizeof(record->config));
    }
    if (mask & MRC_CTL_CC_PROFILE_CONFIG) {
        if (!record->is_nscc && attr->cc_config)
            return -EINVAL;
        if (record->is_nscc && !attr->cc_config)
            return -EINVAL;
        if (record->is_nscc)
            memcpy(&record->config, attr->cc_config, sizeof(record->config));
        if (!config_is_valid(&record->config))
            return -EINVAL;
    }
    if (mask & (uint32_t)MRC_CTL_CC_PROFILE_VENDOR_CFG)
        memcpy(record->vendor_cfg, attr->vendor_cfg, sizeof(record->vendor_cfg));
    return 0;
}

static int change_profile(const struct profile_store *store, uint64_t id,
    const struct mrc_ctl_cc_profile_attr *attr, uint32_t mask)
{
    const struct profile_change change = { .mask = mask,
        .state = (uint32_t)attr->profile_state,
        .cur_state = (uint32_t)attr->cur_profile_state,
        .known = KNOWN };
    struct record_cc record;
    uint32_t wanted;
    int err = record_load(&store->folder, RECORD_CC, id, &record);

    if (!err)
        err = profile_check_step(&change, record.head.state, &wanted);
    if (!err)
        err = take_attributes(&record, attr, mask);
    if (!err && record.head.state == MRC_CTL_PROFILE_INIT)
        err = profile_check_room(store, RECORD_CC, PROFILE_CC_MAX);
    if (!err && record.head.state == MRC_CTL_PROFILE_ONLINE &&
        profile_is_used(store, RECORD_CC, id))
        err = -EBUSY;
    if (err)
        return err;
    record.head.state = wanted;
    return record_save(&store->folder, &record.head);
}

int profile_cc_modify(const struct profile_store *store, uint64_t id,
    struct mrc_ctl_cc_profile_attr *attr, uint32_t mask)
{
    int lock = profile_begin_change(store);
    int err;

    if (lock < 0)
        return lock;
    err = id == PROFILE_DEFAULT_ID ? -EINVAL : change_profile(store, id, attr, mask);
    close(lock);
    return err;
}

int profile_cc_query(const struct profile_store *store, uint64_t id,
    struct mrc_ctl_cc_profile_attr *attr, uint32_t mask)
{
    /* cc_config points to a constant of the library, which is valid until the thread's next query.
     */
    static _Thread_local struct mrc_ctl_cc_nscc_cfg answer;
    struct record_cc record;
    int err = record_load(&store->folder, RECORD_CC, id, &record);

    if (err)
        return err;
    if (id == PROFILE_DEFAULT_ID) {
        record.head.state = MRC_CTL_PROFILE_ONLINE;
        record.is_nscc = 1;
    }
    if (mask == 0 || mask & ~KNOWN ||
        (record.head.state == MRC_CTL_PROFILE_INIT && mask != MRC_CTL_CC_PROFILE_STATE))
        return -EINVAL;
    if (mask & MRC_CTL_CC_PROFILE_STATE)
        attr->profile_state = (enum mrc_ctl_profile_state)record.head.state;
    if (mask & MRC_CTL_CC_PROFILE_CUR_STATE)
        attr->cur_profile_state = (enum mrc_ctl_profile_state)record.head.state;
    if (mask & MRC_CTL_CC_PROFILE_ALGORITHM)
        attr->algorithm = record.is_nscc ? PROFILE_NSCC : NULL;
    if (mask & MRC_CTL_CC_PROFILE_CONFIG) {
        answer = record.config;
        attr->cc_config = record.is_nscc ? &answer : NULL;
    }
    if (mask & (uint32_t)MRC_CTL_CC_PROFILE_VENDOR_CFG)
        memcpy(attr->vendor_cfg, record.vendor_cfg, sizeof(attr->vendor_cfg));
    return 0;
}
