"""Amity in the list of threadpoolctl, by its own name::

    import amity.threadpoolctl
    threadpoolctl.threadpool_info()   # one entry has internal_api 'amity', with the version

Without this import threadpoolctl finds Amity as 'openmp', and its limits hold all the same.
"""

import threadpoolctl as _threadpoolctl

from ._version import __version__


class AmityController(_threadpoolctl.LibController):
    """Limits the threads of Amity's OpenMP."""

    user_api = "openmp"
    internal_api = "amity"
    filename_prefixes = ("libomp_amity",)
    check_symbols = ("omp_get_max_threads", "GOMP_parallel", "__kmpc_fork_call")

    def get_num_threads(self):
        return self.dynlib.omp_get_max_threads()

    def set_num_threads(self, num_threads):
        return self.dynlib.omp_set_num_threads(num_threads)

    def get_version(self):
        return __version__


_threadpoolctl.register(AmityController)
# The first whose prefix fits takes a library, and OpenMPController's 'libomp' fits, too.
_threadpoolctl._ALL_CONTROLLERS.remove(AmityController)
_threadpoolctl._ALL_CONTROLLERS.insert(0, AmityController)
