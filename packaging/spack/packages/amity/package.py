# A repository of Spack's: `spack repo add packaging/spack`, then `spack dev-build amity@main` in a checkout of Amity.
from spack.package import *


class Amity(CMakePackage):
    """One asynchronous many-task runtime beneath everything parallel in a program: OpenMP of unmodified programs, C++ tasks
    and futures, remote tasks and one-sided memory, collective operations, kernels on devices."""

    license("BSL-1.0")

    version("main", branch="main")

    variant("ucx", default=True, description="Messages between processes by UCX")
    variant("mpi", default=False, description="Messages between processes by an MPI")
    variant("pmix", default=False, description="Launchers that speak PMIx, such as Slurm's srun")

    depends_on("c", type="build")
    depends_on("cxx", type="build")
    depends_on("cmake@3.25:", type="build")
    depends_on("ninja", type="build")
    depends_on("pkgconfig", type="build")
    depends_on("python@3:", type="build")
    depends_on("cli11", type="build")
    depends_on("nlohmann-json", type="build")
    depends_on("hwloc@2:")
    depends_on("opencl-c-headers", type="build")
    depends_on("ucx", when="+ucx")
    depends_on("mpi", when="+mpi")
    depends_on("pmix", when="+pmix")

    requires("platform=linux", msg="Amity runs on Linux")
    conflicts("%gcc@:11", msg="Amity needs C++20 as gcc 12 has it")

    generator("ninja")

    def cmake_args(self):
        plugins = []  # of those that the variants name, whatever else pkg-config may know
        if self.spec.satisfies("+ucx"):
            plugins.append("ucx")
        if self.spec.satisfies("+mpi"):
            plugins.append("mpi_openmpi" if self.spec.satisfies("^[virtuals=mpi] openmpi") else "mpi_mpich")
        if self.spec.satisfies("+pmix"):
            plugins.append("pmix")
        return [
            self.define("AMITY_TESTS", False),
            self.define("AMITY_BENCHES", False),
            self.define("AMITY_WERROR", False),
            self.define("AMITY_PLUGINS", ";".join(plugins)),
        ]

    @property
    def build_targets(self):
        return ["products"]
