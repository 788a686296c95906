"""Packs the built table for the program: python pack.py . ../../text/encode/words/table.gz"""
import gzip
import pathlib
import struct
import sys

source, target = pathlib.Path(sys.argv[1]), pathlib.Path(sys.argv[2])
rows, scales, pieces = ((source / name).read_bytes() for name in ("vectors.i8", "scales.f32", "vocab.txt"))
if not pieces.endswith(b"\n"):
    pieces += b"\n"
count = len(scales) // 4
if len(rows) != 128 * count or pieces.count(b"\n") != count:
    sys.exit("the three files do not fit together")
# Without a name or a time in it, equal tables give equal files.
with target.open("wb") as file, gzip.GzipFile(filename="", mode="wb", compresslevel=9, mtime=0, fileobj=file) as packed:
    packed.write(struct.pack("<I", count) + scales + rows + pieces)
