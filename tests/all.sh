#!/usr/bin/env bash
# SPDX-License-Identifier: ISC
# Every check of the tree, stage by stage; called by ./run, which installs what this needs.
set -u
cd "$(dirname "$(readlink -f "$0")")/.." || exit 1
. tests/configure.sh

usage() {
    cat <<'TEXT'
usage: ./run test [--only STAGE,...] [--list]

  release   optimised build with g++, all unit tests
  check     text of the tree, headers alone, manual pages, symbols against the map, the README's program
  install   programs built from an installed tree: pkg-config and CMake, C and C++, shared and static
  sim       simulator seeds 1 to 20, each twice
  asan      unit tests under the address and undefined-behaviour sanitizers (g++)
  tsan      tests that make threads under the thread sanitizer (clang-19)
  clang     everything compiled with clang-19, base tests run
  options   the build with batching and accelerator waits switched off
  sentences every sentence of the contracts has tests, and they ran (after release, check, install, options)

One line per stage, what failed, and at the end "N passed, M failed". Logs are in build/logs.
TEXT
}

STAGES="release check install sim asan tsan clang options sentences"
only=$STAGES
case ${1-} in
    --help | -h) usage; exit ;;
    --list) echo "$STAGES"; exit ;;
    --only) only=${2//,/ } ;;
    '') ;;
    *) usage >&2; exit 2 ;;
esac

LOGS=build/logs
mkdir -p $LOGS
passed=0 failed=0 skipped=0
failures=()

note_failure() { # what, log
    failed=$((failed + 1))
    failures+=("$1 ($2)")
}

# Runs a command with its output in the stage's log.
logged() { "$@" >>"$log" 2>&1; }

# Configures and builds; a failure is one failed check of the stage.
build() {
    local folder=$1
    if logged make_build "$@"; then
        passed=$((passed + 1))
        return 0
    fi
    note_failure "$stage: the build in $folder" "$log"
    return 1
}

# Runs Meson tests of a built folder and takes in their cases one by one.
meson_tests() {
    local folder=$1 rc=0 cases line first=1 before=$failed
    shift
    rm -f "$folder/meson-logs/testlog.junit.xml" "$LOGS/$stage.junit.xml"
    logged meson test -C "$folder" --no-rebuild --num-processes 2 --print-errorlogs "$@" || rc=$?
    if cases=$(python3 tests/count.py "$folder/meson-logs/testlog.junit.xml" 2>>"$log"); then
        while IFS= read -r line; do
            if [ $first = 1 ]; then
                first=0
                # shellcheck disable=SC2086
                set -- $line
                passed=$((passed + $1)) skipped=$((skipped + $3))
            elif [ -n "$line" ]; then
                note_failure "$stage: $line" "$log"
            fi
        done <<<"$cases"
    fi
    cp "$folder/meson-logs/testlog.junit.xml" "$LOGS/$stage.junit.xml" 2>>"$log"
    # Meson keeps what a test says about its failures out of what it prints.
    if [ $rc != 0 ]; then grep -E '^(not ok |# )' "$folder/meson-logs/testlog.txt" >>"$log"; fi
    # A crash, a time-out or an unreadable result has no case of its own.
    if [ $rc != 0 ] && [ "$failed" = "$before" ]; then
        line=$(sed -nE 's/^ *[0-9]+\/[0-9]+ (.*[^ ]) +(TIMEOUT|ERROR|FAIL) .*/\1: \2/p' "$log" | sort -u)
        note_failure "$stage: a test program ended badly: ${line:-no result}" "$log"
    fi
}

stage_release() {
    build build/release gcc g++ || return
    meson_tests build/release --no-suite check --no-suite install
}

stage_check() { meson_tests build/release --suite check; }

stage_install() { meson_tests build/release --suite install; }

# The same seed must give the same line in two processes.
stage_sim() {
    local tool=build/release/sim/xtc-sim
    if [ ! -x $tool ]; then
        skipped=$((skipped + 1))
        return
    fi
    if logged $tool --seeds 1..20; then
        passed=$((passed + 1))
    else
        note_failure "sim: seeds 1..20" "$log"
    fi
    if cmp -s <($tool --seed 7 2>&1) <($tool --seed 7 2>&1); then
        passed=$((passed + 1))
    else
        note_failure "sim: seed 7 run twice gives two outputs" "$log"
    fi
}

stage_asan() {
    # shellcheck disable=SC2086
    build $ASAN_BUILD || return
    # Allocations that must fail are part of the tests.
    export ASAN_OPTIONS=detect_stack_use_after_return=1:strict_string_checks=1:allocator_may_return_null=1
    export UBSAN_OPTIONS=halt_on_error=1:print_stacktrace=1
    meson_tests build/asan --no-suite check --no-suite install -t 4
    unset ASAN_OPTIONS UBSAN_OPTIONS
}

stage_tsan() {
    # shellcheck disable=SC2086
    build build/tsan clang-19 clang++-19 -Db_sanitize=thread -Dexamples=false $SANITIZED || return
    export TSAN_OPTIONS=second_deadlock_stack=1:allocator_may_return_null=1
    meson_tests build/tsan --suite threads -t 6
    unset TSAN_OPTIONS
}

stage_clang() {
    build build/clang clang-19 clang++-19 || return
    meson_tests build/clang --suite base --suite abi --suite loop
}

stage_options() {
    # shellcheck disable=SC2086
    build build/options gcc g++ -Dsched_policy=false -Daccel=disabled -Dnrt=disabled -Dsim=false \
        -Dexamples=false $TEST_ONLY || return
    meson_tests build/options --suite base --suite abi --suite batch --suite accel
}

stage_sentences() {
    if logged python3 tests/sentences_check.py $LOGS/{release,check,install,options}.junit.xml; then
        passed=$((passed + 1))
    else
        note_failure "sentences: a SENTENCES.md and the tests that ran differ" "$log"
    fi
}

for stage in $only; do
    if ! declare -F "stage_$stage" >/dev/null; then
        echo "no stage '$stage'; there are: $STAGES" >&2
        exit 2
    fi
    log=$LOGS/$stage.log
    : >"$log"
    began=$SECONDS p=$passed f=$failed s=$skipped
    "stage_$stage"
    printf '%-8s %4d passed, %d failed%s  %d s\n' "$stage" $((passed - p)) $((failed - f)) \
        "$([ $skipped = $s ] || echo ", $((skipped - s)) skipped")" $((SECONDS - began))
done

# Lines of a log that tell a reader nothing about a failure.
CHATTER='^\[[0-9]+/[0-9]+\] (Comp|Link|Gen)|^$|^(Ok|Expected Fail|Fail|Unexpected Pass|Skipped|Timeout): '
CHATTER="$CHATTER"'|^ *[0-9]+/[0-9]+ .* OK |^Full log|^Summary of|^(―)+'

for line in "${failures[@]}"; do echo "FAILED $line"; done
for log in $(printf '%s\n' "${failures[@]}" | sed -n 's/.*(\(.*\))$/\1/p' | sort -u); do
    echo "--- the end of $log"
    grep -vE "$CHATTER" "$log" | tail -n 40
done
echo "$passed passed, $failed failed"
[ $failed = 0 ]
