package org.ssdcache.cache;

import java.io.IOException;
import java.util.HashSet;
import java.util.Map;
import java.util.Set;
import org.ssdcache.block.FileId;
import org.ssdcache.block.FileLocator;
import org.ssdcache.io.BlockFile;

/** Opens files of the backing that nobody has open, for bringing home what is dirty in them. */
public interface FileOpener {
    /**
     * A file's data and what it is like.
     *
     * @param data open for reading and writing; belongs to the caller
     * @param facts of the same file, for as long as its data is open
     */
    record OpenedFile(BlockFile data, FileCache.FactsSource facts) {}

    /**
     * Opens the data of a file.
     *
     * @return null when it is certain that the file does not exist any more
     * @throws IOException when that cannot be told, or the file cannot be opened
     */
    OpenedFile open(FileId id, FileLocator locator) throws IOException;

    /**
     * Looks for many files at once.
     *
     * @return those of which it is certain that they do not exist any more
     * @throws IOException when that cannot be told of one
     */
    default Set<FileId> gone(Map<FileId, FileLocator> files) throws IOException {
        Set<FileId> gone = new HashSet<>();
        for (Map.Entry<FileId, FileLocator> file : files.entrySet()) {
            OpenedFile opened = open(file.getKey(), file.getValue());
            if (opened == null) {
                gone.add(file.getKey());
            } else {
                opened.data().close();
            }
        }
        return gone;
    }
}
