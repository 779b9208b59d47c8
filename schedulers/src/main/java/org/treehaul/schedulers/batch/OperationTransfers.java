// SPDX-License-Identifier: Apache-2.0
package org.treehaul.schedulers.batch;

import java.io.IOException;
import java.net.URL;
import java.net.URLClassLoader;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;

import org.treehaul.core.annotation.Internal;
import org.treehaul.core.event.Cancellation;
import org.treehaul.core.event.EventListener;
import org.treehaul.core.event.Progress;
import org.treehaul.core.fs.FileSystemCalls;
import org.treehaul.core.fs.linux.Linux;
import org.treehaul.core.places.FilePlaces;
import org.treehaul.core.plan.PlanRequest;
import org.treehaul.core.plan.PlanSummary;
import org.treehaul.core.plan.Planner;
import org.treehaul.core.task.EntryTasks;
import org.treehaul.core.task.JavaTask;
import org.treehaul.core.transfer.Transfers;
import org.treehaul.core.transfer.batch.EntryPlans;
import org.treehaul.core.transfer.directory.Timing;
import org.treehaul.core.transfer.directory.TransferDirectory;
import org.treehaul.core.transfer.operation.Operation;
import org.treehaul.core.transfer.operation.OperationProviders;
import org.treehaul.core.transfer.request.JobOptions;
import org.treehaul.core.transfer.request.TransferRequest;
import org.treehaul.schedulers.KeptJar;
import org.treehaul.schedulers.Launch;

/** Creates and plans transfers of operations on single entries, for jobs and for ranks. */
@Internal
public final class OperationTransfers {

    private OperationTransfers() {}

    /**
     * Creates a transfer that is not planned yet.
     *
     * @param jobs the jobs that carry it out, or continue it
     * @param title the text by which lists of transfers show it
     * @throws IOException if a transfer cannot be created there, or the jars do not provide the operation
     */
    public static TransferDirectory create(Transfers transfers, OperationRequest request, JobOptions jobs, String title)
            throws IOException {
        List<Path> jars = new ArrayList<>();
        for (Path jar : request.jars()) {
            jars.add(KeptJar.keep(transfers.stateDirectory(), jar, "operation"));
        }
        switch (request.operation()) {
            case Operation.Custom custom ->
                requireProvided(jars, loader -> OperationProviders.create(custom, List.of(loader)));
            case Operation.Run run when run.task().body() instanceof JavaTask task ->
                requireProvided(jars, loader -> EntryTasks.create(task, List.of(loader)));
            default -> {
            }
        }
        TransferDirectory transfer = transfers.create(request.operation(), title, Timing.defaults());
        Launch.writeCaller(transfer.path(), request.directory(), request.umask());
        Launch.writeJars(transfer.path(), jars);
        TransferRequest.of(jobs, jars).write(transfer);
        return transfer;
    }

    /** Creates what the jars must provide. */
    @FunctionalInterface
    private interface Trial {
        void create(ClassLoader loader) throws IOException;
    }

    // Each job would refuse, but only after hours of planning.
    private static void requireProvided(List<Path> jars, Trial trial) throws IOException {
        URL[] places = new URL[jars.size()];
        for (int i = 0; i < places.length; i++) {
            places[i] = jars.get(i).toUri().toURL();
        }
        // The jobs have no other jars, so the class path of this process does not count.
        try (URLClassLoader loader = new URLClassLoader(places, new TreehaulOnly())) {
            trial.create(loader);
        }
    }

    /**
     * Finds the classes of TreeHaul, as the jobs see them, but no providers that this process has on its class path.
     */
    private static final class TreehaulOnly extends ClassLoader {
        TreehaulOnly() {
            super(ClassLoader.getPlatformClassLoader());
        }

        @Override
        protected Class<?> findClass(String name) throws ClassNotFoundException {
            if (!name.startsWith("org.treehaul.")) {
                throw new ClassNotFoundException(name);
            }
            return Class.forName(name, true, OperationTransfers.class.getClassLoader());
        }
    }

    /**
     * Plans a transfer to its end; nothing is changed.
     *
     * @param workers the number of jobs or ranks that will share the work
     * @param listener receives entries that cannot be read
     * @param progress counts what is planned
     * @return the summary of the plan; not complete if planning was interrupted
     */
    public static PlanSummary plan(TransferDirectory transfer, OperationRequest request, int workers,
            EventListener listener, Progress progress, Cancellation cancellation) throws IOException {
        FileSystemCalls calls = Linux.calls();
        PlanRequest planned = EntryPlans.request(calls, transfer.id().text(), request.operation(), request.roots(),
                request.walk(), request.batching(), request.limits(), workers);
        Planner planner = Planner.of(calls, planned.withServers(request.byServers() && planned.asksServers()));
        if (!(request.operation() instanceof Operation.Run run) || run.at().isEmpty()) {
            return planner.plan(transfer.plan(), transfer.generations()::isOnlyOfCreator, listener, progress,
                    cancellation);
        }
        try (FilePlaces places = run.at().get().open()) {
            return planner.withPlaces(places)
                    .plan(transfer.plan(), transfer.generations()::isOnlyOfCreator, listener, progress, cancellation);
        }
    }
}
