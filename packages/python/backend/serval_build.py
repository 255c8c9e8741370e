"""Builds the wheel and the source distribution of serval-check, with the standard library alone (PEP 517).

A wheel has the two programs, which cargo builds unless SERVAL_PROGRAMS names the folder where they are, and the module.
The same programs give the same bytes. Also a program of its own:

    python3 backend/serval_build.py wheel|sdist FOLDER
"""

from __future__ import annotations

import base64
import gzip
import hashlib
import io
import os
import pathlib
import re
import struct
import subprocess
import sys
import sysconfig
import tarfile
import time
import zipfile

HERE = pathlib.Path(__file__).resolve().parent.parent
# In the source distribution the Rust workspace is a folder beside the module; in the repository it is two folders up.
RUST = HERE / "rust" if (HERE / "rust/Cargo.toml").is_file() else HERE.parent.parent
NAME = "serval_check"
PROGRAMS = ("serval", "serval-verify")
# What the Rust workspace consists of, and what of it only tests need.
SOURCES = ("Cargo.toml", "Cargo.lock", "LICENSE-APACHE", "LICENSE-MIT", "crates")
TESTS = re.compile(r"^crates/[^/]+/[^/]+/(tests|examples|data)/|/src/(.*/)?tests/|\.tsv$")
# How hard a wheel is squeezed; tests do it quickly.
LEVEL = int(os.environ.get("SERVAL_LEVEL", 9))
# All files have the same date, the first that a zip file knows, unless SOURCE_DATE_EPOCH says another.
EPOCH = int(os.environ.get("SOURCE_DATE_EPOCH", 315532800))


def field(name):
    """A plain entry of pyproject.toml, which Python can read by itself only from 3.11 on."""
    found = re.search(rf'^{name} = "(.*)"$', (HERE / "pyproject.toml").read_text(encoding="utf-8"), re.M)
    if not found:
        sys.exit(f"pyproject.toml has no {name}")
    return found[1]


def entries(name):
    """The entries of a list in pyproject.toml."""
    text = (HERE / "pyproject.toml").read_text(encoding="utf-8")
    return re.findall(r'"(.*?)"', re.search(rf"^{name} = \[(.*?)\]", text, re.M | re.S)[1])


def metadata():
    """What METADATA and PKG-INFO say."""
    lines = ["Metadata-Version: 2.1", "Name: serval-check", f"Version: {field('version')}", f"Summary: {field('description')}"]
    lines += ["License: MIT OR Apache-2.0", f"Keywords: {','.join(entries('keywords'))}"]
    lines += [f"Classifier: {one}" for one in entries("classifiers")]
    lines += [f"Requires-Python: {field('requires-python')}", "Description-Content-Type: text/markdown", ""]
    return "\n".join(lines) + "\n" + (HERE / "README.md").read_text(encoding="utf-8")


def programs():
    """The two programs: those that there are, or built now."""
    given, end = os.environ.get("SERVAL_PROGRAMS"), sysconfig.get_config_var("EXE") or ""
    if given:
        folder = pathlib.Path(given)
    else:
        target = os.environ.get("CARGO_TARGET_DIR", str(RUST / "target"))
        command = ["cargo", "build", "--locked", "--profile", "dist", "--target-dir", target]
        for package, name in (("serval-cli", "serval"), ("serval-verify", "serval-verify")):
            command += ["--package", package, "--bin", name]
        try:
            subprocess.run(command, cwd=RUST, check=True, stdout=sys.stderr)
        except FileNotFoundError:
            sys.exit("serval-check is built from source with Rust, and there is no cargo: https://www.rust-lang.org/tools/install")
        except subprocess.CalledProcessError as error:
            sys.exit(f"cargo could not build serval (status {error.returncode})")
        folder = pathlib.Path(target) / "dist"
    return [folder / (name + end) for name in PROGRAMS]


def tag(program):
    """The machines that a program runs on: all of a kind where it is static, else those that are like this one."""
    words = re.sub(r"[-.]", "_", sysconfig.get_platform())
    if words.startswith("linux_") and is_static(program):
        machine = words[len("linux_") :]
        words = f"manylinux_2_17_{machine}.manylinux2014_{machine}.musllinux_1_1_{machine}"
    return f"py3-none-{words}"


def is_static(program):
    """Whether an ELF program names no loader."""
    data = program.read_bytes()
    if data[:5] != b"\x7fELF\x02":
        return False
    start, size, count = struct.unpack_from("<Q", data, 32)[0], *struct.unpack_from("<HH", data, 54)
    return all(struct.unpack_from("<I", data, start + at * size)[0] != 3 for at in range(count))


def build_wheel(folder, config_settings=None, metadata_directory=None):
    """Writes the wheel and says what it is called."""
    version, found = field("version"), programs()
    kind = tag(found[0])
    info = f"{NAME}-{version}.dist-info"
    files = []
    for path in sorted((HERE / "src").rglob("*")):
        if path.is_file() and "__pycache__" not in path.parts:
            files.append((path.relative_to(HERE / "src").as_posix(), path.read_bytes(), 0o644))
    for program in found:
        files.append((f"{NAME}-{version}.data/scripts/{program.name}", program.read_bytes(), 0o755))
    for name in ("LICENSE-APACHE", "LICENSE-MIT"):
        files.append((f"{info}/licenses/{name}", (RUST / name).read_bytes(), 0o644))
    files.append((f"{info}/METADATA", metadata().encode(), 0o644))
    tags = "".join(f"Tag: py3-none-{one}\n" for one in kind[len("py3-none-") :].split("."))
    wheel = f"Wheel-Version: 1.0\nGenerator: serval_build {version}\nRoot-Is-Purelib: false\n{tags}"
    files.append((f"{info}/WHEEL", wheel.encode(), 0o644))
    record = []
    for path, data, _ in files:
        digest = base64.urlsafe_b64encode(hashlib.sha256(data).digest()).rstrip(b"=").decode()
        record.append(f"{path},sha256={digest},{len(data)}\n")
    files.append((f"{info}/RECORD", ("".join(record) + f"{info}/RECORD,,\n").encode(), 0o644))

    name = f"{NAME}-{version}-{kind}.whl"
    date = time.gmtime(EPOCH)[:6]
    with whole(pathlib.Path(folder) / name) as file, zipfile.ZipFile(file, "w", zipfile.ZIP_DEFLATED, compresslevel=LEVEL) as archive:
        for path, data, mode in files:
            entry = zipfile.ZipInfo(path, date)
            entry.external_attr, entry.create_system, entry.compress_type = (0o100000 | mode) << 16, 3, zipfile.ZIP_DEFLATED
            archive.writestr(entry, data, compresslevel=LEVEL)
    return name


def build_sdist(folder, config_settings=None):
    """Writes the source distribution and says what it is called."""
    base = f"{NAME}-{field('version')}"
    listed = subprocess.run(["git", "ls-files", "-z", *SOURCES], cwd=RUST, check=True, stdout=subprocess.PIPE).stdout
    names = [name for name in listed.decode().split("\0") if name and not TESTS.search(name)]
    files = [(f"rust/{name}", (RUST / name).read_bytes()) for name in names]
    listed = subprocess.run(["git", "ls-files", "-z", "pyproject.toml", "README.md", "backend", "src"], cwd=HERE, check=True, stdout=subprocess.PIPE)
    files += [(name, (HERE / name).read_bytes()) for name in listed.stdout.decode().split("\0") if name]
    files.append(("PKG-INFO", metadata().encode()))
    name = base + ".tar.gz"
    packed = io.BytesIO()
    with tarfile.open(fileobj=packed, mode="w", format=tarfile.PAX_FORMAT) as archive:
        for path, data in sorted(files):
            entry = tarfile.TarInfo(f"{base}/{path}")
            entry.size, entry.mtime, entry.mode = len(data), EPOCH, 0o644
            archive.addfile(entry, io.BytesIO(data))
    with whole(pathlib.Path(folder) / name) as file, gzip.GzipFile("", "wb", 9, file, mtime=EPOCH) as squeezed:
        squeezed.write(packed.getvalue())
    return name


class whole:
    """A file that is there when it is complete, and not before."""

    def __init__(self, path):
        self.path, self.part = path, path.with_name(path.name + ".part")

    def __enter__(self):
        self.file = open(self.part, "wb")
        return self.file

    def __exit__(self, kind, error, _):
        try:
            self.file.close()
        except OSError as late:
            error = error or late
        if error is None:
            os.replace(self.part, self.path)
            return
        os.unlink(self.part)
        if isinstance(error, OSError):
            sys.exit(f"{self.path}: {error.strerror}")


if __name__ == "__main__":
    if len(sys.argv) != 3 or sys.argv[1] not in ("wheel", "sdist"):
        sys.exit(__doc__)
    os.makedirs(sys.argv[2], exist_ok=True)
    print(os.path.join(sys.argv[2], {"wheel": build_wheel, "sdist": build_sdist}[sys.argv[1]](sys.argv[2])))
