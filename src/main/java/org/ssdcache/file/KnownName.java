package org.ssdcache.file;

/** A name by which the kernel found an inode. */
public final class KnownName {
    private final int parentNumber;
    private final byte[] name;

    KnownName(int parentNumber, byte[] name) {
        this.parentNumber = parentNumber;
        this.name = name;
    }

    /** The directory's number. */
    public int parentNumber() {
        return parentNumber;
    }

    /** The name in it, with a final NUL; not to be changed. */
    public byte[] name() {
        return name;
    }
}
