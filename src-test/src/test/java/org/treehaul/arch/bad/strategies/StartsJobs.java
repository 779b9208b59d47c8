// SPDX-License-Identifier: Apache-2.0
package org.treehaul.arch.bad.strategies;

import org.eclipse.jgit.lib.Repository;
import org.treehaul.arch.bad.schedulers.Job;

/** Knows the room that uses it, and shows a type of a library. */
public record StartsJobs(Job job, Repository repository) {}
