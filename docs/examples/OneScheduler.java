// SPDX-License-Identifier: Apache-2.0

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.concurrent.TimeUnit;

import org.treehaul.schedulers.JobFiles;
import org.treehaul.schedulers.JobRequest;
import org.treehaul.schedulers.JobState;
import org.treehaul.schedulers.Scheduler;
import org.treehaul.schedulers.SchedulerException;
import org.treehaul.schedulers.SchedulerProvider;
import org.treehaul.schedulers.Script;
import org.treehaul.schedulers.Submission;
import org.treehaul.schedulers.discovery.Schedulers;

/** Provides the scheduler {@code nice}, which runs jobs as processes of this machine with a low priority. */
public final class OneScheduler implements SchedulerProvider {

    @Override
    public List<String> names() {
        return List.of("nice");
    }

    @Override
    public Scheduler named(String name, Map<String, String> environment) {
        return new Nice();
    }

    @Override
    public Scheduler detect(Map<String, String> environment) throws SchedulerException {
        throw new SchedulerException("it must be named");
    }

    /** An id is PID:START with the start of the process in /proc/PID/stat, since a later process may have the pid. */
    private static final class Nice implements Scheduler {

        @Override
        public String name() {
            return "nice";
        }

        @Override
        public List<Script> render(JobRequest request) throws SchedulerException {
            return Schedulers.local().render(request);
        }

        @Override
        public Submission submit(JobRequest request) throws SchedulerException {
            JobFiles.check(request);
            String text = render(request).getFirst().text();
            Script script = JobFiles.write(request, name -> new Script(name, text));
            int most = request.maxRunning() > 0 ? request.maxRunning() : request.jobs();
            List<String> ids = new ArrayList<>();
            try {
                for (int i = 0; i < Math.min(most, request.jobs()); i++) {
                    ids.add(start(request, JobFiles.relative(script), request.firstIndex() + i));
                }
            } catch (IOException e) {
                throw new SchedulerException("nice: " + e.getMessage(), List.of("nice"), 1, ids);
            }
            return new Submission(name(), ids, ids.size());
        }

        private static String start(JobRequest request, String script, int index) throws IOException {
            List<String> command = new ArrayList<>(
                    List.of("nice", "setsid", "bash", script, Integer.toString(index)));
            command.addAll(request.after());
            Process process = new ProcessBuilder(command).directory(request.directory().toFile())
                    .redirectInput(Path.of("/dev/null").toFile())
                    .redirectOutput(ProcessBuilder.Redirect.DISCARD)
                    .redirectError(ProcessBuilder.Redirect.DISCARD)
                    .start();
            return process.pid() + ":" + startTime(process.pid());
        }

        /** Returns 0 if there is no such process. */
        private static String startTime(long pid) {
            try {
                String line = Files.readString(Path.of("/proc/" + pid + "/stat"));
                String[] field = line.substring(line.lastIndexOf(')') + 2).split(" ");
                return field[0].equals("Z") ? "0" : field[19];
            } catch (IOException ended) {
                return "0";
            }
        }

        private static long pid(String id) {
            return Long.parseLong(id.replaceFirst(":.*", ""));
        }

        private static boolean runs(String id) {
            String start = id.replaceFirst(".*:", "");
            return !start.equals("0") && startTime(pid(id)).equals(start);
        }

        @Override
        public Map<String, JobState> states(Collection<String> ids) {
            Map<String, JobState> states = new TreeMap<>();
            ids.forEach(id -> states.put(id, runs(id) ? JobState.RUNNING : JobState.GONE));
            return states;
        }

        @Override
        public List<String> reasons(Collection<String> ids) {
            return List.of();
        }

        @Override
        public void cancel(Collection<String> ids) throws SchedulerException {
            List<String> running = ids.stream().filter(Nice::runs).toList();
            running.forEach(id -> ProcessHandle.of(pid(id)).ifPresent(ProcessHandle::destroy));
            for (String id : running) {
                try {
                    ProcessHandle process = ProcessHandle.of(pid(id)).orElse(null);
                    if (process != null && runs(id)) {
                        process.onExit().get(2, TimeUnit.MINUTES);
                    }
                } catch (Exception e) {
                    throw new SchedulerException("job " + id + " may still run", e);
                }
            }
        }
    }
}
