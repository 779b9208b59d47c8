// SPDX-License-Identifier: Apache-2.0
package org.treehaul.cli.page;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.io.StringReader;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import javax.xml.parsers.DocumentBuilderFactory;

import org.assertj.core.data.Offset;
import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.Test;
import org.treehaul.core.entry.ByteString;
import org.treehaul.core.event.Cancellation;
import org.treehaul.core.event.Progress;
import org.treehaul.core.fs.Call;
import org.treehaul.core.fs.Fault;
import org.treehaul.core.fs.FaultInjectingCalls;
import org.treehaul.core.fs.linux.Linux;
import org.treehaul.core.testing.TreeRemoval;
import org.treehaul.core.transfer.AttemptRecord;
import org.treehaul.core.transfer.TransferFixture;
import org.treehaul.core.transfer.TransferRunner;
import org.treehaul.core.transfer.directory.TransferDirectory;
import org.w3c.dom.Document;
import org.w3c.dom.Element;
import org.w3c.dom.NodeList;
import org.xml.sax.InputSource;

class ReportPageTest {

    private static final String SCRIPT = "m/<script>alert('1')<\u2215script>\"&";
    private static final ByteString INVALID = ByteString.of(new byte[]{'m', '/', (byte) 0xFF, 1, '<'});

    @AutoClose
    private final TransferFixture fixture = TransferFixture.onTmpfs();

    private static Document parse(String page) throws Exception {
        // The document type of HTML is no XML.
        String xml = page.substring(page.indexOf('\n') + 1);
        return DocumentBuilderFactory.newInstance().newDocumentBuilder().parse(new InputSource(new StringReader(xml)));
    }

    private static List<Element> all(Document document, String tag) {
        NodeList found = document.getElementsByTagName(tag);
        List<Element> elements = new ArrayList<>();
        for (int i = 0; i < found.getLength(); i++) {
            elements.add((Element) found.item(i));
        }
        return elements;
    }

    private static List<String> texts(Document document, String tag) {
        return all(document, tag).stream().map(Element::getTextContent).toList();
    }

    private String page(TransferDirectory transfer) throws IOException {
        return ReportPage.of(fixture.transfers(), transfer);
    }

    private TransferDirectory withMissing(ByteString... missing) throws IOException {
        fixture.with(writer -> {
            for (int i = 0; i < 40; i++) {
                writer.file(ByteString.of("f" + i), 5_000, i);
            }
            for (ByteString name : missing) {
                writer.file(name, 100, 1);
            }
        });
        TransferDirectory transfer = fixture.planned(4);
        TreeRemoval.clear(Linux.calls(), fixture.source().resolve("m"));
        fixture.run(transfer, fixture.transfers().start(transfer), 2);
        return transfer;
    }

    @Test
    void thePageShowsResultPicturesAndErrors() throws Exception {
        TransferDirectory transfer = withMissing(ByteString.of("m/gone1"), ByteString.of("m/gone2"));
        String page = page(transfer);
        Document document = parse(page);
        assertThat(texts(document, "h2")).containsExactly("Verification", "Errors", "Rate over time",
                "Batches and workers", "Balance", "Slowest files", "Slowest batches");
        assertThat(texts(document, "p")).contains("partial",
                "vanished: open: No such file or directory (ENOENT): 2 entries",
                "The source was removed during the transfer. If it should exist, restore it, then 'treehaul resume "
                        + transfer.id() + "'.");
        assertThat(texts(document, "code")).containsExactlyInAnyOrder(fixture.source() + "/m/gone1",
                fixture.source() + "/m/gone2");
        assertThat(texts(document, "td")).contains("40 of 42", "copy", fixture.source().toString(),
                fixture.target().toString(), "cp -a S T");
        // A transfer of less than a second has no rate.
        assertThat(all(document, "svg")).hasSizeBetween(1, 2);
        assertThat(texts(document, "title")).anyMatch(tip -> tip.startsWith("batch 3: "));
    }

    @Test
    void thePageNamesTheFilesThatTookLongest() throws Exception {
        fixture.with(writer -> writer.file(ByteString.of("slow"), 4096, 1).file(ByteString.of("fast"), 100, 1));
        TransferDirectory transfer = fixture.planned(1);
        Fault delay = Fault.on(Call.OPENAT).named("slow").nth(1).delays(Duration.ofMillis(400));
        TransferRunner.of(FaultInjectingCalls.over(Linux.calls(), delay), transfer)
                .run(fixture.transfers().start(transfer), fixture.listener(), new Progress(), new Cancellation());
        List<String> cells = texts(parse(page(transfer)), "td");
        List<String> row = cells.subList(cells.indexOf(fixture.source() + "/slow"), cells.size());
        assertThat(row.get(1)).isEqualTo("4.0 KiB");
        assertThat(row.get(2)).matches("[0-9]+\\.[0-9] s");
        assertThat(row.get(3)).matches("[0-9.]+ (Ki)?B/s");
        assertThat(row.get(4)).contains(", process ");
    }

    @Test
    void namesDoNotBecomeMarkupAndNothingIsLoaded() throws Exception {
        String page = page(withMissing(ByteString.of(SCRIPT), INVALID));
        Document document = parse(page);
        assertThat(texts(document, "code")).contains(fixture.source() + "/" + ByteString.of(SCRIPT),
                fixture.source() + "/" + INVALID);
        assertThat(all(document, "script")).isEmpty();
        assertThat(all(document, "*")).allSatisfy(element -> {
            assertThat(element.hasAttribute("src")).isFalse();
            assertThat(element.hasAttribute("href")).isFalse();
        });
        assertThat(page).doesNotContain("url(", "@import");
    }

    @Test
    void aTransferThatHasNotBegunHasAPageToo() throws Exception {
        TransferDirectory transfer = fixture.planned(2);
        assertThat(texts(parse(page(transfer)), "h2")).containsExactly("Verification", "Errors");
        assertThat(texts(parse(page(fixture.create())), "p")).contains("planning");
    }

    @Test
    void theRatesOfAllColumnsSumUpToTheData() {
        Instant start = Instant.ofEpochSecond(1_000_000);
        List<AttemptRecord> attempts = List.of(attempt(start, 0, 60_000, 6_000_000), attempt(start, 59_990, 60_000, 70),
                attempt(start, 60_000, 60_000, 5), attempt(start, 0, 1, 30));
        double sum = 0;
        for (double rate : new TimePictures(attempts, true).rates()) {
            sum += rate * 60 / 120;
        }
        assertThat(sum).isCloseTo(6_000_105, Offset.offset(1.0));
    }

    @Test
    void aTransferOfAMomentOrWithoutDataHasNoRates() {
        Instant start = Instant.ofEpochSecond(1_000_000);
        assertThat(new TimePictures(List.of(attempt(start, 0, 999, 5)), true).hasRates()).isFalse();
        assertThat(new TimePictures(List.of(attempt(start, 0, 1000, 0)), true).hasRates()).isFalse();
        assertThat(new TimePictures(List.of(attempt(start, 0, 1000, 5)), true).hasRates()).isTrue();
    }

    @Test
    void theRatesOfAnOperationThatMovesNoDataAreThoseOfEntries() {
        Instant start = Instant.ofEpochSecond(1_000_000);
        TimePictures pictures = new TimePictures(List.of(attempt(start, 0, 60_000, 0)), false);
        assertThat(pictures.hasRates()).isTrue();
        assertThat(pictures.rate().finish()).contains(" entries/s").doesNotContain(" B/s");
        assertThat(pictures.gantt().finish()).contains("1 entry<").doesNotContain("0 B");
    }

    private static AttemptRecord attempt(Instant start, long from, long to, long bytes) {
        return new AttemptRecord(0, 1, 1, "node", AttemptRecord.State.COMPLETE, start.plusMillis(from),
                start.plusMillis(to), 1, bytes, 0);
    }
}
