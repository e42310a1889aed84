/* SPDX-License-Identifier: Apache-2.0 */
/* Members of JSON objects: numbers in a range, names and flags. */
#include "study/job_member.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

bool job_member_refuse(const struct job_reading *reading, const char *key, const char *format, ...)
{
    int length = snprintf(reading->reason, JOB_FILE_REASON_BYTES, "%s%s: ", reading->place, key);
    va_list arguments;

    va_start(arguments, format);
    if (length > 0 && length < JOB_FILE_REASON_BYTES)
        vsnprintf(
            reading->reason + length, (size_t)(JOB_FILE_REASON_BYTES - length), format, arguments);
    va_end(arguments);
    return false;
}

static bool read_number(
    struct job_reading *reading, const json_t *value, const struct job_member *member, double *out)
{
    double number = json_number_value(value);

    if (!json_is_number(value))
        return job_member_refuse(reading, member->key, "a number is expected");
    if (number < member->least || number > member->most)
        return job_member_refuse(reading, member->key, "%g is out of range; give %g to %g", number,
            member->least, member->most);
    *out = number;
    return true;
}

static bool read_member(
    struct job_reading *reading, const json_t *value, const struct job_member *member, void *out)
{
    char *at = (char *)out + member->offset;

    if (!value)
        return !member->is_required || job_member_refuse(reading, member->key, "is missing");
    if (member->kind == JOB_MEMBER_NUMBER)
        return read_number(reading, value, member, (double *)(void *)at);
    if (member->kind == JOB_MEMBER_FLAG) {
        *(bool *)at = json_is_true(value);
        return json_is_boolean(value) ||
               job_member_refuse(reading, member->key, "give true or false");
    }
    if (member->kind != JOB_MEMBER_NAME)
        return true;
    if (!json_is_string(value) || json_string_length(value) == 0 ||
        json_string_length(value) >= JOB_NAME_BYTES)
        return job_member_refuse(
            reading, member->key, "a text of 1 to %d bytes is expected", JOB_NAME_BYTES - 1);
    snprintf(at, JOB_NAME_BYTES, "%s", json_string_value(value));
    return true;
}

static bool is_known(const struct job_member *members, const char *key)
{
    for (; members->key; members++)
        if (strcmp(members->key, key) == 0)
            return true;
    return false;
}

bool job_member_read(
    struct job_reading *reading, const json_t *object, const struct job_member *members, void *out)
{
    const char *key;
    json_t *value;

    if (!json_is_object(object))
        return job_member_refuse(reading, "", "an object is expected");
    json_object_foreach((json_t *)object, key, value)
    {
        if (!is_known(members, key))
            return job_member_refuse(reading, key, "there is no such member");
    }
    for (; members->key; members++)
        if (!read_member(reading, json_object_get(object, members->key), members, out))
            return false;
    return true;
}
