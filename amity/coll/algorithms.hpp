#pragma once

/// The algorithms of collectives, over any transport (transport.hpp). Header only, without threads or static objects.
///
/// Objects are values that become messages (values.hpp); spans are elements that travel as bytes, and are worked on in
/// place (spans.hpp), in groups of near sites where there are many (lanes.hpp). The order of sites is kept by all of
/// them. chosen.hpp takes the algorithm that a table names (choice.hpp), on trees that follow the nodes of the sites.
///
/// Sources: Chan, Heimlich, Purkayastha, van de Geijn, "Collective communication: theory, practice, and experience"
/// (2007); Thakur, Rabenseifner, Gropp, "Optimization of collective communication operations in MPICH" (2005); Bruck et
/// al., "Efficient algorithms for all-to-all communications in multiport message-passing systems" (1997); Hillis,
/// Steele, "Data parallel algorithms" (1986) for scans.

#include "amity/coll/algorithms/chosen.hpp"
#include "amity/coll/algorithms/lanes.hpp"
#include "amity/coll/algorithms/spans.hpp"
#include "amity/coll/algorithms/steps.hpp"
#include "amity/coll/algorithms/values.hpp"
