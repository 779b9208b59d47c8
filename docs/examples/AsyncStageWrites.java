// SPDX-License-Identifier: Apache-2.0
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import org.treehaul.core.async.AsyncFile;
import org.treehaul.core.async.AsyncFiles;
import org.treehaul.core.async.AsyncSettings;
import org.treehaul.core.async.IoBuffer;
import org.treehaul.core.async.OpenMode;
import org.treehaul.core.entry.ByteString;
import org.treehaul.core.fs.linux.Linux;
import org.treehaul.schedulers.stage.Catalogue;
import org.treehaul.schedulers.stage.LocalServers;
import org.treehaul.schedulers.stage.Stage;
import org.treehaul.schedulers.stage.StripeLayout;
import org.treehaul.schedulers.stage.async.AsyncStage;
import org.treehaul.tuplespace.store.SpaceUri;

/**
 * Writes parts of a new file of a stage while it computes, and reads them: figure 3.8 of Yang's thesis on PXFS over
 * parallel files. The catalogue is in SPACE; each DIRECTORY has a part of the file. With servers of other hosts,
 * {@code SegmentClients} takes the place of {@code LocalServers}.
 *
 * <pre>
 * java --enable-native-access=ALL-UNNAMED -cp treehaul.jar AsyncStageWrites.java SPACE DIRECTORY...
 * </pre>
 */
public final class AsyncStageWrites {

    public static void main(String[] args) throws Exception {
        Catalogue catalogue = Catalogue.open(SpaceUri.parse(args[0]), "example");
        try (Stage stage = Stage.open(catalogue, LocalServers.opener(Linux.calls()), 2)) {
            LocalServers.add(Linux.calls(), catalogue, Arrays.stream(args).skip(1).map(ByteString::of).toList());
            List<String> servers = catalogue.activeServers();
            StripeLayout layout = new StripeLayout(servers, servers.size(), 4096);

            try (AsyncFiles files = AsyncStage.byServers(stage, layout, AsyncSettings.defaults())) {
                AsyncFile file = files.openSync(ByteString.of("run7/out"), OpenMode.update());
                List<CompletableFuture<Integer>> writes = new ArrayList<>();
                for (int part = 0; part < 3; part++) {
                    byte[] data = ("part " + part + "\n").repeat(1000).getBytes(StandardCharsets.UTF_8);
                    writes.add(file.pwrite(IoBuffer.of(data), part * (long) data.length));
                }

                // Other work, while the servers write.
                long sum = 0;
                for (int i = 1; i <= 1000; i++) {
                    sum += i;
                }

                CompletableFuture.allOf(writes.toArray(CompletableFuture<?>[]::new)).join();
                IoBuffer all = IoBuffer.allocate(30_000);
                int bytes = file.preadSync(all, 0);
                file.closeSync();
                String last = new String(all.toBytes(bytes), StandardCharsets.UTF_8).lines().toList().getLast();
                System.out.println(bytes + " bytes on " + servers + ", sum " + sum + ", last line: " + last);
            }
        }
    }
}
