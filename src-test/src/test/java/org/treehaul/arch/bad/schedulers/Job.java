// SPDX-License-Identifier: Apache-2.0
package org.treehaul.arch.bad.schedulers;

/** Something for others to use. */
public record Job() {}
