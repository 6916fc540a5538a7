package org.ssdcache.mount;

import jnr.ffi.annotations.Delegate;
import jnr.ffi.types.u_int64_t;

/**
 * C function pointers of two to six arguments, all raw words. An argument that is an int in C has
 * only its lower half defined, so users cast it.
 */
public final class Callback {
    private Callback() {}

    /** Two arguments. */
    public interface Of2 {
        @Delegate
        void call(@u_int64_t long a, @u_int64_t long b);
    }

    /** Three arguments. */
    public interface Of3 {
        @Delegate
        void call(@u_int64_t long a, @u_int64_t long b, @u_int64_t long c);
    }

    /** Four arguments. */
    public interface Of4 {
        @Delegate
        void call(@u_int64_t long a, @u_int64_t long b, @u_int64_t long c, @u_int64_t long d);
    }

    /** Five arguments. */
    public interface Of5 {
        @Delegate
        void call(
                @u_int64_t long a,
                @u_int64_t long b,
                @u_int64_t long c,
                @u_int64_t long d,
                @u_int64_t long e);
    }

    /** Six arguments. */
    public interface Of6 {
        @Delegate
        void call(
                @u_int64_t long a,
                @u_int64_t long b,
                @u_int64_t long c,
                @u_int64_t long d,
                @u_int64_t long e,
                @u_int64_t long f);
    }
}
