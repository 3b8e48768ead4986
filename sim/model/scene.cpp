// SPDX-License-Identifier: ISC
// What a model may say. Called by its code, so every call says first that the explorer is at work.
#include "execution.hpp"

namespace xtc::model {

namespace {

class Aside {
public:
    explicit Aside(Execution* x) : x_(x), was_user_(x != nullptr && x->is_user()) {
        if (x_ != nullptr) x_->set_user(false);
    }
    ~Aside() {
        if (x_ != nullptr) x_->set_user(was_user_);
    }
    Aside(const Aside&) = delete;
    Aside& operator=(const Aside&) = delete;
    Execution* operator->() const { return x_; }

private:
    Execution* x_;
    bool was_user_;
};

} // namespace

void Execution::own(void* object, void (*destroy)(void*)) {
    owned_.emplace_back(object, destroy);
}

void Scene::own(void* object, void (*destroy)(void*)) {
    Aside(Execution::current())->own(object, destroy);
}
void Scene::thread(const char* name, std::function<void()> body) {
    Aside(Execution::current())->add_thread(name, std::move(body));
}
void Scene::at_end(std::function<void()> look) {
    Aside(Execution::current())->add_look(std::move(look));
}
void Scene::may_sleep_for_ever(const char* thread) {
    Aside(Execution::current())->let_sleep(thread);
}
void Scene::name(const void* object, size_t size, std::initializer_list<const char*> names) {
    Aside(Execution::current())->add_name({static_cast<const char*>(object), size, names});
}

void check(bool holds, const char* what) {
    if (holds) return;
    Execution::current()->set_user(false);
    Execution::current()->fail_here(what);
}

void outcome(const std::string& what) {
    Aside aside(Execution::current());
    aside->say_outcome(what);
}

int64_t timeouts_of_thread() {
    return Execution::current()->timeouts();
}

unsigned wake_calls() {
    return Execution::current()->wake_calls();
}

void Tally::add(int64_t n) {
    n_ += n;
}
int64_t Tally::value() const {
    return n_;
}

} // namespace xtc::model
