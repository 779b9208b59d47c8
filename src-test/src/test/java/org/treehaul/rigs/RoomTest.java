// SPDX-License-Identifier: Apache-2.0
package org.treehaul.rigs;

import static org.assertj.core.api.Assertions.assertThat;
import static org.treehaul.rigs.Transfers.name;

import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;

import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.treehaul.core.copy.CopyArguments;
import org.treehaul.core.copy.CopyLayout;
import org.treehaul.core.copy.options.CopyOptions;
import org.treehaul.core.copy.plain.RoomShortage;
import org.treehaul.core.entry.ByteString;
import org.treehaul.core.event.Cancellation;
import org.treehaul.core.event.EventListener;
import org.treehaul.core.event.Progress;
import org.treehaul.core.fs.linux.Linux;
import org.treehaul.core.plan.Planner;
import org.treehaul.core.plan.format.BatchLimits;
import org.treehaul.core.plan.format.Plan;
import org.treehaul.core.testing.Privilege;
import org.treehaul.core.testing.TestDirectory;
import org.treehaul.core.transfer.CopyPlans;
import org.treehaul.core.transfer.RoomCheck;
import org.treehaul.e2e.Cli;
import org.treehaul.programs.Programs;
import org.treehaul.strategies.Strategies;

/** The program determines before it copies, as far as possible, whether the planned data fit. */
@Tag("rig")
class RoomTest {

    private static final long MIB = 1 << 20;

    @AutoClose
    private TestDirectory directory;
    private Path source;
    private int plans;

    @BeforeEach
    void makeDirectory() {
        Privilege.requireRoot("it mounts file systems");
        directory = TestDirectory.make();
        source = directory.directory("S");
    }

    private List<RoomShortage> shortages(CopyOptions options, Path target) throws Exception {
        CopyLayout layout = CopyLayout.of(Linux.calls(),
                CopyArguments.of(List.of(ByteString.of(source.toString()), ByteString.of(target.toString())))
                        .withNoTargetDirectory(true),
                options);
        Path plan = directory.resolve("plan" + plans++);
        Planner.of(Linux.calls(),
                CopyPlans.request("room", layout, options, 0, Strategies.sizeBalanced(), BatchLimits.batches(2), 1)
                        .withToken(false))
                .plan(plan, EventListener.none(), new Progress(), new Cancellation());
        return RoomCheck.of(Linux.calls(), Plan.open(plan));
    }

    private List<RoomShortage> shortages(Path target) throws Exception {
        return shortages(CopyOptions.archive().build(), target);
    }

    @Test
    void tooMuchDataOrTooManyFilesAreSureToFail() throws Exception {
        try (Mount mount = Mount.tmpfs("size=4m,nr_inodes=40")) {
            Transfers.tree(source, writer -> writer.file(name("d/large"), 6 * MIB, 1));
            Path target = mount.resolve("T");
            assertThat(shortages(target)).singleElement().satisfies(shortage -> {
                assertThat(shortage.isSure()).isTrue();
                assertThat(shortage.kind()).isEqualTo(RoomShortage.Kind.BYTES);
                assertThat(shortage.needed()).isEqualTo(6 * MIB);
                assertThat(shortage.free()).isEqualTo(4 * MIB);
            });
            assertThat(shortages(CopyOptions.archive().attributesOnly(true).build(), target)).isEmpty();
            Transfers.tree(source, writer -> {
                writer.remove(name("d/large"));
                for (int i = 0; i < 50; i++) {
                    writer.file(name("d/f" + i), 0, i);
                }
            });
            assertThat(shortages(target)).singleElement().satisfies(shortage -> {
                assertThat(shortage.isSure()).isTrue();
                assertThat(shortage.kind()).isEqualTo(RoomShortage.Kind.FILES);
                assertThat(shortage.needed()).isEqualTo(52);
            });
        }
    }

    @Test
    void holesLinksAndExistingFilesNeedNoSpace() throws Exception {
        try (Mount mount = Mount.ext4(8)) {
            Path target = mount.resolve("T");
            Transfers.tree(source,
                    writer -> writer.sparse(name("sparse"), 100 * MIB, 5 * MIB)
                            .file(name("linked"), 3 * MIB, 1)
                            .hardLink(name("linked"), name("d/one"))
                            .hardLink(name("linked"), name("d/two")));
            assertThat(shortages(target)).isEmpty();
            Transfers.copy(source, target);
            assertThat(shortages(target)).as("it is there").isEmpty();
            Transfers.tree(source, writer -> writer.file(name("more"), 6 * MIB, 2));
            assertThat(shortages(target)).singleElement().satisfies(shortage -> {
                assertThat(shortage.isSure()).isTrue();
                assertThat(shortage.needed()).isBetween(5 * MIB, 7 * MIB);
            });
            Files.delete(source.resolve("more"));
            Transfers.tree(source, writer -> writer.remove(name("linked")).file(name("linked"), 3 * MIB, 3));
            assertThat(shortages(CopyOptions.archive().existing(CopyOptions.Existing.UPDATE).build(), target))
                    .isEmpty();
        }
    }

    @Test
    void aPlainCopyThatCannotFitIsStoppedWhenItsSourcesAreCounted() throws Exception {
        try (Mount mount = Mount.tmpfs("size=4m")) {
            Transfers.tree(source, writer -> {
                for (int i = 0; i < 6; i++) {
                    writer.file(name("d/f" + i), MIB, i);
                }
            });
            Cli cli = new Cli(directory.path());
            String target = mount.resolve("T").toString();
            String message = "the destination " + mount.path()
                    + " is too small: 4.0 MiB are free, and the copy needs at "
                    + "least 6.0 MiB: free some space, copy less, or use another destination; --no-space-check copies what "
                    + "fits";
            assertThat(cli.run("cp", "-aT", "--dry-run", "S", target).expect(23).err()).contains(message);
            assertThat(cli.run("cp", "-aT", "--dry-run", "--no-space-check", "S", target).expect(0).err())
                    .doesNotContain("too small");
            // The bar lets the count begin at once; the limit makes the copy take six seconds.
            assertThat(cli.run("cp", "-aT", "--progress=always", "--bandwidth", "1M", "S", target).expect(23).err())
                    .contains(message)
                    .contains(" not tried")
                    .doesNotContain("ENOSPC", "to copy the rest");
            assertThat(cli.run("cp", "-aT", "--no-space-check", "S", target).expect(23).err()).contains("ENOSPC");
        }
    }

    @Test
    void aPlainCopyToAnExistingTargetOrWithLinksAndHolesIsNotStopped() throws Exception {
        try (Mount mount = Mount.tmpfs("size=4m")) {
            Transfers.tree(source,
                    writer -> writer.sparse(name("sparse"), 100 * MIB, 5 * MIB)
                            .file(name("linked"), 3 * MIB, 1)
                            .hardLink(name("linked"), name("d/one"))
                            .hardLink(name("linked"), name("d/two")));
            Cli cli = new Cli(directory.path());
            String target = mount.resolve("T").toString();
            for (String round : List.of("new", "existing")) {
                assertThat(cli.run("cp", "-aT", "--dry-run", "S", target).expect(0).err()).as(round)
                        .doesNotContain("too small");
                cli.run("cp", "-aTu", "S", target).expect(0);
            }
            assertThat(cli.run("cp", "-rT", "--dry-run", "S", mount.resolve("links").toString()).expect(23).err())
                    .contains("is too small");
        }
    }

    @Test
    void aMountBelowTheDestinationIsLookedAtByItself() throws Exception {
        Path target = directory.directory("T");
        Transfers.tree(source, writer -> writer.file(name("in/large"), 6 * MIB, 1).file(name("out"), 6 * MIB, 2));
        Files.createDirectory(target.resolve("in"));
        try (Mount mount = Mount.tmpfs("size=4m")) {
            Programs.run("mount", "--bind", mount.resolve("."), target.resolve("in"));
            try {
                assertThat(shortages(target)).singleElement().satisfies(shortage -> {
                    assertThat(shortage.directory()).hasToString(target + "/in");
                    assertThat(shortage.needed()).isEqualTo(6 * MIB);
                });
            } finally {
                Programs.run("umount", target.resolve("in"));
            }
        }
    }

    @Test
    void whereDataMayBeCompressedItIsNotSure() throws Exception {
        try (Mount mount = Mount.btrfs("-f")) {
            Transfers.tree(source, writer -> writer.file(name("large"), 200 * MIB, 1));
            assertThat(shortages(mount.resolve("T"))).singleElement()
                    .satisfies(shortage -> assertThat(shortage.isSure()).isFalse());
        }
    }
}
