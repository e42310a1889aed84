/* SPDX-License-Identifier: Apache-2.0 */
/* Versions of the controller interface. A program selects one by defining MRC_CTL_API_VER_USED (and
 * MRC_CTL_VENDOR_API_VER_USED) before it includes mrc_ctl.h; otherwise it gets the newest. */
#ifndef _MRC_CTL_API_VER_H_
#define _MRC_CTL_API_VER_H_

#define MRC_CTL_API_VER_MAJOR_OFFSET    24
#define MRC_CTL_API_VER_MINOR_OFFSET    16
#define MRC_CTL_API_VER_SUBMINOR_OFFSET 0

/* Unsigned, so that the top bit is not a sign, in #if as well. */
#define MRC_CTL_API_VER(major, minor, subminor)                                                    \
    (((major) + 0U) << MRC_CTL_API_VER_MAJOR_OFFSET |                                              \
        ((minor) + 0U) << MRC_CTL_API_VER_MINOR_OFFSET |                                           \
        ((subminor) + 0U) << MRC_CTL_API_VER_SUBMINOR_OFFSET)

#define MRC_CTL_API_VER_LATEST MRC_CTL_API_VER(0xFF, 0xFF, 0xFFFF) /* the newest version */

#define MRC_CTL_API_CURRENT_VERSION        MRC_CTL_API_VER(1, 0, 1)
#define MRC_CTL_API_LAST_SUPPORTED_VERSION MRC_CTL_API_VER(0, 0, 0)

#define MRC_CTL_VENDOR_API_CURRENT_VERSION        MRC_CTL_API_VER(1, 0, 0)
#define MRC_CTL_VENDOR_API_LAST_SUPPORTED_VERSION MRC_CTL_API_VER(0, 0, 0)

#ifndef MRC_CTL_API_VER_USED
#define MRC_CTL_API_VER_USED MRC_CTL_API_CURRENT_VERSION
#elif MRC_CTL_API_VER_USED == MRC_CTL_API_VER_LATEST
#undef MRC_CTL_API_VER_USED
#define MRC_CTL_API_VER_USED MRC_CTL_API_CURRENT_VERSION
#endif

#ifndef MRC_CTL_VENDOR_API_VER_USED
#define MRC_CTL_VENDOR_API_VER_USED MRC_CTL_VENDOR_API_CURRENT_VERSION
#elif MRC_CTL_VENDOR_API_VER_USED == MRC_CTL_API_VER_LATEST
#undef MRC_CTL_VENDOR_API_VER_USED
#define MRC_CTL_VENDOR_API_VER_USED MRC_CTL_VENDOR_API_CURRENT_VERSION
#endif

#if MRC_CTL_API_VER_USED > MRC_CTL_API_CURRENT_VERSION
#error "MRC_CTL_API_VER_USED asks for a newer mrc_ctl.h than this one"
#elif MRC_CTL_API_VER_USED < MRC_CTL_API_LAST_SUPPORTED_VERSION
#error "MRC_CTL_API_VER_USED asks for a version that mrc_ctl.h no longer supports"
#elif MRC_CTL_API_VER_USED == MRC_CTL_API_LAST_SUPPORTED_VERSION
#warning "MRC_CTL_API_VER_USED is the oldest version that mrc_ctl.h still supports"
#endif

#if MRC_CTL_VENDOR_API_VER_USED > MRC_CTL_VENDOR_API_CURRENT_VERSION
#error "MRC_CTL_VENDOR_API_VER_USED asks for a newer mrc_ctl.h than this one"
#elif MRC_CTL_VENDOR_API_VER_USED < MRC_CTL_VENDOR_API_LAST_SUPPORTED_VERSION
#error "MRC_CTL_VENDOR_API_VER_USED asks for a version that mrc_ctl.h no longer supports"
#elif MRC_CTL_VENDOR_API_VER_USED == MRC_CTL_VENDOR_API_LAST_SUPPORTED_VERSION
#warning "MRC_CTL_VENDOR_API_VER_USED is the oldest version that mrc_ctl.h still supports"
#endif

#endif
