/* SPDX-License-Identifier: Apache-2.0 */
/* libfyaml 0.7.12 does not give back what it formats a quoted text of many pieces with
 * (fy_token_get_text0): a fuzzer finds that leak again and again, and nothing else. Leaks of our
 * own use of it are looked for by the unit tests. */
#pragma once

const char *__lsan_default_suppressions(void);

const char *__lsan_default_suppressions(void)
{
    return "leak:libfyaml";
}
