"""Hosts for tests: network namespaces with addresses of their own, joined by a relay (relay.py) that delays, and can be cut.

    with Hosts(4, delay=0.001) as hosts:
        hosts.lose(0.01); hosts.start("openmpi", "train", ...); hosts.cut(3)

Nothing here reaches beyond these namespaces: they have no route to anything else.
"""
import os
import pathlib
import shutil
import subprocess
import sys
import tempfile

import pytest

from mpi import environment
from program import PROGRAM

RELAY = pathlib.Path(__file__).with_name("relay.py")


def ip(*words, inside=None):
    subprocess.run([*(["ip", "netns", "exec", inside] if inside else []), "ip", *words], check=True, capture_output=True, text=True)


def missing():
    """Why there can be no hosts; nothing where there can."""
    if os.geteuid() != 0:
        return "network namespaces need root"
    absent = [name for name in ("ip", "nft", "unshare") if shutil.which(name) is None]
    if absent:
        return f"not installed: {', '.join(absent)}"
    name = f"faithful-{os.getpid()}-try"
    made = subprocess.run(["ip", "netns", "add", name], capture_output=True, text=True)
    if made.returncode != 0:
        return f"no network namespace can be made here: {made.stderr.strip()}"
    veth = subprocess.run(["ip", "netns", "exec", name, "ip", "link", "add", "try0", "type", "veth", "peer", "name", "try1"],
                          capture_output=True, text=True)
    subprocess.run(["ip", "netns", "del", name], check=False)
    return "" if veth.returncode == 0 else f"no veth can be made here: {veth.stderr.strip()}"


class Hosts:
    def __init__(self, count, delay=0.0):
        if missing():
            pytest.skip(missing())
        self.count, self.delay, self.mark = count, delay, f"faithful-{os.getpid()}"
        self.names = [f"{self.mark}-{i}" for i in range(count)]
        self.addresses = [f"10.213.77.{i + 1}" for i in range(count)]
        self.folder = pathlib.Path(tempfile.mkdtemp(prefix="faithful-hosts-"))
        self.relay = None

    def __enter__(self):
        try:
            self.make()
        except BaseException:
            self.__exit__(None, None, None)
            raise
        return self

    def make(self):
        switch = f"{self.mark}-relay"
        ip("netns", "add", switch)
        for i, name in enumerate(self.names):
            ip("netns", "add", name)
            ip("link", "add", f"port{i}", "netns", switch, "type", "veth", "peer", "name", "wire", "netns", name)
            ip("link", "set", f"port{i}", "up", inside=switch)
            ip("link", "set", "lo", "up", inside=name)
            ip("addr", "add", f"{self.addresses[i]}/24", "dev", "wire", inside=name)
            ip("link", "set", "wire", "up", inside=name)
            plain = f"import sys; sys.path.insert(0, {str(RELAY.parent)!r}); import relay; relay.without_offloads('wire')"
            subprocess.run(["ip", "netns", "exec", name, sys.executable, "-c", plain], check=True)
        self.relay = subprocess.Popen(["ip", "netns", "exec", switch, sys.executable, str(RELAY), str(self.delay),
                                       *[f"port{i}" for i in range(self.count)]],
                                      stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)
        assert self.relay.stdout.readline() == "ready\n"
        # What mpirun takes for ssh: the host's namespace, under a name of its own.
        cases = "".join(f"  {address}) space={name}; name=host{i} ;;\n"
                        for i, (address, name) in enumerate(zip(self.addresses, self.names)))
        agent = self.folder / "agent"
        agent.write_text(f'#!/bin/sh\n[ "$1" = -x ] && shift\nhost=$1; shift\ncase $host in\n{cases}esac\n'
                         'exec ip netns exec $space unshare --uts sh -c "hostname $name; $*"\n')
        agent.chmod(0o755)

    def __exit__(self, *_):
        if self.relay is not None:
            self.relay.kill()
            self.relay.wait()
        for name in [*self.names, f"{self.mark}-relay"]:
            pids = subprocess.run(["ip", "netns", "pids", name], capture_output=True, text=True).stdout.split()
            for pid in pids:  # of namespaces that we made: no others live there
                subprocess.run(["kill", "-9", pid], check=False, capture_output=True)
            subprocess.run(["ip", "netns", "del", name], check=False, capture_output=True)
        shutil.rmtree(self.folder, ignore_errors=True)

    def lose(self, share):
        """Each host loses this share of the packets that reach it."""
        for name in self.names:
            for rule in ("add table inet lossy", "add chain inet lossy input { type filter hook input priority 0 ; }",
                         f'add rule inet lossy input iifname "wire" numgen random mod 1000 < {round(1000 * share)} drop'):
                subprocess.run(["ip", "netns", "exec", name, "nft", rule], check=True, capture_output=True)

    def processes(self):
        """Of the program, on all hosts."""
        found = []
        for name in self.names:
            for pid in subprocess.run(["ip", "netns", "pids", name], capture_output=True, text=True).stdout.split():
                try:
                    if pathlib.Path(f"/proc/{pid}/comm").read_text() == "faithful\n":
                        found.append(int(pid))
                except OSError:
                    pass  # it has just ended
        return found

    def say(self, word, host):
        self.relay.stdin.write(f"{word} {host}\n")
        self.relay.stdin.flush()

    def cut(self, host):
        self.say("cut", host)

    def join(self, host):
        self.say("join", host)

    def command(self, mpi, *arguments):
        agent, network = str(self.folder / "agent"), "10.213.77.0/24"
        if mpi == "openmpi":
            tcp = [word for part in ("btl tcp,self", f"btl_tcp_if_include {network}", f"oob_tcp_if_include {network}")
                   for word in ("--mca", *part.split())]
            starter = ["mpirun.openmpi", "--mca", "plm_rsh_agent", agent, "--mca", "plm_rsh_no_tree_spawn", "1", *tcp, "--bind-to", "none",
                       "--host", ",".join(f"{address}:1" for address in self.addresses), "-n", str(self.count)]
        else:
            starter = ["mpirun.mpich", "-launcher", "ssh", "-launcher-exec", agent, "-hosts", ",".join(self.addresses), "-ppn", "1",
                       "-n", str(self.count)]
        inside = ["ip", "netns", "exec", self.names[0], "unshare", "--uts", "sh", "-c", 'hostname host0; exec "$@"', "sh"]
        return [*inside, *starter, PROGRAM, *map(str, arguments)]

    def start(self, mpi, *arguments, cwd, env=None):
        more = {"UCX_TLS": "tcp,self", **(env or {})}
        if mpi == "openmpi":
            more = {**more, **{f"OMPI_MCA_{key}": value for key, value in {"mca_base_env_list": ";".join(env or {})}.items() if value}}
        return subprocess.Popen(self.command(mpi, *arguments), cwd=cwd, env=environment(more), text=True, stdin=subprocess.DEVNULL,
                                stdout=subprocess.PIPE, stderr=subprocess.PIPE, start_new_session=True)
