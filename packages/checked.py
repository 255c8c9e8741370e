"""`scripts/release --check`: everything in a folder of a release is installed and used in empty places.

What cannot be tried here, because a program is not there, is listed at the end.
"""
import gzip
import hashlib
import io
import json
import os
import pathlib
import platform
import shutil
import subprocess
import sys
import tarfile
import tempfile
import zipfile

import filled

ROOT = pathlib.Path(__file__).resolve().parent.parent
# The oldest Python that is supported, and the newest that can be had, where they may be.
OLDEST, NEWEST = (3, 9), (3, 15)


def run(*command, status=0, **more):
    ended = subprocess.run([str(one) for one in command], stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, **more)
    if ended.returncode != status:
        sys.exit(f"check: {' '.join(map(str, command))} ended with {ended.returncode}\n{ended.stdout}")
    return ended.stdout


def layer(archive):
    """The files of the image, by name."""
    with tarfile.open(archive) as layout:
        get = lambda one: layout.extractfile("blobs/" + one["digest"].replace(":", "/")).read()  # noqa: E731
        [top] = json.load(layout.extractfile("index.json"))["manifests"]
        [one] = json.loads(get(top))["layers"]
        with tarfile.open(fileobj=io.BytesIO(gzip.decompress(get(one)))) as files:
            return {entry.name: files.extractfile(entry).read() for entry in files if entry.isfile()}


def pythons():
    """The oldest and the newest Python here."""
    found = {}
    for minor in range(OLDEST[1], NEWEST[1] + 1):
        places = [shutil.which(f"python3.{minor}"), *sorted(pathlib.Path.home().glob(f".pyenv/versions/3.{minor}.*/bin/python"))]
        for place in filter(None, places):
            asked = subprocess.run([place, "-c", "import ensurepip, sys; print(sys.version_info[1])"], stdout=subprocess.PIPE, stderr=subprocess.DEVNULL)
            if asked.stdout.strip() == str(minor).encode():
                found.setdefault(minor, place)
    return [found[minor] for minor in sorted({min(found), max(found)})] if found else []


class Check:
    """One look at a release."""

    def __init__(self, folder, place):
        self.folder, self.place, self.not_tried = folder, place, []
        self.manifest = json.loads((folder / "manifest.json").read_text())
        self.files = {one["kind"]: folder / one["name"] for one in self.manifest["files"]}

    def say(self, words):
        print(f"ok  {words}", flush=True)

    def sums(self):
        wrong = filled.schema_of(self.manifest)
        if wrong:
            sys.exit(f"check: {wrong}")
        for one in self.manifest["files"]:
            data = (self.folder / one["name"]).read_bytes()
            if len(data) != one["size"] or hashlib.sha256(data).hexdigest() != one["sha256"]:
                sys.exit(f"check: {one['name']} is not what the manifest says")
        if shutil.which("sha256sum"):
            run("sha256sum", "--check", "--quiet", "SHA256SUMS", cwd=self.folder)
        self.say(f"sums of {len(self.manifest['files'])} files")

    def same(self):
        """The programs are the same bytes everywhere, and with them all that they say."""
        version, found = self.manifest["version"], {}
        with tarfile.open(self.files["archive"]) as archive:
            found["archive"] = [archive.extractfile(f"serval-{version}/bin/{name}").read() for name in ("serval", "serval-verify")]
        with zipfile.ZipFile(self.files["wheel"]) as wheel:
            found["wheel"] = [wheel.read(f"serval_check-{version}.data/scripts/{name}") for name in ("serval", "serval-verify")]
        files = layer(self.files["image"])
        found["image"] = [files[name] for name in ("serval", "serval-verify")]
        if "debian" in self.files and shutil.which("dpkg-deb"):
            tree = self.place / "tree"
            run("dpkg-deb", "--extract", self.files["debian"], tree)
            found["debian"] = [(tree / "usr/bin" / name).read_bytes() for name in ("serval", "serval-verify")]
        if "extension with the program" in self.files:
            with zipfile.ZipFile(self.files["extension with the program"]) as package:
                found["extension"] = [package.read("extension/bin/serval"), found["archive"][1]]
        for name, programs in found.items():
            if programs != found["archive"]:
                sys.exit(f"check: the programs of {name} are others than those of the archive")
        self.programs = self.place / "programs"
        self.programs.mkdir()
        for name, data in zip(("serval", "serval-verify"), found["archive"]):
            (self.programs / name).write_bytes(data)
            (self.programs / name).chmod(0o755)
        said = run(self.programs / "serval", "--version", "--verbose")
        if self.manifest["commit"] not in said:
            sys.exit(f"check: the program is not of commit {self.manifest['commit']}\n{said}")
        self.say(f"the same programs in {', '.join(found)}, of the commit of the manifest")

    def examples(self):
        environment = {**os.environ, "SERVAL_CACHE_DIR": ""}
        run(self.programs / "serval", "check", "examples", "--expected", "--timeout", "120", cwd=ROOT, env=environment)
        self.say("examples, as their headers say")

    def wheels(self):
        for python in pythons():
            here = self.place / f"venv-{pathlib.Path(python).parent.parent.name or 'python'}"
            run(python, "-m", "venv", here)
            run(here / "bin/python", "-m", "pip", "--disable-pip-version-check", "install", "--quiet", "--no-index", self.files["wheel"])
            run(here / "bin/python", ROOT / "packages/python/tests/inside.py")
            run(here / "bin/python", "-m", "pip", "--disable-pip-version-check", "uninstall", "--quiet", "--yes", "serval-check")
            self.say(f"wheel with {run(here / 'bin/python', '--version').strip()}")

    def source(self):
        """The source distribution builds without network, once its crates are there."""
        with tarfile.open(self.files["source"]) as archive:
            archive.extractall(self.place)
        base = self.place / f"serval_check-{self.manifest['version']}"
        settings = run("cargo", "vendor", "--locked", "--quiet", "vendor", cwd=base / "rust")
        (base / "rust/.cargo").mkdir()
        (base / "rust/.cargo/config.toml").write_text(settings)
        # That it builds, quickly: what is shipped is what was built before.
        quick = {"CARGO_PROFILE_DIST_LTO": "off", "CARGO_PROFILE_DIST_OPT_LEVEL": "0", "CARGO_PROFILE_DIST_CODEGEN_UNITS": "16"}
        environment = {**os.environ, **quick, "CARGO_NET_OFFLINE": "true", "SERVAL_LEVEL": "1", "CARGO_TARGET_DIR": str(self.place / "target")}
        environment.pop("SERVAL_PROGRAMS", None)
        run(sys.executable, base / "backend/serval_build.py", "wheel", self.place / "built", env=environment)
        self.say("source distribution, built without network")

    def tests(self):
        """The tests of the packages, with the programs that are shipped."""
        environment = {**os.environ, "SERVAL_PROGRAMS": str(self.programs), "SERVAL_LEVEL": "9"}
        for name in ("debian", "image", "others"):
            ended = subprocess.run([ROOT / "packages" / name / "test", self.place], stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, env=environment)
            if ended.returncode == 77:
                self.not_tried.append(f"{name}: what its test needs is not there")
            elif ended.returncode:
                sys.exit(f"check: {name}\n{ended.stdout}")
            else:
                self.say(f"{name}, built again and used")

    def systems(self):
        """The package for Debian in fresh systems."""
        if not shutil.which("debootstrap") or os.geteuid() != 0 or "debian" not in self.files:
            self.not_tried.append("systems of Debian: debootstrap and root are needed")
            return
        for name in ("bookworm", "trixie"):
            system = self.place / name
            run("debootstrap", "--variant=minbase", "--include=man-db,bash-completion", name, system)
            shutil.copy(self.files["debian"], system / "serval.deb")
            shutil.copy(ROOT / "examples/counter.ser", system / "a.ser")
            # What a small system leaves out, pages among it, is to be installed here.
            (system / "etc/dpkg/dpkg.cfg.d/docker").unlink(missing_ok=True)
            run("chroot", system, "dpkg", "--install", "/serval.deb")
            run("chroot", system, "serval", "check", "/a.ser")
            run("chroot", system, "man", "--where", "serval")
            words = ". /usr/share/bash-completion/completions/serval; COMP_WORDS=(serval ch); COMP_CWORD=1; _serval serval ch serval; echo $COMPREPLY"
            if run("chroot", system, "bash", "-c", words).strip() != "check":
                sys.exit(f"check: no completion in {name}")
            run("chroot", system, "dpkg", "--purge", "serval")
            left = [path for path in system.glob("usr/**/*serval*")]
            if left:
                sys.exit(f"check: left in {name}: {left}")
            self.say(f"package for Debian in {name}")

    def container(self):
        if not shutil.which("buildah") or os.geteuid() != 0:
            self.not_tried.append("image in a container: buildah and root are needed")
            return
        work = self.place / "w"
        work.mkdir()
        shutil.copy(ROOT / "examples/counter.ser", work / "a.ser")
        store = ["buildah", "--root", self.place / "store", "--runroot", self.place / "run", "--storage-driver", "vfs"]
        try:
            name = run(*store, "from", f"oci-archive:{self.files['image']}").splitlines()[-1]
            said = run(*store, "run", "--isolation", "chroot", "--volume", f"{work}:/w:ro", name, "/serval", "check", "/w/a.ser")
        except SystemExit as error:
            self.not_tried.append(f"image in a container: {str(error).splitlines()[-1]}")
            return
        assert said.startswith("serializable"), said
        self.say("image with buildah")


def main(folder):
    if not (folder / "manifest.json").is_file():
        sys.exit(f"check: there is no release in {folder}")
    with tempfile.TemporaryDirectory(prefix="serval-check-") as place:
        os.chmod(place, 0o755)
        check = Check(folder, pathlib.Path(place))
        check.sums()
        if platform.system() != "Linux" or "wheel" not in check.files:
            sys.exit("check: what else there is can be tried where it is for, on Linux")
        for step in (check.same, check.examples, check.wheels, check.tests, check.container, check.systems, check.source):
            step()
        for line in check.not_tried:
            print(f"not tried: {line}")
