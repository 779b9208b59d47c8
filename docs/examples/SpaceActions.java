// SPDX-License-Identifier: Apache-2.0
import java.time.Duration;
import java.util.EnumSet;
import org.treehaul.tuplespace.Registration;
import org.treehaul.tuplespace.SpaceOptions;
import org.treehaul.tuplespace.TupleSpace;
import org.treehaul.tuplespace.TupleSpaces;
import org.treehaul.tuplespace.store.EventKind;
import org.treehaul.tuplespace.tuple.Template;

/**
 * Lets a space call actions: one thread writes measurements, an action answers those that are too hot with an alarm, and
 * the main thread waits for the alarms.
 *
 * <pre>
 * java -cp treehaul.jar SpaceActions.java
 * </pre>
 */
public final class SpaceActions {

    public record Measurement(String place, double degrees) {
    }

    public record Alarm(String place, String text) {
    }

    public static void main(String[] args) throws InterruptedException {
        // The same name finds the same space in every thread of this process.
        try (TupleSpace space = TupleSpaces.open("weather", SpaceOptions.defaults())) {
            Template<Measurement> hot = Template.of(Measurement.class).atLeast("degrees", 50.0);
            try (Registration registration = space.on(hot, EnumSet.of(EventKind.WRITTEN), event -> {
                if (event.isAfterGap()) {
                    System.out.println("some measurements were missed");
                }
                space.write(new Alarm(event.tuple().place(), event.tuple().degrees() + " degrees"));
            })) {
                Thread writer = Thread.startVirtualThread(() -> {
                    try (TupleSpace same = TupleSpaces.open("weather", SpaceOptions.defaults())) {
                        same.write(new Measurement("roof", 31));
                        same.write(new Measurement("oven", 220));
                        // Removed after a minute if it is not taken.
                        same.write(new Measurement("kettle", 100), Duration.ofMinutes(1));
                    }
                });
                for (String place : new String[] {"oven", "kettle"}) {
                    System.out.println(space.take(Template.of(Alarm.class).equal("place", place), Duration.ofSeconds(30))
                            .orElseThrow());
                }
                writer.join();
                System.out.println("lost events: " + registration.lost());
            }
        }
    }
}
