"""Inputs for the programs, made anew and the same every time."""

import pathlib
import random
import struct
import subprocess
import zlib


def picture(path: pathlib.Path, width: int = 480, height: int = 360, seed: int = 1) -> None:
    """A PPM or PNG with smooth areas, edges and noise."""
    rng = random.Random(seed)
    noise = rng.randbytes(width * height)
    rows = []
    for y in range(height):
        row = bytearray()
        for x in range(width):
            n = noise[y * width + x] & 31
            ring = 96 if ((x - width // 2) ** 2 + (y - height // 2) ** 2) // (700 * seed) % 2 else 0
            row += bytes((min(255, x * 160 // width + ring), min(255, y * 160 // height + n), (x * y // 64 + n) % 256))
        rows.append(bytes(row))
    if path.suffix == ".png":
        write_png(path, width, height, 2, rows)
    else:
        path.write_bytes(b"P6\n%d %d\n255\n" % (width, height) + b"".join(rows))


def write_png(path: pathlib.Path, width: int, height: int, color_type: int, rows: list[bytes]) -> None:
    def chunk(kind: bytes, body: bytes) -> bytes:
        return struct.pack(">I", len(body)) + kind + body + struct.pack(">I", zlib.crc32(kind + body))

    header = struct.pack(">IIBBBBB", width, height, 8, color_type, 0, 0, 0)
    packed = zlib.compress(b"".join(b"\0" + row for row in rows))
    path.write_bytes(b"\x89PNG\r\n\x1a\n" + chunk(b"IHDR", header) + chunk(b"IDAT", packed) + chunk(b"IEND", b""))


_DIGITS = {  # five columns by seven rows
    "0": "01110 10001 10011 10101 11001 10001 01110", "1": "00100 01100 00100 00100 00100 00100 01110",
    "2": "01110 10001 00001 00110 01000 10000 11111", "3": "11110 00001 00001 01110 00001 00001 11110",
    "4": "00010 00110 01010 10010 11111 00010 00010", "5": "11111 10000 11110 00001 00001 10001 01110",
    "6": "00110 01000 10000 11110 10001 10001 01110", "7": "11111 00001 00010 00100 01000 01000 01000",
    "8": "01110 10001 10001 01110 10001 10001 01110", "9": "01110 10001 10001 01111 00001 00010 01100",
    " ": "00000 00000 00000 00000 00000 00000 00000",
}


def page_of_digits(path: pathlib.Path, lines: list[str], scale: int = 5) -> None:
    """A picture of text for a reader of characters."""
    width = (max(map(len, lines)) * 6 + 8) * scale
    blank = b"\xff" * width
    rows = [blank] * (4 * scale)
    for line in lines:
        for part in range(7):
            bits = "0000" + "".join(_DIGITS[c].split()[part] + "0" for c in line) + "0000"
            row = b"".join((b"\0" if bit == "1" else b"\xff") * scale for bit in bits).ljust(width, b"\xff")
            rows += [row[:width]] * scale
        rows += [blank] * (5 * scale)
    write_png(path, width, len(rows), 0, rows)


def family(path: pathlib.Path, count: int, length: int, letters: str, gaps: bool = True, seed: int = 2) -> None:
    """Sequences in FASTA that descend from one another by mutation (and by loss, if `gaps`)."""
    rng = random.Random(seed)
    made = [[rng.choice(letters) for _ in range(length)]]
    while len(made) < count:
        child = [rng.choice(letters) if rng.random() < 0.06 else c for c in rng.choice(made)]
        if gaps and len(child) > length // 2:
            at = rng.randrange(len(child) - 5)
            del child[at : at + rng.randrange(5)]
        made.append(child)
    path.write_text("".join(f">s{i}\n{''.join(s)}\n" for i, s in enumerate(made)))


def noise(path: pathlib.Path, size: int = 1 << 20) -> None:
    path.write_bytes(random.Random(3).randbytes(size))


def catalogues(old: pathlib.Path, template: pathlib.Path, count: int = 400) -> None:
    """Translations, and messages that differ a little from those translated: fuzzy matching's work."""
    rng = random.Random(4)
    words = ["file", "cannot", "open", "the", "thread", "of", "memory", "is", "not", "found", "server", "value", "too", "long"]
    head = 'msgid ""\nmsgstr "Content-Type: text/plain; charset=UTF-8\\n"\n\n'
    messages = sorted({" ".join(rng.choices(words, k=8)) for _ in range(count)})
    old.write_text(head + "".join(f'msgid "{m}"\nmsgstr "<{m}>"\n\n' for m in messages))
    changed = [m if i % 3 else m + " " + rng.choice(words) for i, m in enumerate(messages)]
    template.write_text(head + "".join(f'msgid "{m}"\nmsgstr ""\n\n' for m in dict.fromkeys(changed)))


def instances(path: pathlib.Path, count: int, seed: int) -> None:
    """Rows of symbols with a class that follows from them: a learner's input."""
    rng = random.Random(seed)
    rows = []
    for _ in range(count):
        features = [rng.choice("abcd") for _ in range(6)]
        rows.append(",".join([*features, "x" if features[0] < features[3] or features[5] == "a" else "y"]))
    path.write_text("\n".join(rows) + "\n")


def molecules(path: pathlib.Path, head: str = "", count: int = 8) -> None:
    """Water molecules on a grid, turned this way and that: an XYZ file, or what follows `head`."""
    rng = random.Random(8)
    rows = []
    for number in range(count):
        x, y, z = 3.0 * (number % 2), 3.0 * (number // 2 % 2), 3.0 * (number // 4)
        sign = rng.choice((-1, 1))
        for element, dx, dy, dz in (("O", 0, 0, 0), ("H", 0.757 * sign, 0.587, 0.0), ("H", -0.757, 0.587 * sign, 0.1)):
            rows.append(f"{element} {x + dx:.4f} {y + dy:.4f} {z + dz:.4f}")
    path.write_text((head or f"{len(rows)}\n\n") + "\n".join(rows) + "\n")


def jpeg(path: pathlib.Path) -> None:
    """A picture with visible blocks, by ImageMagick, whose package is among those installed."""
    picture(path.with_suffix(".ppm"))
    subprocess.run(["/usr/bin/convert", str(path.with_suffix(".ppm")), "-quality", "25", str(path)], check=True,
                   env={"OMP_NUM_THREADS": "1"})
