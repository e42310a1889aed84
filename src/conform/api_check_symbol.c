/* SPDX-License-Identifier: Apache-2.0 */
/* Checks of the library itself: its symbols and versions. */
#include <string.h>

#include "conform/api_run.h"
#include "conform/api_suite.h"

struct call {
    const char *header;
    const char *name;
    size_t offset;
};

static const struct call calls[] = {
#define API_CALL(header, name) { header, "mrc_" #name, offsetof(struct api_calls, name) },
#include "conform/api_calls.def"
#undef API_CALL
};

static bool is_newer(const char *call)
{
    return strcmp(call, "mrc_query_device_ex") == 0 || strcmp(call, "mrc_ctl_query_device_ex") == 0;
}

static void expect_symbols(struct api_run *run, const char *header)
{
    for (size_t i = 0; i < sizeof(calls) / sizeof(calls[0]); i++) {
        const void *address;

        memcpy(&address, (const char *)&run->library->calls + calls[i].offset, sizeof(address));
        if (strcmp(calls[i].header, header) == 0 &&
            !(is_newer(calls[i].name) && api_run_lacks(run, API_VERSION_1_0_1)))
            api_run_expect(run, address, "the library has no %s", calls[i].name);
    }
}

void api_suite_symbols(struct api_run *run)
{
    expect_symbols(run, "mrc.h");
}

void api_suite_symbols_ctl(struct api_run *run)
{
    expect_symbols(run, "mrc_ctl.h");
}

struct versions {
    uint32_t current;
    uint32_t oldest;
    uint32_t vendor;
    uint32_t oldest_vendor;
};

static void expect_versions(struct api_run *run, const struct versions *versions)
{
    api_run_expect(run, versions->current >> MRC_API_VER_MAJOR_OFFSET == 1,
        "the version is 0x%08x, not 1.x", versions->current);
    api_run_expect(run, versions->oldest <= versions->current,
        "the oldest version, 0x%08x, is newer than the current one, 0x%08x", versions->oldest,
        versions->current);
    api_run_expect(run, versions->oldest_vendor <= versions->vendor,
        "the oldest version of the vendor, 0x%08x, is newer than the current one, 0x%08x",
        versions->oldest_vendor, versions->vendor);
    if (!api_run_lacks(run, API_VERSION_1_0_1))
        api_run_expect(run, versions->current >= MRC_API_VER(1, 0, 1),
            "the library has calls of version 1.0.1 and names version 0x%08x", versions->current);
}

void api_suite_version(struct api_run *run)
{
    struct versions versions = { .current = UINT32_MAX };

    API(run, query_version)
    (&versions.current, &versions.oldest, &versions.vendor, &versions.oldest_vendor);
    expect_versions(run, &versions);
    if (!api_run_lacks(run, API_NULL_CHECKS))
        API(run, query_version)(NULL, NULL, NULL, NULL);
}

void api_suite_version_ctl(struct api_run *run)
{
    struct versions versions = { .current = UINT32_MAX };

    API(run, ctl_query_version)
    (&versions.current, &versions.oldest, &versions.vendor, &versions.oldest_vendor);
    expect_versions(run, &versions);
    if (!api_run_lacks(run, API_NULL_CHECKS))
        API(run, ctl_query_version)(NULL, NULL, NULL, NULL);
}
