// SPDX-License-Identifier: Apache-2.0
package org.treehaul.cli.launch;

import java.lang.reflect.InvocationTargetException;

/** Starts TreeHaul here if this Java is new enough, else in a newer one. */
public final class Launcher {
    static final int REQUIRED = 25;

    private Launcher() {}

    /**
     * Runs TreeHaul and ends the process with its exit code.
     *
     * @param args passed on unchanged
     */
    public static void main(String[] args) throws Throwable {
        if (MpjRun.isBehind(args)) {
            underMpjRun(MpjRun.of(args));
            return;
        }
        if (JavaHomes.major(System.getProperty("java.specification.version")) < REQUIRED) {
            System.exit(Relaunch.run(args));
        }
        try {
            Class.forName("org.treehaul.cli.Main").getMethod("main", String[].class).invoke(null, (Object) args);
        } catch (InvocationTargetException e) {
            throw e.getCause();
        }
    }

    // The other ranks are threads of the same process: exiting would end the first one.
    private static void underMpjRun(MpjRun run) throws InterruptedException {
        if (run.isFirst()) {
            String refusal = run.refusal();
            if (!refusal.isEmpty()) {
                System.err.println("treehaul: " + refusal);
            }
            System.exit(refusal.isEmpty() ? Relaunch.run(run.arguments()) : Relaunch.NOTHING_DONE);
        }
    }
}
