/* SPDX-License-Identifier: Apache-2.0 */
/* Files with traffic: what they say, and what is said about wrong ones. */
#include "files/schedule_file.h"

#include <string.h>

#include "files/files.h"
#include "spec.h"

#define US(count) ((uint64_t)(count)*UINT64_C(1000000))

static struct yaml yaml;

static const struct sim_schedule *read(enum schedule_format format, const char *text)
{
    struct schedule_options options = {
        .format = format, .rank_max = 64, .matrix_start = format == SCHEDULE_MATRIX ? 1 : 0
    };

    yaml_fini(&yaml);
    yaml_init(&yaml);
    return schedule_file_read(&yaml, "f", text, &options);
}

static const char *refusal_of(enum schedule_format format, const char *text)
{
    EXPECT(!read(format, text));
    return yaml.problem;
}

/* ---- comma-separated values ------------------------------------------------------------------ */

#define HEAD "id,source,destination,bytes,start,after,delay\n"

SPEC("flows have sizes and times with units, and columns in any order")
{
    const struct sim_schedule *flows =
        read(SCHEDULE_CSV, "# two\nbytes,delay,destination,source,start\n"
                           "4KiB,,1,0,\n\n\"10\", 3us ,0,5,2us\n");

    EXPECT(flows);
    EXPECT_EQ(flows->rank_count, 6);
    EXPECT_EQ(flows->operation_count, 2);
    EXPECT_EQ(flows->pair_count, 2);
    EXPECT_EQ(flows->operations[0].bytes, 4096);
    EXPECT_EQ(flows->operations[1].bytes, 10);
    EXPECT_EQ(flows->operations[1].rank, 5);
    EXPECT_EQ(flows->operations[1].start_ps, US(2));
    EXPECT_EQ(flows->operations[1].time_ps, US(3));
    EXPECT_EQ(flows->pairs[flows->operations[1].where].to_rank, 0);
}

SPEC("the mark that spreadsheets write before the first line is not part of it")
{
    EXPECT(read(SCHEDULE_CSV, "\xef\xbb\xbf" HEAD "a,0,1,8,,,\n"));
}

SPEC("a flow waits for flows from its source and to it, by end and by arrival")
{
    const struct sim_schedule *flows =
        read(SCHEDULE_CSV, HEAD "c,0,2,8,,\"a;b\",\na,0,1,8,,,\nb,3,0,8,,,\n");
    const struct sim_operation *c = &flows->operations[0];

    EXPECT(flows);
    EXPECT_EQ(flows->operation_count, 3);
    EXPECT_EQ(c->waits, 2);
    EXPECT_EQ(flows->operations[1].waits, 0);
    EXPECT_EQ(flows->waiters[flows->operations[1].first_waiter].operation, 0);
    EXPECT_EQ(flows->waiters[flows->operations[1].first_waiter].after, SIM_AFTER_END);
    EXPECT_EQ(flows->waiters[flows->operations[2].first_waiter].after, SIM_AFTER_ARRIVAL);
    EXPECT(flows->pairs[flows->operations[2].where].tells);
    EXPECT(!flows->pairs[flows->operations[1].where].tells);
}

SPEC("one notice goes to each rank that waits for flows between others")
{
    const struct sim_schedule *flows =
        read(SCHEDULE_CSV, HEAD "a,0,1,8,,,\nb,2,3,8,,a,\nc,2,4,8,,a,\nd,5,0,8,,a,\n");

    EXPECT(flows);
    EXPECT_EQ(flows->operation_count, 6);
    EXPECT_EQ(flows->operations[1].rank, 1); /* notices to 2 and to 5 */
    EXPECT_EQ(flows->operations[1].bytes, 64);
    EXPECT_EQ(flows->operations[1].waits, 1);
    EXPECT_EQ(flows->pairs[flows->operations[1].where].to_rank, 2);
    EXPECT_EQ(flows->pairs[flows->operations[2].where].to_rank, 5);
    EXPECT_EQ(flows->operations[3].waits, 1);
}

SPEC("the messages about wrong flows give line, column and reason")
{
    EXPECT_STR_EQ(refusal_of(SCHEDULE_CSV, ""),
        "f:1:1: the file is empty; its first line names columns: source,destination,bytes");
    EXPECT_STR_EQ(refusal_of(SCHEDULE_CSV, "source,destination\n"),
        "f:1:1: the column 'bytes' is missing; the first line names the columns");
    EXPECT_STR_EQ(refusal_of(SCHEDULE_CSV, "id,sourc\n"),
        "f:1:4: there is no column 'sourc'; did you mean 'source'?");
    EXPECT_STR_EQ(refusal_of(SCHEDULE_CSV, "id,id\n"), "f:1:4: the column 'id' is there twice");
    EXPECT_STR_EQ(refusal_of(SCHEDULE_CSV, HEAD "a,0,64,8,,,\n"),
        "f:2:5: there is no destination 64; they are 0 to 63");
    EXPECT_STR_EQ(refusal_of(SCHEDULE_CSV, HEAD "a,x,1,8,,,\n"),
        "f:2:3: 'x' is not a number; source is expected here");
    EXPECT_STR_EQ(refusal_of(SCHEDULE_CSV, HEAD "a,0,1,-8,,,\n"), "f:2:7: a size -8 is negative");
    EXPECT_STR_EQ(
        refusal_of(SCHEDULE_CSV, HEAD "a,0,1,0,,,\n"), "f:2:7: a flow has at least one byte");
    EXPECT_STR_EQ(refusal_of(SCHEDULE_CSV, HEAD "a,3,3,8,,,\n"),
        "f:2:1: a flow from 3 to itself; source and destination differ");
    EXPECT_STR_EQ(refusal_of(SCHEDULE_CSV, HEAD "a,0,1,8,5,,\n"),
        "f:2:9: '5' is not a time; give a time such as 500ns, 1.5us, 2ms or 3s");
    EXPECT_STR_EQ(refusal_of(SCHEDULE_CSV, HEAD "a,0,1,8,,,\na,0,1,8,,,\n"),
        "f:3:1: line 2 also has the id 'a'");
    EXPECT_STR_EQ(refusal_of(SCHEDULE_CSV, HEAD "a,0,1,8,,b,\n"), "f:2:10: no flow has the id 'b'");
    EXPECT_STR_EQ(
        refusal_of(SCHEDULE_CSV, HEAD "a,0,1,8,,\n"), "f:2:1: the field 'delay' is missing");
    EXPECT_STR_EQ(refusal_of(SCHEDULE_CSV, HEAD "a,0,1,8,,,,\n"),
        "f:2:12: this field has no column; the first line names 7");
    EXPECT_STR_EQ(
        refusal_of(SCHEDULE_CSV, HEAD "a,0,1,\"8,,,\n"), "f:2:8: the closing \" is missing");
    EXPECT_STR_EQ(refusal_of(SCHEDULE_CSV, HEAD), "f:1:1: there is no message; add one");
}

SPEC("flows that wait for each other are refused, those that only wait for them are not blamed")
{
    EXPECT_STR_EQ(refusal_of(SCHEDULE_CSV, HEAD "a,0,1,8,,a,\n"), "f:2:1: this waits for itself");
    EXPECT_STR_EQ(refusal_of(SCHEDULE_CSV, HEAD "a,0,1,8,,b,\nb,1,0,8,,c,\nc,0,2,8,,b,\n"),
        "f:4:1: this waits for line 3, which waits for this, directly or through others");
    /* A notice of the end of line 3 goes to rank 0. */
    EXPECT_STR_EQ(refusal_of(SCHEDULE_CSV, HEAD "a,0,1,8,,b,\nb,1,2,8,,a,\n"),
        "f:3:1: this waits for line 2, which waits for this, directly or through others");
}

SPEC("a list of what a flow waits for may be long")
{
    char text[65536] = HEAD;
    size_t length = strlen(text);

    for (int i = 0; i < 500; i++)
        length += (size_t)snprintf(text + length, sizeof(text) - length, "f%d,1,0,8,,,\n", i);
    length += (size_t)snprintf(text + length, sizeof(text) - length, "last,0,1,8,,");
    for (int i = 0; i < 500; i++)
        length += (size_t)snprintf(text + length, sizeof(text) - length, "f%d ", i);
    snprintf(text + length, sizeof(text) - length, ",\n");
    EXPECT(read(SCHEDULE_CSV, text));
    EXPECT_EQ(read(SCHEDULE_CSV, text)->operations[0].waits, 500);
}

/* ---- GOAL ------------------------------------------------------------------------------------ */

SPEC("a GOAL schedule has sends, receives and computing, each with what it requires")
{
    const struct sim_schedule *goal = read(SCHEDULE_GOAL,
        "num_ranks 3 // of 3\n/* two\n lines */ rank 0 {\nl1: send 10b to 1 tag 7\n"
        "l2: calc 5 cpu 1\nl2 requires l1\n}\nrank 1 {\nl1: recv 10b from 0 tag 7 nic 0\n"
        "l2: send 0 b to 2\nl2 requires l1\n}\nrank 2 { \n recv 0b from 1\n}\n");

    EXPECT(goal);
    EXPECT_EQ(goal->rank_count, 3);
    EXPECT_EQ(goal->operation_count, 5);
    EXPECT_EQ(goal->processor_count, 2);
    EXPECT_EQ(goal->operations[0].bytes, 10);
    EXPECT_EQ(goal->operations[1].time_ps, 5000);
    EXPECT_EQ(goal->operations[1].waits, 1);
    EXPECT_EQ(goal->operations[2].bytes, 0);
    EXPECT_EQ(goal->operations[2].waits, 1);
    EXPECT_EQ(goal->operations[3].bytes, 1);
    EXPECT(goal->pairs[0].tells && goal->pairs[1].tells);
}

SPEC("messages of two ranks with one tag match in order")
{
    const struct sim_schedule *goal = read(SCHEDULE_GOAL,
        "num_ranks 2\nrank 0 {\nsend 1b to 1 tag 2\nsend 2b to 1 tag 1\nsend 3b to 1 tag 2\n}\n"
        "rank 1 {\nrecv 2b from 0 tag 1\nrecv 1b from 0 tag 2\nrecv 3b from 0 tag 2\n}\n");

    EXPECT(goal);
    EXPECT_EQ(goal->waiters[goal->operations[0].first_waiter].operation, 4);
    EXPECT_EQ(goal->waiters[goal->operations[1].first_waiter].operation, 3);
    EXPECT_EQ(goal->waiters[goal->operations[2].first_waiter].operation, 5);
}

SPEC("what requires a receive to begin does not wait for its message")
{
    const struct sim_schedule *goal = read(SCHEDULE_GOAL,
        "num_ranks 2\nrank 0 {\nr: recv 1b from 1\ns: send 1b to 1\ns irequires r\n}\n"
        "rank 1 {\nr: recv 1b from 0\ns: send 1b to 0\ns requires r\n}\n");

    EXPECT(goal); /* it would be a circle */
    EXPECT_EQ(goal->operation_count, 5);
}

SPEC("the messages about wrong GOAL schedules give line, column and reason")
{
    EXPECT_STR_EQ(refusal_of(SCHEDULE_GOAL, ""), "f:1:1: the file is empty; begin with num_ranks");
    EXPECT_STR_EQ(
        refusal_of(SCHEDULE_GOAL, "rank 0 {\n"), "f:1:1: 'num_ranks' is expected here, not 'rank'");
    EXPECT_STR_EQ(refusal_of(SCHEDULE_GOAL, "num_ranks 65\n"),
        "f:1:11: a number of ranks 65 is too large; at most 64");
    EXPECT_STR_EQ(refusal_of(SCHEDULE_GOAL, "num_ranks 2\nrank 2 {\n}\n"),
        "f:2:6: there is no rank 2: num_ranks is 2");
    EXPECT_STR_EQ(refusal_of(SCHEDULE_GOAL, "num_ranks 2\nrank 0 {\nsend 1 to 1\n}\n"),
        "f:3:8: 'b' is expected here, not 'to'");
    EXPECT_STR_EQ(refusal_of(SCHEDULE_GOAL, "num_ranks 2\nrank 0 {\nsend 1b to 0\n}\n"),
        "f:3:12: rank 0 sends to itself");
    EXPECT_STR_EQ(
        refusal_of(SCHEDULE_GOAL, "num_ranks 2\nrank 0 {\nl: send 1b to 1\nl requires m\n}\n"),
        "f:4:12: rank 0 has no operation 'm' above this line");
    EXPECT_STR_EQ(refusal_of(SCHEDULE_GOAL, "num_ranks 2\nrank 0 {\nl: calc 1\nl: calc 2\n}\n"),
        "f:4:2: line 3 also has the label 'l'");
    EXPECT_STR_EQ(refusal_of(SCHEDULE_GOAL, "num_ranks 2\nrank 0 {\nsend 1b to 1 tag 3\n}\n"),
        "f:3:1: rank 1 has no recv for the message of rank 0 to rank 1 with tag 3");
    EXPECT_STR_EQ(refusal_of(SCHEDULE_GOAL, "num_ranks 2\nrank 0 {\nrecv 1b from 1\n}\n"),
        "f:3:1: rank 1 has no send for the message of rank 1 to rank 0 with tag 0");
    EXPECT_STR_EQ(refusal_of(SCHEDULE_GOAL, "num_ranks 2\nrank 0 {\nrecv 1b from -1\n}\n"),
        "f:3:14: receives from any rank cannot be simulated");
    EXPECT_STR_EQ(refusal_of(SCHEDULE_GOAL, "num_ranks 2\nrank 0 {\ncalc 1\n"),
        "f:4:1: the '}' of rank 0 is missing");
    EXPECT_STR_EQ(
        refusal_of(SCHEDULE_GOAL, "num_ranks 2 /* \n"), "f:1:1: this comment does not end");
}

/* ---- connection matrices --------------------------------------------------------------------- */

#define NODES "Nodes 8\nConnections 2\n"

SPEC("a connection matrix has connections at times and after triggers")
{
    const struct sim_schedule *matrix = read(SCHEDULE_MATRIX,
        "# comment\nNodes 8\nConnections 3\nTriggers 1\n0->1 id 1 start 70 size 8 "
        "recv_done_trigger 4\n"
        "1->2 id 2 trigger 4 size 9 prio 3\n5->6 size 10 start 0\ntrigger id 4 oneshot\n");

    EXPECT(matrix);
    EXPECT_EQ(matrix->rank_count, 8);
    EXPECT_EQ(matrix->operation_count, 3);
    EXPECT_EQ(matrix->operations[0].start_ps, 70);
    EXPECT_EQ(matrix->operations[1].waits, 1);
    EXPECT_EQ(matrix->waiters[0].after, SIM_AFTER_ARRIVAL);
}

SPEC("a barrier waits for all connections that fire it")
{
    const struct sim_schedule *matrix = read(SCHEDULE_MATRIX,
        "Nodes 8\nConnections 4\n0->1 start 0 size 8 send_done_trigger 1\n"
        "2->1 start 0 size 8 recv_done_trigger 1\n1->3 trigger 1 size 8\n1->4 trigger 1 size 8\n"
        "trigger id 1 barrier count 2\n");

    EXPECT(matrix);
    EXPECT_EQ(matrix->operation_count, 5);
    EXPECT_EQ(matrix->operations[3].bytes, 0);
    EXPECT_EQ(matrix->operations[3].waits, 2);
}

SPEC("the messages about wrong connection matrices give line, column and reason")
{
    EXPECT_STR_EQ(refusal_of(SCHEDULE_MATRIX, "Connections 1\n"),
        "f:1:1: the first line gives the number of Nodes");
    EXPECT_STR_EQ(refusal_of(SCHEDULE_MATRIX, NODES "0->1 start 0 size 8\n"),
        "f:1:1: Connections is 2, but there are 1");
    EXPECT_STR_EQ(
        refusal_of(SCHEDULE_MATRIX,
            "Nodes 4\nConnections 2\nTriggers 1\n0->1 id 1 start 0 size 8 send_done_trigger 1\n"
            "1->2 id 2 trigger 2 size 8\ntrigger id 1 oneshot\n"),
        "f:5:1: this trigger is not defined; add a line such as: trigger id 1 oneshot");
    EXPECT_STR_EQ(
        refusal_of(SCHEDULE_MATRIX,
            "Nodes 4\nConnections 2\nTriggers 2\n0->1 id 1 start 0 size 8 send_done_trigger 1\n"
            "1->2 id 2 trigger 1 size 8\ntrigger id 1 oneshot\n"),
        "f:1:1: Triggers is 2, but there are 1");
    EXPECT_STR_EQ(refusal_of(SCHEDULE_MATRIX, NODES "0->8 start 0 size 8\n"),
        "f:3:4: this file has the nodes 0 to 7");
    EXPECT_STR_EQ(refusal_of(SCHEDULE_MATRIX, NODES "0->0 start 0 size 8\n"),
        "f:3:4: a connection of node 0 to itself");
    EXPECT_STR_EQ(
        refusal_of(SCHEDULE_MATRIX, NODES "0->1 start 0\n"), "f:3:1: the size is missing");
    EXPECT_STR_EQ(refusal_of(SCHEDULE_MATRIX, NODES "0->1 start 0 size 0\n"),
        "f:3:19: a connection without end; give it a size");
    EXPECT_STR_EQ(refusal_of(SCHEDULE_MATRIX, NODES "0->1 id 1 size 1\n1->0 id 1 size 1\n"),
        "f:4:9: line 3 also has the id 1");
    EXPECT_STR_EQ(refusal_of(SCHEDULE_MATRIX, NODES "0->1 size 1\n1->0 size 1 trigger 3\n"),
        "f:4:1: this trigger is not defined; add a line such as: trigger id 1 oneshot");
    EXPECT_STR_EQ(refusal_of(SCHEDULE_MATRIX,
                      NODES "0->1 size 1\n1->0 size 1 trigger 3\ntrigger id 3 oneshot\n"),
        "f:5:1: 0 connections fire this trigger, not 1; several can fire a barrier only");
    EXPECT_STR_EQ(refusal_of(SCHEDULE_MATRIX, "Nodes 8\nFailures 1\n"),
        "f:2:1: failures are written in the experiment, under 'faults'");
    EXPECT_STR_EQ(refusal_of(SCHEDULE_MATRIX, "Nodes 65\nConnections 1\n0->1 size 1\n"),
        "f:1:1: this file has 65 ranks, but there are 64 NICs");
}
