// SPDX-License-Identifier: Apache-2.0
package org.treehaul.arch.bad.schedulers;

/** A class for others to use. */
public interface Job {}
