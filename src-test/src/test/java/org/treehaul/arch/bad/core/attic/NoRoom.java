// SPDX-License-Identifier: Apache-2.0
package org.treehaul.arch.bad.core.attic;

/** A class in a package without a room and without a package-info. */
final class NoRoom {
    private NoRoom() {}
}
