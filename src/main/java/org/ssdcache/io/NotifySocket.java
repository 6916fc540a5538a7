package org.ssdcache.io;

import java.nio.charset.StandardCharsets;
import java.util.Arrays;

/**
 * The datagram socket of a service manager, as {@code NOTIFY_SOCKET} names it in sd_notify(3). Java
 * has stream sockets only.
 */
public final class NotifySocket {
    private static final int AF_UNIX = 1;
    private static final int SOCK_DGRAM = 2;
    private static final int SOCK_CLOEXEC = 0x80000;
    private static final int MSG_NOSIGNAL = 0x4000;

    /** sun_family comes first, in the byte order of the machine, which is x86-64. */
    private static final int FAMILY_BYTES = 2;

    /** sun_path of struct sockaddr_un. */
    private static final int MAX_NAME_BYTES = 108;

    private final byte[] address;

    private NotifySocket(byte[] address) {
        this.address = address;
    }

    /**
     * The socket of a name.
     *
     * @param name a path, or behind an "@" a name without a file
     * @throws IllegalArgumentException if it is neither, or too long
     */
    public static NotifySocket of(String name) {
        byte[] bytes = name.getBytes(StandardCharsets.UTF_8);
        boolean isAbstract = name.startsWith("@");
        // A path ends with a NUL byte, an abstract name begins with one and has none at its end.
        int length = isAbstract ? bytes.length : bytes.length + 1;
        if ((!isAbstract && !name.startsWith("/")) || length > MAX_NAME_BYTES || length < 2) {
            throw new IllegalArgumentException("no address of a local socket: " + name);
        }
        byte[] address = new byte[FAMILY_BYTES + length];
        address[0] = AF_UNIX;
        System.arraycopy(bytes, 0, address, FAMILY_BYTES, bytes.length);
        if (isAbstract) {
            address[FAMILY_BYTES] = 0;
        }
        return new NotifySocket(address);
    }

    /** Sends one message; the service manager gets it as a whole. */
    public void send(String message) throws ErrnoException {
        byte[] bytes = message.getBytes(StandardCharsets.UTF_8);
        int fd = Posix.check(Posix.LIBC.socket(AF_UNIX, SOCK_DGRAM | SOCK_CLOEXEC, 0), "socket");
        try {
            Posix.check(
                    (int)
                            Posix.LIBC.sendto(
                                    fd, bytes, bytes.length, MSG_NOSIGNAL, address, address.length),
                    "sendto");
        } finally {
            Posix.close(fd);
        }
    }

    @Override
    public String toString() {
        String name =
                new String(
                        Arrays.copyOfRange(address, FAMILY_BYTES, address.length),
                        StandardCharsets.UTF_8);
        return name.replace('\0', ' ').strip();
    }
}
