package org.ssdcache.testing;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import java.io.BufferedReader;
import java.io.Closeable;
import java.io.IOException;
import java.io.InputStreamReader;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.HexFormat;

/**
 * A local datagram socket that somebody listens to who is no Java: a few lines of Python play the
 * service manager.
 */
public final class DatagramReceiver implements Closeable {
    /** Says that it listens, then prints the bytes of each datagram as hexadecimal digits. */
    private static final String PROGRAM =
            """
            import os, socket, sys
            name = os.fsencode(sys.argv[1])
            s = socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM)
            s.bind(b"\\0" + name[1:] if name.startswith(b"@") else name)
            print("listening", flush=True)
            while True:
                print(s.recv(65536).hex(), flush=True)
            """;

    private final Process process;
    private final BufferedReader output;

    private DatagramReceiver(Process process) {
        this.process = process;
        this.output =
                new BufferedReader(
                        new InputStreamReader(process.getInputStream(), StandardCharsets.US_ASCII));
    }

    /**
     * Listens; skips the test where there is no Python.
     *
     * @param name a path, or behind an "@" a name without a file
     */
    public static DatagramReceiver listen(String name) throws IOException {
        assumeTrue(hasPython(), "no python3");
        ProcessBuilder python = new ProcessBuilder("python3", "-c", PROGRAM, name);
        python.environment().put("PYTHONUTF8", "1");
        DatagramReceiver receiver =
                new DatagramReceiver(python.redirectError(ProcessBuilder.Redirect.INHERIT).start());
        assertEquals("listening", receiver.output.readLine());
        return receiver;
    }

    private static boolean hasPython() {
        return Arrays.stream(System.getenv("PATH").split(":", -1))
                .anyMatch(directory -> Files.isExecutable(Path.of(directory, "python3")));
    }

    /** The next message, as soon as there is one. */
    public String next() throws IOException {
        return new String(HexFormat.of().parseHex(output.readLine()), StandardCharsets.UTF_8);
    }

    @Override
    public void close() throws IOException {
        process.destroyForcibly().onExit().join();
        output.close();
    }
}
