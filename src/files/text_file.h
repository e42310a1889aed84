/* SPDX-License-Identifier: Apache-2.0 */
/* A text that is read line by line and word by word, with positions for messages. */
#pragma once

#include "files/yaml.h"

#define TEXT_FILE_WORD_BYTES 64

struct text_file {
    struct yaml *yaml; /* has the problem */
    const char *source;
    const char *at;
    const char *line_start;
    uint32_t line;
    uint32_t field_count; /* read in this line */
    /* the last word */
    char word[TEXT_FILE_WORD_BYTES]; /* truncated if it is longer */
    const char *word_at;             /* in the text; not terminated */
    size_t word_bytes;
};

/* The text must outlive the reading. */
void text_file_init(struct text_file *, struct yaml *, const char *source, const char *text);

/* Goes to the next line. Returns false at the end of the text. */
bool text_file_next_line(struct text_file *);

/* Reads the next word of this line: up to a blank or one of `stops`, which are words by themselves.
 * Returns false at the end of the line, with an empty word, and after a complaint. */
bool text_file_next(struct text_file *, const char *stops);

/* Reads the next field of a line of comma-separated values, without blanks around it and without
 * quotes, of any length. Returns false if the line has no further field, and after a complaint. */
bool text_file_next_field(struct text_file *);

/* Complains if the last word is longer than `word`. */
bool text_file_fits(struct text_file *);

/* Takes the last word as a number, or complains. */
bool text_file_number(struct text_file *, const char *what, uint64_t most, uint64_t *out);
bool text_file_count(struct text_file *, const char *what, uint32_t *out);

/* Complain about the last word, about a line, and about a line and column. Return false. */
__attribute__((format(printf, 2, 3))) bool text_file_complain(
    struct text_file *, const char *format, ...);
__attribute__((format(printf, 3, 4))) bool text_file_complain_line(
    struct text_file *, uint32_t line, const char *format, ...);
