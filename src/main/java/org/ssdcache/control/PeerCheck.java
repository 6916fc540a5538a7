package org.ssdcache.control;

import java.io.IOException;
import java.nio.channels.SocketChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.UserPrincipal;
import jdk.net.ExtendedSocketOptions;
import jdk.net.UnixDomainPrincipal;

/** Who may steer a mount: root, and the user whose daemon it is. Asks the kernel, not the peer. */
final class PeerCheck {
    private final UserPrincipal owner;
    private final UserPrincipal root;

    /**
     * @param socket the bound socket, which belongs to the daemon's user
     */
    PeerCheck(Path socket) throws IOException {
        this.owner = Files.getOwner(socket);
        // A number is taken as a user id where no user has it as a name.
        this.root =
                socket.getFileSystem().getUserPrincipalLookupService().lookupPrincipalByName("0");
    }

    boolean permits(SocketChannel peer) throws IOException {
        UnixDomainPrincipal credentials = peer.getOption(ExtendedSocketOptions.SO_PEERCRED);
        return credentials.user().equals(owner) || credentials.user().equals(root);
    }
}
