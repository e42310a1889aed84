/* SPDX-License-Identifier: Apache-2.0 */
/* Runs a test program and reads its TAP. */
#include "study/claim_test.h"

#include <errno.h>
#include <signal.h>
#include <spawn.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#define PATH_BYTES 4096
#define LINE_BYTES 1024

extern char **environ;

/* Returns the exit status; negative: it could not be run, or was killed. */
static int run_program(char *path, char *sentence, FILE *output)
{
    char *const arguments[] = { path, sentence, NULL };
    posix_spawn_file_actions_t actions;
    int status = -1;
    pid_t child;
    int err;

    posix_spawn_file_actions_init(&actions);
    posix_spawn_file_actions_adddup2(&actions, fileno(output), STDOUT_FILENO);
    err = posix_spawn(&child, path, &actions, NULL, arguments, environ);
    posix_spawn_file_actions_destroy(&actions);
    if (err)
        return -1;
    while (waitpid(child, &status, 0) < 0)
        if (errno != EINTR)
            return -1;
    return WIFEXITED(status) ? WEXITSTATUS(status) : 1;
}

/* A sentence that was skipped is "ok", too. */
static bool was_proved(FILE *output)
{
    char line[LINE_BYTES];

    rewind(output);
    while (fgets(line, sizeof(line), output))
        if (strncmp(line, "ok 1 - ", 7) == 0)
            return !strstr(line, "# SKIP");
    return false;
}

enum claim_test_result claim_test_run(const char *folder, const char *program, const char *sentence)
{
    enum claim_test_result result = CLAIM_TEST_ABSENT;
    FILE *output = tmpfile();
    char path[PATH_BYTES];
    int status;

    if (!output)
        return CLAIM_TEST_ABSENT;
    snprintf(path, sizeof(path), "%s/%s", folder, program);
    status = run_program(path, (char *)sentence, output);
    if (status == 0 && was_proved(output))
        result = CLAIM_TEST_PASSED;
    else if (status == 1)
        result = CLAIM_TEST_FAILED;
    (void)fclose(output);
    return result;
}
