// SPDX-License-Identifier: ISC
#include "loop/driver_factory.hpp"
