package org.ssdcache.mount;

import static org.junit.jupiter.api.Assertions.assertEquals;

import java.lang.reflect.Proxy;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.ssdcache.io.DirectBuffers;
import org.ssdcache.io.Errno;
import org.ssdcache.io.ErrnoException;

/** Whatever a callback does, its request gets one answer. */
class RequestsTest {
    private final List<String> answers = new ArrayList<>();
    private final Requests requests = new Requests(recorder());

    private LibFuse recorder() {
        return (LibFuse)
                Proxy.newProxyInstance(
                        LibFuse.class.getClassLoader(),
                        new Class<?>[] {LibFuse.class},
                        (proxy, method, arguments) -> {
                            answers.add(method.getName() + " " + arguments[1]);
                            return 0;
                        });
    }

    @Test
    void anAnswerIsPassedOn() {
        requests.run("test", 1, Reply::done);
        assertEquals(List.of("fuse_reply_err 0"), answers);
    }

    @Test
    void anErrnoIsTheAnswer() {
        requests.run(
                "test",
                1,
                reply -> {
                    throw new ErrnoException(Errno.ENOSPC, "full");
                });
        assertEquals(List.of("fuse_reply_err " + Errno.ENOSPC), answers);
        assertEquals(0, requests.lateFailures());
    }

    @Test
    void aFaultIsAnInputOutputError() {
        requests.run(
                "test",
                1,
                reply -> {
                    throw new IllegalStateException("a fault made by this test");
                });
        requests.run(
                "test",
                1,
                reply -> {
                    throw new StackOverflowError("a fault made by this test");
                });
        assertEquals(
                List.of("fuse_reply_err " + Errno.EIO, "fuse_reply_err " + Errno.EIO), answers);
    }

    @Test
    void silenceIsAnInputOutputError() {
        requests.run("test", 1, reply -> {});
        assertEquals(List.of("fuse_reply_err " + Errno.EIO), answers);
    }

    @Test
    void whatFailsAfterTheAnswerIsCountedAndNotAnsweredAgain() {
        requests.run(
                "test",
                1,
                reply -> {
                    reply.done();
                    throw new ErrnoException(Errno.EIO, "the fill failed, as this test wants");
                });
        requests.run(
                "test",
                1,
                reply -> {
                    reply.data(DirectBuffers.allocateAligned(8));
                    reply.done();
                });
        assertEquals(2, answers.size());
        assertEquals(2, requests.lateFailures());
    }
}
