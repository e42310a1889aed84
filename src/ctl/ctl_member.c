/* SPDX-License-Identifier: Apache-2.0 */
/* Finds agents by name, and meters them. */
#include "ctl/ctl_member.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { PLACES = 32768 };
_Static_assert(PLACES >= 2 * CTL_MEMBERS_MAX, "searches are short");

int ctl_members_init(struct ctl_members *members, uint32_t nic_count)
{
    *members = (struct ctl_members){
        .members = calloc(
            CTL_MEMBERS_MAX, sizeof(struct ctl_member *)) /* NOLINT(bugprone-sizeof-expression) */,
        .places = calloc(PLACES, sizeof(*members->places)),
        .owners = calloc(nic_count, sizeof(*members->owners)),
        .nic_count = nic_count,
    };
    return members->members && members->places && members->owners ? 0 : -ENOMEM;
}

void ctl_members_fini(struct ctl_members *members)
{
    for (uint32_t i = 0; i < members->count; i++) {
        json_decref(members->members[i]->devices);
        free(members->members[i]);
    }
    free(members->members);
    free(members->places);
    free(members->owners);
}

static uint32_t hash_name(const char *name)
{
    uint32_t hash = UINT32_C(2166136261);

    for (; *name; name++)
        hash = (hash ^ (unsigned char)*name) * UINT32_C(16777619);
    return hash % PLACES;
}

static struct ctl_member *new_member(const char *name)
{
    struct ctl_member *member = calloc(1, sizeof(*member));

    if (!member)
        return NULL;
    snprintf(member->name, sizeof(member->name), "%s", name);
    member->events_allowed = CTL_EVENTS_BURST;
    member->version = -1;
    return member;
}

struct ctl_member *ctl_member_find_or_add(struct ctl_members *members, const char *name)
{
    uint32_t place = hash_name(name);
    struct ctl_member *member;

    for (; members->places[place]; place = (place + 1) % PLACES) {
        member = members->members[members->places[place] - 1];
        if (strcmp(member->name, name) == 0)
            return member;
    }
    if (members->count == CTL_MEMBERS_MAX || strlen(name) >= CTL_NAME_BYTES)
        return NULL;
    member = new_member(name);
    if (!member)
        return NULL;
    members->members[members->count++] = member;
    members->places[place] = members->count;
    return member;
}

static struct ctl_member *owner_of(const struct ctl_members *members, uint32_t nic)
{
    return members->owners[nic] ? members->members[members->owners[nic] - 1] : NULL;
}

bool ctl_member_owns(
    const struct ctl_members *members, const struct ctl_member *member, uint32_t nic)
{
    return nic < members->nic_count && owner_of(members, nic) == member;
}

bool ctl_member_claim(
    struct ctl_members *members, const struct ctl_member *member, uint32_t nic, uint64_t now_ms)
{
    const struct ctl_member *owner = owner_of(members, nic);

    if (owner == member)
        return true;
    if (owner && now_ms - owner->heard_ms < CTL_SILENT_MS)
        return false;
    for (uint32_t i = 0; i < members->count; i++)
        if (members->members[i] == member)
            members->owners[nic] = i + 1;
    return true;
}

void ctl_member_heard(struct ctl_member *member, uint64_t now_ms)
{
    uint64_t passed_ms = member->heard_ms ? now_ms - member->heard_ms : 0;
    uint64_t allowed = member->events_allowed + passed_ms * CTL_EVENTS_RATE / 1000;

    member->events_allowed = allowed < CTL_EVENTS_BURST ? (uint32_t)allowed : CTL_EVENTS_BURST;
    member->heard_ms = now_ms;
}

bool ctl_member_may_report(struct ctl_member *member)
{
    if (member->events_allowed == 0) {
        member->events_refused++;
        return false;
    }
    member->events_allowed--;
    return true;
}

bool ctl_member_may_speak(struct ctl_member *member, uint64_t now_ms)
{
    if (now_ms - member->second_ms >= 1000) {
        member->second_ms = now_ms;
        member->second_reports = 0;
    }
    if (member->second_reports < CTL_REPORTS_RATE) {
        member->second_reports++;
        return true;
    }
    member->reports_refused++;
    return false;
}

uint64_t ctl_member_refused(const struct ctl_member *member)
{
    return member->reports_refused + member->events_refused + member->rounds_refused +
           member->claims_refused;
}

json_t *ctl_member_describe(const struct ctl_member *member, uint64_t now_ms)
{
    uint64_t silent_ms = now_ms - member->heard_ms;

    return json_pack("{s:s,s:b,s:I,s:I,s:O?,s:I,s:I,s:I,s:I,s:I,s:I}", "name", member->name,
        "connected", member->heard_ms && silent_ms < CTL_SILENT_MS, "silent_ms",
        (json_int_t)silent_ms, "version", (json_int_t)member->version, "devices", member->devices,
        "events", (json_int_t)member->events_taken, "events_refused",
        (json_int_t)member->events_refused, "events_lost", (json_int_t)member->events_lost,
        "rounds_refused", (json_int_t)member->rounds_refused, "claims_refused",
        (json_int_t)member->claims_refused, "reports_refused", (json_int_t)member->reports_refused);
}
