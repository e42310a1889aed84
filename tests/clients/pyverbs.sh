#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# pyverbs, as Debian packages it: the example of docs/clients.md, and rdma-core's own test suite, which comes with it.
# Every test that MRC can carry passes; only tests that post a SEND fail. Lines with '#' list what is skipped and why.
. "$(dirname "$0")/../harness/tap.sh"
python=/usr/bin/python3
suite=/usr/share/doc/rdma-core/tests
if ! $python -c 'import pyverbs.device' 2>/dev/null || [ ! -e "$suite/run_tests.py" ]; then
    skip_all 'pyverbs is not installed (package python3-pyverbs)'
fi
if nm -D "$BUILD/lib/libmrc.so.1" 2>/dev/null | grep -q ' __[at]san_init'; then
    skip_all 'a program without a sanitizer cannot load libraries with one'
fi
. "$(dirname "$0")/../harness/soft.sh"
begin_fabric 1000

awk '/^```python/ { inside = 1; next } /^```/ { inside = 0 } inside' "$ROOT/docs/clients.md" >"$SCRATCH/example.py"
exits 0 'the example of the manual runs' timeout 60 "$mrc" exec -- $python "$SCRATCH/example.py"
is '  and its bytes arrive' "$output" 'written by mrc0'

cp -r "$suite" "$SCRATCH/tests"
gunzip "$SCRATCH"/tests/*.gz
timeout 300 "$mrc" exec --nic h0 -- $python "$SCRATCH/tests/run_tests.py" --dev mrc0 --gid 0 -v >"$SCRATCH/log" 2>&1

# One line for each test: its name and its end.
awk '/^=====/ { exit }
     match($0, /\(tests\.[A-Za-z0-9_.]+\)/) { name = substr($0, RSTART + 7, RLENGTH - 8) }
     match($0, /(ok|ERROR|FAIL|skipped .*)$/) && name { print name, substr($0, RSTART); name = "" }' "$SCRATCH/log" >"$SCRATCH/ends"
sed -n "s/^[^ ]* skipped ['\"]\(.*\)['\"]$/\1/p" "$SCRATCH/ends" | sort | uniq -c | sort -rn | sed 's/^/# skipped/'
echo "# $(grep -c ' ok$' "$SCRATCH/ends") pass; these do not: $(sed -n 's/ \(ERROR\|FAIL\)$//p' "$SCRATCH/ends" | xargs)"
is 'every test of the pyverbs suite ends' "$(wc -l <"$SCRATCH/ends")" "$(sed -n 's/^Ran \([0-9]*\) tests.*/\1/p' "$SCRATCH/log")"
is_more '  and more than 30 succeed' "$(grep -c ' ok$' "$SCRATCH/ends")" 30
is 'memory can be registered again' "$(grep -c 'test_mr_rereg_access.* ok$' "$SCRATCH/ends")" 2
is 'writes succeed, also with an immediate and with no bytes' "$(grep -c 'QpExTestCase.*rc_rdma_write.* ok$' "$SCRATCH/ends")" 3
is 'only tests that post a SEND fail' "$(grep -cE ' (ERROR|FAIL)$' "$SCRATCH/ends")" \
    "$(grep -c '^pyverbs.*Failed to post send. Errno: 95' "$SCRATCH/log")"
[ "$tap_failed" -eq 0 ] || sed -n '/^=====/,$ s/^/# /p' "$SCRATCH/log"
done_testing
