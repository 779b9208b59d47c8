// SPDX-License-Identifier: Apache-2.0
import java.nio.file.Path;
import java.util.List;
import org.treehaul.core.entry.ByteString;
import org.treehaul.core.event.Cancellation;
import org.treehaul.core.event.Progress;
import org.treehaul.core.fs.linux.Linux;
import org.treehaul.core.condition.FileField;
import org.treehaul.tuplespace.files.FileIndex;
import org.treehaul.core.condition.FileQuery;
import org.treehaul.tuplespace.files.index.IndexOptions;
import org.treehaul.tuplespace.files.index.IndexResult;
import org.treehaul.tuplespace.files.index.Indexer;

/** Indexes a tree and queries the index. Arguments: SPACE TREE CONDITION, such as 'size>1M'. */
public final class IndexAndQuery {

    public static void main(String[] args) throws Exception {
        Path space = Path.of(args[0]);
        IndexResult result = Indexer.of(Linux.calls(), IndexOptions.defaults())
                .run(space, List.of(ByteString.of(args[1])), System.err::println, new Progress(), new Cancellation());
        FileQuery query = FileQuery.parse(List.of(ByteString.of("kind=regular"), ByteString.of(args[2])));
        try (FileIndex index = FileIndex.open(space)) {
            System.out.println(result.entries() + " entries, " + index.count(query) + " match");
            index.top(query, FileField.SIZE, 3).forEach(file -> System.out.println(file.size() + " " + file.name()));
        }
    }
}
