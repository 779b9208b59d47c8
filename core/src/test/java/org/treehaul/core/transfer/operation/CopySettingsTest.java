// SPDX-License-Identifier: Apache-2.0
package org.treehaul.core.transfer.operation;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.stream.Stream;

import net.jqwik.api.Arbitraries;
import net.jqwik.api.Arbitrary;
import net.jqwik.api.Combinators;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import net.jqwik.api.Provide;
import org.junit.jupiter.api.Test;
import org.treehaul.core.condition.ConditionContext;
import org.treehaul.core.condition.FileQuery;
import org.treehaul.core.condition.FileTimes;
import org.treehaul.core.copy.options.Backup;
import org.treehaul.core.copy.options.CopyOptions;
import org.treehaul.core.copy.options.CopyOptionsBuilder;
import org.treehaul.core.copy.options.Preserve;
import org.treehaul.core.entry.ByteString;
import org.treehaul.core.walk.options.EntryFilter;
import org.treehaul.core.walk.options.Symlinks;

/** The settings of a plan represent the options of a copy, in both directions. */
class CopySettingsTest {

    @Provide
    Arbitrary<CopyOptions> options() {
        Arbitrary<Boolean> flag = Arbitraries.of(true, false);
        Arbitrary<Set<Preserve>> some = Arbitraries.of(Preserve.class).set();
        Arbitrary<CopyOptionsBuilder> first = Combinators
                .combine(flag, flag, flag, flag, Arbitraries.of(Symlinks.class), some, some,
                        Arbitraries.of(CopyOptions.Existing.class))
                .as((recursive, remove, attributes, one, symlinks, preserve, required, existing) -> {
                    required.retainAll(preserve);
                    return CopyOptions.builder()
                            .recursive(recursive)
                            .removeDestination(remove)
                            .force(one)
                            .inPlace(!remove && attributes)
                            .attributesOnly(attributes)
                            .oneFileSystem(one)
                            .symlinks(symlinks)
                            .preserve(preserve)
                            .required(required)
                            .existing(existing);
                });
        Arbitrary<CopyOptionsBuilder> second = Combinators
                .combine(first, flag, Arbitraries.of(Backup.Control.class), Arbitraries.of("~", ".\377 x"),
                        Arbitraries.of(CopyOptions.Form.class), flag)
                .as((builder, backs, control, suffix, form, news) -> {
                    boolean isPlain = backs && builder.build().existing() != CopyOptions.Existing.SKIP;
                    return (isPlain
                            ? builder.removeDestination(false)
                                    .inPlace(false)
                                    .backup(control == Backup.Control.NONE
                                            ? Backup.none()
                                            : new Backup(control, ByteString.of(suffix)))
                            : builder).form(form).newModes(news).direct(!backs.equals(news));
                });
        return Combinators
                .combine(second, Arbitraries.integers().between(0, 256), Arbitraries.longs().between(1 << 20, 1L << 60),
                        Arbitraries.of(CopyOptions.Verify.class), flag, Arbitraries.of(CopyOptions.When.class),
                        Arbitraries.of(CopyOptions.When.class), Arbitraries.longs().greaterOrEqual(0))
                .as((builder, threads, chunk, verify, fsync, reflink, sparse, bandwidth) -> builder.threads(threads)
                        .chunkBytes(chunk)
                        .verify(verify)
                        .fsync(fsync)
                        .reflink(reflink)
                        .sparse(reflink == CopyOptions.When.ALWAYS ? CopyOptions.When.AUTO : sparse)
                        .bandwidth(bandwidth)
                        .build());
    }

    @Test
    void conditionsAreReadBackWithAnyByteAndTheMomentOfTheirAges() {
        List<ByteString> words = Stream.of("name=a\\x0a\\,[b-\377]*", "(", "size>1G", "or", "not", "age>7d", ")")
                .map(word -> ByteString.of(word.getBytes(StandardCharsets.ISO_8859_1)))
                .toList();
        FileQuery where = FileQuery.parse(words, ConditionContext.ofTrees(FileTimes.unknown()));
        Map<String, String> settings = CopySettings.of(CopyOptions.archive().where(where).build());
        assertThat(CopySettings.parse(settings).where()).isEqualTo(where);
        assertThat(settings.get("where")).doesNotContain("age");
    }

    @Test
    void theGivenPathsOfSourcesAreKeptIfConditionsDependOnThem() {
        ConditionContext trees = ConditionContext.ofTrees(FileTimes.unknown());
        CopyOptions options = CopyOptions.archive()
                .where(FileQuery.parse(List.of(ByteString.of("path=d/*")), trees))
                .build();
        ByteString odd = ByteString.of(new byte[]{'a', '\n', (byte) 0xff});
        Map<String, String> settings = CopySettings.of(options, List.of(ByteString.of("./d"), odd));
        assertThat(CopySettings.given(settings, 0, ByteString.of("/x/./d"))).isEqualTo(ByteString.of("./d"));
        assertThat(CopySettings.given(settings, 1, ByteString.of("/x"))).isEqualTo(odd);
        assertThat(CopySettings.given(settings, 2, ByteString.of("/x/e"))).isEqualTo(ByteString.of("/x/e"));
        assertThat(CopySettings.parse(settings).where()).isEqualTo(options.where());
        CopyOptions bySize = CopyOptions.archive().where(FileQuery.parse(List.of(ByteString.of("size>1")))).build();
        assertThat(CopySettings.of(bySize, List.of(odd))).isEqualTo(CopySettings.of(bySize));
    }

    @Property(tries = 300)
    void optionsAreReadBackUnchanged(@ForAll("options") CopyOptions options) {
        Map<String, String> words = CopySettings.of(options);
        CopyOptions back = CopySettings.parse(words);
        assertThat(back).usingRecursiveComparison().isEqualTo(options);
        assertThat(CopySettings.of(back)).isEqualTo(words);
    }

    @Test
    void noOptionIsForgotten() {
        Set<String> accessors = new HashSet<>();
        Arrays.stream(CopyOptions.class.getMethods())
                .filter(method -> method.getParameterCount() == 0 && method.getDeclaringClass() == CopyOptions.class)
                .forEach(method -> accessors.add(method.getName()));
        // Methods that are not options, and options only for planning, moves, synchronisation or the terminal.
        accessors.removeAll(Set.of("builder", "archive", "toBuilder", "walk", "takesNames", "dryRun", "reportDone",
                "confirmation", "copyContents", "expectation"));
        Map<String, String> words = CopySettings.of(CopyOptions.builder()
                .backup(Backup.of(Backup.Control.NUMBERED))
                .form(CopyOptions.Form.HARD_LINK)
                .newModes(true)
                .direct(true)
                .where(FileQuery.parse(List.of(ByteString.of("size>1"))))
                .build());
        // A backup has two settings: its kind and its suffix.
        assertThat(words).hasSize(accessors.size() + 1);
    }

    @Test
    void aPlanWithoutNewerOptionsHasNoKeysOfThem() {
        assertThat(CopySettings.of(CopyOptions.archive().build())).doesNotContainKeys("backup", "backup-suffix", "form",
                "new-modes", "direct", "where");
    }

    @Test
    void questionsAndCopiesOfSpecialFilesAreNotPlanned() {
        assertThatThrownBy(() -> CopySettings.of(CopyOptions.builder().copyContents(true).build()))
                .isInstanceOf(IllegalArgumentException.class);
        assertThatThrownBy(() -> CopySettings.of(CopyOptions.builder().confirmation(path -> true).build()))
                .isInstanceOf(IllegalArgumentException.class);
    }

    @Test
    void aPlanOfAnOlderVersionDoesNotForce() {
        Map<String, String> words = new TreeMap<>(CopySettings.of(CopyOptions.archive().force(true).build()));
        words.remove("force");
        assertThat(CopySettings.parse(words).force()).isFalse();
    }

    @Test
    void aFilterIsLeftToPlanning() {
        CopyOptions filtered = CopyOptions.builder().filter((path, isDirectory) -> true).build();
        assertThat(CopySettings.parse(CopySettings.of(filtered)).filter()).isSameAs(EntryFilter.none());
    }

    @Test
    void wordsOfAnotherVersionAreRefusedByName() {
        Map<String, String> words = new TreeMap<>(CopySettings.of(CopyOptions.archive().build()));
        words.put("teleport", "true");
        assertThatThrownBy(() -> CopySettings.parse(words)).hasMessageContaining("[teleport]");
        words.remove("teleport");
        words.remove("fsync");
        assertThatThrownBy(() -> CopySettings.parse(words)).hasMessageContaining("without [fsync]");
        words.put("fsync", "maybe");
        assertThatThrownBy(() -> CopySettings.parse(words)).hasMessageContaining("fsync cannot be 'maybe'");
        words.put("fsync", "true");
        words.put("preserve", "mode,soul");
        assertThatThrownBy(() -> CopySettings.parse(words)).hasMessageContaining("preserve cannot be 'mode,soul'");
    }
}
