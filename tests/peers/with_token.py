"""Passes HTTP connections on to joi with its token: for clients that bring none of their own.

Arguments: the port to listen on, joi's port, the file of the token. Of each connection the first head gets the header; joi
serves one request for each connection.
"""

import socket
import sys
import threading


def passed_on(source: socket.socket, target: socket.socket) -> None:
    try:
        while data := source.recv(65536):
            target.sendall(data)
        target.shutdown(socket.SHUT_WR)
    except OSError:
        pass


def serve(peer: socket.socket, port: int, token: str) -> None:
    with peer, socket.create_connection(("127.0.0.1", port)) as joi:
        head = b""
        while b"\r\n" not in head:
            data = peer.recv(65536)
            if not data:
                return
            head += data
        line, rest = head.split(b"\r\n", 1)
        joi.sendall(line + b"\r\nAuthorization: Bearer " + token.encode() + b"\r\n" + rest)
        threading.Thread(target=passed_on, args=(peer, joi), daemon=True).start()
        passed_on(joi, peer)


def main() -> None:
    listen, port, file = int(sys.argv[1]), int(sys.argv[2]), sys.argv[3]
    with open(file, encoding="utf-8") as opened:
        token = opened.read().strip()
    with socket.create_server(("127.0.0.1", listen)) as server:
        while True:
            peer, _ = server.accept()
            threading.Thread(target=serve, args=(peer, port, token), daemon=True).start()


main()
