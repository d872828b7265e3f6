/// What a program of several processes uses, which are started by `amity run -n N PROGRAM`. In a program that is linked
/// to Amity::distributed, or compiled with -DAMITY_DISTRIBUTED, amity.hpp includes it.
///
///     amity::finish_spmd([] { amity::async_at((amity::rank_me() + 1) % amity::rank_n(), [] { work(); }); });
#pragma once

#include "amity/coll/channels.hpp"
#include "amity/coll/collectives.hpp"
#include "amity/coll/one_shot.hpp"
#include "amity/coll/team.hpp"
#include "amity/net/archive.hpp"
#include "amity/net/job.hpp"
#include "amity/net/losses.hpp"
#include "amity/partitioned/partitioned_vector.hpp"
#include "amity/pgas/async_any.hpp"
#include "amity/pgas/atomic_domain.hpp"
#include "amity/pgas/barrier.hpp"
#include "amity/pgas/completion.hpp"
#include "amity/pgas/dist_object.hpp"
#include "amity/pgas/global_ptr.hpp"
#include "amity/pgas/object.hpp"
#include "amity/pgas/one_sided.hpp"
#include "amity/pgas/remote_call.hpp"
#include "amity/pgas/remote_error.hpp"
#include "amity/pgas/shared.hpp"
#include "amity/pgas/shared_lock.hpp"
