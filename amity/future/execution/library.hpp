#pragma once

/// In whose words Amity's senders speak: in its own, or in those of a library of senders.
///
///     #include <stdexec/execution.hpp>     // first; then
///     #include <amity/amity.hpp>           // amity::get_scheduler() is a stdexec::scheduler
///
///     #define AMITY_SENDERS beman::execution     // any other library after P2300: the namespace that has its names
///
/// A library knows senders and receivers by types of its own: the tags in `sender_concept` and its relatives,
/// completion_signatures, set_value_t, the queries. So Amity's types name those of the library, if there is one: the
/// namespace that AMITY_SENDERS names, which is a namespace and no alias of one; else stdexec, where its headers come
/// before Amity's; else std::execution, where the standard library has it. AMITY_SENDERS_OWN forbids all three.
///
/// Translation units that know a library and those that don't have different types, in different inline namespaces.

// Macros, because what has been included before can't be asked otherwise.
#include <version>

#include "amity/base/language.hpp"

#if defined(AMITY_SENDERS_OWN)
#undef AMITY_SENDERS
#elif !defined(AMITY_SENDERS)
#if defined(STDEXEC) && defined(STDEXEC_CLANG)
#define AMITY_SENDERS STDEXEC
#elif defined(STDEXEC_CLANG)
#define AMITY_SENDERS stdexec
#elif defined(__cpp_lib_senders)
#include <execution>
#define AMITY_SENDERS std::execution
#endif
#endif

/// The inline namespace of Amity's senders: of_amity, or of_library where they speak as a library does.
#if defined(AMITY_SENDERS)
#define AMITY_SENDERS_ABI of_library
#else
#define AMITY_SENDERS_ABI of_amity
#endif
