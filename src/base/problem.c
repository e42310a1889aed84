/* SPDX-License-Identifier: Apache-2.0 */
/* Formats sentences with numbers, without the C library. */
#include "base/problem.h"

#include <assert.h>

static uint32_t put_number(char *out, uint32_t room, uint64_t number)
{
    char digits[20];
    uint32_t count = 0;
    uint32_t length = 0;

    do
        digits[count++] = (char)('0' + number % 10);
    while (number /= 10);
    while (count > 0 && length < room)
        out[length++] = digits[--count];
    return length;
}

bool problem_is(
    struct problem *problem, const char *member, const char *words, struct problem_numbers numbers)
{
    const uint64_t values[] = { numbers.first, numbers.second, numbers.third };
    const uint32_t room = sizeof(problem->reason) - 1;
    uint32_t length = 0;
    uint32_t used = 0;

    for (; *words != '\0' && length < room; words++) {
        if (*words == '%') {
            assert(used < sizeof(values) / sizeof(values[0]));
            length += put_number(problem->reason + length, room - length, values[used++]);
        } else {
            problem->reason[length++] = *words;
        }
    }
    problem->reason[length] = '\0';
    problem->member = member;
    return false;
}

bool problem_limits(struct problem *problem, const struct problem_limit *limits, uint32_t count)
{
    for (uint32_t i = 0; i < count; i++)
        if (limits[i].number < limits[i].least || limits[i].number > limits[i].most)
            return problem_is(problem, limits[i].member, "% is not between % and %",
                (struct problem_numbers){ limits[i].number, limits[i].least, limits[i].most });
    return true;
}
