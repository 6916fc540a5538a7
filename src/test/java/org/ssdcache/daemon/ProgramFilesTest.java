package org.ssdcache.daemon;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotNull;

import java.io.IOException;
import java.io.InputStream;
import java.net.URL;
import java.net.URLClassLoader;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.jar.Attributes;
import java.util.jar.JarEntry;
import java.util.jar.JarOutputStream;
import java.util.jar.Manifest;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class ProgramFilesTest {
    private static final String CLASS = Sample.class.getName().replace('.', '/') + ".class";

    @TempDir Path directory;

    /** A class that the test finds in the last jar only. */
    public static final class Sample {}

    @Test
    void whatTheProgramWasStartedWithIsUsableAfterItsFilesWereRemoved() throws Exception {
        Path last = directory.resolve("last.jar");
        write(last, new Manifest(), CLASS);
        Path second = directory.resolve("second.jar");
        write(second, new Manifest(), "second");
        Path first = directory.resolve("first.jar");
        write(first, withClassPath("second.jar last.jar"), "first");
        URL[] path = {first.toUri().toURL()};
        try (URLClassLoader loader = new URLClassLoader(path, null)) {
            ProgramFiles.holdOpen(loader);

            Files.delete(first);
            Files.delete(second);
            Files.delete(last);

            assertEquals(
                    loader, loader.loadClass(Sample.class.getName()).getClassLoader(), "loaded");
        }
    }

    private static Manifest withClassPath(String jars) {
        Manifest manifest = new Manifest();
        manifest.getMainAttributes().put(Attributes.Name.MANIFEST_VERSION, "1.0");
        manifest.getMainAttributes().put(Attributes.Name.CLASS_PATH, jars);
        return manifest;
    }

    private static void write(Path jar, Manifest manifest, String entry) throws IOException {
        try (JarOutputStream out = new JarOutputStream(Files.newOutputStream(jar), manifest)) {
            out.putNextEntry(new JarEntry(entry));
            if (entry.equals(CLASS)) {
                try (InputStream in = Sample.class.getResourceAsStream("/" + CLASS)) {
                    assertNotNull(in, CLASS);
                    in.transferTo(out);
                }
            }
        }
    }
}
