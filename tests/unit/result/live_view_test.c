/* SPDX-License-Identifier: Apache-2.0 */
/* A running simulation as lines, where there is no terminal. */
#include "result/live_view.h"

#include <stdlib.h>
#include <string.h>

#include "spec.h"

#define US(count) ((count)*UINT64_C(1000000))

static char *shown;
static size_t length;

static FILE *begin(struct live_view *view)
{
    FILE *to;

    free(shown);
    to = open_memstream(&shown, &length);
    live_view_init(view, to, "two NICs", US(100));
    return to;
}

static struct live_view_sample at(uint64_t us, uint64_t goodput_bps)
{
    return (struct live_view_sample){ .time_ps = US(us),
        .goodput_bps = goodput_bps,
        .ideal_bps = UINT64_C(800000000000),
        .plane_bps = { goodput_bps / 2, goodput_bps / 2 },
        .plane_count = 2,
        .active_evs = 16,
        .bad_evs = 3 };
}

SPEC("each tenth of the run has one line, with suitable units")
{
    struct live_view view;
    FILE *to = begin(&view);

    for (uint64_t us = 1; us <= 20; us++) {
        struct live_view_sample sample = at(us, UINT64_C(400000000000));

        live_view_show(&view, &sample);
    }
    live_view_finish(&view);
    fclose(to);
    EXPECT_STR_EQ(shown,
        "two NICs\n"
        "   10.0 us  goodput 400 Gb/s (50 %); planes 200 Gb/s, 200 Gb/s; EVs 16 active, 3 bad\n"
        "   20.0 us  goodput 400 Gb/s (50 %); planes 200 Gb/s, 200 Gb/s; EVs 16 active, 3 bad\n");
}

SPEC("rates above 1,000 Gb/s are in Tb/s")
{
    struct live_view view;
    struct live_view_sample sample = at(10, UINT64_C(671181300000000));
    FILE *to = begin(&view);

    live_view_show(&view, &sample);
    fclose(to);
    EXPECT(strstr(shown, "goodput 671 Tb/s"));
}

SPEC("a fault is shown with its time")
{
    struct live_view view;
    FILE *to = begin(&view);

    live_view_tell(&view, US(50), "down of h0.p0");
    fclose(to);
    EXPECT(strstr(shown, "   50.0 us  down of h0.p0\n"));
}

SPEC("a curve that is full keeps the largest of neighbouring samples")
{
    struct live_view view;
    FILE *to = begin(&view);

    for (uint64_t i = 0; i < LIVE_VIEW_HISTORY + 1; i++) {
        struct live_view_sample sample = at(1, i == 7 ? 1000 : 10);

        live_view_show(&view, &sample);
    }
    fclose(to);
    EXPECT_EQ(view.samples_per_point, 2);
    EXPECT_EQ(view.curve_count, LIVE_VIEW_HISTORY / 2 + 1);
    EXPECT_EQ(view.curve_bps[3], 1000);
    EXPECT_EQ(view.curve_bps[4], 10);
}
