/// UPC++ 1.0's names, in namespace upcxx, with their meaning: programs of UPC++ compile as they are, where
/// `#include <upcxx/upcxx.hpp>` finds amity/upcxx/compat/upcxx/upcxx.hpp.
///
///     upcxx::init();
///     int const x = upcxx::rpc(0, [] { return upcxx::rank_me(); }).wait();
///     upcxx::finalize();
///
/// amity/upcxx/README.md says which name rests on what, and what is missing.
#pragma once

#include "amity/upcxx/assert.hpp"
#include "amity/upcxx/collectives.hpp"
#include "amity/upcxx/completion.hpp"
#include "amity/upcxx/dist_object.hpp"
#include "amity/upcxx/future.hpp"
#include "amity/upcxx/global_ptr.hpp"
#include "amity/upcxx/one_sided.hpp"
#include "amity/upcxx/persona.hpp"
#include "amity/upcxx/rpc.hpp"
#include "amity/upcxx/runtime.hpp"
#include "amity/upcxx/serialization.hpp"
#include "amity/upcxx/team.hpp"
#include "amity/upcxx/view.hpp"
