#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# mrc claims: verdicts, runs that are kept, what is refused; and whether the pages about claims are up to date.
. "$(dirname "$0")/../harness/tap.sh"
mrc=$BUILD/bin/mrc
cd "$SCRATCH" || exit 1

cat >pair.yaml <<END
name: pair
fabric: { planes: 1, t0s: 1, t1s: 0, hosts_per_t0: 2 }
duration: 50us
workloads: [{ kind: stream, message_bytes: 64KiB }]
sweep:
  - { label: one, workloads.0.outstanding: 1 }
  - { label: two, workloads.0.outstanding: 2 }
END
claim() # FILE SAYS CASE...
{
    claim_file=$1
    printf 'claim: %s\nsays: %s\nexperiment: pair.yaml\ncases:\n' "${1%.yaml}" "$2" >"$claim_file"
    shift 2
    printf '  - %s\n' "$@" >>"$claim_file"
}
holds='{ what: two are not slower, expect: runs.two.goodput_bps >= runs.one.goodput_bps }'
fails='{ what: one is faster, expect: runs.one.goodput_bps > runs.two.goodput_bps }'
claim a.yaml 'it is so' "$holds"
claim b.yaml 'it is not so' "$fails"
claim c.yaml 'it varies' "$holds" "$fails"
printf 'claim: d\nsays: who knows\nnot_testable: nobody does\n' >d.yaml

exits 0 'claims are measured' "$mrc" claims -o out a.yaml b.yaml c.yaml d.yaml
contains '  all cases hold: confirmed' "$output" 'a    confirmed: it is so'
contains '  no case holds: refuted' "$output" 'b    refuted: it is not so'
contains '  some do: depends' "$output" 'c    depends: it varies'
contains '  the reason is told' "$output" 'd    not testable: who knows
     nobody does'
contains '  and the number' "$output" 'does not hold  one is faster: '
is '  runs are made once' "$(find out/runs -name '*.json' | wc -l)" 2
touch -d '2020-01-01' out/runs/*.json
exits 0 'the same command' "$mrc" claims -q -o out a.yaml c.yaml
is '  makes no run again' "$(find out/runs -newermt 2021-01-01 -name '*.json' | wc -l)" 0
is 'JSON has verdicts and values' \
    "$("$mrc" claims -j -o out a.yaml b.yaml | jq -c '[.claims[] | [.claim, .verdict, .cases[0].pass, (.cases[0].value > 0)]]')" \
    '[["a","confirmed",true,true],["b","refuted",false,true]]'
is '--list runs nothing' "$("$mrc" claims --list a.yaml d.yaml; ls)" "a    it is so
d    who knows
$(ls)"

claim e.yaml 'a typo' '{ what: w, expect: runs.one.godput > 1 }'
exits 1 'a figure that is not there decides nothing' "$mrc" claims -o out e.yaml
contains '  and it is named' "$output" "undecided      w: there is no 'runs.one.godput'"
claim f.yaml 'a test' '{ what: w, test: unit-psn_test, sentence: a distance across the wrap is short and signed }'
exits 1 'without --tests a test decides nothing' "$mrc" claims -o out f.yaml
contains '  and the option is named' "$output" 'tests are run with --tests only'
exits 1 'a test that is not there decides nothing' "$mrc" claims -o out --tests . f.yaml
contains '  and the message says so' "$output" 'this test is not there'
mkdir tests
proves() # STATUS OUTPUT
{
    printf '#!/bin/sh\necho "%s"\nexit %s\n' "$2" "$1" >tests/unit-psn_test
    chmod +x tests/unit-psn_test
    "$mrc" claims -j -o out --tests tests f.yaml | jq -r '.claims[].verdict'
}
is 'a test that passes confirms' "$(proves 0 'ok 1 - it')" confirmed
is 'one that fails refutes' "$(proves 1 'not ok 1 - it')" refuted
is 'one that is skipped decides nothing' "$(proves 0 'ok 1 - it # SKIP why')" undecided
sed -i 's/signed }/signed, contradicts: yes }/' f.yaml
is 'one that contradicts and passes refutes' "$(proves 0 'ok 1 - it')" refuted

# A script has the sentences of several tests, one of which decides.
cat >script.sh <<'END'
echo "ok 1 - another"
echo "not ok 2 - it fails"
echo "ok 3 -   it works in $BUILD"
echo "ok 4 - it is left out # SKIP not root"
exit 1
END
decides() # SENTENCE
{
    printf 'claim: s\nsays: so\ncases: [{ what: w, script: script.sh, sentence: %s }]\n' "$1" >s.yaml
    "$mrc" claims -j -o out --tests tests s.yaml | jq -r '.claims[].verdict'
}
is 'a sentence of a script that holds confirms' "$(decides "it works in $PWD")" confirmed
is 'one that does not hold refutes' "$(decides 'it fails')" refuted
is 'one that is skipped or missing decides nothing' "$(decides 'it is left out') $(decides 'it is')" 'undecided undecided'

refuses() # MESSAGE ARGUMENT...
{
    refused=$1
    shift
    exits 2 "refused: mrc claims $*" "$mrc" claims "$@"
    contains '  with the reason' "$output" "$refused"
}
refuses 'name a CLAIM.yaml' -o out
refuses 'name a folder for the runs' a.yaml
refuses 'nowhere.yaml' -o out nowhere.yaml
cp a.yaml again.yaml
refuses 'a.yaml and again.yaml are both claim a' -o out a.yaml again.yaml
sed 's/pair.yaml/gone.yaml/' a.yaml >g.yaml
refuses 'gone.yaml' -o out g.yaml
echo 'claim: h' >h.yaml
refuses 'h.yaml' -o out h.yaml

cd "$ROOT" || exit 1
exits 0 'docs/claims.md and docs/nscc-scorecard.md are what was measured of the present files' tools/claims --check
# shellcheck disable=SC2046
exits 0 'all claims can be read' "$mrc" claims --list $(ls experiments/claims/*.yaml experiments/claims/nscc/*.yaml)
for file in experiments/claims/runs/*.yaml; do
    exits 0 "$file can be run" "$mrc" sim -q --set duration=1us --set 'criteria=[]' "$file"
done
exits 1 'tools/claims refuses what it does not know' tools/claims --nothing
done_testing
