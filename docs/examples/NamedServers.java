// SPDX-License-Identifier: Apache-2.0
import java.util.Arrays;
import java.util.Optional;

import org.treehaul.core.entry.ByteString;
import org.treehaul.core.fs.SystemCallException;
import org.treehaul.core.locality.DataExtent;
import org.treehaul.core.locality.DataLayout;
import org.treehaul.core.locality.DataPlace;
import org.treehaul.core.locality.FileSystemType;
import org.treehaul.core.locality.Holders;
import org.treehaul.core.locality.LayoutException;
import org.treehaul.core.locality.LayoutFile;
import org.treehaul.core.locality.LocalityProvider;

/**
 * Finds where the data of files are at a site that records it itself: an attribute {@code user.servers} of each file
 * names the servers that have a copy, with commas between them.
 *
 * <p>
 * To use it, put on the class path of treehaul a directory or jar with this class and the file
 * META-INF/services/org.treehaul.core.locality.LocalityProvider with the line NamedServers.
 */
public final class NamedServers implements LocalityProvider {

    private static final String ATTRIBUTE = "user.servers";

    @Override
    public String kind() {
        return "named";
    }

    @Override
    public boolean isFor(FileSystemType type) {
        // A site would compare type.name() or type.magic(), so that files of other file systems cost no call.
        return true;
    }

    @Override
    public Optional<DataLayout> layout(LayoutFile file) throws LayoutException, SystemCallException {
        Optional<ByteString> value = file.attribute(ATTRIBUTE);
        return value.isEmpty() ? Optional.empty() : Optional.of(layout(value.get()));
    }

    private DataLayout layout(ByteString value) throws LayoutException {
        try {
            Holders copies = new Holders(Holders.Kind.COPIES,
                    Arrays.stream(value.toString().split(",", -1)).map(DataPlace::on).toList());
            return DataLayout.of(kind(), DataExtent.whole(copies));
        } catch (IllegalArgumentException e) {
            throw new LayoutException(ATTRIBUTE, value, "no list of servers");
        }
    }
}
