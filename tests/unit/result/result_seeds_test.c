/* SPDX-License-Identifier: Apache-2.0 */
/* Comparisons of runs that were repeated with several seeds. */
#include "result/result.h"
#include "spec.h"

static json_t *judged(const char *text)
{
    json_t *runs = json_pack("[{s:s,s:{s:i,s:n}},{s:s,s:{s:i,s:i}},{s:s,s:{s:i}}]", "label",
        "a seed 1", "summary", "x", 1, "never", "label", "a seed 2", "summary", "x", 3, "never", 5,
        "label", "b", "summary", "x", 4);
    json_t *verdict = result_criteria_judge_seeds(text, runs);

    json_decref(runs);
    return verdict;
}

static double number(const json_t *verdict, const char *key)
{
    return json_number_value(json_object_get(verdict, key));
}

SPEC("a name has the mean of all seeds, and the left side its extremes")
{
    json_t *verdict = judged("runs.a.x >= 2");

    EXPECT(json_is_true(json_object_get(verdict, "pass")));
    EXPECT(number(verdict, "value") == 2);
    EXPECT(number(verdict, "least") == 1);
    EXPECT(number(verdict, "most") == 3);
    json_decref(verdict);
}

SPEC("runs are compared by their means")
{
    json_t *verdict = judged("runs.b.x / runs.a.x > 2");

    EXPECT(json_is_false(json_object_get(verdict, "pass")));
    EXPECT(number(verdict, "value") == 2);
    json_decref(verdict);
}

SPEC("a figure that a seed has as null makes the comparison fail")
{
    json_t *verdict = judged("runs.a.never < 10");

    EXPECT(json_is_false(json_object_get(verdict, "pass")));
    EXPECT(json_is_null(json_object_get(verdict, "value")));
    EXPECT(json_is_string(json_object_get(verdict, "problem")));
    json_decref(verdict);
}

SPEC("a figure or a run that is not there decides nothing, nor does a wrong comparison")
{
    static const char *const texts[] = { "runs.a.y < 1", "runs.c.x < 1", "runs.a.x <", NULL };

    for (const char *const *text = texts; *text; text++) {
        json_t *verdict = judged(*text);

        EXPECT(json_is_null(json_object_get(verdict, "pass")));
        EXPECT(json_is_string(json_object_get(verdict, "problem")));
        json_decref(verdict);
    }
}
