// SPDX-License-Identifier: Apache-2.0
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import org.treehaul.core.async.AsyncFile;
import org.treehaul.core.async.AsyncFileException;
import org.treehaul.core.async.AsyncFiles;
import org.treehaul.core.async.IoBuffer;
import org.treehaul.core.async.OpenMode;
import org.treehaul.core.entry.ByteString;

/**
 * Writes three parts of a new file while it computes, as in figure 3.8 of Yang's thesis on PXFS; then reads the file with
 * a callback.
 *
 * <pre>
 * java --enable-native-access=ALL-UNNAMED -cp treehaul.jar AsyncWrites.java FILE
 * </pre>
 */
public final class AsyncWrites {

    public static void main(String[] args) throws Exception {
        ByteString path = ByteString.of(args[0]);
        try (AsyncFiles files = AsyncFiles.open()) {
            AsyncFile file = files.openSync(path, OpenMode.update());
            List<CompletableFuture<Integer>> writes = new ArrayList<>();
            long offset = 0;
            for (String part : List.of("one\n", "two\n", "three\n")) {
                IoBuffer data = IoBuffer.of(part.getBytes(StandardCharsets.UTF_8));
                writes.add(file.pwrite(data, offset));
                offset += data.size();
            }

            // Other work, while the kernel writes.
            long sum = 0;
            for (int i = 1; i <= 1000; i++) {
                sum += i;
            }

            CompletableFuture.allOf(writes.toArray(CompletableFuture<?>[]::new)).join();
            file.syncSync();
            System.out.println("written " + offset + " bytes, sum " + sum);

            CompletableFuture<String> text = new CompletableFuture<>();
            IoBuffer all = IoBuffer.allocate((int) offset);
            file.pread(all, 0, (bytes, failure) -> {
                if (failure != null) {
                    text.completeExceptionally(failure);
                } else {
                    text.complete(new String(all.toBytes(bytes), StandardCharsets.UTF_8));
                }
            });
            System.out.print(text.get());
            file.closeSync();
        } catch (AsyncFileException e) {
            System.out.println(e.operation() + " failed: " + e.getMessage());
            System.exit(1);
        }
    }
}
