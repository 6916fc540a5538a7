"""Plays a service manager: notify_socket.py NAME FILE listens on the datagram socket NAME ("@" for an
abstract one) and appends each message to FILE, with a line "--" behind it."""

import os
import socket
import sys

name = os.fsencode(sys.argv[1])
listener = socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM)
listener.bind(b"\0" + name[1:] if name.startswith(b"@") else name)
with open(sys.argv[2], "ab", buffering=0) as messages:
    while True:
        messages.write(listener.recv(65536) + b"\n--\n")
