package org.ssdcache.block;

/** Receives what a cache holds while it is loaded: every file first, then every slot. */
public interface MappingSink {
    /** A file number is in use. */
    void file(int file, FileId id, FileFacts facts);

    /**
     * A slot holds pages of a block.
     *
     * @param validPages pages whose bytes are in the slot
     * @param dirtyPages pages, among the valid ones, that the backing does not have yet
     */
    void slot(int slot, int file, int block, int validPages, int dirtyPages);
}
