#!/bin/sh
# Installs serval @VERSION@ into ~/.local/bin, or below --prefix DIR. It never asks for root.
#
#   sh install.sh [--prefix DIR] [--from FILE]     --from takes the archive from there and loads nothing
#   sh install.sh --uninstall [--prefix DIR]
set -eu

version='@VERSION@'
archive='@ARCHIVE@'
sum='@SUM@'
url='@URL@'
prefix=${HOME:?there is no HOME}/.local
from='' remove=0

fail() {
    echo "install.sh: $1" >&2
    exit 1
}
while [ $# -gt 0 ]; do
    case $1 in
        --prefix) prefix=${2:?--prefix needs a folder}; shift 2 ;;
        --from) from=${2:?--from needs a file}; shift 2 ;;
        --uninstall) remove=1; shift ;;
        *) sed -n '2,5s/^# \{0,1\}//p' "$0" >&2; exit 2 ;;
    esac
done
bin=$prefix/bin pages=$prefix/share/man/man1

if [ "$remove" = 1 ]; then
    rm -f "$bin/serval" "$bin/serval-verify" "$pages"/serval.1 "$pages"/serval-*.1
    echo "serval is removed from $prefix"
    exit 0
fi
case "$(uname -s)-$(uname -m)" in
    Linux-x86_64) ;;
    *) fail "there is no program for this machine here; cargo install --locked serval-cli builds one" ;;
esac

work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
trap 'exit 130' INT TERM
if [ -n "$from" ]; then
    cp "$from" "$work/archive"
elif command -v curl >/dev/null; then
    curl --proto '=https' --fail --silent --show-error --location --output "$work/archive" "$url/$archive"
elif command -v wget >/dev/null; then
    wget --https-only --quiet --output-document="$work/archive" "$url/$archive"
else
    fail "neither curl nor wget is there"
fi
if command -v sha256sum >/dev/null; then
    found=$(sha256sum <"$work/archive")
elif command -v shasum >/dev/null; then
    found=$(shasum -a 256 <"$work/archive")
else
    fail "neither sha256sum nor shasum is there, and nothing is installed unchecked"
fi
found=${found%% *}
[ "$found" = "$sum" ] || fail "$archive has the sum $found, and the release says $sum; nothing is installed"

tar -xzf "$work/archive" -C "$work"
mkdir -p "$bin" "$pages"
# A program that runs is not written over: the new one takes its name.
for program in serval serval-verify; do
    cp "$work/serval-$version/bin/$program" "$bin/.$program.new"
    mv -f "$bin/.$program.new" "$bin/$program"
done
cp "$work/serval-$version/share/man/man1/"*.1 "$pages/"
echo "serval $version is in $bin"
case ":${PATH:-}:" in
    *":$bin:"*) ;;
    *) echo "which is not in PATH" ;;
esac
