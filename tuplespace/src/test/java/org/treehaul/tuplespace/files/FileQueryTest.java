// SPDX-License-Identifier: Apache-2.0
package org.treehaul.tuplespace.files;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.treehaul.tuplespace.files.Queries.FILE;
import static org.treehaul.tuplespace.files.Queries.at;
import static org.treehaul.tuplespace.files.Queries.parse;

import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Set;
import java.util.function.Function;
import java.util.stream.Stream;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;
import org.treehaul.core.condition.ConditionContext;
import org.treehaul.core.condition.ConditionException;
import org.treehaul.core.condition.EntryValues;
import org.treehaul.core.condition.FileField;
import org.treehaul.core.condition.FileQuery;
import org.treehaul.core.condition.FileTimes;
import org.treehaul.core.entry.EntryKind;
import org.treehaul.core.entry.Timestamp;
import org.treehaul.tuplespace.Lease;
import org.treehaul.tuplespace.TupleSpace;
import org.treehaul.tuplespace.TupleSpaces;

class FileQueryTest {

    @ParameterizedTest
    @ValueSource(
            strings = {"kind=regular", "kind=symlink,regular", "kind!=directory", "owner=alice", "owner=1000",
                    "owner=0,alice", "group=physics", "group!=0", "size=1G", "size>1023M", "size>=1G", "size<=1G",
                    "size<1.5G", "size=1073741824", "size=1KiB..2GB", "size=..1G", "size=1G..", "size!=0", "size=5,1G",
                    "blocks=2097152", "mtime=2025-01-01", "mtime=2025", "mtime=2025-01", "mtime=2025-01-01T00:00",
                    "mtime=2025-01-01T00:00:00", "mtime=2025-01-01T00:00:00.5", "mtime=2024-12-31T23:00:00Z",
                    "mtime=2025-01-01T01:00+0200", "mtime=@1735686000", "mtime=@1735686000.5", "mtime>2025-01-01",
                    "mtime>=2025-01-01", "mtime<2025-01-02", "mtime=2024-12-31..2025-01-01", "mtime<-7d", "mtime>-2y",
                    "mtime!=2024", "btime=", "btime!=2025", "mode=0644", "mode=644", "mode=-0600", "mode=/022,-0004",
                    "mode!=/7111", "mode=-0", "mode=/0", "links=1", "inode=12", "device=34", "unread=no", "unread!=yes",
                    "generation=3", "path=/scratch/run7/raw.h5", "path^=/scratch/", "path=/scratch/*.h5",
                    "path=*/run[0-9]/*", "path=/scratch/run7/raw.h5/", "path!=/home/*", "directory=/scratch/run7",
                    "directory=/scratch/run7/", "directory^=/scr", "name=raw.h5", "name=*.h5", "name=*.hdf,*.h5",
                    "name=r?w.h5", "name=[q-s]aw.[!a-g]5", "name!=*.txt", "name^=raw", "name=*a*w*5", "target=",
                    "target!=x", "hash=", "hash!=00ff"})
    void aConditionLetsThrough(String condition) {
        assertThat(parse(condition).matches(FILE)).isTrue();
    }

    @ParameterizedTest
    @ValueSource(
            strings = {"kind=directory", "kind!=regular", "owner=0", "owner!=alice", "group=0", "size=0", "size>1G",
                    "size<1G", "size=..1023M", "size!=1G", "mtime=2024-12-31", "mtime=2025-02", "mtime<2025-01-01",
                    "mtime<=2025-01-01", "mtime>2025-01-01T00:00:00.5", "mtime=@1735686000.4", "mtime>-7d", "btime!=",
                    "btime>1970-01-01", "mode=0755", "mode=-0020", "mode=/0111", "mode!=0644", "links>1", "inode!=12",
                    "unread=yes", "generation<3", "path=/scratch/run7", "path^=/scratch/run8", "path=/scratch/*.txt",
                    "path!=/scratch/*", "directory=/scratch", "name=raw", "name=*.H5", "name=?", "name!=raw.h5",
                    "name=raw.h5?", "target=*", "target!=", "hash=00ff", "hash!="})
    void aConditionKeepsOut(String condition) {
        assertThat(parse(condition).matches(FILE)).isFalse();
    }

    @Test
    void allConditionsHaveToHold() {
        assertThat(parse().matches(FILE)).isTrue();
        assertThat(parse("kind=regular", "size>1M", "name=*.h5").matches(FILE)).isTrue();
        assertThat(parse("kind=regular", "size>2G", "name=*.h5").matches(FILE)).isFalse();
        assertThat(parse("size>1M", "size<2M").matches(FILE)).isFalse();
        assertThat(parse("name=raw*", "name=*.h5").matches(FILE)).isTrue();
        assertThat(parse("size>5", "size<3").matches(FILE)).isFalse();
    }

    @Test
    void aTimeOfAWholeSecondIsNotAfterItself() {
        FileTuple exact = Queries.tuple("/a", EntryKind.REGULAR, 0, "2024-12-31T23:00:00Z", 0644, null);
        assertThat(parse("mtime>2025-01-01").matches(exact)).isFalse();
        assertThat(parse("mtime>=2025-01-01").matches(exact)).isTrue();
        assertThat(parse("mtime<2025-01-01").matches(exact)).isFalse();
    }

    @Test
    void timesThatNoNumberHoldsAreTheFirstAndTheLast() {
        assertThat(Timestamp.sinceEpoch(1L << 60, 5)).isEqualTo(Long.MAX_VALUE);
        assertThat(Timestamp.sinceEpoch(-(1L << 60), 5)).isEqualTo(Long.MIN_VALUE);
        assertThat(Timestamp.sinceEpoch(-1, 999_999_999)).isEqualTo(-1);
        assertThat(FileField.MTIME.print(-1)).isEqualTo("@-1.999999999");
        assertThat(parse("mtime<9999-01-01")).isEqualTo(parse());
    }

    @Test
    void noSizeIsMoreThanTheLargest() {
        FileTuple largest = Queries.tuple("/a", EntryKind.REGULAR, Long.MAX_VALUE, "2024-12-31T23:00:00Z", 0644, null);
        String size = String.valueOf(Long.MAX_VALUE);
        assertThat(parse("size>" + size).matches(largest)).isFalse();
        assertThat(parse("size>=" + size).matches(largest)).isTrue();
        assertThat(parse("size<" + size).matches(largest)).isFalse();
        assertThat(parse("size<=" + size).matches(largest)).isTrue();
        assertThat(parse("mtime>9999-01-01")).isEqualTo(parse("mtime=9999-01-01"));
    }

    @Test
    void anInodeMayHaveAllOfItsBits() {
        assertThat(parse("inode=18446744073709551615").conditions()).containsExactly("inode=18446744073709551615");
    }

    @Test
    void namesAreBytes() {
        FileTuple latin = at("/data/caf\u00e9");
        FileTuple utf8 = at("/data/caf\u00c3\u00a9");
        assertThat(parse("name=caf\\xe9").matches(latin)).isTrue();
        assertThat(parse("name=caf\u00e9").matches(latin)).isTrue();
        assertThat(parse("name=caf?").matches(latin)).isTrue();
        assertThat(parse("name=caf?").matches(utf8)).isTrue();
        assertThat(parse("name=caf[\u00c3\u00a9]").matches(utf8)).isTrue();
        assertThat(parse("name=caf[\\xe0-\\xff]").matches(latin)).isTrue();
        assertThat(parse("name=caf[a-z]").matches(latin)).isFalse();
        assertThat(parse("name=caf\\xe9").toString()).isEqualTo("name=caf\\xe9");
        assertThat(parse("name^=caf\\xc3").matches(utf8)).isTrue();
    }

    @Test
    void specialCharactersAreEscaped() {
        assertThat(parse("name=a\\,b").matches(at("/a,b"))).isTrue();
        assertThat(parse("name=a,b").matches(at("/a,b"))).isFalse();
        assertThat(parse("name=a\\ b").matches(at("/a b"))).isTrue();
        assertThat(parse("name=\\*").matches(at("/x"))).isFalse();
        assertThat(parse("name=\\*").matches(at("/*"))).isTrue();
        assertThat(parse("name^=*").matches(at("/*x"))).isTrue();
        assertThat(parse("name=\\\\").matches(at("/\\"))).isTrue();
        assertThat(parse("name=a\\nb").matches(at("/a\nb"))).isTrue();
        assertThat(parse("name=a\nb").matches(at("/a\nb"))).isTrue();
        assertThat(parse("name=[]a]").matches(at("/]"))).isTrue();
        assertThat(parse("name=a=b").matches(at("/a=b"))).isTrue();
        assertThat(parse("name==").matches(at("/="))).isTrue();
    }

    @Test
    void linksHaveTargets() {
        FileTuple link = Queries.tuple("/l", EntryKind.SYMLINK, 4, "2025-06-01T00:00:00Z", 0777, "/usr/bin");
        assertThat(parse("target=/usr/*").matches(link)).isTrue();
        assertThat(parse("target!=").matches(link)).isTrue();
        assertThat(parse("target=").matches(link)).isFalse();
        assertThat(parse("target!=/usr/*").matches(link)).isFalse();
        assertThat(parse("target=/opt/*,").matches(FILE)).isTrue();
    }

    @Test
    void theRootOfTheFileSystemIsAnEntry() {
        FileTuple root = at("/");
        assertThat(root.path()).isEqualTo(Queries.bytes("/"));
        assertThat(parse("path=/").matches(root)).isTrue();
        assertThat(parse("path^=/").matches(root)).isTrue();
        assertThat(at("/usr").directory()).isEqualTo(Queries.bytes("/"));
        assertThat(at("/usr").path()).isEqualTo(Queries.bytes("/usr"));
    }

    @Test
    void kindsHaveTheLettersOfFindAndBlanksMaySurroundAnOperator() {
        assertThat(parse("kind=f")).isEqualTo(parse("kind=regular")).isEqualTo(parse("kind=file"));
        assertThat(parse("kind=d,l,p,s,b,c")).isEqualTo(parse("kind=directory,symlink,fifo,socket,block,character"));
        assertThat(parse("kind=dir,link,pipe")).isEqualTo(parse("kind=directory,symlink,fifo"));
        assertThat(parse("size > 1K")).isEqualTo(parse("size>1K"));
        assertThat(parse("kind = f")).isEqualTo(parse("kind=f"));
        assertThat(parse("name= a")).isNotEqualTo(parse("name=a"));
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {"colour=red | 1 | unknown field 'colour'; fields: path directory name extension depth kind size",
                    "=red | 1 | a condition must start with a field; fields: path",
                    "size | 5 | no operator and no value; quote the condition",
                    "size~5 | 5 | no operator; operators: = != < <= > >=",
                    "name>a | 5 | '>' cannot be used with name; operators: = != ^=",
                    "owner<5 | 6 | '<' cannot be used with owner", "size= | 6 | no value for size",
                    "size=1,,2 | 8 | no value for size",
                    "size>1Q | 6 | '1Q' is not a size; write 4096, 64M, 1.5G or 10MB",
                    "size>-1 | 6 | '-1' is not a size", "size>1,2 | 6 | a list can be used with = and != only",
                    "size=1.0000001K | 6 | not a whole number of bytes",
                    "size=9E | 6 | not a whole number of bytes up to 8 EiB", "size=5..3 | 6 | ends before it starts",
                    "kind=files | 6 | 'files' is not a kind; use regular directory symlink fifo socket block character",
                    "kind=a..b | 7 | has no order", "kind=regular,folder | 14 | 'folder' is not a kind",
                    "name =a | 5 | write name=VALUE without blanks around =", "size > | 7 | no value for size",
                    "owner=bob | 7 | there is no user 'bob' on this machine; a number works",
                    "group=99999999999 | 7 | there is no group", "group=4294967296 | 7 | not a whole number for group",
                    "mtime<yesterday | 7 | 'yesterday' is not a time; write 2025-01-31",
                    "mtime=2025-02-30 | 7 | is not a time: there is no such date",
                    "mtime>7d | 7 | -7d for seven days ago", "mode=888 | 6 | '888' is not a mode; write it in octal",
                    "mode=-9 | 6 | '9' is not a mode", "unread=maybe | 8 | neither yes nor no",
                    "links=many | 7 | not a whole number for links",
                    "links=99999999999999999999 | 7 | not a whole number",
                    "inode=18446744073709551616 | 7 | too large for inode", "hash=xyz | 6 | is not a hash",
                    "path=scratch | 6 | paths in an index start with '/'", "name=a/b | 6 | no name contains a '/'",
                    "name= | 6 | no value for name", "name^= | 7 | no value for name",
                    "name=[a | 6 | a '[' without a ']'", "name=[z-a] | 6 | ends before it starts",
                    "name=a\\q | 7 | unknown escape after a backslash", "name=\\x4 | 6 | two hexadecimal digits",
                    "name=a\\ | 7 | unknown escape after a backslash"})
    void badConditionsAreReportedWithTheirPosition(String condition, int position, String message) {
        assertThatThrownBy(() -> parse(condition))
                .isInstanceOfSatisfying(ConditionException.class, e -> assertThat(e.position()).isEqualTo(position))
                .hasMessageStartingWith("'" + condition.replace("\\", "\\\\") + "', character " + position + ": ")
                .hasMessageContaining(message);
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {"kind=regular or kind=directory | true", "kind=directory or name=*.h5 | true",
                    "kind=directory or name=*.txt | false", "not kind=directory | true",
                    "not not kind=directory | false", "kind=directory or kind=regular size<1K | false",
                    "( kind=directory or kind=regular ) size<1K | false",
                    "( kind=directory or kind=regular ) size>1K | true", "kind=regular and size>1K | true",
                    "not ( kind=regular size>1K ) | false", "not ( kind=regular size<1K ) | true",
                    "not ( kind=directory or name=raw* ) | false", "( ( name=raw* ) ) | true",
                    "not name=*.txt not owner=0 | true", "extension=h5 | true", "extension=txt,h5 | true",
                    "extension!=h5 | false", "extension~=H5 | true", "extension= | false", "extension^=h | true",
                    "name~=RAW.H? | true", "name~=R[A-B]W.* | true", "name!~=RAW.* | false", "name~=[!A]AW.* | true",
                    "name~=[!R]AW.* | false", "name=RAW.H5 | false", "age>1y | true", "age<1y | false", "age=1y | true",
                    "age=2y | false", "age=300d..700d | true", "age=..300d | false", "age=300d.. | true",
                    "age!=1y | false", "age>=2y | false", "newer-than=/any | false", "not newer-than=/any | true"})
    void conditionsAreCombined(String conditions, boolean isMatch) {
        FileQuery query = parse(conditions.split(" "));
        assertThat(query.matches(FILE)).isEqualTo(isMatch);
        assertThat(query.not().matches(FILE)).isNotEqualTo(isMatch);
        assertThat(parse(query.conditions().toArray(String[]::new))).isEqualTo(query);
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {"or size=1 | 'or', character 1: no condition is before it",
                    "size=1 or | 'or', character 1: no condition follows it",
                    "size=1 or or size=2 | 'or', character 1: no condition follows it",
                    "( size=1 | '(', character 1: no ) ends the group that it begins",
                    "size=1 ) | ')', character 1: no ( begins the group that it ends",
                    "( ) | ')', character 1: no condition is before it",
                    "not | 'not', character 1: no condition follows it",
                    "not or size=1 | 'not', character 1: no condition follows it",
                    "and size=1 | 'and', character 1: no condition is before it",
                    "extension=.h5 | no extension contains a '.'", "age>7 | '7' is not an age; write 90s",
                    "newer-than=/missing | cannot read the time of '/missing': stat: no such file"})
    void badGroupsAreReported(String conditions, String message) {
        FileTimes files = file -> {
            throw new IOException("stat: no such file");
        };
        ConditionContext context = new ConditionContext(new KnownAccounts(), Queries.NOON, files, true);
        assertThatThrownBy(
                () -> FileQuery.parse(Stream.of(conditions.split(" ")).map(Queries::bytes).toList(), context))
                .isInstanceOf(ConditionException.class)
                .hasMessageContaining(message);
    }

    @Test
    void anIndexKnowsDepthsAndEmptyDirectories() {
        FileTuple root = Queries.tuple("/r", EntryKind.DIRECTORY, 9, "2025-06-01T00:00:00Z", 0755, null);
        FileTuple empty = Queries.tuple("/r/e", EntryKind.DIRECTORY, 9, "2025-06-01T00:00:00Z", 0755, null);
        FileTuple file = Queries.at("/r/f");
        FileTuple full = Queries.tuple("/r/g", EntryKind.DIRECTORY, 9, "2025-06-01T00:00:00Z", 0755, null);
        FileTuple deep = Queries.tuple("/r/g/h", EntryKind.REGULAR, 5, "2025-06-01T00:00:00Z", 0644, null);
        FileTuple unread = Queries.tuple("/r/u", EntryKind.DIRECTORY, 9, "2025-06-01T00:00:00Z", 0, null)
                .withUnread(true, 1);
        try (TupleSpace space = TupleSpaces.memory(FileIndex.SPACE)) {
            space.writeAll(List.of(root, empty, file, full, deep, unread), Lease.FOREVER);
            space.write(new IndexedRoot(Queries.bytes("/r"), 1, 0, 6, 0), Lease.FOREVER);
            FileIndex index = new FileIndex(space);
            assertThat(index.entries(parse("depth=0"))).containsExactly(root);
            assertThat(index.entries(parse("depth>1"))).containsExactly(deep);
            assertThat(index.entries(parse("empty=yes"))).containsExactlyInAnyOrder(empty, file);
            assertThat(index.entries(parse("empty=no", "depth=1"))).containsExactlyInAnyOrder(full, unread);
            assertThat(index.count(parse("not", "(", "depth=1", "or", "empty=yes", ")"))).isEqualTo(2);
            try (FileGroups groups = index.groupBy(parse(), FileField.DEPTH); Stream<FileGroup> all = groups.stream()) {
                assertThat(all.map(FileGroup::value)).containsExactlyInAnyOrder("0", "1", "2");
            }
        }
    }

    @ParameterizedTest
    @ValueSource(strings = {"/", "/a", "/a /a/b /x", "/x/y", "/a /"})
    void aConditionOnTheDepthFindsTheEntriesOfThatDepth(String roots, @TempDir Path directory) {
        List<FileTuple> tuples = Stream.of("/", "/a", "/a/b", "/a/b/c", "/x", "/x/y", "/x/y/z", "/a-b/c")
                .map(Queries::at)
                .toList();
        try (TupleSpace space = TupleSpaces.open(directory.resolve("space"), FileIndex.SPACE)) {
            space.writeAll(tuples, Lease.FOREVER);
            for (String root : roots.split(" ", -1)) {
                space.write(new IndexedRoot(Queries.bytes(root), 1, 0, 1, 0), Lease.FOREVER);
            }
            Function<FileTuple, EntryValues<RuntimeException>> values = IndexedValues.in(space,
                    Set.of(FileField.DEPTH));
            FileIndex index = new FileIndex(space);
            for (long depth = 0; depth < 5; depth++) {
                Long wanted = depth;
                List<FileTuple> expected = tuples.stream()
                        .filter(tuple -> wanted.equals(values.apply(tuple).number(FileField.DEPTH)))
                        .toList();
                assertThat(index.entries(parse("depth=" + depth))).containsExactlyInAnyOrderElementsOf(expected);
                assertThat(index.count(parse("depth=" + depth))).isEqualTo(expected.size());
            }
        }
    }

    @Test
    void groupsThatAreNestedTooDeepAreRefused() {
        List<String> words = new ArrayList<>(Collections.nCopies(101, "not"));
        words.add("size=1");
        assertThatThrownBy(() -> parse(words.toArray(String[]::new)))
                .hasMessageContaining("nested deeper than 100 levels");
        assertThat(parse(words.subList(1, words.size()).toArray(String[]::new))).isEqualTo(parse("size=1"));
    }

    @Test
    void liveTreesKnowNoValuesOfAnIndex() {
        ConditionContext trees = new ConditionContext(new KnownAccounts(), Queries.NOON, FileTimes.unknown(), false);
        assertThat(FileQuery.parse(List.of(Queries.bytes("path=run7/*")), trees).conditions())
                .containsExactly("path=run7/*");
        assertThatThrownBy(() -> FileQuery.parse(List.of(Queries.bytes("hash=00ff")), trees))
                .hasMessageContaining("only an index knows hash");
    }

    @Test
    void messagesAreWithoutControlCharacters() {
        assertThatThrownBy(() -> parse("na\u001bme=x")).hasMessageStartingWith("'na\\x1bme=x', character 1: ");
        assertThatThrownBy(() -> parse("kind=\u00ff")).hasMessageContaining("'\\xff' is not a kind");
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {"size>1K | size=1025..", "size<=1K | size=..1024", "size!=0 | size=1..",
                    "kind!=symlink | kind=regular,directory,fifo,socket,block,character", "mode=0644 | mode=0644",
                    "mtime>=@5.5 | mtime=@5.500000000..",
                    "btime!=2025 | btime=..@1735685999.999999999,@1767222000.000000000..,", "name!=a*,b | name!=a*,b",
                    "path^=/a*b | path=/a\\*b*", "owner=alice | owner=1000", "btime!= | btime!="})
    void aConditionIsPrintedInOneForm(String condition, String printed) {
        assertThat(parse(condition).conditions()).containsExactly(printed);
    }
}
