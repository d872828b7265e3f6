"""Conan 2: `conan create packaging/conan` in a checkout of Amity makes the package amity/0.1.0 of that checkout."""

import os
import re

from conan import ConanFile
from conan.errors import ConanInvalidConfiguration
from conan.tools.build import check_min_cppstd
from conan.tools.cmake import CMake, CMakeToolchain, cmake_layout
from conan.tools.files import copy, load
from conan.tools.system.package_manager import Apt, Dnf


class Amity(ConanFile):
    name = "amity"
    description = "One asynchronous many-task runtime beneath everything parallel in a program"
    license = "BSL-1.0"
    topics = ("openmp", "tasks", "futures", "parallelism", "runtime")
    package_type = "shared-library"
    settings = "os", "arch", "compiler", "build_type"
    options = {"program": [True, False]}
    default_options = {"program": False}

    def _checkout(self):
        return os.path.dirname(os.path.dirname(self.recipe_folder))

    def set_version(self):
        text = load(self, os.path.join(self._checkout(), "CMakeLists.txt"))
        self.version = re.search(r"project\([^)]*?VERSION ([0-9.]+)", text)[1]

    def export_sources(self):
        for pattern in ("amity/*", "cmake/*", "tools/*", "docs/decisions/*", "CMakeLists.txt", "CHANGELOG.md", "LICENSE"):
            copy(self, pattern, self._checkout(), self.export_sources_folder)

    def layout(self):
        cmake_layout(self)

    def system_requirements(self):
        # hwloc is the system's: Amity opens its shared library when it runs, wherever a program is taken to.
        apt = ["libhwloc-dev", "pkg-config", "cmake", "python3"]
        dnf = ["hwloc-devel", "pkgconf-pkg-config", "cmake", "python3"]
        if self.options.program:
            apt += ["libcli11-dev", "nlohmann-json3-dev"]
            dnf += ["cli11-devel", "json-devel"]
        Apt(self).install(apt)
        Dnf(self).install(dnf)

    def validate(self):
        if self.settings.os != "Linux" or self.settings.arch not in ("x86_64", "armv8"):
            raise ConanInvalidConfiguration("Amity runs on Linux, on x86-64 and aarch64")
        check_min_cppstd(self, 20)

    def generate(self):
        toolchain = CMakeToolchain(self)
        toolchain.cache_variables.update({"AMITY_TESTS": False, "AMITY_BENCHES": False, "AMITY_WERROR": False, "AMITY_PLUGINS": "",
                                          "AMITY_PROGRAM": bool(self.options.program)})
        toolchain.generate()

    def build(self):
        cmake = CMake(self)
        cmake.configure()
        cmake.build(target="products")

    def package(self):
        copy(self, "LICENSE", self.source_folder, os.path.join(self.package_folder, "licenses"))
        CMake(self).install()

    def package_info(self):
        # Its own AmityConfig.cmake is what users get: it knows Amity::openmp, whose programs need -fopenmp without gcc's libgomp.
        self.cpp_info.set_property("cmake_find_mode", "none")
        self.cpp_info.builddirs.append("lib/cmake/Amity")
        self.cpp_info.libs = ["amity"]
        self.cpp_info.system_libs = ["pthread"]
        self.buildenv_info.append_path("PKG_CONFIG_PATH", os.path.join(self.package_folder, "lib/pkgconfig"))
        self.runenv_info.append_path("PATH", os.path.join(self.package_folder, "bin"))
