"""Writes the first inputs of the io room's fuzz targets: /usr/bin/python3 fuzz/make_io_corpus.py"""

import gzip
import importlib.util
import pathlib

HERE = pathlib.Path(__file__).parent
spec = importlib.util.spec_from_file_location("make_golden", HERE.parent / "tests" / "io" / "make_golden.py")
golden = importlib.util.module_from_spec(spec)
spec.loader.exec_module(golden)


def write(target, name, content):
    folder = HERE / "corpus" / target
    folder.mkdir(parents=True, exist_ok=True)
    (folder / name).write_bytes(content)


TABLES = {
    "plain": b"\x00a,b,c\n1,2.5,-3\n4,5e3,.125\n",
    "crlf_quotes": b"\x84\xef\xbb\xbft;note;v\r\n1;\"say \"\"hi\"\"\";2\r\n\r\n3;x;4\r\n",
    "multiline": b"\x2c1,\"two\nlines\",3\n4,\"\",6",
    "decimal_comma": b"\x0b1,5;2,5\n3;n/a\n",
    "missing_tabs": b"\x111\t\t3\n\t?\t-\nnan\tinf\t1e-400\n",
    "wrong_width": b"\x081,2\n3\n",
    "open_quote": b"\x0c1,\"2\n3,4\n",
    "gzipped": b"\x04" + gzip.compress(b"a,b\n1,x\n2,y\n", mtime=0),
}
TEXTS = {
    "values": b'[null,true,false,0,-1,1.5,1e300,18446744073709551615,"\\u00e9\\ud83d\\ude00"]',
    "object": b'{"a":{"b":[1,{"c":[]}]},"d":"\\"\\\\\\n"}',
    "twice": b'{"a":1,"a":2}',
    "bad": b"[1,\n2,}",
}


def main():
    for name, content in golden.arrays():
        if name in ("f4_2x3_fortran", "f8_2x3x2_fortran_big", "f2", "b1", "u8", "scalar", "format_2", "structured"):
            write("npy", name, content)
    for name, content in golden.archives():
        write("npz", name, content)
    for name, content in TABLES.items():
        write("csv", name, content)
    for name, content in TEXTS.items():
        write("json", name, content)
    write("gzip", "short", gzip.compress(b"abc", mtime=0))
    write("gzip", "two_members", gzip.compress(b"first", mtime=0) + gzip.compress(b"second" * 50, mtime=0))
    write("gzip", "padded", gzip.compress(b"", mtime=0) + bytes(4))


if __name__ == "__main__":
    main()
