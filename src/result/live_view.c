/* SPDX-License-Identifier: Apache-2.0 */
/* Draws a running simulation. It does not influence the run. */
#include "result/live_view.h"

#include <inttypes.h>
#include <langinfo.h>
#include <locale.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include <sys/ioctl.h>
#include <unistd.h>

#include "result/units_text.h"

#define FRAME_NS      UINT64_C(60000000) /* between frames */
#define NS_PER_S      UINT64_C(1000000000)
#define COLUMNS_LEAST 40
#define FRAME_ROWS    12 /* of a frame, without those of the planes */
#define ROWS_LEAST    (FRAME_ROWS + 8)
#define COLUMNS_MOST  110
#define NAME_COLUMNS  10 /* "goodput   " */
#define RATE_COLUMNS  12 /* "  23.1 Tb/s " */
#define PLAIN         "\033[0m"

static const char *const levels[] = { " ", "▁", "▂", "▃", "▄", "▅", "▆", "▇", "█" };
static const char *const eighths[] = { "", "▏", "▎", "▍", "▌", "▋", "▊", "▉" };

enum { LEVEL_MAX = sizeof(levels) / sizeof(levels[0]) - 1 };

static uint64_t now_ns(void)
{
    struct timespec now;

    clock_gettime(CLOCK_MONOTONIC, &now);
    return (uint64_t)now.tv_sec * NS_PER_S + (uint64_t)now.tv_nsec;
}

/* ---- the terminal ---------------------------------------------------------------------------- */

static bool is_set(const char *variable)
{
    const char *value = getenv(variable);

    return value && *value;
}

/* Frames are drawn over each other only where the cursor can move and a frame fits. */
static bool can_draw(FILE *to, uint32_t *rows)
{
    const char *terminal = getenv("TERM");
    struct winsize size;

    if (!isatty(fileno(to)) || !terminal || !*terminal || strcmp(terminal, "dumb") == 0)
        return false;
    if (ioctl(fileno(to), TIOCGWINSZ, &size) != 0 || size.ws_col == 0 || size.ws_row == 0)
        return true;
    *rows = size.ws_row;
    return size.ws_col > COLUMNS_LEAST && size.ws_row > ROWS_LEAST;
}

void live_view_init(struct live_view *view, FILE *to, const char *title, uint64_t end_ps)
{
    *view = (struct live_view){ .to = to, .title = title, .end_ps = end_ps };
    view->samples_per_point = 1;
    view->samples_in_last = 1; /* makes the first sample begin a point */
    view->rows = UINT32_MAX;
    view->is_terminal = can_draw(to, &view->rows);
    view->has_color = !is_set("NO_COLOR");
    setlocale(LC_CTYPE, "");
    view->has_unicode = strcmp(nl_langinfo(CODESET), "UTF-8") == 0;
    if (!view->is_terminal)
        fprintf(to, "%s\n", title);
}

/* ---- numbers --------------------------------------------------------------------------------- */

static uint64_t percent(uint64_t part, uint64_t whole)
{
    return whole ? (uint64_t)((double)part * 100.0 / (double)whole + 0.5) : 0;
}

/* ---- a frame --------------------------------------------------------------------------------- */

static int column_count(const struct live_view *view)
{
    struct winsize size = { .ws_col = 80 };

    if (ioctl(fileno(view->to), TIOCGWINSZ, &size) != 0 || size.ws_col == 0)
        return 80;
    if (size.ws_col < COLUMNS_LEAST) /* made smaller during the run */
        return COLUMNS_LEAST;
    return size.ws_col > COLUMNS_MOST ? COLUMNS_MOST : size.ws_col - 1;
}

static const char *paint_text(const struct live_view *view, const char *color)
{
    return view->has_color ? color : "";
}

static void end_line(struct live_view *view)
{
    fprintf(view->to, "%s\033[K\n", paint_text(view, PLAIN));
    view->lines_drawn++;
}

/* Draws `value` of `most` as a bar, in eighths of a column if the terminal supports them. */
static void draw_bar(
    const struct live_view *view, int columns, uint64_t value, uint64_t most, const char *color)
{
    double full = most ? (double)value / (double)most * columns : 0;
    int whole = full > columns ? columns : (int)full;
    int rest = view->has_unicode && whole < columns ? (int)((full - whole) * 8) : 0;

    fputs(paint_text(view, color), view->to);
    for (int i = 0; i < whole; i++)
        fputs(view->has_unicode ? "█" : "#", view->to);
    fputs(eighths[rest], view->to);
    fprintf(view->to, "%s%*s", paint_text(view, PLAIN), columns - whole - (rest > 0), "");
}

/* Draws the run so far, as wide as its share of the duration. */
static void draw_curve(const struct live_view *view, int columns)
{
    uint64_t most = view->goodput_most_bps ? view->goodput_most_bps : 1;
    uint64_t shown = view->end_ps ? percent(view->last.time_ps, view->end_ps) : 100;

    shown = shown * (uint64_t)columns / 100;
    fputs(paint_text(view, "\033[36m"), view->to);
    for (uint64_t i = 0; i < shown && view->curve_count; i++) {
        uint64_t point = i * view->curve_count / shown;
        uint64_t value = view->curve_bps[point];
        size_t level = (size_t)((double)value / (double)most * (double)LEVEL_MAX + 0.5);

        fputs(view->has_unicode ? levels[level] : level > LEVEL_MAX / 2 ? "-" : "_", view->to);
    }
}

static void draw_progress(struct live_view *view, int columns)
{
    const struct live_view_sample *last = &view->last;
    struct units_text now = units_text(UNITS_TIME, (double)last->time_ps);
    struct units_text end = units_text(UNITS_TIME, (double)view->end_ps);

    fprintf(view->to, "%s%.*s", paint_text(view, "\033[1m"), columns, view->title);
    end_line(view);
    fprintf(view->to, "%-*s", NAME_COLUMNS, "time");
    draw_bar(view, columns - NAME_COLUMNS - 24, last->time_ps, view->end_ps, "\033[90m");
    fprintf(view->to, " %10s of %s", now.at, end.at);
    end_line(view);
}

static void draw_rates(struct live_view *view, int columns)
{
    const struct live_view_sample *last = &view->last;
    int wide = columns - NAME_COLUMNS - RATE_COLUMNS;
    struct units_text rate = units_text(UNITS_RATE, (double)last->goodput_bps);

    fprintf(view->to, "%-*s%11s ", NAME_COLUMNS, "goodput", rate.at);
    if (last->ideal_bps) {
        fprintf(view->to, "%3" PRIu64 " %% ", percent(last->goodput_bps, last->ideal_bps));
        draw_curve(view, wide - 6);
    } else {
        draw_curve(view, wide);
    }
    end_line(view);
    for (uint32_t plane = 0; plane < last->plane_count && plane + FRAME_ROWS < view->rows;
         plane++) {
        bool is_low = last->plane_bps[plane] < view->plane_most_bps / 2;

        rate = units_text(UNITS_RATE, (double)last->plane_bps[plane]);
        fprintf(view->to, "%-5s %-*" PRIu32 "%11s ", last->has_ports ? "port" : "plane",
            NAME_COLUMNS - 6, plane, rate.at);
        draw_bar(view, wide, last->plane_bps[plane], view->plane_most_bps,
            is_low ? "\033[33m" : "\033[34m");
        end_line(view);
    }
}

static void draw_counts(struct live_view *view)
{
    const struct live_view_sample *last = &view->last;
    struct units_text queue = units_text(UNITS_SIZE, (double)last->queue_peak_bytes);

    fprintf(view->to, "%-*s%" PRIu64 " active, %s%" PRIu64 " bad%s; deepest queue %s", NAME_COLUMNS,
        "EVs", last->active_evs, paint_text(view, last->bad_evs ? "\033[31;1m" : ""), last->bad_evs,
        paint_text(view, PLAIN), queue.at);
    end_line(view);
    fprintf(view->to, "%-*s%" PRIu64 " trimmed, %" PRIu64 " lost, %" PRIu64 " retransmitted",
        NAME_COLUMNS, "packets", last->trimmed, last->lost, last->retransmitted);
    end_line(view);
}

/* Always draws all lines for events, so that the height of the frame is constant. */
static void draw_faults(struct live_view *view, int columns)
{
    uint32_t shown =
        view->fault_count < LIVE_VIEW_FAULTS_MAX ? view->fault_count : LIVE_VIEW_FAULTS_MAX;

    for (uint32_t line = 0; line < LIVE_VIEW_FAULTS_MAX; line++) {
        uint32_t index = view->fault_count - shown + line;

        if (line < shown)
            fprintf(view->to, "%s%.*s", paint_text(view, "\033[33m"), columns,
                view->faults[index % LIVE_VIEW_FAULTS_MAX]);
        end_line(view);
    }
}

static void draw_frame(struct live_view *view)
{
    int columns = column_count(view);

    if (view->lines_drawn)
        fprintf(view->to, "\033[%" PRIu32 "A\r", view->lines_drawn);
    view->lines_drawn = 0;
    draw_progress(view, columns);
    draw_rates(view, columns);
    draw_counts(view);
    draw_faults(view, columns);
    fflush(view->to);
    view->drawn_ns = now_ns();
}

/* ---- lines ----------------------------------------------------------------------------------- */

static void print_line(const struct live_view *view)
{
    const struct live_view_sample *last = &view->last;
    struct units_text time = units_text(UNITS_TIME, (double)last->time_ps);
    struct units_text rate = units_text(UNITS_RATE, (double)last->goodput_bps);

    fprintf(view->to, "%10s  goodput %s", time.at, rate.at);
    if (last->ideal_bps)
        fprintf(view->to, " (%" PRIu64 " %%)", percent(last->goodput_bps, last->ideal_bps));
    for (uint32_t plane = 0; plane < last->plane_count; plane++) {
        rate = units_text(UNITS_RATE, (double)last->plane_bps[plane]);
        fprintf(view->to, "%s%s",
            plane             ? ", "
            : last->has_ports ? "; ports "
                              : "; planes ",
            rate.at);
    }
    fprintf(
        view->to, "; EVs %" PRIu64 " active, %" PRIu64 " bad\n", last->active_evs, last->bad_evs);
    fflush(view->to);
}

/* ---- calls ----------------------------------------------------------------------------------- */

static uint64_t larger(uint64_t a, uint64_t b)
{
    return a > b ? a : b;
}

/* A full curve continues with half as many points, each of twice as many samples. */
static void halve_curve(struct live_view *view)
{
    for (size_t i = 0; i < LIVE_VIEW_HISTORY / 2; i++)
        view->curve_bps[i] = larger(view->curve_bps[2 * i], view->curve_bps[2 * i + 1]);
    view->curve_count = LIVE_VIEW_HISTORY / 2;
    view->samples_per_point *= 2;
}

static void extend_curve(struct live_view *view, uint64_t goodput_bps)
{
    if (view->samples_in_last == view->samples_per_point) {
        if (view->curve_count == LIVE_VIEW_HISTORY)
            halve_curve(view);
        view->curve_bps[view->curve_count++] = 0;
        view->samples_in_last = 0;
    }
    view->curve_bps[view->curve_count - 1] =
        larger(view->curve_bps[view->curve_count - 1], goodput_bps);
    view->samples_in_last++;
}

static void take_sample(struct live_view *view, const struct live_view_sample *sample)
{
    view->last = *sample;
    extend_curve(view, sample->goodput_bps);
    view->goodput_most_bps = larger(view->goodput_most_bps, sample->goodput_bps);
    for (uint32_t plane = 0; plane < sample->plane_count; plane++)
        view->plane_most_bps = larger(view->plane_most_bps, sample->plane_bps[plane]);
}

void live_view_show(struct live_view *view, const struct live_view_sample *sample)
{
    uint32_t tenths = (uint32_t)(percent(sample->time_ps, view->end_ps) / 10);

    take_sample(view, sample);
    if (view->is_terminal) {
        if (now_ns() - view->drawn_ns >= FRAME_NS)
            draw_frame(view);
    } else if (tenths > view->tenths_told) {
        view->tenths_told = tenths;
        print_line(view);
    }
}

void live_view_tell(struct live_view *view, uint64_t time_ps, const char *what)
{
    char *line = view->faults[view->fault_count % LIVE_VIEW_FAULTS_MAX];
    struct units_text time = units_text(UNITS_TIME, (double)time_ps);

    snprintf(line, LIVE_VIEW_TEXT_BYTES, "%10s  %s", time.at, what);
    view->fault_count++;
    if (!view->is_terminal)
        fprintf(view->to, "%s\n", line);
}

void live_view_finish(struct live_view *view)
{
    if (view->is_terminal)
        draw_frame(view);
}
