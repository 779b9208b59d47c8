// SPDX-License-Identifier: Apache-2.0
package org.treehaul.packaged;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.MessageDigest;
import java.util.HexFormat;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import java.util.zip.ZipEntry;
import java.util.zip.ZipFile;
import javax.xml.parsers.DocumentBuilderFactory;
import javax.xml.xpath.XPath;
import javax.xml.xpath.XPathConstants;
import javax.xml.xpath.XPathFactory;

import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.treehaul.core.testing.Privilege;
import org.w3c.dom.Document;
import org.w3c.dom.NodeList;

/** The libraries as {@code ./package --maven-repository} makes them, and the program with its list of components. */
@Tag("rig")
class MavenRepositoryTest {

    private static final Map<String, String> ALGORITHMS = Map.of("md5", "MD5", "sha1", "SHA-1", "sha256", "SHA-256",
            "sha512", "SHA-512");

    @TempDir
    static Path made;

    @TempDir
    Path directory;

    /** Builds in the checkout, but below a layer that takes all that is written, because other tests use its jars. */
    @BeforeAll
    static void makeTheArtifacts() throws Exception {
        Privilege.requireCapability(Privilege.SYS_ADMIN, "mount");
        assumeTrue(Run.of("sh", "-c", "command -v mvn").code() == 0, "no Maven");
        Files.createDirectories(made.resolve("layer/upper"));
        Files.createDirectory(made.resolve("layer/work"));
        String script = """
                root=$0 made=$1
                mount -t overlay overlay -o "lowerdir=$root,upperdir=$made/layer/upper,workdir=$made/layer/work" "$root" || exit 99
                cd "$root" && ./package --maven-repository "$made/repository" && ./package --output "$made/package" \
                    && tar -xzf "$made"/package/*.tar.gz -C "$made/package"
                """;
        Run run = Run.of("unshare", "-m", "--propagation", "private", "sh", "-c", script, Run.ROOT.toRealPath(), made);
        assumeTrue(run.code() != 99, "no overlay file system: " + run.err());
        run.expect(0);
    }

    @ParameterizedTest
    @ValueSource(strings = {"core", "strategies", "tuplespace", "schedulers"})
    void eachLibraryHasItsSourcesItsJavadocAndTheLicence(String module) throws Exception {
        try (ZipFile jar = new ZipFile(artifact(module, ".jar").toFile());
                ZipFile sources = new ZipFile(artifact(module, "-sources.jar").toFile());
                ZipFile javadoc = new ZipFile(artifact(module, "-javadoc.jar").toFile())) {
            assertThat(jar.getEntry("META-INF/LICENSE")).isNotNull();
            List<String> classes = names(jar, "(org/treehaul/[^$]*)\\.class");
            assertThat(classes).isNotEmpty();
            assertThat(names(sources, "(org/treehaul/.*)\\.java")).containsAll(classes);
            assertThat(javadoc.getEntry("index.html")).isNotNull();
            assertThat(names(javadoc, "(org/treehaul/.*/[A-Z].*)\\.html")).isNotEmpty()
                    .doesNotContain("org/treehaul/core/fs/Directory", "org/treehaul/schedulers/slurm/Slurm");
        }
    }

    @ParameterizedTest
    @ValueSource(strings = {"core", "strategies", "tuplespace", "schedulers", "bom"})
    void eachPomHasTheElementsThatMavenCentralDemands(String module) throws Exception {
        Path file = artifact(module, ".pom");
        assertThat(file).content().doesNotContain("<parent>", "${");
        Document pom = xml(file);
        // https://central.sonatype.org/publish/requirements
        assertThat(List.of("/project/groupId", "/project/artifactId", "/project/version", "/project/name",
                "/project/description", "/project/url", "/project/licenses/license/name",
                "/project/licenses/license/url", "/project/developers/developer/name", "/project/scm/connection",
                "/project/scm/developerConnection", "/project/scm/url")).allSatisfy(
                        element -> assertThat(values(pom, element)).isNotEmpty().allMatch(value -> !value.isBlank()));
        assertThat(values(pom, "//dependency[not(version)]")).isEmpty();
        assertThat(values(pom, "//dependency/scope[. = 'test']")).isEmpty();
    }

    @Test
    void eachFileHasItsChecksums() throws Exception {
        List<Path> files;
        try (Stream<Path> all = Files.walk(made.resolve("repository"))) {
            files = all.filter(Files::isRegularFile)
                    .filter(file -> !file.toString().matches(".*\\.(md5|sha1|sha256|sha512)"))
                    .toList();
        }
        // Four libraries with jar, sources, Javadoc, pom and components; the BOM.
        assertThat(files).hasSize(4 * 5 + 1);
        for (Path file : files) {
            for (var algorithm : ALGORITHMS.entrySet()) {
                String sum = HexFormat.of()
                        .formatHex(MessageDigest.getInstance(algorithm.getValue()).digest(Files.readAllBytes(file)));
                assertThat(Path.of(file + "." + algorithm.getKey())).hasContent(sum);
            }
        }
    }

    @Test
    void theBomManagesEachLibraryAndTheTestedDrivers() throws Exception {
        Document bom = xml(artifact("bom", ".pom"));
        assertThat(values(bom, "//dependencyManagement//artifactId")).containsExactlyInAnyOrder("treehaul-core",
                "treehaul-strategies", "treehaul-tuplespace", "treehaul-schedulers", "sqlite-jdbc", "postgresql",
                "HikariCP", "netty-handler");
        String version = values(bom, "/project/version").getFirst();
        assertThat(values(bom, "//dependency[starts-with(artifactId, 'treehaul')]/version")).containsOnly(version);
        Map<String, String> users = Map.of("sqlite-jdbc", "tuplespace", "postgresql", "tuplespace", "HikariCP",
                "tuplespace", "netty-handler", "schedulers");
        for (Map.Entry<String, String> library : users.entrySet()) {
            String driver = "//dependency[artifactId = '" + library.getKey() + "']/version";
            assertThat(values(bom, driver)).isEqualTo(values(xml(artifact(library.getValue(), ".pom")), driver))
                    .hasSize(1);
        }
    }

    @Test
    void theComponentsOfTheProgramAreNamedWithVersionAndLicence() throws Exception {
        Map<String, String> licences = Sbom.licences(only(made.resolve("package"), "share/doc/treehaul/sbom.json"));
        List<String> inside = inside(Run.JAR);
        for (String library : List.of("picocli-", "sqlite-jdbc-", "postgresql-", "HikariCP-", "netty-handler-")) {
            assertThat(inside).anyMatch(jar -> jar.startsWith(library));
        }
        assertThat(licences.keySet()).containsAll(inside);
        assertThat(licences).allSatisfy((component, licence) -> assertThat(licence).as(component).isNotBlank());
    }

    @Test
    void theComponentsOfALibraryAreItsDependencies() throws Exception {
        Document pom = xml(artifact("core", ".pom"));
        List<String> names = values(pom, "//dependency/artifactId");
        List<String> versions = values(pom, "//dependency/version");
        Map<String, String> licences = Sbom.licences(artifact("core", "-cyclonedx.json"));
        for (int i = 0; i < names.size(); i++) {
            assertThat(licences.get(names.get(i) + "-" + versions.get(i))).isNotBlank();
        }
    }

    @Test
    void theExampleProjectIsBuiltFromTheRepositoryAlone() throws Exception {
        Path project = directory.resolve("project");
        Run.of("cp", "-r", ExampleProjectTest.PROJECT, project).expect(0);
        Path cache = Path.of(System.getProperty("user.home"), ".m2/repository");
        Path settings = Files.writeString(directory.resolve("settings.xml"), """
                <settings><mirrors><mirror>
                    <id>cached</id><mirrorOf>central</mirrorOf><url>%s</url>
                </mirror></mirrors></settings>
                """.formatted(cache.toUri()));
        Path local = directory.resolve("local");
        Path tree = Files.createDirectory(directory.resolve("tree"));
        Files.writeString(tree.resolve("file"), "twelve bytes");
        String target = directory.resolve("copy").toString();
        String space = directory.resolve("space").toString();
        Map<String, String> output = new TreeMap<>();
        Map<String, List<?>> programs = Map.of("WalkTree", List.of(tree), "CopyTree", List.of(tree, target),
                "TransferTree", List.of(Run.JAR.toRealPath(), directory.resolve("state"), "local", tree, target + "2"),
                "IndexAndQuery", List.of(space, tree, "size=12"), "ShareWork", List.of(directory.resolve("work")));
        Map<String, String> environment = new TreeMap<>(System.getenv());
        environment.put("JAVA_HOME", Run.JAVA.resolve("../..").normalize().toString());
        environment.put("PATH", Run.JAVA.getParent() + ":" + environment.get("PATH"));
        for (var program : programs.entrySet()) {
            ProcessBuilder maven = new ProcessBuilder("mvn", "-q", "-B", "-s", settings.toString(),
                    "-Dmaven.repo.local=" + local, "-Dtreehaul.repository=" + made.resolve("repository").toUri(),
                    "-Dprogram=" + program.getKey(),
                    "-Darguments=" + String.join(" ", program.getValue().stream().map(Object::toString).toList()),
                    "compile", "exec:exec").directory(project.toFile());
            maven.environment().putAll(environment);
            output.put(program.getKey(), Run.of(maven).expect(0).out());
        }
        assertThat(output.get("WalkTree")).contains("2 entries");
        assertThat(output.get("CopyTree")).contains("copied 2 entries");
        assertThat(output.get("TransferTree")).contains("COMPLETE, 0 failures");
        assertThat(output.get("IndexAndQuery")).contains("2 entries, 1 match");
        assertThat(output.get("ShareWork")).contains("1 left");
        // Not from an installation in the cache.
        assertThat(only(local.resolve("org/treehaul/treehaul-core"), "_remote.repositories")).content()
                .contains(".jar>treehaul=");
    }

    @Test
    void aModuleRunsOnTheModulePath() throws Exception {
        Path sources = Files.createDirectories(directory.resolve("source/app"));
        Files.writeString(sources.resolveSibling("module-info.java"), """
                module app {
                    requires org.treehaul.core;
                    requires org.treehaul.tuplespace;
                    opens app to org.treehaul.tuplespace;
                }
                """);
        for (String program : List.of("CopyTree", "ShareWork")) {
            Files.writeString(sources.resolve(program + ".java"), "package app;\n"
                    + Files.readString(ExampleProjectTest.PROJECT.resolve("src/main/java/" + program + ".java")));
        }
        String path = Stream.concat(Stream.of(artifact("core", ".jar"), artifact("tuplespace", ".jar")), libraries())
                .map(Path::toString)
                .collect(Collectors.joining(":"));
        Path modules = directory.resolve("modules");
        Run.of(Run.JAVA.resolveSibling("javac"), "-d", modules, "--module-path", path,
                sources.resolveSibling("module-info.java"), sources.resolve("CopyTree.java"),
                sources.resolve("ShareWork.java")).expect(0);
        List<Object> java = List.of(Run.JAVA, "--illegal-native-access=deny",
                "--enable-native-access=org.treehaul.core,org.xerial.sqlitejdbc", "--add-modules", "ALL-MODULE-PATH",
                "--module-path", path + ":" + modules, "-m");
        assertThat(Run.of(append(java, "app/app.CopyTree", sources, directory.resolve("copy"))).expect(0).out())
                .isEqualTo("copied 3 entries\n");
        assertThat(Run.of(append(java, "app/app.ShareWork", directory.resolve("work"))).expect(0).out())
                .endsWith("1 left\n");
    }

    private static Object[] append(List<Object> first, Object... others) {
        return Stream.concat(first.stream(), Stream.of(others)).toArray();
    }

    /** Returns the jars of the class path on which the libraries depend. */
    private static Stream<Path> libraries() {
        return classPath().filter(jar -> jar.getFileName()
                .toString()
                .matches("(slf4j-api|slf4j-simple|commons-io|hash4j|jspecify|sqlite-jdbc)-.*\\.jar"));
    }

    private static Stream<Path> classPath() {
        return Stream
                .of(System.getProperty("surefire.test.class.path", System.getProperty("java.class.path")).split(":"))
                .map(Path::of);
    }

    /** Returns the names, with versions, of the jars on the class path whose classes an executable jar contains. */
    private static List<String> inside(Path program) throws IOException {
        try (ZipFile all = new ZipFile(program.toFile())) {
            return classPath().filter(jar -> jar.toString().endsWith(".jar") && contains(all, jar))
                    .map(jar -> jar.getFileName().toString().replaceFirst("\\.jar$", ""))
                    .filter(name -> !name.startsWith("treehaul-cli-"))
                    .toList();
        }
    }

    private static boolean contains(ZipFile all, Path jar) {
        try (ZipFile one = new ZipFile(jar.toFile())) {
            List<String> classes = names(one, "((?!META-INF|module-info).*\\.class)");
            return !classes.isEmpty() && Stream.of("", "META-INF/stores/")
                    .anyMatch(part -> all.getEntry(part + classes.getFirst()) != null);
        } catch (IOException e) {
            return false;
        }
    }

    private static List<String> names(ZipFile zip, String pattern) {
        return zip.stream()
                .map(ZipEntry::getName)
                .filter(name -> name.matches(pattern))
                .map(name -> name.replaceFirst(pattern, "$1"))
                .toList();
    }

    private static Path artifact(String module, String suffix) throws IOException {
        return only(made.resolve("repository/org/treehaul/treehaul-" + module), suffix);
    }

    private static Path only(Path directory, String suffix) throws IOException {
        try (Stream<Path> files = Files.walk(directory)) {
            List<Path> found = files.filter(file -> file.toString().endsWith(suffix))
                    .filter(file -> suffix.startsWith("-") || !file.toString().matches(".*-(sources|javadoc)\\.jar"))
                    .toList();
            assertThat(found).hasSize(1);
            return found.getFirst();
        }
    }

    private static Document xml(Path file) throws Exception {
        return DocumentBuilderFactory.newInstance().newDocumentBuilder().parse(file.toFile());
    }

    private static List<String> values(Document document, String expression) {
        XPath path = XPathFactory.newInstance().newXPath();
        try {
            NodeList nodes = (NodeList) path.evaluate(expression, document, XPathConstants.NODESET);
            return Stream.iterate(0, i -> i < nodes.getLength(), i -> i + 1)
                    .map(i -> nodes.item(i).getTextContent())
                    .toList();
        } catch (javax.xml.xpath.XPathExpressionException e) {
            throw new IllegalArgumentException(expression, e);
        }
    }
}
