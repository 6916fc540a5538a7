package org.ssdcache.index;

import com.google.errorprone.annotations.concurrent.GuardedBy;
import java.io.Closeable;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Map;
import org.mapdb.BTreeMap;
import org.mapdb.DB;
import org.mapdb.DBMaker;
import org.mapdb.Serializer;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.ssdcache.block.FileFacts;
import org.ssdcache.block.FileId;
import org.ssdcache.block.MappingSink;

/**
 * The index as a MapDB file that the next start loads instead of scanning the store's tables.
 *
 * <p>The image is never the truth. It is believed if its {@link ImageSeal} is there, names the
 * store and the checkpoint in which the store was closed, and matches the file byte by byte; else
 * it is thrown away and the caller loads from the store. The seal goes before the first change and
 * comes back when the image is finished.
 *
 * <p>MapDB may throw anything, errors included. Whatever it throws ends the image, not the caller:
 * from then on all calls do nothing, and the next start makes a new one.
 */
public final class MapDbIndex implements Closeable {
    /** Blocks of a file that one entry holds. */
    public static final int CHUNK_BLOCKS = Chunk.BLOCKS;

    private static final Logger LOG = LoggerFactory.getLogger(MapDbIndex.class);
    private static final int FILE_LONGS = 6;
    private static final long GROWTH_BYTES = 4L << 20;

    private final Path file;
    private final Path sealFile;
    private final long storeId;

    /** Null while no image is open. */
    @GuardedBy("this")
    private DB db;

    @GuardedBy("this")
    private BTreeMap<Long, int[]> chunks;

    @GuardedBy("this")
    private BTreeMap<Integer, long[]> files;

    @GuardedBy("this")
    private boolean changing;

    @GuardedBy("this")
    private boolean givenUp;

    private MapDbIndex(Path file, long storeId) {
        this.file = file;
        this.sealFile = file.resolveSibling(file.getFileName() + ".seal");
        this.storeId = storeId;
    }

    /**
     * The image in a file, which need not exist. Nothing is read or changed yet.
     *
     * @param storeId of the store whose index it is
     */
    public static MapDbIndex open(Path file, long storeId) {
        return new MapDbIndex(file, storeId);
    }

    /**
     * Loads MapDB's many classes, which takes longer than reading an image; to be run beside other
     * work of the start.
     */
    public static void warmUp() {
        try (DB db = DBMaker.memoryDB().concurrencyDisable().make()) {
            BTreeMap<Long, int[]> map =
                    db.treeMap("warm-up", Serializer.LONG, Serializer.INT_ARRAY)
                            .valuesOutsideNodesEnable()
                            .createOrOpen();
            map.put(1L, new int[] {1});
            for (Map.Entry<Long, int[]> entry : map.getEntries()) {
                require(entry.getValue().length == 1);
            }
        } catch (Throwable e) {
            LOG.warn("MapDB cannot be used; every start will read the slot table", e);
        }
    }

    /**
     * Hands over what the image holds, if it can be believed. It is read twice, first to look at
     * every entry and then to deliver, since an image of many small files is too large for lists.
     *
     * @param checkpointSequence of the store, as it was closed
     * @return false if it cannot; what the sink was told until then, usually nothing, is right
     */
    public synchronized boolean load(long checkpointSequence, MappingSink sink) {
        try {
            if (!isSealed(checkpointSequence)) {
                discard();
                return false;
            }
            openImage();
            checkEntries();
            for (Map.Entry<Integer, long[]> entry : files.getEntries()) {
                deliverFile(entry.getKey(), entry.getValue(), sink);
            }
            for (Map.Entry<Long, int[]> entry : chunks.getEntries()) {
                Chunk.decode(entry.getKey(), entry.getValue(), sink);
            }
            return true;
        } catch (Throwable e) {
            LOG.warn("the index image {} cannot be read and is made again", file, e);
            discard();
            return false;
        }
    }

    @GuardedBy("this")
    private void checkEntries() {
        for (Map.Entry<Integer, long[]> entry : files.getEntries()) {
            require(entry.getValue().length == FILE_LONGS);
        }
        for (Map.Entry<Long, int[]> entry : chunks.getEntries()) {
            require(Chunk.isSound(entry.getValue()));
            // Blocks of a number without file would become those of the next file that gets it.
            require(files.containsKey(Chunk.fileOf(entry.getKey())));
        }
    }

    private boolean isSealed(long checkpointSequence) throws IOException {
        ImageSeal seal = ImageSeal.read(sealFile);
        if (seal == null || !Files.isRegularFile(file)) {
            LOG.info("there is no finished index image in {}", file);
            return false;
        }
        if (seal.storeId() != storeId || seal.sequence() != checkpointSequence) {
            LOG.info("the index image {} is of another store or time", file);
            return false;
        }
        if (!seal.equals(ImageSeal.of(file, storeId, checkpointSequence))) {
            LOG.warn("the index image {} is damaged and is made again", file);
            return false;
        }
        return true;
    }

    private static void require(boolean sound) {
        if (!sound) {
            throw new IllegalStateException("an entry of the index image makes no sense");
        }
    }

    private static void deliverFile(int number, long[] value, MappingSink sink) {
        sink.file(
                number,
                new FileId(value[0], value[1], value[2]),
                new FileFacts(value[3], value[4], value[5]));
    }

    /**
     * The image is going to change: until {@link #commit} says otherwise nobody believes it. Unless
     * it was loaded it is empty then, and the caller puts everything.
     */
    public synchronized void begin() {
        if (changing || givenUp) {
            return;
        }
        try {
            ImageSeal.remove(sealFile);
            if (db == null) {
                Files.deleteIfExists(file);
                openImage();
            }
            changing = true;
        } catch (Throwable e) {
            giveUp(e);
        }
    }

    /** A number stands for a file. */
    public synchronized void putFile(int number, FileId id, FileFacts facts) {
        long[] value = {
            id.device(),
            id.inode(),
            id.generation(),
            facts.sizeBytes(),
            facts.modifiedNanos(),
            facts.changedNanos()
        };
        change(files, number, value);
    }

    /** A number stands for no file. */
    public synchronized void removeFile(int number) {
        change(files, number, null);
    }

    /** Takes over what the index says of the blocks of one chunk of a file. */
    public synchronized void putChunk(int number, int chunk, BlockIndex source) {
        change(chunks, Chunk.key(number, chunk), Chunk.encode(number, chunk, source));
    }

    /** A null value removes the key. */
    @GuardedBy("this")
    private <K, V> void change(BTreeMap<K, V> map, K key, V value) {
        if (givenUp) {
            return;
        }
        if (!changing) {
            throw new IllegalStateException("the index image is changed before begin");
        }
        try {
            if (value == null) {
                map.remove(key);
            } else {
                map.put(key, value);
            }
        } catch (Throwable e) {
            giveUp(e);
        }
    }

    /**
     * The image shows a checkpoint of the store. It is made durable only when it is finished, since
     * nobody believes it before.
     *
     * @param clean nothing changes any more: the image is closed, and the next start may believe it
     */
    public synchronized void commit(long sequence, boolean clean) {
        if (givenUp || !clean) {
            return;
        }
        if (!changing) {
            throw new IllegalStateException("the index image is committed before begin");
        }
        try {
            db.commit();
            closeImage();
            ImageSeal.sync(file);
            ImageSeal.of(file, storeId, sequence).write(sealFile);
            changing = false;
        } catch (Throwable e) {
            giveUp(e);
        }
    }

    /** An image that was not finished is left unsealed, and the next start makes a new one. */
    @Override
    public synchronized void close() {
        try {
            closeImage();
        } catch (Throwable e) {
            LOG.warn("the index image {} cannot be closed", file, e);
        }
        givenUp = true;
    }

    @GuardedBy("this")
    private void openImage() {
        // No mmap: a full disk or a cut file would then kill the process instead of a call. No WAL:
        // MapDB never replays it. Values outside of nodes: a changed chunk is not a changed node.
        db =
                DBMaker.fileDB(file.toFile())
                        .fileChannelEnable()
                        .allocateStartSize(GROWTH_BYTES)
                        .allocateIncrement(GROWTH_BYTES)
                        .concurrencyDisable()
                        .make();
        chunks =
                db.treeMap("chunks", Serializer.LONG, Serializer.INT_ARRAY)
                        .valuesOutsideNodesEnable()
                        .createOrOpen();
        files = db.treeMap("files", Serializer.INTEGER, Serializer.LONG_ARRAY).createOrOpen();
    }

    @GuardedBy("this")
    private void closeImage() {
        DB open = db;
        db = null;
        chunks = null;
        files = null;
        if (open != null) {
            open.close();
        }
    }

    /** Away with the image and its seal; {@link #begin} makes a new one. */
    @GuardedBy("this")
    private void discard() {
        try {
            closeImage();
        } catch (Throwable e) {
            LOG.debug("a bad index image {} cannot be closed", file, e);
        }
        try {
            ImageSeal.remove(sealFile);
            Files.deleteIfExists(file);
        } catch (IOException e) {
            LOG.warn("a bad index image {} cannot be removed", file, e);
        }
    }

    @GuardedBy("this")
    private void giveUp(Throwable cause) {
        LOG.warn("the index image {} is given up until the next start", file, cause);
        givenUp = true;
        changing = false;
        discard();
    }
}
