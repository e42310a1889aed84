/* SPDX-License-Identifier: Apache-2.0 */
/* Price files: the built-in one, and what is refused. */
#include "files/price_file.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "spec.h"

struct reading {
    struct yaml yaml;
    struct prices prices;
    bool is_read;
};

static void read_text(struct reading *reading, const char *text)
{
    char path[] = "/tmp/prices-XXXXXX";
    int file = mkstemp(path);

    EXPECT(file >= 0 && write(file, text, strlen(text)) == (ssize_t)strlen(text));
    yaml_init(&reading->yaml);
    reading->is_read = price_file_read(&reading->yaml, path, &reading->prices);
    close(file);
    unlink(path);
}

/* Returns the problem of the built-in file with one text replaced. */
static const char *problem_with(struct reading *reading, const char *old, const char *new)
{
    static char text[16384];
    const char *at = strstr(price_file_default, old);

    EXPECT(at != NULL);
    snprintf(text, sizeof(text), "%.*s%s%s", (int)(at - price_file_default), price_file_default,
        new, at + strlen(old));
    read_text(reading, text);
    return strchr(reading->yaml.problem, ':') ? strchr(reading->yaml.problem, ':') + 1 : "";
}

#define EXPECT_REFUSED(old, new, problem)                                                          \
    do {                                                                                           \
        struct reading reading;                                                                    \
        EXPECT_STR_EQ(problem_with(&reading, old, new), problem);                                  \
        EXPECT(!reading.is_read);                                                                  \
        yaml_fini(&reading.yaml);                                                                  \
    } while (0)

SPEC("the built-in prices are read, and parts cost in proportion to their rate")
{
    struct prices prices;
    struct yaml yaml;

    yaml_init(&yaml);
    EXPECT(price_file_read(&yaml, NULL, &prices));
    EXPECT(price_usd(&prices.parts[PRICE_SWITCH], 25.6e12).least == 75000);
    EXPECT(price_usd(&prices.parts[PRICE_SWITCH], 25.6e12).most == 125000);
    EXPECT(price_watts(&prices.parts[PRICE_OPTICS_800G], 800e9).most == 17);
    EXPECT(price_usd(&prices.parts[PRICE_FIBRE], 800e9).least == 50);
    EXPECT(prices.parts[PRICE_GPU_HOUR].source[0] != '\0');
    yaml_fini(&yaml);
}

SPEC("an entry that is missing, unknown, negative or not a range is refused with its line")
{
    EXPECT_REFUSED(
        "rack:\n", "racks:\n", "41:1: racks: there is no such key here; did you mean 'rack'?");
    EXPECT_REFUSED("  usd: [2, 3]\n", "  usd: [-2, 3]\n",
        "46:9: gpu_hour.usd.0: -2 is negative; give 0 or more");
    EXPECT_REFUSED("  usd: [2, 3]\n", "  usd: [3, 2]\n",
        "46:8: gpu_hour.usd: the least, 3, is more than the most, 2");
    EXPECT_REFUSED("  usd: [2, 3]\n", "  usd: much\n",
        "46:8: gpu_hour.usd: 'much' is not a number; write a number such as 150000, or a list of "
        "least and most");
    EXPECT_REFUSED("  usd: [2, 3]\n", "", "46:3: gpu_hour: the key 'usd' is missing");
    EXPECT_REFUSED("  usd: [2, 3]\n", "  usd: 2\n  watts: 1\n",
        "47:3: gpu_hour.watts: does not apply to 'gpu_hour'; remove it");
    EXPECT_REFUSED(
        "gpu_hour:\n  usd: [2, 3]\n  source: \"assumed: the price at which GPUs are rented\"\n", "",
        "7:1: the key 'gpu_hour' is missing");
}
