package org.ssdcache.daemon;

import java.io.IOException;
import java.io.Reader;
import java.io.StringWriter;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.util.Optional;
import java.util.Properties;
import org.ssdcache.control.ExitCode;
import org.ssdcache.control.RefusedException;
import org.ssdcache.io.AtomicFile;

/**
 * The small file that says what a cache directory is: written last when a cache is made, so that
 * its presence means a complete cache. The store's own superblock is the truth about the bytes;
 * this is what can be read and compared before anything is opened.
 *
 * @param sizeBytes what was asked for when the cache was made
 * @param backingId ties this file to the store's superblock
 * @param backing the backing directory's path, for messages only
 * @param identity which directory the cache belongs to
 */
record CacheProperties(
        long sizeBytes, int blockBytes, long backingId, String backing, BackingIdentity identity) {
    private static final int FORMAT = 1;
    private static final String FILE = "cache.properties";

    static Path file(Path cacheDirectory) {
        return cacheDirectory.resolve(FILE);
    }

    /**
     * Reads the file of a cache directory.
     *
     * @return empty when there is none
     */
    static Optional<CacheProperties> read(Path cacheDirectory)
            throws IOException, RefusedException {
        Properties properties = new Properties();
        try (Reader reader =
                Files.newBufferedReader(file(cacheDirectory), StandardCharsets.UTF_8)) {
            properties.load(reader);
        } catch (NoSuchFileException e) {
            return Optional.empty();
        } catch (IllegalArgumentException e) {
            throw damaged(cacheDirectory, e);
        }
        try {
            return Optional.of(parse(cacheDirectory, properties));
        } catch (NumberFormatException e) {
            throw damaged(cacheDirectory, e);
        }
    }

    private static CacheProperties parse(Path cacheDirectory, Properties p)
            throws RefusedException {
        int format = Integer.parseInt(p.getProperty("format"));
        if (format != FORMAT) {
            throw new RefusedException(
                    ExitCode.CACHE_UNUSABLE,
                    String.format(
                            "The cache %s was made by a newer version (format %d); use that"
                                    + " version, or another directory for the cache.",
                            cacheDirectory, format));
        }
        return new CacheProperties(
                Long.parseLong(p.getProperty("size_bytes")),
                Integer.parseInt(p.getProperty("block_size_bytes")),
                Long.parseUnsignedLong(p.getProperty("backing_id"), 16),
                p.getProperty("backing"),
                new BackingIdentity(
                        Long.parseLong(p.getProperty("backing_inode")),
                        Long.parseLong(p.getProperty("backing_born_nanos")),
                        Long.parseUnsignedLong(p.getProperty("backing_filesystem"), 16)));
    }

    void write(Path cacheDirectory) throws IOException {
        Properties properties = new Properties();
        properties.setProperty("format", Integer.toString(FORMAT));
        properties.setProperty("size_bytes", Long.toString(sizeBytes));
        properties.setProperty("block_size_bytes", Integer.toString(blockBytes));
        properties.setProperty("backing_id", Long.toHexString(backingId));
        properties.setProperty("backing", backing);
        properties.setProperty("backing_inode", Long.toString(identity.inode()));
        properties.setProperty("backing_born_nanos", Long.toString(identity.bornNanos()));
        properties.setProperty("backing_filesystem", Long.toHexString(identity.filesystem()));
        StringWriter text = new StringWriter();
        properties.store(text, "Written by ssdcache when it made this cache; do not change.");
        AtomicFile.replace(file(cacheDirectory), text.toString().getBytes(StandardCharsets.UTF_8));
    }

    private static RefusedException damaged(Path cacheDirectory, Throwable cause) {
        return new RefusedException(
                ExitCode.CACHE_UNUSABLE,
                String.format(
                        "%s is damaged; remove the cache %s to begin with an empty one.",
                        file(cacheDirectory), cacheDirectory),
                cause);
    }
}
