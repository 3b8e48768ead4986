// SPDX-License-Identifier: ISC
#include <catch2/catch.hpp>

#include "batch/outcome.hpp"

using xtc::Ending;
using xtc::Fate;
using xtc::fate_of;
using xtc::Member;
using xtc::MemberState;
using xtc::Report;

namespace {

void check_end(const Fate& fate, int outcome, Ending ending) {
    CHECK(fate.next == MemberState::finished);
    CHECK(fate.outcome == outcome);
    CHECK(fate.ending == ending);
}

const Member plain;
constexpr Report fine = {XTC_OK, XTC_BATCH_EXEC_OK};
constexpr int every_state[] = {XTC_BATCH_DONE, XTC_BATCH_CONTINUE, XTC_BATCH_BLOCKED, XTC_BATCH_ERROR, -3};
constexpr Report late = {XTC_OK, XTC_BATCH_EXEC_TIMEOUT};

} // namespace

TEST_CASE("after a good step each result means what it says") {
    CHECK(fate_of(plain, {XTC_BATCH_CONTINUE, -99}, fine).next == MemberState::ready);
    CHECK(fate_of(plain, {XTC_BATCH_BLOCKED, 0}, fine).next == MemberState::blocked);
    check_end(fate_of(plain, {XTC_BATCH_DONE, -99}, fine), XTC_OK, Ending::completed);
    check_end(fate_of(plain, {XTC_BATCH_ERROR, XTC_E_IO}, fine), XTC_E_IO, Ending::failed);
    check_end(fate_of(plain, {XTC_BATCH_ERROR, XTC_E_ABORTED}, fine), XTC_E_ABORTED, Ending::failed);
}

TEST_CASE("omitted and invalid results fail the member as internal") {
    check_end(fate_of(plain, {XTC_BATCH_UNSET, 0}, fine), XTC_E_INTERNAL, Ending::failed);
    for (const int state : {-1, 5, 1000})
        check_end(fate_of(plain, {state, 0}, fine), XTC_E_INTERNAL, Ending::failed);
    for (const int error : {0, 1, -13, INT32_MIN, INT32_MAX})
        check_end(fate_of(plain, {XTC_BATCH_ERROR, error}, fine), XTC_E_INTERNAL, Ending::failed);
}

TEST_CASE("a nonzero return fails whatever the results say") {
    check_end(fate_of(plain, {XTC_BATCH_DONE, 0}, {XTC_E_NOMEM, XTC_BATCH_EXEC_OK}), XTC_E_NOMEM,
              Ending::failed);
    check_end(fate_of(plain, {XTC_BATCH_DONE, 0}, {7, XTC_BATCH_EXEC_OK}), XTC_E_INTERNAL, Ending::failed);
    check_end(fate_of(plain, {XTC_BATCH_DONE, 0}, {-1000, XTC_BATCH_EXEC_OK}), XTC_E_INTERNAL,
              Ending::failed);
    check_end(fate_of(plain, {XTC_BATCH_DONE, 0}, {XTC_E_NOMEM, XTC_BATCH_EXEC_TIMEOUT}), XTC_E_NOMEM,
              Ending::failed);
}

TEST_CASE("after a timeout only done and error are honoured") {
    check_end(fate_of(plain, {XTC_BATCH_DONE, 0}, late), XTC_OK, Ending::completed);
    check_end(fate_of(plain, {XTC_BATCH_ERROR, XTC_E_RANGE}, late), XTC_E_RANGE, Ending::failed);
    for (const int state : {XTC_BATCH_CONTINUE, XTC_BATCH_BLOCKED, XTC_BATCH_UNSET})
        check_end(fate_of(plain, {state, 0}, late), XTC_E_AGAIN, Ending::failed);
    check_end(fate_of(plain, {9, 0}, late), XTC_E_INTERNAL, Ending::failed);
}

TEST_CASE("an aborted or failed operation ends every member, whatever collect says") {
    for (const int rc : {0, static_cast<int>(XTC_E_NOMEM)})
        for (const int state : every_state) {
            check_end(fate_of(plain, {state, 0}, {rc, XTC_BATCH_EXEC_ABORTED}), XTC_E_ABORTED,
                      Ending::cancelled);
            check_end(fate_of(plain, {state, 0}, {rc, XTC_E_INVAL}), XTC_E_INVAL, Ending::failed);
            check_end(fate_of(plain, {state, 0}, {rc, XTC_E_ABORTED}), XTC_E_ABORTED, Ending::failed);
        }
}

TEST_CASE("a recorded cancel beats every result and every status") {
    Member cancelled;
    cancelled.cancelled = true;
    for (const int status : {0, 1, 2, static_cast<int>(XTC_E_INVAL)})
        for (const int rc : {0, static_cast<int>(XTC_E_NOMEM)})
            for (const int state : every_state)
                check_end(fate_of(cancelled, {state, XTC_E_IO}, {rc, status}), XTC_E_ABORTED,
                          Ending::cancelled);
    check_end(xtc::fate_of_abandoned(cancelled), XTC_E_ABORTED, Ending::cancelled);
    check_end(xtc::fate_of_abandoned(plain), XTC_E_INTERNAL, Ending::failed);
}

TEST_CASE("a resume in flight turns blocked into ready") {
    Member resumed;
    resumed.resumed = true;
    CHECK(fate_of(resumed, {XTC_BATCH_BLOCKED, 0}, fine).next == MemberState::ready);
}

TEST_CASE("exactly the codes of xtc.h are errors") {
    for (int code = -20; code <= 5; ++code) CHECK(xtc::is_error_code(code) == (code >= -12 && code <= -1));
}
