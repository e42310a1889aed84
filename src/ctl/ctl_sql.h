/* SPDX-License-Identifier: Apache-2.0 */
/* Statements of SQLite with values, and their rows as JSON. A call returns 0 or a negative errno:
 * -ENOSPC if the disk is full, -EROFS if the file cannot be written, -EBUSY if another process has
 * it locked, -EIO for everything else that the file system refuses. */
#pragma once

#include <jansson.h>
#include <sqlite3.h>

/* `form` has a letter for each value: s is a text (NULL allowed), i an int64_t. */
int ctl_sql_run(sqlite3 *, const char *text, const char *form, ...);

/* The same for many rows: steps a prepared statement once with these values. */
int ctl_sql_repeat(sqlite3_stmt *, const char *form, ...);

/* Returns the rows as an array of objects, which the caller releases. A column with the name
 * "evidence" is JSON in the table and becomes a value of its own. NULL: an error, or no memory. */
json_t *ctl_sql_rows(sqlite3 *, const char *text, const char *form, ...);

/* Returns the first column of the first row; `otherwise` if there is none. */
int64_t ctl_sql_number(sqlite3 *, const char *text, int64_t otherwise);

/* Runs statements without values, separated by semicolons. */
int ctl_sql_script(sqlite3 *, const char *statements);

/* Returns the errno of a result of SQLite, 0 for success. */
int ctl_sql_errno(int result);
