/* SPDX-License-Identifier: Apache-2.0 */
/* Puts files and data into a template. */
#include "web/page.h"

#include <assert.h>
#include <errno.h>
#include <stdbool.h>
#include <string.h>

#include "web/page_files.h"

static bool is_part(const char *name, size_t length, const char *part)
{
    return strlen(part) == length && memcmp(name, part, length) == 0;
}

static const struct files_entry *find_file(const char *name, size_t length)
{
    for (size_t i = 0; i < files_count; i++)
        if (is_part(name, length, files_entries[i].name))
            return &files_entries[i];
    return NULL;
}

/* "<" can only stand inside a string of a JSON text. Escaped, no string ends the script element it
 * is in. */
static int put_escaped(const char *text, size_t length, void *to)
{
    const char *end = text + length;

    while (text < end) {
        const char *bracket = memchr(text, '<', (size_t)(end - text));
        const char *stop = bracket ? bracket : end;

        fwrite(text, 1, (size_t)(stop - text), to);
        if (bracket)
            fputs("\\u003c", to);
        text = bracket ? bracket + 1 : end;
    }
    return ferror((FILE *)to) ? -1 : 0;
}

void page_put_json(FILE *to, const char *kind, const char *id, const json_t *value)
{
    fprintf(to, "<script type=\"application/json\" class=\"%s\" id=\"%s\">", kind, id);
    json_dump_callback(value, put_escaped, to, JSON_COMPACT | JSON_REAL_PRECISION(10));
    fputs("</script>\n", to);
}

static void put_part(
    FILE *to, const char *name, size_t length, const struct page_slot *slots, size_t count)
{
    const struct files_entry *file = find_file(name, length);

    if (file) {
        fwrite(file->bytes, 1, file->size, to);
        return;
    }
    while (count > 0 && !is_part(name, length, slots->name)) {
        slots++;
        count--;
    }
    assert(count > 0);
    slots->put(to, slots->what);
}

int page_write(FILE *to, const char *template_name, const struct page_slot *slots, size_t count)
{
    const struct files_entry *page = find_file(template_name, strlen(template_name));
    const char *at = (const char *)page->bytes;
    const char *end = at + page->size;
    const char *open;

    while ((open = memmem(at, (size_t)(end - at), "{{", 2)) != NULL) {
        const char *name = open + 2;
        const char *close = memmem(name, (size_t)(end - name), "}}", 2);

        assert(close != NULL);
        fwrite(at, 1, (size_t)(open - at), to);
        put_part(to, name, (size_t)(close - name), slots, count);
        at = close + 2;
    }
    fwrite(at, 1, (size_t)(end - at), to);
    return ferror(to) ? -EIO : 0;
}
