/* SPDX-License-Identifier: Apache-2.0 */
/* Tests of the tree that prove claims. */
#pragma once

enum claim_test_result {
    CLAIM_TEST_PASSED,
    CLAIM_TEST_FAILED,
    CLAIM_TEST_ABSENT, /* no such program or sentence, or it was skipped */
};

/* Runs one sentence of the test program FOLDER/PROGRAM, and discards what it prints. */
enum claim_test_result claim_test_run(
    const char *folder, const char *program, const char *sentence);

/* Runs a test script with the build to which FOLDER belongs, and looks for the sentence. */
enum claim_test_result claim_test_run_script(
    const char *folder, const char *script, const char *sentence);
