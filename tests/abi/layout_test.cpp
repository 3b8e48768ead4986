// SPDX-License-Identifier: ISC
//
// The ABI in numbers: size and offsets of every public struct, the value of every public constant, on
// 64-bit Linux. A change here breaks programs that are already compiled.
#include <catch2/catch.hpp>

#include <xtc.h>
#include <xtc_accel.h>
#include <xtc_async.h>
#include <xtc_batch.h>
#include <xtc_blocking.h>
#include <xtc_exec.h>
#include <xtc_future.h>
#include <xtc_inspect.h>
#include <xtc_io.h>
#include <xtc_log.h>
#include <xtc_loop.h>
#include <xtc_net.h>
#include <xtc_proc.h>
#include <xtc_res.h>
#include <xtc_sim.h>
#include <xtc_sync.h>

#include <cstddef>
#include <string>
#include <type_traits>

static_assert(sizeof(void*) == 8 && sizeof(size_t) == 8 && sizeof(int) == 4, "written for LP64");

#define SIZE(type, bytes) static_assert(sizeof(type) == (bytes) && std::is_standard_layout_v<type>)
#define AT(type, field, offset) static_assert(offsetof(type, field) == (offset))
#define VALUE(name, number) static_assert(static_cast<long long>(name) == (number))

// xtc.h
SIZE(xtc_err_t, 4);
VALUE(XTC_OK, 0);
VALUE(XTC_E_INVAL, -1);
VALUE(XTC_E_NOMEM, -2);
VALUE(XTC_E_NOSYS, -3);
VALUE(XTC_E_RANGE, -4);
VALUE(XTC_E_AGAIN, -5);
VALUE(XTC_E_INTERNAL, -6);
VALUE(XTC_E_RESOURCE, -7);
VALUE(XTC_E_DEADLK, -8);
VALUE(XTC_E_VERSION, -9);
VALUE(XTC_E_ABORTED, -10);
VALUE(XTC_E_NOTFOUND, -11);
VALUE(XTC_E_IO, -12);

// xtc_loop.h
SIZE(xtc_waker_t, 16);
AT(xtc_waker_t, loop, 0);
AT(xtc_waker_t, task, 8);
VALUE(XTC_TASK_DONE, 0);
VALUE(XTC_TASK_RESCHED, 1);
VALUE(XTC_TASK_PENDING, 2);

// xtc_async.h
SIZE(xtc_pt_t, 2);
AT(xtc_pt_t, lc, 0);
VALUE(XTC_PT_YIELDED, 0);
VALUE(XTC_PT_DONE, 2);

// xtc_exec.h
SIZE(xtc_exec_class_t, 8);
SIZE(xtc_loop_stats_t, 16);
AT(xtc_loop_stats_t, tasks_run, 0);
AT(xtc_loop_stats_t, steals, 8);

// xtc_proc.h
SIZE(xtc_pid_t, 8);
static_assert(alignof(xtc_pid_t) == 4);
AT(xtc_pid_t, loop_id, 0);
AT(xtc_pid_t, local_id, 2);
AT(xtc_pid_t, gen, 4);
SIZE(xtc_proc_opts_t, 56);
AT(xtc_proc_opts_t, name, 0);
AT(xtc_proc_opts_t, mailbox_cap, 8);
AT(xtc_proc_opts_t, link_to, 16);
AT(xtc_proc_opts_t, mailbox_watermark_pct, 20);
AT(xtc_proc_opts_t, mailbox_watermark_fn, 24);
AT(xtc_proc_opts_t, mailbox_watermark_user, 32);
AT(xtc_proc_opts_t, migratable, 40);
AT(xtc_proc_opts_t, sched_class, 48);
SIZE(xtc_proc_opts2_t, 48);
AT(xtc_proc_opts2_t, size, 0);
AT(xtc_proc_opts2_t, version, 8);
AT(xtc_proc_opts2_t, name, 16);
AT(xtc_proc_opts2_t, mailbox_cap, 24);
AT(xtc_proc_opts2_t, stack_size, 32);
AT(xtc_proc_opts2_t, sched_class, 40);
SIZE(xtc_mailbox_stats_t, 48);
AT(xtc_mailbox_stats_t, depth, 0);
AT(xtc_mailbox_stats_t, saved, 8);
AT(xtc_mailbox_stats_t, peak, 16);
AT(xtc_mailbox_stats_t, cap, 24);
AT(xtc_mailbox_stats_t, recv_total, 32);
AT(xtc_mailbox_stats_t, drop_total, 40);
VALUE(XTC_PROC_OPTS2_VERSION, 1);
VALUE(XTC_WAIT_MAILBOX, 0x10000);
VALUE(XTC_WAIT_TIMEOUT, 0x20000);
VALUE(XTC_PROC_AT_EXIT_MAX, 16);

// xtc_inspect.h
SIZE(xtc_proc_info_t, 80);
AT(xtc_proc_info_t, pid, 0);
AT(xtc_proc_info_t, run_state, 8);
AT(xtc_proc_info_t, park_reason, 12);
AT(xtc_proc_info_t, alive, 16);
AT(xtc_proc_info_t, kill_pending, 20);
AT(xtc_proc_info_t, mask_depth, 24);
AT(xtc_proc_info_t, mask_deferred, 28);
AT(xtc_proc_info_t, mbox_len, 32);
AT(xtc_proc_info_t, mbox_peak, 40);
AT(xtc_proc_info_t, mbox_cap, 48);
AT(xtc_proc_info_t, mbox_saved, 56);
AT(xtc_proc_info_t, mbox_recv_total, 64);
AT(xtc_proc_info_t, mbox_drop_total, 72);
VALUE(XTC_PROC_SCHEDULED, 0);
VALUE(XTC_PROC_RUNNING, 1);
VALUE(XTC_PROC_PARKED, 2);
VALUE(XTC_PROC_DONE, 3);
VALUE(XTC_PARK_NONE, 0);
VALUE(XTC_PARK_FD, 1);
VALUE(XTC_PARK_TIMER, 2);
VALUE(XTC_PARK_MAILBOX, 3);
VALUE(XTC_PARK_OTHER, 4);

// xtc_res.h
SIZE(xtc_res_kind_t, 4);
VALUE(XTC_RES_TASKS, 0);
VALUE(XTC_RES_CHANNELS, 1);
VALUE(XTC_RES_CHAN_SLOTS, 2);
VALUE(XTC_RES_FDS, 3);
VALUE(XTC_RES_MEM_BYTES, 4);
VALUE(XTC_RES_INBOX_MSGS, 5);
VALUE(XTC_RES__COUNT, 6);
SIZE(xtc_res_caps_t, 48);
AT(xtc_res_caps_t, tasks, 0);
AT(xtc_res_caps_t, channels, 8);
AT(xtc_res_caps_t, chan_slots, 16);
AT(xtc_res_caps_t, fds, 24);
AT(xtc_res_caps_t, mem_bytes, 32);
AT(xtc_res_caps_t, inbox_msgs, 40);
SIZE(xtc_res_t, 280);
AT(xtc_res_t, caps, 0);
AT(xtc_res_t, used, 48);
AT(xtc_res_t, high, 96);
AT(xtc_res_t, rejects, 144);
AT(xtc_res_t, alert_pct, 192);
AT(xtc_res_t, alert_armed, 240);
AT(xtc_res_t, alert_fn, 264);
AT(xtc_res_t, alert_user, 272);

// xtc_io.h
VALUE(XTC_IO_READABLE, 0x01);
VALUE(XTC_IO_WRITABLE, 0x02);
VALUE(XTC_IO_HUP, 0x04);
VALUE(XTC_IO_ERR, 0x08);
VALUE(XTC_IO_WAKEUP, 0x10);
VALUE(XTC_IO_AIO, 0x20);

// xtc_net.h
SIZE(xtc_net_family_t, 4);
VALUE(XTC_NET_INET, 0);
VALUE(XTC_NET_INET6, 1);
VALUE(XTC_NET_UNIX, 2);
SIZE(xtc_tcp_opts_t, 32);
AT(xtc_tcp_opts_t, nodelay, 0);
AT(xtc_tcp_opts_t, reuseaddr, 4);
AT(xtc_tcp_opts_t, reuseport, 8);
AT(xtc_tcp_opts_t, keepalive, 12);
AT(xtc_tcp_opts_t, keepidle_s, 16);
AT(xtc_tcp_opts_t, keepintvl_s, 20);
AT(xtc_tcp_opts_t, keepcnt, 24);
AT(xtc_tcp_opts_t, user_timeout_ms, 28);

// xtc_accel.h
SIZE(xtc_accel_kind_t, 4);
VALUE(XTC_ACCEL_KIND_UNKNOWN, 0);
VALUE(XTC_ACCEL_KIND_GPU, 1);
VALUE(XTC_ACCEL_KIND_NPU, 2);
SIZE(xtc_accel_dev_t, 132);
AT(xtc_accel_dev_t, kind, 0);
AT(xtc_accel_dev_t, name, 4);
AT(xtc_accel_dev_t, node, 36);
AT(xtc_accel_dev_t, driver, 100);

// xtc_log.h
SIZE(xtc_log_level_t, 4);
VALUE(XTC_LOG_TRACE, 0);
VALUE(XTC_LOG_DEBUG, 1);
VALUE(XTC_LOG_INFO, 2);
VALUE(XTC_LOG_WARN, 3);
VALUE(XTC_LOG_ERROR, 4);
VALUE(XTC_LOG_FATAL, 5);
SIZE(xtc_log_opts_t, 32);
AT(xtc_log_opts_t, ring_size, 0);
AT(xtc_log_opts_t, record_max, 4);
AT(xtc_log_opts_t, floor, 8);
AT(xtc_log_opts_t, sink_fd, 12);
AT(xtc_log_opts_t, sink, 16);
AT(xtc_log_opts_t, sink_user, 24);

// xtc_batch.h
VALUE(XTC_BATCH_VERSION, 1);
VALUE(XTC_BATCH_UNSET, 0);
VALUE(XTC_BATCH_CONTINUE, 1);
VALUE(XTC_BATCH_DONE, 2);
VALUE(XTC_BATCH_BLOCKED, 3);
VALUE(XTC_BATCH_ERROR, 4);
VALUE(XTC_BATCH_DRAIN, 1);
VALUE(XTC_BATCH_CANCEL, 2);
VALUE(XTC_BATCH_EXEC_SYNC, 1);
VALUE(XTC_BATCH_EXEC_FENCE, 2);
VALUE(XTC_BATCH_EXEC_FUTURE, 3);
VALUE(XTC_BATCH_EXEC_BLOCKING, 4);
VALUE(XTC_BATCH_EXEC_OK, 0);
VALUE(XTC_BATCH_EXEC_TIMEOUT, 1);
VALUE(XTC_BATCH_EXEC_ABORTED, 2);
SIZE(enum xtc_batch_close_mode, 4);
SIZE(xtc_batch_item_t, 16);
AT(xtc_batch_item_t, handle, 0);
AT(xtc_batch_item_t, request, 8);
SIZE(xtc_batch_result_t, 8);
AT(xtc_batch_result_t, state, 0);
AT(xtc_batch_result_t, error, 4);
SIZE(xtc_batch_exec_t, 32);
AT(xtc_batch_exec_t, kind, 0);
AT(xtc_batch_exec_t, fence_fd, 4);
AT(xtc_batch_exec_t, future, 8);
AT(xtc_batch_exec_t, run, 16);
AT(xtc_batch_exec_t, arg, 24);
SIZE(xtc_batch_opts_t, 72);
AT(xtc_batch_opts_t, size, 0);
AT(xtc_batch_opts_t, version, 8);
AT(xtc_batch_opts_t, capacity, 16);
AT(xtc_batch_opts_t, max_active, 24);
AT(xtc_batch_opts_t, resource_capacity, 32);
AT(xtc_batch_opts_t, sched_class, 40);
AT(xtc_batch_opts_t, step, 48);
AT(xtc_batch_opts_t, complete, 56);
AT(xtc_batch_opts_t, user, 64);
SIZE(xtc_batch_async_opts_t, 104);
AT(xtc_batch_async_opts_t, size, 0);
AT(xtc_batch_async_opts_t, version, 8);
AT(xtc_batch_async_opts_t, capacity, 16);
AT(xtc_batch_async_opts_t, max_active, 24);
AT(xtc_batch_async_opts_t, resource_capacity, 32);
AT(xtc_batch_async_opts_t, exec_timeout_ns, 40);
AT(xtc_batch_async_opts_t, sched_class, 48);
AT(xtc_batch_async_opts_t, submit, 56);
AT(xtc_batch_async_opts_t, collect, 64);
AT(xtc_batch_async_opts_t, complete, 72);
AT(xtc_batch_async_opts_t, cancel_hint, 80);
AT(xtc_batch_async_opts_t, user, 88);
AT(xtc_batch_async_opts_t, mt_queue_cap, 96);
SIZE(xtc_batch_stats_t, 104);
AT(xtc_batch_stats_t, size, 0);
AT(xtc_batch_stats_t, version, 8);
AT(xtc_batch_stats_t, queued, 16);
AT(xtc_batch_stats_t, ready, 24);
AT(xtc_batch_stats_t, blocked, 32);
AT(xtc_batch_stats_t, reserved_units, 40);
AT(xtc_batch_stats_t, iterations, 48);
AT(xtc_batch_stats_t, completed, 56);
AT(xtc_batch_stats_t, cancelled, 64);
AT(xtc_batch_stats_t, failed, 72);
AT(xtc_batch_stats_t, rejections, 80);
AT(xtc_batch_stats_t, max_vector, 88);
AT(xtc_batch_stats_t, total_members, 96);
SIZE(xtc_batch_async_stats_t, 56);
AT(xtc_batch_async_stats_t, size, 0);
AT(xtc_batch_async_stats_t, version, 8);
AT(xtc_batch_async_stats_t, offloads, 16);
AT(xtc_batch_async_stats_t, offload_timeouts, 24);
AT(xtc_batch_async_stats_t, offload_errors, 32);
AT(xtc_batch_async_stats_t, mt_queued, 40);
AT(xtc_batch_async_stats_t, mt_rejections, 48);

// xtc_sim.h
SIZE(enum xtc_sim_stream, 4);
VALUE(XTC_SIM_RNG_SCHED, 0);
VALUE(XTC_SIM_RNG_STEAL, 1);
VALUE(XTC_SIM_RNG_PLACE, 2);
VALUE(XTC_SIM_RNG_LOCKVIC, 3);
VALUE(XTC_SIM_RNG_IO, 4);
VALUE(XTC_SIM_RNG_FAULT, 5);
VALUE(XTC_SIM_RNG_APP, 6);
VALUE(XTC_SIM_RNG_BUGGIFY, 7);
VALUE(XTC_SIM_RNG_NSTREAMS, 8);

namespace {

// The prototypes other people's code takes the address of.
static_assert(std::is_same_v<decltype(&xtc_batch_submit), int (*)(xtc_batch_t*, void*, uint64_t, uint64_t*)>);
static_assert(std::is_same_v<decltype(&xtc_batch_close), int (*)(xtc_batch_t*, enum xtc_batch_close_mode)>);
static_assert(std::is_same_v<decltype(&xtc_batch_loop_for_device),
                             int (*)(xtc_exec_t*, const xtc_accel_dev_t*, int*)>);
static_assert(std::is_same_v<decltype(&xtc_batch_route), xtc_batch_t* (*)(xtc_batch_router_t*, uint64_t)>);
static_assert(std::is_same_v<decltype(xtc_batch_exec_t::run), int (*)(void*)>);

} // namespace

TEST_CASE("the default initialisers hold the documented values") {
    const xtc_tcp_opts_t tcp = XTC_TCP_OPTS_DEFAULT;
    CHECK(tcp.nodelay == 1);
    CHECK(tcp.reuseaddr == 1);
    CHECK(tcp.reuseport + tcp.keepalive + tcp.user_timeout_ms == 0);
    CHECK(tcp.keepidle_s + tcp.keepintvl_s + tcp.keepcnt == 0);

    const xtc_res_caps_t caps = XTC_RES_CAPS_DEFAULT;
    CHECK(caps.tasks == 0);
    CHECK(caps.channels == 4096);
    CHECK(caps.chan_slots == 1000000);
    CHECK(caps.fds == 65536);
    CHECK(caps.mem_bytes == int64_t{1} << 30);
    CHECK(caps.inbox_msgs == 65536);

    const xtc_log_opts_t log = XTC_LOG_OPTS_DEFAULT;
    CHECK(log.ring_size == 4096);
    CHECK(log.record_max == 256);
    CHECK(log.floor == XTC_LOG_INFO);
    CHECK(log.sink_fd == 2);
    CHECK(log.sink == nullptr);
    CHECK(log.sink_user == nullptr);
}

TEST_CASE("pids compare by all three fields and none is none") {
    CHECK(xtc_pid_is_none(XTC_PID_NONE));
    CHECK(xtc_pid_eq(XTC_PID_NONE, XTC_PID_NONE));
    const xtc_pid_t pid{1, 2, 3};
    CHECK_FALSE(xtc_pid_is_none(pid));
    CHECK(xtc_pid_eq(pid, xtc_pid_t{1, 2, 3}));
    CHECK_FALSE(xtc_pid_eq(pid, xtc_pid_t{0, 2, 3}));
    CHECK_FALSE(xtc_pid_eq(pid, xtc_pid_t{1, 0, 3}));
    CHECK_FALSE(xtc_pid_eq(pid, xtc_pid_t{1, 2, 0}));
    CHECK_FALSE(xtc_pid_is_none(xtc_pid_t{0, 0, 1}));
}

TEST_CASE("the version text is made of the version numbers") {
    CHECK(std::string(XTC_VERSION_STRING) == std::to_string(XTC_VERSION_MAJOR) + "." +
                                                 std::to_string(XTC_VERSION_MINOR) + "." +
                                                 std::to_string(XTC_VERSION_PATCH));
}

namespace {

struct Countdown {
    xtc_pt_t pt;
    int steps;
    bool open;
};

XTC_PT_THREAD(count_down(Countdown* self)) {
    XTC_PT_BEGIN(&self->pt);
    self->steps++;
    XTC_PT_YIELD(&self->pt);
    self->steps++;
    XTC_PT_WAIT_UNTIL(&self->pt, self->open);
    self->steps++;
    XTC_PT_END(&self->pt);
}

} // namespace

TEST_CASE("a protothread goes on where it left off and starts again when done") {
    Countdown thread{};
    XTC_PT_INIT(&thread.pt);
    CHECK(count_down(&thread) == XTC_PT_YIELDED);
    CHECK(thread.steps == 1);
    CHECK(count_down(&thread) == XTC_PT_YIELDED);
    CHECK(thread.steps == 2);
    CHECK(count_down(&thread) == XTC_PT_YIELDED);
    CHECK(thread.steps == 2);
    thread.open = true;
    CHECK(count_down(&thread) == XTC_PT_DONE);
    CHECK(thread.steps == 3);
    CHECK(count_down(&thread) == XTC_PT_YIELDED);
    CHECK(thread.steps == 4);
    CHECK(count_down(&thread) == XTC_PT_DONE);
    CHECK(thread.steps == 6);
}
