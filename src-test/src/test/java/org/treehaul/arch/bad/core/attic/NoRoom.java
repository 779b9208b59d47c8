// SPDX-License-Identifier: Apache-2.0
package org.treehaul.arch.bad.core.attic;

/** Stands in a package that nobody gave a place, or a package-info. */
final class NoRoom {
    private NoRoom() {}
}
