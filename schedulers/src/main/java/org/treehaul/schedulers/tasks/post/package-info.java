// SPDX-License-Identifier: Apache-2.0
/**
 * The mailboxes and the states of the members of a group.
 *
 * <p>
 * In: messages, requests for them, and the ends of tasks, from threads of this process or through
 * {@link org.treehaul.schedulers.tasks.post.Post} from others. Out: futures of both, which fail as soon as it is known
 * that they cannot succeed. {@link org.treehaul.schedulers.tasks.post.Hub}, in the process of the creator, has all of
 * them.
 */
@Internal
@NullMarked
package org.treehaul.schedulers.tasks.post;

import org.jspecify.annotations.NullMarked;
import org.treehaul.core.annotation.Internal;
