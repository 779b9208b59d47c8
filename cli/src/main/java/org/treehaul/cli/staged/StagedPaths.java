// SPDX-License-Identifier: Apache-2.0
package org.treehaul.cli.staged;

import java.util.HashMap;
import java.util.Map;

import org.treehaul.cli.common.CommonOptions;
import org.treehaul.cli.common.RemotePaths;
import org.treehaul.core.condition.FileQuery;
import org.treehaul.core.entry.ByteString;
import org.treehaul.core.fs.linux.Linux;
import org.treehaul.core.walk.options.EntryFilter;
import org.treehaul.schedulers.stage.Stage;
import org.treehaul.schedulers.stage.StageException;
import org.treehaul.schedulers.stage.files.StageStore;
import org.treehaul.schedulers.stage.files.StageWalk;
import org.treehaul.tuplespace.store.SpaceException;

/** The stages that the operands of a command name. Each is opened once, when it is needed first. */
public final class StagedPaths implements AutoCloseable {

    private static final int MOST_THREADS = 16;

    private final CommonOptions common;
    private final StageAccess access;
    private final int copies;
    private final Map<String, Stage> stages = new HashMap<>();
    private final Map<String, StageStore> stores = new HashMap<>();

    /** Begins without any stage. */
    public StagedPaths(CommonOptions common, StageAccess access) {
        this(common, access, 0);
    }

    /**
     * Begins without any stage.
     *
     * @param copies the number of copies of new files; 0 for that of the file that is replaced
     */
    public StagedPaths(CommonOptions common, StageAccess access, int copies) {
        this.copies = copies;
        this.common = common;
        this.access = access;
    }

    /** Returns the number of threads: that of the option, or two for each processor, at most 16. */
    int threads() {
        return common.threads > 0
                ? common.threads
                : Math.min(MOST_THREADS, 2 * Runtime.getRuntime().availableProcessors());
    }

    /** Returns the entry that an operand names; the operand is {@link RemotePaths#isStaged}. */
    StagedEntry entry(ByteString operand) {
        return StagedEntry.afterScheme(common, operand);
    }

    /**
     * Returns the store of a stage.
     *
     * @throws StageException if there is no such stage, or the secret of its servers cannot be read
     */
    StageStore store(String name) throws StageException {
        StageStore known = stores.get(name);
        if (known != null) {
            return known;
        }
        Stage stage = access.open(name, access.opener(Linux.calls()), threads());
        stages.put(name, stage);
        StageStore store = StageStore.of(stage, copies);
        stores.put(name, store);
        return store;
    }

    /**
     * Prepares a walk of the entry that an operand names.
     *
     * @throws StageException if there is no such stage
     */
    public StageWalk walk(ByteString operand, EntryFilter filter, FileQuery where, StageWalk.Visitor visitor)
            throws StageException {
        StagedEntry entry = entry(operand);
        return new StageWalk(store(entry.stage()), entry.path(), operand, filter, where, visitor);
    }

    /** Returns a message about the problem of the catalogue. */
    public String explain(SpaceException e) {
        return access.explain(e);
    }

    @Override
    public void close() {
        stages.values().forEach(Stage::close);
        access.close();
    }
}
