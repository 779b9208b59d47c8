// SPDX-License-Identifier: Apache-2.0
import java.nio.file.Path;
import java.util.stream.Stream;
import org.treehaul.core.compare.Difference;
import org.treehaul.core.entry.Entry;
import org.treehaul.core.entry.EntryKind;
import org.treehaul.core.trees.TreeFailedException;
import org.treehaul.core.trees.Trees;

/**
 * Sums the sizes of a tree, copies it, and compares the copy.
 *
 * <pre>
 * java --enable-native-access=ALL-UNNAMED -cp treehaul.jar WholeTrees.java SOURCE TARGET
 * </pre>
 */
public final class WholeTrees {

    public static void main(String[] args) throws Exception {
        Path source = Path.of(args[0]);
        Path target = Path.of(args[1]);
        try (Stream<Entry> entries = Trees.stream(source)) {
            System.out.println(entries.filter(entry -> entry.kind() == EntryKind.REGULAR)
                    .mapToLong(entry -> entry.status().orElseThrow().size())
                    .sum() + " bytes");
        }
        try {
            System.out.println("copied " + Trees.copy(source, target).counts().entries() + " entries");
        } catch (TreeFailedException e) {
            System.out.println(e.count() + " failures, the first: " + e.failures());
        }
        for (Difference difference : Trees.compare(source, target)) {
            System.out.println(difference);
        }
    }
}
