// SPDX-License-Identifier: Apache-2.0
package org.treehaul.arch.bad.strategies;

import org.apache.commons.io.IOCase;
import org.treehaul.arch.bad.schedulers.Job;

/** Knows the room that uses it, in its components and as its supertype, and exposes a type of a library. */
public record StartsJobs(Job job, IOCase sensitivity) implements Job {}
