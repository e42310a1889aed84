/* SPDX-License-Identifier: Apache-2.0 */
/* Prepares, binds and steps. */
#include "ctl/ctl_sql.h"

#include <errno.h>
#include <stdarg.h>
#include <stdint.h>
#include <string.h>

int ctl_sql_errno(int result)
{
    switch (result & 0xff) {
    case SQLITE_OK:
    case SQLITE_ROW:
    case SQLITE_DONE:
        return 0;
    case SQLITE_FULL:
        return -ENOSPC;
    case SQLITE_READONLY:
    case SQLITE_PERM:
        return -EROFS;
    case SQLITE_BUSY:
    case SQLITE_LOCKED:
        return -EBUSY;
    case SQLITE_NOMEM:
        return -ENOMEM;
    case SQLITE_CONSTRAINT:
        return -EEXIST;
    default:
        return -EIO;
    }
}

static int bind_values(sqlite3_stmt *statement, const char *form, va_list values)
{
    int result = SQLITE_OK;

    for (int i = 1; form && *form && result == SQLITE_OK; i++, form++) {
        if (*form == 's')
            result =
                sqlite3_bind_text(statement, i, va_arg(values, const char *), -1, SQLITE_TRANSIENT);
        else
            result = sqlite3_bind_int64(statement, i, va_arg(values, int64_t));
    }
    return result;
}

static int prepare_statement(
    sqlite3 *db, const char *text, const char *form, va_list values, sqlite3_stmt **out)
{
    int result = sqlite3_prepare_v2(db, text, -1, out, NULL);

    return result == SQLITE_OK ? bind_values(*out, form, values) : result;
}

int ctl_sql_run(sqlite3 *db, const char *text, const char *form, ...)
{
    sqlite3_stmt *statement = NULL;
    va_list values;
    int result;

    va_start(values, form);
    result = prepare_statement(db, text, form, values, &statement);
    va_end(values);
    if (result == SQLITE_OK)
        result = sqlite3_step(statement);
    sqlite3_finalize(statement);
    return ctl_sql_errno(result);
}

int ctl_sql_repeat(sqlite3_stmt *statement, const char *form, ...)
{
    va_list values;
    int result;

    va_start(values, form);
    result = bind_values(statement, form, values);
    va_end(values);
    if (result == SQLITE_OK)
        result = sqlite3_step(statement);
    sqlite3_reset(statement);
    return ctl_sql_errno(result);
}

static json_t *column_value(sqlite3_stmt *statement, int column)
{
    const char *text;

    switch (sqlite3_column_type(statement, column)) {
    case SQLITE_INTEGER:
        return json_integer(sqlite3_column_int64(statement, column));
    case SQLITE_NULL:
        return json_null();
    default:
        text = (const char *)sqlite3_column_text(statement, column);
        if (strcmp(sqlite3_column_name(statement, column), "evidence") == 0) {
            json_t *value = json_loads(text, JSON_DECODE_ANY, NULL);

            return value ? value : json_null();
        }
        return json_string(text);
    }
}

static json_t *row_object(sqlite3_stmt *statement)
{
    json_t *row = json_object();

    for (int i = 0; i < sqlite3_column_count(statement); i++)
        json_object_set_new(row, sqlite3_column_name(statement, i), column_value(statement, i));
    return row;
}

json_t *ctl_sql_rows(sqlite3 *db, const char *text, const char *form, ...)
{
    sqlite3_stmt *statement = NULL;
    json_t *rows = json_array();
    va_list values;
    int result;

    va_start(values, form);
    result = prepare_statement(db, text, form, values, &statement);
    va_end(values);
    while (result == SQLITE_OK || result == SQLITE_ROW) {
        result = sqlite3_step(statement);
        if (result == SQLITE_ROW)
            json_array_append_new(rows, row_object(statement));
    }
    sqlite3_finalize(statement);
    if (result == SQLITE_DONE)
        return rows;
    json_decref(rows);
    return NULL;
}

int64_t ctl_sql_number(sqlite3 *db, const char *text, int64_t otherwise)
{
    sqlite3_stmt *statement = NULL;

    if (sqlite3_prepare_v2(db, text, -1, &statement, NULL) == SQLITE_OK &&
        sqlite3_step(statement) == SQLITE_ROW)
        otherwise = sqlite3_column_int64(statement, 0);
    sqlite3_finalize(statement);
    return otherwise;
}

int ctl_sql_script(sqlite3 *db, const char *statements)
{
    return ctl_sql_errno(sqlite3_exec(db, statements, NULL, NULL, NULL));
}
