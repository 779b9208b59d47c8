// SPDX-License-Identifier: Apache-2.0
package org.treehaul.schedulers.stage.async;

import org.treehaul.core.async.AsyncSettings;
import org.treehaul.core.async.backend.Backend;
import org.treehaul.schedulers.stage.Stage;

/** Asynchronous files over a stage by threads that wait. */
class StageThreadFilesTest extends StageFilesContract {

    @Override
    Backend backend(Stage on, AsyncSettings settings) {
        return AsyncStage.threads(on, LAYOUT, settings);
    }
}
