package org.ssdcache.cli;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Locale;
import java.util.Set;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import picocli.CommandLine;

class DocumentsTest {
    @TempDir private Path directory;

    @BeforeEach
    void write() {
        assertEquals(0, SsdCache.commandLine().execute("documents", directory.toString()));
    }

    private String read(String file) throws IOException {
        return Files.readString(directory.resolve(file));
    }

    @Test
    void everyCommandForPeopleHasAPage() throws IOException {
        Set<String> files;
        try (Stream<Path> list = Files.list(directory)) {
            files = list.map(file -> file.getFileName().toString()).collect(Collectors.toSet());
        }
        Set<String> expected =
                Stream.of("attach", "check", "detach", "flush", "mount", "set", "status", "umount")
                        .map(command -> "ssdcache-" + command + ".8")
                        .collect(Collectors.toSet());
        expected.addAll(
                Set.of("ssdcache.8", "mount.ssdcache.8", "umount.ssdcache.8", "ssdcache.bash"));
        assertEquals(expected, files);
    }

    @Test
    void aPageNamesEveryOption() throws IOException {
        for (CommandLine command : SsdCache.commandLine().getSubcommands().values()) {
            if (ManualPage.isForPeople(command)) {
                String page = read(ManualPage.nameOf(command) + ".8");
                command.getCommandSpec()
                        .optionsMap()
                        .keySet()
                        .forEach(
                                option ->
                                        assertTrue(
                                                page.contains(option.replace("-", "\\-")),
                                                option + " in " + page));
            }
        }
    }

    @Test
    void thePagesOfMountHaveTheSettings() throws IOException {
        for (String file : Set.of("ssdcache-mount.8", "mount.ssdcache.8")) {
            for (Setting setting : Setting.values()) {
                assertTrue(read(file).contains("\\fB" + setting.key() + "="), setting.key());
            }
        }
        assertTrue(read("mount.ssdcache.8").contains(".SH \"SYNOPSIS\"\n.PP\n\\fBmount.ssdcache "));
    }

    /** The table of FSTAB.md says what the program says. */
    @Test
    void theDocumentOfFstabHasTheSettings() throws IOException {
        String document = Files.readString(Path.of("src/docs/FSTAB.md")).replace("`", "");
        for (Setting setting : Setting.values()) {
            String row =
                    String.format(
                            "| %s | %s | %s | %s |",
                            setting.key(),
                            setting.range(),
                            setting.byDefault(),
                            setting.meaning().replaceAll("\\.$", ""));
            assertTrue(
                    document.toLowerCase(Locale.ROOT).contains(row.toLowerCase(Locale.ROOT)), row);
        }
    }

    @Test
    void helpersAreNotCompleted() throws IOException {
        String completion = read("ssdcache.bash");
        assertTrue(completion.contains("--block-size"));
        assertFalse(completion.contains("umount.ssdcache"), "hidden");
        assertFalse(completion.contains("report-fd"), "hidden");
    }

    @Test
    void whatRoffTakesForCommandsIsEscaped() {
        Roff page = new Roff();
        page.text(".a\\b");
        page.entry("'x", "--c");
        assertEquals(
                ".PP\n\\&.a\\eb\n.TP\n\\fB'x\\fR\n\\-\\-c\n", page.toString().replace("\\&'", "'"));
    }
}
