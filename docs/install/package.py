# SPDX-License-Identifier: Apache-2.0
"""A recipe for Spack: put it into packages/treehaul of a repository, with the version and the checksum of your archive.

Spack searches the archive in its mirrors and in the directory in which it runs, because there is no public address.
"""

import os

from spack.package import *


class Treehaul(Package):
    """TreeHaul copies, checks and queries very large directory trees."""

    manual_download = True
    license("Apache-2.0")

    # The output of sha256sum for the archive that ./package makes.
    version("0.1.0", sha256="0000000000000000000000000000000000000000000000000000000000000000")

    requires("platform=linux", "target=x86_64:")

    # The Java runtime must remain as it is: the archive of classes names its size.
    def url_for_version(self, version):
        return f"file://{os.getcwd()}/treehaul-{version}-linux-x86_64.tar.gz"

    def install(self, spec, prefix):
        install_tree(".", prefix)
