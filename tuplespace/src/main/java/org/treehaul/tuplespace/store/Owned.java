// SPDX-License-Identifier: Apache-2.0
package org.treehaul.tuplespace.store;

import java.util.Optional;

/**
 * A tuple with its owner.
 *
 * @param tuple the tuple itself
 * @param owner the user who wrote it, as the server recorded when that user logged in; empty if the store records no
 *        users
 */
public record Owned<T>(T tuple, Optional<String> owner) {}
