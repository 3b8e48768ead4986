// SPDX-License-Identifier: ISC
#include "batch/router.hpp"

#include <algorithm>
#include <new>

int xtc_batch_router_create(xtc_batch_t** groups, int n, xtc_batch_router_t** out) {
    if (groups == nullptr || out == nullptr || n <= 0) return XTC_E_INVAL;
    if (std::find(groups, groups + n, nullptr) != groups + n) return XTC_E_INVAL;
    std::unique_ptr<xtc_batch_router> router(new (std::nothrow) xtc_batch_router);
    if (router == nullptr) return XTC_E_NOMEM;
    router->n = static_cast<size_t>(n);
    router->groups.reset(new (std::nothrow) xtc_batch_t*[router->n]);
    if (router->groups == nullptr) return XTC_E_NOMEM;
    std::copy(groups, groups + n, router->groups.get());
    *out = router.release();
    return XTC_OK;
}

void xtc_batch_router_destroy(xtc_batch_router_t* router) {
    delete router;
}

xtc_batch_t* xtc_batch_route(xtc_batch_router_t* router, uint64_t key) {
    return router != nullptr ? router->groups[key % router->n] : nullptr;
}
