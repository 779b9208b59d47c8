// SPDX-License-Identifier: Apache-2.0
/**
 * Parts that several schedulers share: the body of job scripts, the division of a request into job arrays, running the
 * programs of a scheduler, and waiting until cancelled jobs have ended.
 * <p>
 * Input: a {@link org.treehaul.schedulers.JobRequest}, and the environment in which programs are looked up. Output:
 * text of scripts, and the output and exit codes of programs. Knows no particular scheduler, except for the names of
 * queue options ({@link org.treehaul.schedulers.common.OneJobOptions}).
 */
@Internal
@NullMarked
package org.treehaul.schedulers.common;

import org.jspecify.annotations.NullMarked;
import org.treehaul.core.annotation.Internal;
