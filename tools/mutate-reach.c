/* SPDX-License-Identifier: Apache-2.0 */
/* Linked into a library compiled with -finstrument-functions and -falign-functions=16: writes the
 * offset of every function that was entered to the file that $REACH names. For tools/mutate. */
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>

#define NOT_COUNTED __attribute__((no_instrument_function))

enum { FUNCTION_BYTES = 16, FUNCTIONS_MAX = 1 << 20 };

extern const char __ehdr_start[] __attribute__((visibility("hidden"))); /* load address */

static uint8_t *entered; /* shared with children, which may end by _exit() */

void __cyg_profile_func_enter(void *function, void *caller) NOT_COUNTED;
void __cyg_profile_func_exit(void *function, void *caller) NOT_COUNTED;

void __cyg_profile_func_enter(void *function, void *caller)
{
    uintptr_t index = ((uintptr_t)function - (uintptr_t)__ehdr_start) / FUNCTION_BYTES;

    (void)caller;
    if (entered && index < FUNCTIONS_MAX)
        entered[index] = 1;
}

void __cyg_profile_func_exit(void *function, void *caller)
{
    (void)function;
    (void)caller;
}

__attribute__((constructor)) NOT_COUNTED static void begin(void)
{
    void *memory = mmap(
        NULL, FUNCTIONS_MAX, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);

    entered = memory == MAP_FAILED ? NULL : memory;
}

__attribute__((destructor)) NOT_COUNTED static void write_entered(void)
{
    const char *path = getenv("REACH");
    FILE *file = path ? fopen(path, "w") : NULL;

    for (size_t i = 0; file && entered && i < FUNCTIONS_MAX; i++)
        if (entered[i])
            fprintf(file, "%zx\n", i * FUNCTION_BYTES);
    if (file)
        (void)fclose(file);
}
