// SPDX-License-Identifier: Apache-2.0
package org.treehaul.core.event;

import org.treehaul.core.entry.ByteString;

/** Something that long work tells while it goes on. */
public sealed interface Event {

    /** An entry failed; the rest goes on. */
    record Failed(EntryFailure failure) implements Event {}

    /** Something the user should know that is no failure: said once, not for each entry. */
    record Notice(String text) implements Event {}

    /** An entry was done, or in a dry run would be. Sent only when the options ask for it. */
    record Done(String action, ByteString source, ByteString destination) implements Event {}
}
