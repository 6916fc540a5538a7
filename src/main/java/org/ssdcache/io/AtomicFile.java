package org.ssdcache.io;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.nio.file.StandardOpenOption;
import java.nio.file.attribute.FileAttribute;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.Set;

/**
 * Replaces a small file, readable by its owner only, so that after any crash either the old or the
 * new content is there.
 */
public final class AtomicFile {
    private static final FileAttribute<?> OWNER_ONLY =
            PosixFilePermissions.asFileAttribute(PosixFilePermissions.fromString("rw-------"));

    private AtomicFile() {}

    /** Content, then name, then directory are made durable, in this order. */
    public static void replace(Path file, byte[] content) throws IOException {
        Path directory = file.toAbsolutePath().getParent();
        Path fresh = directory.resolve(file.getFileName() + ".new");
        try (FileChannel channel =
                FileChannel.open(
                        fresh,
                        Set.of(
                                StandardOpenOption.CREATE,
                                StandardOpenOption.TRUNCATE_EXISTING,
                                StandardOpenOption.WRITE),
                        OWNER_ONLY)) {
            ByteBuffer left = ByteBuffer.wrap(content);
            while (left.hasRemaining()) {
                channel.write(left);
            }
            channel.force(true);
        }
        Files.move(fresh, file, StandardCopyOption.ATOMIC_MOVE);
        syncDirectory(directory);
    }

    /** Makes names created, renamed or removed in a directory durable. */
    public static void syncDirectory(Path directory) throws IOException {
        try (FileChannel channel = FileChannel.open(directory, StandardOpenOption.READ)) {
            channel.force(true);
        }
    }
}
