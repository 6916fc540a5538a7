package org.ssdcache.block;

/**
 * Receives what a cache holds while it is loaded: every file first, then what is pending of files,
 * then every slot.
 */
public interface MappingSink {
    /** A file number is in use. */
    void file(int file, FileId id, FileFacts facts);

    /** The backing does not have all changes of a file in use. */
    default void pending(int file, PendingAttributes attributes) {}

    /**
     * A slot holds pages of a block.
     *
     * @param validPages pages whose bytes are in the slot
     * @param dirtyPages pages, among the valid ones, that the backing does not have yet
     */
    void slot(int slot, int file, int block, int validPages, int dirtyPages);
}
