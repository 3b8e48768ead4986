// SPDX-License-Identifier: ISC
#include "strand.hpp"

#include <boost/context/detail/fcontext.hpp>

namespace xtc::model {

namespace bc = boost::context::detail;

struct Strand::Entry {
    static void run(bc::transfer_t from) {
        auto& self = *static_cast<Strand*>(from.data);
        self.outside_ = from.fctx;
        self.body_(self.arg_);
        self.ended_ = true;
        for (;;) self.pause();
    }
};

void Strand::begin(void (*body)(void*), void* arg) {
    if (stack_ == nullptr) stack_.reset(new char[stack_size]);
    body_ = body;
    arg_ = arg;
    ended_ = false;
    inside_ = bc::make_fcontext(stack_.get() + stack_size, stack_size, Entry::run);
}

void Strand::resume() {
    inside_ = bc::jump_fcontext(inside_, this).fctx;
}

void Strand::pause() {
    outside_ = bc::jump_fcontext(outside_, this).fctx;
}

} // namespace xtc::model
