"""Files for other package managers, filled in with names and sums of a release, and looked at by their tools."""
import json
import pathlib
import re
import shutil
import subprocess

FOLDER = pathlib.Path(__file__).resolve().parent / "others"
# What looks whether a file is well-formed, for each: a program that is asked, or nothing but Python.
CHECKS = {
    "PKGBUILD": (["bash", "-n"], ["shellcheck"]),
    "binstall.toml": (["python3", "-c", "import sys, tomllib; tomllib.load(open(sys.argv[1], 'rb'))"],),
    "install.sh": (["sh", "-n"], ["shellcheck"]),
    "scoop.json": (["python3", "-m", "json.tool"],),
    "serval.nix": (["nix-instantiate", "--parse"],),
    "serval.rb": (["ruby", "-c"],),
}


def fill(values):
    """All files, by name. A value that is not known leaves its file out."""
    made, missing = {}, {}
    for path in sorted(FOLDER.iterdir()):
        if path.name not in CHECKS:
            continue
        text = path.read_text(encoding="utf-8")
        unknown = sorted(name for name in set(re.findall(r"@([A-Z_]+)@", text)) if name not in values)
        if unknown:
            missing[path.name] = ", ".join(unknown)
        else:
            made[path.name] = re.sub(r"@([A-Z_]+)@", lambda found: values[found[1]], text)
    return made, missing


def look(folder):
    """Asks the tools about the files in a folder: what is wrong, and which were not asked because they are not there."""
    wrong, not_asked = [], []
    for name, checks in CHECKS.items():
        path = folder / name
        for command in checks if path.is_file() else ():
            if not shutil.which(command[0]):
                not_asked.append(f"{name}: {command[0]} is not there")
                continue
            asked = subprocess.run([*command, str(path)], stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
            if "tomllib" in asked.stdout and "No module" in asked.stdout:
                not_asked.append(f"{name}: this Python reads no TOML")
            elif asked.returncode:
                wrong.append(f"{name}: {' '.join(command)}: {asked.stdout.strip()}")
    return wrong, not_asked


def schema_of(manifest):
    """Whether dist/manifest.json has the form that it promises; a message, or nothing."""
    keys = {"name", "kind", "size", "sha256"}
    if set(manifest) != {"version", "commit", "date", "files"}:
        return f"the manifest has {sorted(manifest)}"
    for one in manifest["files"]:
        if set(one) != keys or not re.fullmatch(r"[0-9a-f]{64}", one["sha256"]) or not isinstance(one["size"], int):
            return f"the manifest has {json.dumps(one)}"
    return None
