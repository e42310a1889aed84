/* SPDX-License-Identifier: Apache-2.0 */
/* Notes agents that flood or lie. */
#include "ctl/ctl_conduct.h"

#include <stdio.h>

#define NOTE_MS   60000
#define NOTES_MAX 16 /* at a time: a thousand agents that lie must not fill the log */

bool ctl_conduct_may_report(struct ctl_controller *controller, const char *agent)
{
    struct ctl_member *member = ctl_member_find_or_add(&controller->members, agent);

    return !member || ctl_member_may_speak(member, controller->now_ms);
}

static void note_member(struct ctl_controller *controller, const struct ctl_member *member)
{
    char reason[160];

    snprintf(reason, sizeof(reason),
        "so far %llu reports, %llu events, %llu claims of NICs, %llu rounds of probes were refused",
        (unsigned long long)member->reports_refused, (unsigned long long)member->events_refused,
        (unsigned long long)member->claims_refused, (unsigned long long)member->rounds_refused);
    ctl_store_note(controller->store, &(struct ctl_action){ .actor = "mrcd",
                                          .verb = "refuse",
                                          .element = member->name,
                                          .outcome = "noted",
                                          .reason = reason });
}

void ctl_conduct_note(struct ctl_controller *controller)
{
    uint32_t count = controller->members.count;
    uint32_t first = controller->conduct_next;
    uint32_t noted = 0;

    if (controller->now_ms - controller->conduct_ms < NOTE_MS && controller->conduct_ms > 0)
        return;
    for (uint32_t i = 0; i < count && noted < NOTES_MAX; i++) {
        uint32_t at = (first + i) % count;
        struct ctl_member *member = controller->members.members[at];
        uint64_t refused = ctl_member_refused(member);

        if (refused == member->refused_noted)
            continue;
        member->refused_noted = refused;
        note_member(controller, member);
        controller->conduct_next = at + 1;
        noted++;
    }
    if (noted > 0)
        controller->conduct_ms = controller->now_ms;
}
