/* SPDX-License-Identifier: Apache-2.0 */
/* The numbers behind the names of mrc.h and mrc_ctl.h, and their signatures. */
#include "mrc.h"
#include "mrc_ctl.h"

#include <limits.h>
#include <stddef.h>
#include <string.h>

#include "spec.h"

struct value {
    const char *name;
    int64_t is;
    int64_t should_be;
};

#define VALUE(name, value)                                                                         \
    {                                                                                              \
#name, (int64_t)(name), (value)                                                            \
    }
#define EXPECT_VALUES(table)                                                                       \
    for (size_t i = 0; i < sizeof(table) / sizeof((table)[0]); i++)                                \
    SPEC_COMPARE((table)[i].is, ==, (table)[i].should_be, (table)[i].name)

SPEC("values of mrc.h are those of the interface")
{
    static const struct value table[] = {
        VALUE(MRC_MAX_VENDOR_CFG_SIZE, 128),
        VALUE(MRC_PROTOCOL_VERSION_0, 0),
        VALUE(MRC_PROTOCOL_VERSION_1, 1),
        VALUE(MRC_DEVICE_CAP_TRIM_NACK, 1),
        VALUE(MRC_DEVICE_CAP_DYNAMIC_MPR, 2),
        VALUE(MRC_DEVICE_CAP_SVC_TIME, 4),
        VALUE(MRC_QP_HINT_NUM_QPS_PER_PEER, 1),
        VALUE(MRC_QP_HINT_NUM_SEND_PEERS, 2),
        VALUE(MRC_QP_HINT_NUM_REMOTE_RECV_PEERS, 4),
        VALUE(MRC_QP_HINT_VENDOR_CFG, INT_MIN),
        VALUE(MRC_QP_MAX_WIMM, 1),
        VALUE(MRC_QP_MAX_WIMM_DEST, 2),
        VALUE(MRC_QP_MPR, 4),
        VALUE(MRC_QP_MPR_DEST, 8),
        VALUE(MRC_QP_TIMEOUT, 16),
        VALUE(MRC_QP_EV_PROFILE_ID, 32),
        VALUE(MRC_QP_CC_PROFILE_ID, 64),
        VALUE(MRC_QP_HINT, 128),
        VALUE(MRC_QP_RETRY_CNT, 256),
        VALUE(MRC_QP_CAP, 512),
        VALUE(MRC_QP_VENDOR_CFG, INT_MIN),
        VALUE(MRC_QP_CAP_TRIM_NACK_DEST_UNSUPPORTED, 1),
        VALUE(MRC_QP_CAP_DYNAMIC_MPR, 2),
        VALUE(MRC_QP_CAP_SVC_TIME_DEST_UNSUPPORTED, 4),
    };

    EXPECT_VALUES(table);
}

SPEC("values of mrc_ctl.h are those of the interface: devices and formats")
{
    static const struct value table[] = {
        VALUE(MRC_CTL_MAX_VENDOR_CFG_SIZE, 128),
        VALUE(MRC_CTL_EV_MAX_BYTES, 32),
        VALUE(MRC_CTL_PROTOCOL_VERSION_0, 0),
        VALUE(MRC_CTL_PROTOCOL_VERSION_1, 1),
        VALUE(MRC_CTL_PROFILE_INIT, 0),
        VALUE(MRC_CTL_PROFILE_OFFLINE, 1),
        VALUE(MRC_CTL_PROFILE_ONLINE, 2),
        VALUE(MRC_CTL_OPT_CAP_EV_PROFILE_MODIFY_ONLINE, 1),
        VALUE(MRC_CTL_OPT_CAP_CC_PROFILE_MODIFY_ONLINE, 2),
        VALUE(MRC_CTL_OPT_CAP_EV_EVENT, 4),
        VALUE(MRC_CTL_OPT_CAP_EV_EXPLICIT_RANGE, 8),
        VALUE(MRC_CTL_OPT_CAP_EV_EVENT_PRECISE_DROP_CNT, 16),
        VALUE(MRC_CTL_OPT_CAP_EP_OP_EV_PROBE, 32),
        VALUE(MRC_CTL_PORT_ADMIN_DISABLED, 0),
        VALUE(MRC_CTL_PORT_ADMIN_ENABLED, 1),
        VALUE(MRC_CTL_PORT_ADMIN_STATE, 1),
        VALUE(MRC_CTL_EV_FMT_MODE_STEV, 1),
        VALUE(MRC_CTL_EV_FMT_MODE_SRV6, 2),
        VALUE(MRC_CTL_EV_FMT_MODE_UDP, 4),
        VALUE(MRC_CTL_EV_FMT_OP_MODIFY_FIELDS, 0),
        VALUE(MRC_CTL_EV_FMT_OP_QUERY_FIELDS, 1),
        VALUE(MRC_CTL_EV_FMT_PROFILE_STATE, 1),
        VALUE(MRC_CTL_EV_FMT_PROFILE_CUR_STATE, 2),
        VALUE(MRC_CTL_EV_FMT_PROFILE_MODE, 4),
        VALUE(MRC_CTL_EV_FMT_PROFILE_OP, 8),
        VALUE(MRC_CTL_EV_FMT_VENDOR_CFG, INT_MIN),
    };

    EXPECT_VALUES(table);
}

SPEC("values of mrc_ctl.h are those of the interface: profiles and endpoints")
{
    static const struct value table[] = {
        VALUE(MRC_CTL_EV_GOOD, 1),
        VALUE(MRC_CTL_EV_ASSUMED_BAD, 2),
        VALUE(MRC_CTL_EV_DENIED, 4),
        VALUE(MRC_CTL_EV_UNKNOWN, INT_MIN),
        VALUE(MRC_CTL_EV_MODE_AUTO, 1),
        VALUE(MRC_CTL_EV_MODE_EXP, 2),
        VALUE(MRC_CTL_EV_MODE_GEN, 4),
        VALUE(MRC_CTL_EV_OP_REPLACE_EV, 0),
        VALUE(MRC_CTL_EV_OP_MODIFY_EV_STATE, 1),
        VALUE(MRC_CTL_EV_OP_QUERY_EV_STATE, 2),
        VALUE(MRC_CTL_EV_OP_QUERY_EV_ARRAY, 3),
        VALUE(MRC_CTL_EV_OP_F_ALL_COPIES, 1),
        VALUE(MRC_CTL_EV_FIELDS_OP_MODIFY_FIELDS, 0),
        VALUE(MRC_CTL_EV_FIELDS_OP_QUERY_FIELDS, 1),
        VALUE(MRC_CTL_EV_PROFILE_STATE, 1),
        VALUE(MRC_CTL_EV_PROFILE_CUR_STATE, 2),
        VALUE(MRC_CTL_EV_PROFILE_MODE, 4),
        VALUE(MRC_CTL_EV_PROFILE_FMT_ID, 8),
        VALUE(MRC_CTL_EV_PROFILE_COUNT, 16),
        VALUE(MRC_CTL_EV_PROFILE_MIN_ACTIVE, 32),
        VALUE(MRC_CTL_EV_PROFILE_EVENT_MASK, 64),
        VALUE(MRC_CTL_EV_PROFILE_EV_OP, 128),
        VALUE(MRC_CTL_EV_PROFILE_EV_FIELDS_OP, 256),
        VALUE(MRC_CTL_EV_PROFILE_VENDOR_CFG, INT_MIN),
        VALUE(MRC_CTL_CC_PROFILE_STATE, 1),
        VALUE(MRC_CTL_CC_PROFILE_CUR_STATE, 2),
        VALUE(MRC_CTL_CC_PROFILE_ALGORITHM, 4),
        VALUE(MRC_CTL_CC_PROFILE_CONFIG, 8),
        VALUE(MRC_CTL_CC_PROFILE_VENDOR_CFG, INT_MIN),
        VALUE(MRC_CTL_EP_OP_EV_PROBE, 0),
        VALUE(MRC_CTL_EP_OP_PORT_STATUS_UPDATE, 1),
    };

    EXPECT_VALUES(table);
}

SPEC("a version has 8, 8 and 16 bits, and this one is 1.0.1")
{
    static const struct value table[] = {
        VALUE(MRC_API_VER(1, 2, 3), 0x01020003),
        VALUE(MRC_API_VER_LATEST, 0xffffffff),
        VALUE(MRC_API_CURRENT_VERSION, 0x01000001),
        VALUE(MRC_API_LAST_SUPPORTED_VERSION, 0),
        VALUE(MRC_API_VER_USED, 0x01000001),
        VALUE(MRC_VENDOR_API_CURRENT_VERSION, 0x01000000),
        VALUE(MRC_VENDOR_API_LAST_SUPPORTED_VERSION, 0),
        VALUE(MRC_VENDOR_API_VER_USED, 0x01000000),
        VALUE(MRC_CTL_API_VER(1, 2, 3), 0x01020003),
        VALUE(MRC_CTL_API_VER_LATEST, 0xffffffff),
        VALUE(MRC_CTL_API_CURRENT_VERSION, 0x01000001),
        VALUE(MRC_CTL_API_LAST_SUPPORTED_VERSION, 0),
        VALUE(MRC_CTL_API_VER_USED, 0x01000001),
        VALUE(MRC_CTL_VENDOR_API_CURRENT_VERSION, 0x01000000),
        VALUE(MRC_CTL_VENDOR_API_LAST_SUPPORTED_VERSION, 0),
        VALUE(MRC_CTL_VENDOR_API_VER_USED, 0x01000000),
        VALUE(MRC_API_VER_MAJOR_OFFSET, 24),
        VALUE(MRC_CTL_API_VER_MINOR_OFFSET, 16),
        VALUE(MRC_API_VER_SUBMINOR_OFFSET, 0),
    };

    EXPECT_VALUES(table);
}

SPEC("an unpopulated EV is all zero")
{
    struct mrc_ctl_ev unpopulated = MRC_CTL_EV_UNPOPULATED;
    static const struct mrc_ctl_ev zero;

    EXPECT_MEM_EQ(&unpopulated, &zero, sizeof(zero));
}
