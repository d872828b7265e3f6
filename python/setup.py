"""For script/wheel, which lays the built program and libraries into amity/_native first. A wheel of programs: for any Python 3,
for one machine."""

import os

from setuptools import Distribution, setup
from wheel.bdist_wheel import bdist_wheel


class ProgramDistribution(Distribution):
    def has_ext_modules(self):
        return True  # what is installed is not the same on every machine


class ProgramWheel(bdist_wheel):
    def get_tag(self):
        return "py3", "none", os.environ["AMITY_WHEEL_PLATFORM"]  # "manylinux_2_34_x86_64"


setup(distclass=ProgramDistribution, cmdclass={"bdist_wheel": ProgramWheel})
