package org.ssdcache.index;

import com.google.errorprone.annotations.concurrent.GuardedBy;
import java.util.Arrays;
import org.ssdcache.block.FileFacts;
import org.ssdcache.block.FileId;

/**
 * The numbers that stand for files in the index and in the store, and what was last known about
 * each file. Grows with the files it holds. Thread-safe.
 *
 * <pre>
 *  free --add--> live --kill--> dead --release--> free
 *  free --restore--> live (while loading)
 * </pre>
 *
 * A dead number is not found any more but still stands in slots; it is released once none is left.
 */
public final class FileTable {
    /** No file. */
    public static final int NONE = -1;

    private static final byte FREE = 0;
    private static final byte LIVE = 1;
    private static final byte DEAD = 2;
    private static final int LONGS = 6;

    private final int capacity;

    @GuardedBy("this")
    private byte[] states = new byte[64];

    /** Six longs a number: device, inode, generation, size, mtime, ctime. */
    @GuardedBy("this")
    private long[] facts = new long[64 * LONGS];

    /** The next number in the hash chain of a live one, the next free number of a free one. */
    @GuardedBy("this")
    private int[] next = new int[64];

    @GuardedBy("this")
    private int[] heads = chains(64);

    /** Numbers from here on were never used. */
    @GuardedBy("this")
    private int end;

    @GuardedBy("this")
    private int freeHead = NONE;

    @GuardedBy("this")
    private boolean freeListStale;

    @GuardedBy("this")
    private int live;

    /**
     * @param capacity numbers go from 0 to this, exclusive
     */
    public FileTable(int capacity) {
        this.capacity = capacity;
    }

    /** The live number of a file, or {@link #NONE}. */
    public synchronized int find(FileId id) {
        int file = heads[bucket(id)];
        while (file != NONE && !isAt(file, id)) {
            file = next[file];
        }
        return file;
    }

    /**
     * Gives a file a number.
     *
     * @return {@link #NONE} when all numbers are in use
     * @throws IllegalStateException if the file has one
     */
    public synchronized int add(FileId id, FileFacts known) {
        if (find(id) != NONE) {
            throw new IllegalStateException(id + " has number " + find(id));
        }
        int file = takeNumber();
        if (file != NONE) {
            enter(file, id, known);
        }
        return file;
    }

    /**
     * Gives a file the number it had, while loading.
     *
     * @return false, and nothing changed, if the number or the file is there already
     */
    public synchronized boolean restore(int file, FileId id, FileFacts known) {
        if (file < 0 || file >= capacity) {
            throw new IllegalArgumentException("file number " + file + " of " + capacity);
        }
        if ((file < end && states[file] != FREE) || find(id) != NONE) {
            return false;
        }
        growTo(file + 1);
        end = Math.max(end, file + 1);
        freeListStale = true;
        enter(file, id, known);
        return true;
    }

    /** The file of a live or dead number. */
    public synchronized FileId idOf(int file) {
        checkUsed(file);
        int at = file * LONGS;
        return new FileId(facts[at], facts[at + 1], facts[at + 2]);
    }

    /** What was last known of the file of a live or dead number. */
    public synchronized FileFacts factsOf(int file) {
        checkUsed(file);
        int at = file * LONGS;
        return new FileFacts(facts[at + 3], facts[at + 4], facts[at + 5]);
    }

    /**
     * What the table says of a live file.
     *
     * @param facts what was last known of it
     */
    public record Entry(FileId id, FileFacts facts) {}

    /** Both at one moment; null if the number is not live. */
    public synchronized Entry liveEntry(int file) {
        return isLive(file) ? new Entry(idOf(file), factsOf(file)) : null;
    }

    public synchronized void setFacts(int file, FileFacts known) {
        checkUsed(file);
        store(file, known);
    }

    /** The number is found no more; whoever empties its slots releases it afterwards. */
    public synchronized void kill(int file) {
        if (!isLive(file)) {
            throw new IllegalStateException("file number " + file + " is not live");
        }
        int bucket = bucket(idOf(file));
        if (heads[bucket] == file) {
            heads[bucket] = next[file];
        } else {
            int previous = heads[bucket];
            while (next[previous] != file) {
                previous = next[previous];
            }
            next[previous] = next[file];
        }
        states[file] = DEAD;
        live--;
    }

    public synchronized boolean isLive(int file) {
        return file >= 0 && file < end && states[file] == LIVE;
    }

    /** A dead number may be given to another file. */
    public synchronized void release(int file) {
        checkUsed(file);
        if (states[file] != DEAD) {
            throw new IllegalStateException("file number " + file + " is not dead");
        }
        states[file] = FREE;
        next[file] = freeHead;
        freeHead = file;
    }

    /** Numbers killed and not released yet, ascending. */
    public synchronized int[] deadNumbers() {
        return numbersIn(DEAD);
    }

    /** Live numbers, ascending. */
    public synchronized int[] liveNumbers() {
        return numbersIn(LIVE);
    }

    public synchronized int liveCount() {
        return live;
    }

    @GuardedBy("this")
    private int[] numbersIn(byte state) {
        int[] found = new int[16];
        int count = 0;
        for (int file = 0; file < end; file++) {
            if (states[file] == state) {
                if (count == found.length) {
                    found = Arrays.copyOf(found, 2 * count);
                }
                found[count++] = file;
            }
        }
        return Arrays.copyOf(found, count);
    }

    @GuardedBy("this")
    private int takeNumber() {
        if (freeListStale) {
            rebuildFreeList();
        }
        if (freeHead != NONE) {
            int file = freeHead;
            freeHead = next[file];
            return file;
        }
        if (end == capacity) {
            return NONE;
        }
        growTo(end + 1);
        return end++;
    }

    @GuardedBy("this")
    private void rebuildFreeList() {
        freeHead = NONE;
        for (int file = end - 1; file >= 0; file--) {
            if (states[file] == FREE) {
                next[file] = freeHead;
                freeHead = file;
            }
        }
        freeListStale = false;
    }

    @GuardedBy("this")
    private void enter(int file, FileId id, FileFacts known) {
        int at = file * LONGS;
        facts[at] = id.device();
        facts[at + 1] = id.inode();
        facts[at + 2] = id.generation();
        store(file, known);
        states[file] = LIVE;
        link(file);
        live++;
    }

    @GuardedBy("this")
    private void store(int file, FileFacts known) {
        int at = file * LONGS;
        facts[at + 3] = known.sizeBytes();
        facts[at + 4] = known.modifiedNanos();
        facts[at + 5] = known.changedNanos();
    }

    @GuardedBy("this")
    private void link(int file) {
        int bucket = bucket(idOf(file));
        next[file] = heads[bucket];
        heads[bucket] = file;
    }

    @GuardedBy("this")
    private void growTo(int count) {
        if (count <= states.length) {
            return;
        }
        int length = Math.max(count, (int) Math.min(capacity, 2L * states.length));
        states = Arrays.copyOf(states, length);
        facts = Arrays.copyOf(facts, Math.multiplyExact(length, LONGS));
        next = Arrays.copyOf(next, length);
        heads = chains(length);
        for (int file = 0; file < end; file++) {
            if (states[file] == LIVE) {
                link(file);
            }
        }
    }

    private static int[] chains(int count) {
        int[] heads = new int[count];
        Arrays.fill(heads, NONE);
        return heads;
    }

    @GuardedBy("this")
    private boolean isAt(int file, FileId id) {
        int at = file * LONGS;
        return facts[at + 1] == id.inode()
                && facts[at + 2] == id.generation()
                && facts[at] == id.device();
    }

    @GuardedBy("this")
    private int bucket(FileId id) {
        long hash = id.inode() * 0x9E3779B97F4A7C15L + id.generation();
        hash = (hash ^ (hash >>> 29) ^ id.device()) * 0xBF58476D1CE4E5B9L;
        return (int) (((hash >>> 32) * heads.length) >>> 32);
    }

    @GuardedBy("this")
    private void checkUsed(int file) {
        if (file < 0 || file >= end || states[file] == FREE) {
            throw new IllegalArgumentException("no file has number " + file);
        }
    }
}
