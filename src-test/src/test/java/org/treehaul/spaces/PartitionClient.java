// SPDX-License-Identifier: Apache-2.0
package org.treehaul.spaces;

import java.io.BufferedReader;
import java.io.InputStreamReader;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.function.IntPredicate;

import org.treehaul.tuplespace.SpaceOptions;
import org.treehaul.tuplespace.TupleSpace;
import org.treehaul.tuplespace.TupleSpaces;
import org.treehaul.tuplespace.tuple.Template;

/**
 * A client of {@link PartitionRace} in a process of its own, as a process of metarates is: creates the names of files
 * in a directory, one durable tuple for each, and removes them.
 */
final class PartitionClient {
    private static final Template<FileName> NAMES = Template.of(FileName.class);

    /** The name of a file in a directory. */
    record FileName(String name, String directory) {}

    private PartitionClient() {}

    /** Arguments: the address of the space, the directory, the number of the client, the milliseconds of each phase. */
    public static void main(String[] args) throws Exception {
        String directory = args[1];
        String prefix = "file" + args[2] + ".";
        long nanos = Duration.ofMillis(Long.parseLong(args[3])).toNanos();
        try (TupleSpace space = TupleSpaces.open(args[0], SpaceOptions.defaults().index(FileName.class, "name"));
                BufferedReader commands = new BufferedReader(
                        new InputStreamReader(System.in, StandardCharsets.UTF_8))) {
            // Loads the classes and makes the tables.
            space.write(new FileName(prefix + "first", directory));
            remove(space, prefix + "first", directory);
            System.out.println("ready");
            commands.readLine();
            int created = repeat(Integer.MAX_VALUE, nanos, i -> {
                space.write(new FileName(prefix + i, directory));
                return true;
            });
            commands.readLine();
            repeat(created, nanos, i -> remove(space, prefix + i, directory));
            commands.readLine();
        }
    }

    private static boolean remove(TupleSpace space, String name, String directory) {
        try {
            return space.take(NAMES.equal("name", name).equal("directory", directory), Duration.ZERO).isFound();
        } catch (InterruptedException e) {
            throw new IllegalStateException(e);
        }
    }

    private static int repeat(int most, long nanos, IntPredicate deed) {
        long begin = System.nanoTime();
        int done = 0;
        while (done < most && System.nanoTime() - begin < nanos && deed.test(done)) {
            done++;
        }
        System.out.println(done + " " + (System.nanoTime() - begin));
        return done;
    }
}
