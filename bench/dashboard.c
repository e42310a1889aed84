/* SPDX-License-Identifier: Apache-2.0 */
/* Starts dashboard.sh, which measures the page of a fabric in a browser. */
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

int main(int argument_count, char **arguments)
{
    (void)argument_count;
    if (setenv("DASHBOARD", arguments[0], 1) == 0)
        execl("/bin/sh", "sh", "bench/dashboard.sh", (char *)NULL);
    perror("bench/dashboard.sh");
    return 1;
}
