/* SPDX-License-Identifier: Apache-2.0 */
/* Width and text form of EVs. */
#include "plan/plan_ev.h"

#include "base/scan.h"
#include "base/text.h"

uint32_t plan_ev_bits(uint32_t uplink_count)
{
    uint32_t bits = PLAN_EV_BITS_MIN;

    while (UINT64_C(1) << bits < uplink_count)
        bits++;
    return bits;
}

void plan_ev_name(struct ev_path path, char out[static PLAN_EV_NAME_BYTES])
{
    struct text text = text_in(out, PLAN_EV_NAME_BYTES);

    text_fill(&text, "p%/u%", (const uint64_t[]){ path.plane, path.uplink });
}

bool plan_ev_read(const char *text, struct ev_path *path)
{
    return scan_word(&text, "p") && scan_u32(&text, &path->plane) && scan_word(&text, "/u") &&
           scan_u32(&text, &path->uplink) && *text == '\0';
}

bool plan_ev_read_usual(const char *text, uint32_t *ev, uint32_t *plane)
{
    struct ev_path path;

    if (!plan_ev_read(text, &path) || path.uplink >> PLAN_EV_BITS_MIN)
        return false;
    *ev = plan_ev_join(PLAN_EV_BITS_MIN, path);
    *plane = path.plane;
    return true;
}
