package org.ssdcache.store;

/**
 * Which store, and for which backing directory.
 *
 * @param storeId random, made with the store; in every journal block, so that blocks of an earlier
 *     store in the same file are never taken for its own
 * @param backingId random, of the backing directory whose blocks the store holds
 */
public record StoreIdentity(long storeId, long backingId) {}
