#!/usr/bin/env python3
"""What is inside of the programs that are shipped: crates, their licences, and a bill of materials.

  packages/inside.py licences FILE [CRATE...]    names and texts of all licences, of the programs or of these crates
  packages/inside.py sbom FILE                   CycloneDX 1.5, as JSON

It reads Cargo.lock by way of `cargo metadata --locked --offline`, so that the crates have to be downloaded already.
"""
import functools
import io
import json
import pathlib
import re
import subprocess
import sys
import tarfile
import uuid

ROOT = pathlib.Path(__file__).resolve().parent.parent
sys.path.insert(0, str(ROOT / "packages/python/backend"))
sys.dont_write_bytecode = True
from serval_build import EPOCH, whole  # noqa: E402

SHIPPED = ("serval-cli", "serval-verify")
# What the compiler puts in, which no manifest names. The C library is part of static programs alone.
COMPILED = (
    ("rust-std", "MIT OR Apache-2.0", "the standard library of Rust"),
    ("glibc", "LGPL-2.1-or-later", "the C library, in static programs for Linux; with the sources they can be linked to another"),
)
TEXTS = re.compile(r"^(licen[cs]e|copying|notice|unlicense)", re.I)


def said(program, *arguments):
    """What a program writes."""
    return subprocess.run([str(program), *arguments], check=True, stdout=subprocess.PIPE, cwd="/").stdout


def packed(files):
    """A tar archive of files with their bytes and modes; a folder has no bytes. The same files give the same archive."""
    made = io.BytesIO()
    with tarfile.open(fileobj=made, mode="w", format=tarfile.USTAR_FORMAT) as archive:
        for path, data, mode in files:
            entry = tarfile.TarInfo(path)
            entry.mtime, entry.mode = EPOCH, mode
            if data is None:
                entry.type = tarfile.DIRTYPE
            else:
                entry.size = len(data)
            archive.addfile(entry, None if data is None else io.BytesIO(data))
    return made.getvalue()


@functools.lru_cache(None)
def crates(roots=SHIPPED):
    """All crates that are linked into the programs, or into other roots, by name and version; of build and tests none."""
    command = ["cargo", "metadata", "--locked", "--offline", "--format-version", "1", "--filter-platform", "x86_64-unknown-linux-gnu"]
    found = json.loads(subprocess.run(command, cwd=ROOT, check=True, stdout=subprocess.PIPE).stdout)
    packages = {one["id"]: one for one in found["packages"]}
    nodes = {one["id"]: one for one in found["resolve"]["nodes"]}
    open_, seen = [one["id"] for one in found["packages"] if one["name"] in roots], set()
    while open_:
        at = open_.pop()
        if at not in seen and not is_macro(packages[at]):
            seen.add(at)
            open_ += [one["pkg"] for one in nodes[at]["deps"] if any(kind["kind"] is None for kind in one["dep_kinds"])]
    return sorted((packages[at] for at in seen), key=lambda one: (one["name"], one["version"]))


def is_macro(package):
    return any("proc-macro" in target["kind"] for target in package["targets"])


def checksums():
    """The sums that the registry has for crates, by name and version."""
    text = (ROOT / "Cargo.lock").read_text(encoding="utf-8")
    entry = r'name = "(.*)"\nversion = "(.*)"\nsource = ".*"\nchecksum = "(.*)"'
    return {(name, version): digest for name, version, digest in re.findall(entry, text)}


def toolchain():
    return re.search(r'channel = "(.*)"', (ROOT / "rust-toolchain.toml").read_text(encoding="utf-8"))[1]


def licences(roots=SHIPPED):
    """Which crate has which licence, and then each text once, with the crates that have it."""
    others = [one for one in crates(roots) if one["source"]]
    lines = ["What is inside of serval, with its licences.", ""]
    lines += ["serval itself: MIT OR Apache-2.0"]
    # Modules have no C library in them.
    lines += [f"{name}: {licence} ({what})" for name, licence, what in COMPILED if roots == SHIPPED or name != "glibc"]
    lines += [f"{one['name']} {one['version']}: {one['license']}" for one in others]
    texts = {}
    for one in others:
        folder = pathlib.Path(one["manifest_path"]).parent
        for path in sorted(folder.iterdir()):
            if path.is_file() and TEXTS.match(path.name):
                texts.setdefault(path.read_text(encoding="utf-8", errors="replace").strip(), []).append(f"{one['name']} {one['version']}")
    for text, names in texts.items():
        lines += ["", "=" * 100, ", ".join(names), "=" * 100, "", text]
    return "\n".join(lines) + "\n"


def sbom():
    """The bill of materials; its number follows from what it says."""
    digests, components = checksums(), []
    own = [one for one in crates() if not one["source"]]
    version = own[0]["version"]
    for one in crates():
        if one["source"]:
            name, is_version = one["name"], one["version"]
            component = {"type": "library", "bom-ref": f"pkg:cargo/{name}@{is_version}", "name": name, "version": is_version}
            component["licenses"] = [{"expression": one["license"].replace("/", " OR ")}]
            component["purl"] = component["bom-ref"]
            component["hashes"] = [{"alg": "SHA-256", "content": digests[name, is_version]}]
            components.append(component)
    for name, licence, what in COMPILED:
        component = {"type": "library", "bom-ref": name, "name": name, "description": what, "licenses": [{"expression": licence}]}
        if name == "rust-std":
            component["version"] = toolchain()
        components.append(component)
    main = {"type": "application", "bom-ref": "serval", "name": "serval", "version": version}
    main["licenses"] = [{"expression": "MIT OR Apache-2.0"}]
    text = json.dumps(components, sort_keys=True)
    return {
        "bomFormat": "CycloneDX",
        "specVersion": "1.5",
        "serialNumber": f"urn:uuid:{uuid.uuid5(uuid.NAMESPACE_OID, version + text)}",
        "version": 1,
        "metadata": {"component": main},
        "components": components,
        "dependencies": [{"ref": "serval", "dependsOn": [one["bom-ref"] for one in components]}],
    }


def main():
    if len(sys.argv) < 3 or sys.argv[1] not in ("licences", "sbom") or len(sys.argv) > 3 and sys.argv[1] == "sbom":
        sys.exit(__doc__)
    text = licences(tuple(sys.argv[3:]) or SHIPPED) if sys.argv[1] == "licences" else json.dumps(sbom(), indent=1) + "\n"
    with whole(pathlib.Path(sys.argv[2])) as file:
        file.write(text.encode())


if __name__ == "__main__":
    main()
