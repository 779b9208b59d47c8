// SPDX-License-Identifier: Apache-2.0
package org.treehaul.schedulers.pbs;

import org.treehaul.core.annotation.Api;

/** The two families of PBS, which share the names of their commands and little else. */
@Api
public enum PbsDialect {
    /** OpenPBS, PBS Pro: arrays by {@code -J}, nodes by {@code select=}. */
    OPENPBS,
    /** Torque: arrays by {@code -t}, nodes by {@code nodes=}. */
    TORQUE
}
