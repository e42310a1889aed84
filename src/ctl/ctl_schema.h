/* SPDX-License-Identifier: Apache-2.0 */
/* The schema of the store: one text for each version. A text is never changed after a release: a
 * later version is a further text. */
#pragma once

static const char *const ctl_schema[] = {
    "CREATE TABLE denylist ("
    " element TEXT PRIMARY KEY, since_ms INTEGER NOT NULL, actor TEXT NOT NULL, reason TEXT,"
    " evidence TEXT) WITHOUT ROWID;"
    "CREATE TABLE audit ("
    " id INTEGER PRIMARY KEY AUTOINCREMENT, time_ms INTEGER NOT NULL, actor TEXT NOT NULL,"
    " verb TEXT NOT NULL, element TEXT NOT NULL, outcome TEXT NOT NULL, reason TEXT,"
    " evidence TEXT);"
    "CREATE TABLE events ("
    " id INTEGER PRIMARY KEY AUTOINCREMENT, time_ms INTEGER NOT NULL, agent TEXT NOT NULL,"
    " device TEXT NOT NULL, kind TEXT NOT NULL, evidence TEXT);"
    "CREATE TABLE verdicts ("
    " id INTEGER PRIMARY KEY AUTOINCREMENT, element TEXT NOT NULL, text TEXT NOT NULL,"
    " confidence_ppm INTEGER NOT NULL, since_ms INTEGER NOT NULL, until_ms INTEGER, evidence TEXT);"
    "CREATE UNIQUE INDEX open_verdict ON verdicts (element) WHERE until_ms IS NULL;"
    "CREATE TABLE orders (id INTEGER PRIMARY KEY CHECK (id = 1), version INTEGER NOT NULL,"
    " text TEXT NOT NULL);"
    "CREATE TABLE numbers (name TEXT PRIMARY KEY, value INTEGER NOT NULL) WITHOUT ROWID;"
    "INSERT INTO numbers VALUES ('denylist_version', 0);",
};

#define CTL_SCHEMA_VERSION ((int)(sizeof(ctl_schema) / sizeof(ctl_schema[0])))
