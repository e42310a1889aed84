/* SPDX-License-Identifier: Apache-2.0 */
/* What the transport promises for random cases. */
#include "program.h"

struct tally {
    uint32_t promised;
    uint32_t good;                  /* of them, at 0.95 of capacity */
    uint32_t low;                   /* below 0.85 */
    uint32_t bad[HUNT_FAULT_COUNT]; /* beyond the limit in this way */
};

/* Some things must not happen in any case. */
static bool counts_always(enum hunt_fault fault)
{
    return fault == HUNT_FAILED_PATH || fault == HUNT_QP_ERROR || fault == HUNT_TIMEOUT ||
           fault == HUNT_BROKEN;
}

static void count_case(struct tally *tally, const struct hunt_figures *figures)
{
    bool is_promised = hunt_is_promised(&figures->class);

    for (enum hunt_fault fault = 0; fault < HUNT_FAULT_COUNT; fault++)
        if (is_promised || counts_always(fault))
            tally->bad[fault] += hunt_badness(figures, fault) > 1;
    if (!is_promised || figures->outcome != HUNT_RAN)
        return;
    tally->promised++;
    tally->good += figures->capacity_fraction >= 0.95;
    tally->low += figures->capacity_fraction < 0.85;
}

bool promise_is_kept(const struct hunt_figures *figures, uint32_t count)
{
    struct tally tally = { 0 };
    bool all_hold = true;

    for (uint32_t i = 0; i < count; i++)
        count_case(&tally, &figures[i]);
    const struct {
        bool holds;
        const char *what;
    } promises[] = {
        { tally.good * 100 >= tally.promised * 95, "95 % of the cases at 0.95 of capacity" },
        { tally.low == 0, "no case below 0.85" },
        { tally.bad[HUNT_STARVED] == 0, "no flow starved" },
        { tally.bad[HUNT_FAILED_PATH] == 0, "no path failed without a fault" },
        { tally.bad[HUNT_QP_ERROR] == 0, "no QP error" },
        { tally.bad[HUNT_TIMEOUT] == 0, "no timeout that is forbidden" },
        { tally.bad[HUNT_BROKEN] == 0, "all cases come to their end" },
    };

    for (size_t i = 0; i < sizeof(promises) / sizeof(promises[0]); i++)
        if (!promises[i].holds) {
            printf("NOT AS PROMISED: %s\n", promises[i].what);
            all_hold = false;
        }
    return all_hold;
}
