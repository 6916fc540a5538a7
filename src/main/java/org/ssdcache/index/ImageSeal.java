package org.ssdcache.index;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.nio.file.StandardOpenOption;
import java.util.zip.CRC32C;

/**
 * What vouches for an index image: a small file beside it that exists only while the image is
 * finished, and that knows every byte of it. MapDB itself cannot tell a damaged file from a good
 * one, so it is never given a file whose seal does not hold.
 *
 * @param storeId of the store the image belongs to
 * @param sequence the store's checkpoint the image shows
 * @param lengthBytes of the image's file
 * @param checksum CRC32C of the image's file
 */
record ImageSeal(long storeId, long sequence, long lengthBytes, int checksum) {
    /** "SSIS" and the seal's version. */
    private static final long MAGIC = 0x5353_4953_0000_0001L;

    private static final int BYTES = 40;
    private static final int READ_BYTES = 1 << 20;

    /** The seal of a file as it is now. */
    static ImageSeal of(Path image, long storeId, long sequence) throws IOException {
        CRC32C crc = new CRC32C();
        long lengthBytes = 0;
        ByteBuffer buffer = ByteBuffer.allocateDirect(READ_BYTES);
        try (FileChannel channel = FileChannel.open(image, StandardOpenOption.READ)) {
            while (channel.read(buffer.clear()) > 0) {
                lengthBytes += buffer.flip().remaining();
                crc.update(buffer);
            }
        }
        return new ImageSeal(storeId, sequence, lengthBytes, (int) crc.getValue());
    }

    /** The seal in a file; null if there is none that is whole. */
    static ImageSeal read(Path file) throws IOException {
        if (!Files.isRegularFile(file) || Files.size(file) != BYTES) {
            return null;
        }
        ByteBuffer bytes = ByteBuffer.wrap(Files.readAllBytes(file));
        boolean whole = bytes.getLong(0) == MAGIC && bytes.getInt(36) == crc(bytes);
        return whole
                ? new ImageSeal(
                        bytes.getLong(8), bytes.getLong(16), bytes.getLong(24), bytes.getInt(32))
                : null;
    }

    /** Durable on return, or not there at all. The image it vouches for is durable already. */
    void write(Path file) throws IOException {
        ByteBuffer bytes = ByteBuffer.allocate(BYTES);
        bytes.putLong(MAGIC).putLong(storeId).putLong(sequence).putLong(lengthBytes);
        bytes.putInt(checksum).putInt(crc(bytes)).flip();
        Path unfinished = file.resolveSibling(file.getFileName() + ".new");
        try (FileChannel channel =
                FileChannel.open(
                        unfinished,
                        StandardOpenOption.CREATE,
                        StandardOpenOption.TRUNCATE_EXISTING,
                        StandardOpenOption.WRITE)) {
            while (bytes.hasRemaining()) {
                long unused = channel.write(bytes);
            }
            channel.force(true);
        }
        Files.move(unfinished, file, StandardCopyOption.ATOMIC_MOVE);
        sync(file.toAbsolutePath().getParent());
    }

    /** The image beside it is going to change. Durable on return. */
    static void remove(Path file) throws IOException {
        if (Files.deleteIfExists(file)) {
            sync(file.toAbsolutePath().getParent());
        }
    }

    /** Makes a file or directory durable as it is. */
    static void sync(Path file) throws IOException {
        try (FileChannel channel = FileChannel.open(file, StandardOpenOption.READ)) {
            channel.force(true);
        }
    }

    private static int crc(ByteBuffer bytes) {
        CRC32C crc = new CRC32C();
        crc.update(bytes.array(), bytes.arrayOffset(), BYTES - Integer.BYTES);
        return (int) crc.getValue();
    }
}
