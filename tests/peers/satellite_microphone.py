"""A microphone for wyoming-satellite: raw PCM of 16 kHz in real time, silence until somebody speaks. A recording that is
renamed to FILE is said once.

Arguments: FILE.
"""

import os
import sys
import time
import wave

FILE, CHUNK = sys.argv[1], 1024
said, due = b"", time.monotonic()
while True:
    if not said and os.path.exists(FILE):
        with wave.open(FILE) as recording:
            said = recording.readframes(recording.getnframes())
        os.unlink(FILE)
    piece, said = said[: 2 * CHUNK], said[2 * CHUNK :]
    sys.stdout.buffer.write(piece.ljust(2 * CHUNK, b"\0"))
    sys.stdout.buffer.flush()
    due += CHUNK / 16000
    time.sleep(max(0, due - time.monotonic()))
