// SPDX-License-Identifier: Apache-2.0
package org.treehaul.spaces;

import java.util.List;

/** A space that takes part in the race: it holds {@link Items} in memory. */
interface Rival extends AutoCloseable {

    /** The names of the spaces. */
    List<String> NAMES = List.of("hazelcast", "outrigger", "semispace", "treehaul");

    /** Opens an empty space. */
    static Rival open(String name) throws ReflectiveOperationException {
        return switch (name) {
            case "hazelcast" -> new HazelcastRival();
            case "outrigger" -> new OutriggerRival();
            case "semispace" -> new SemiSpaceRival();
            case "treehaul" -> new TreehaulRival();
            default -> throw new IllegalArgumentException(name + " is none of " + NAMES);
        };
    }

    /** Writes the item of this number. */
    void write(int number) throws Exception;

    /** Reads the one item of this number. */
    boolean read(int number) throws Exception;

    /** Reads any item of this owner and kind. */
    boolean readAny(String owner, String kind) throws Exception;

    /** Takes the one item of this number. */
    boolean take(int number) throws Exception;

    /** Takes any item in this state. */
    boolean takeAny(String state) throws Exception;

    /** Reads any item of this size, for which there is no index: without a match all items are examined. */
    boolean scan(long size) throws Exception;

    @Override
    void close() throws ReflectiveOperationException;
}
