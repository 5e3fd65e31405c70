"""A switch with a delay, which can be unplugged: frames that come in on one interface go out on all others after a while.

    relay.py SECONDS INTERFACE...      commands on standard input: cut N, join N (an interface, from 0)

It runs in a network namespace of its own (hosts.py). The kernel here has no netem.
"""
import collections
import fcntl
import select
import socket
import struct
import sys
import time

ALL_FRAMES, SIOCETHTOOL = 0x0003, 0x8946
OFFLOADS = {"checksum": 0x17, "tso": 0x1F, "gso": 0x24, "gro": 0x2C}  # ETHTOOL_S..: to be switched off


def without_offloads(name):
    """Frames as they would be on a wire: no larger than it allows, with their checksums."""
    import array
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as control:
        for number in OFFLOADS.values():
            value = array.array("B", struct.pack("II", number, 0))
            try:
                fcntl.ioctl(control, SIOCETHTOOL, struct.pack("16sP", name.encode(), value.buffer_info()[0]))
            except OSError:
                pass  # this kind of interface has none


def port(name):
    opened = socket.socket(socket.AF_PACKET, socket.SOCK_RAW, socket.htons(ALL_FRAMES))
    opened.bind((name, 0))
    opened.setblocking(False)
    return opened


def receive(opened):
    """The frames that wait, but not those that this port sent itself."""
    while True:
        try:
            frame, address = opened.recvfrom(70000)
        except BlockingIOError:
            return
        if address[2] != socket.PACKET_OUTGOING:
            yield frame


def main():
    delay, names = float(sys.argv[1]), sys.argv[2:]
    for name in names:
        without_offloads(name)
    ports = [port(name) for name in names]
    waiting, cut, homes = collections.deque(), set(), {}  # (time, from, frame); addresses that were seen, and where
    print("ready", flush=True)
    while True:
        now = time.monotonic()
        while waiting and waiting[0][0] <= now:
            _, source, frame = waiting.popleft()
            home = homes.get(frame[:6])
            for number, opened in enumerate(ports):
                if number == source or number in cut or (home is not None and home != number):
                    continue
                try:
                    opened.send(frame)
                except OSError:
                    pass  # full, or too long: as a wire would, it loses the frame
        rest = max(0, waiting[0][0] - now) if waiting else 1
        for ready in select.select([*ports, sys.stdin], [], [], rest)[0]:
            if ready is sys.stdin:
                line = sys.stdin.readline().split()
                if not line:
                    return
                (cut.add if line[0] == "cut" else cut.discard)(int(line[1]))
                continue
            number = ports.index(ready)
            for frame in receive(ready):
                homes[frame[6:12]] = number
                if number not in cut:
                    waiting.append((time.monotonic() + delay, number, frame))


if __name__ == "__main__":
    main()
