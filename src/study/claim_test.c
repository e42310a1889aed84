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
static int run_program(char *const arguments[], FILE *output)
{
    posix_spawn_file_actions_t actions;
    int status = -1;
    pid_t child;
    int err;

    posix_spawn_file_actions_init(&actions);
    posix_spawn_file_actions_adddup2(&actions, fileno(output), STDOUT_FILENO);
    err = posix_spawn(&child, arguments[0], &actions, NULL, arguments, environ);
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

/* Returns the sentence of a line "ok 3 - sentence", without the end of the line; NULL: it has none.
 */
static const char *sentence_of(char *line)
{
    const char *sentence = strstr(line, " - ");

    line[strcspn(line, "\n")] = '\0';
    if ((strncmp(line, "ok ", 3) != 0 && strncmp(line, "not ok ", 7) != 0) || !sentence)
        return NULL;
    return sentence + 3 + strspn(sentence + 3, " ");
}

/* A sentence that was skipped has a remark behind it, and is not found. */
static enum claim_test_result find_sentence(FILE *output, const char *sentence)
{
    char line[LINE_BYTES];

    rewind(output);
    while (fgets(line, sizeof(line), output)) {
        const char *found = sentence_of(line);

        if (found && strcmp(found, sentence) == 0)
            return line[0] == 'o' ? CLAIM_TEST_PASSED : CLAIM_TEST_FAILED;
    }
    return CLAIM_TEST_ABSENT;
}

enum claim_test_result claim_test_run(const char *folder, const char *program, const char *sentence)
{
    enum claim_test_result result = CLAIM_TEST_ABSENT;
    FILE *output = tmpfile();
    char path[PATH_BYTES];
    char *const arguments[] = { path, (char *)sentence, NULL };
    int status;

    if (!output)
        return CLAIM_TEST_ABSENT;
    snprintf(path, sizeof(path), "%s/%s", folder, program);
    status = run_program(arguments, output);
    if (status == 0 && was_proved(output))
        result = CLAIM_TEST_PASSED;
    else if (status == 1)
        result = CLAIM_TEST_FAILED;
    (void)fclose(output);
    return result;
}

enum claim_test_result claim_test_run_script(
    const char *folder, const char *script, const char *sentence)
{
    static char shell[] = "/bin/sh";
    static char command[] = "-c";
    static char text[] = "BUILD=$(cd \"$0/..\" && pwd) exec sh \"$1\"";
    char *const arguments[] = { shell, command, text, (char *)folder, (char *)script, NULL };
    enum claim_test_result result = CLAIM_TEST_ABSENT;
    FILE *output = tmpfile();

    if (!output)
        return CLAIM_TEST_ABSENT;
    if (run_program(arguments, output) >= 0)
        result = find_sentence(output, sentence);
    (void)fclose(output);
    return result;
}
