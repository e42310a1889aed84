/* SPDX-License-Identifier: Apache-2.0 */
/* Feeds files, whole folders or standard input to a fuzz entry: replays a corpus, and lets AFL++
 * drive it. */
#include <dirent.h>
#include <errno.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#define INPUT_BYTES_MAX (1u << 20)

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t length_bytes);

static unsigned long replayed;

/* Copies into a block of the exact length, so that a sanitizer sees the first byte read beyond it.
 */
static void replay_stream(FILE *stream)
{
    static uint8_t buffer[INPUT_BYTES_MAX];
    size_t length_bytes = fread(buffer, 1, sizeof(buffer), stream);
    uint8_t *data = malloc(length_bytes ? length_bytes : 1);

    if (!data)
        abort();
    memcpy(data, buffer, length_bytes);
    LLVMFuzzerTestOneInput(data, length_bytes);
    free(data);
    replayed++;
}

static int replay_file(const char *path)
{
    FILE *stream = fopen(path, "rb");

    if (!stream) {
        fprintf(stderr, "%s: %s\n", path, strerror(errno));
        return 1;
    }
    fprintf(stderr, "%s\n", path); /* after a crash, the last one named is the culprit */
    replay_stream(stream);
    fclose(stream);
    return 0;
}

static int replay_folder(const char *folder)
{
    struct dirent **entries;
    int count = scandir(folder, &entries, NULL, alphasort);
    int failed = count < 0;

    for (int i = 0; i < count; i++) {
        char path[4096];

        if (entries[i]->d_name[0] != '.') {
            snprintf(path, sizeof(path), "%s/%s", folder, entries[i]->d_name);
            failed |= replay_file(path);
        }
        free(entries[i]);
    }
    if (count >= 0)
        free(entries);
    return failed;
}

int main(int argument_count, char **arguments)
{
    int failed = 0;

    if (argument_count < 2)
        replay_stream(stdin);
    for (int i = 1; i < argument_count; i++) {
        struct stat status;
        int is_folder = stat(arguments[i], &status) == 0 && S_ISDIR(status.st_mode);

        failed |= is_folder ? replay_folder(arguments[i]) : replay_file(arguments[i]);
    }
    printf("%lu inputs replayed\n", replayed);
    return failed || replayed == 0;
}
