"""Compares the grammar with serval's own parser.

Reads a JSON list of texts, each with the tokens that serval finds in it (begin, end, class), parses every text with
the generated C, and prints one line for each difference: a text that is refused, or a token of another class.
"""

import ctypes
import json
import pathlib
import subprocess
import sys
import tempfile

from tree_sitter import Language, Parser, Query, QueryCursor

HERE = pathlib.Path(__file__).resolve().parent.parent
CLASSES = {"keyword": "keyword", "number": "number", "operator": "operator", "comment": "comment"}
NAMES = {"variable", "function", "constant", "type"}


def language(folder):
    library = folder / "serval.so"
    source = HERE / "src" / "parser.c"
    subprocess.run(["cc", "-shared", "-fPIC", "-I", HERE / "src", source, "-o", library], check=True)
    function = ctypes.CDLL(str(library)).tree_sitter_serval
    function.restype = ctypes.c_void_p
    # The binding takes a capsule with this name.
    capsule = ctypes.pythonapi.PyCapsule_New
    capsule.restype = ctypes.py_object
    capsule.argtypes = [ctypes.c_void_p, ctypes.c_char_p, ctypes.c_void_p]
    return Language(capsule(function(), b"tree_sitter.Language", None))


def class_of(capture):
    first = capture.split(".")[0]
    return "name" if first in NAMES else CLASSES.get(first)


def main():
    with tempfile.TemporaryDirectory() as folder:
        serval = language(pathlib.Path(folder))
    query = Query(serval, (HERE / "queries" / "highlights.scm").read_text())
    parser = Parser(serval)
    tokens = 0
    for one in json.load(open(sys.argv[1])):
        tree = parser.parse(one["text"].encode())
        if tree.root_node.has_error:
            print(f"{one['name']}: refused")
            continue
        found = {}
        for pattern, captures in QueryCursor(query).matches(tree.root_node):
            for capture, nodes in captures.items():
                for node in nodes:
                    place = (node.start_byte, node.end_byte)
                    if pattern >= found.get(place, (-1, None))[0]:
                        found[place] = (pattern, class_of(capture))
        ours = {place: meant for place, (_, meant) in found.items() if meant}
        theirs = {(begin, end): meant for begin, end, meant in one["tokens"]}
        tokens += len(theirs)
        for place in sorted(ours.keys() | theirs.keys()):
            if ours.get(place) != theirs.get(place):
                word = one["text"].encode()[slice(*place)].decode()
                print(f"{one['name']}: `{word}` at {place[0]} is {ours.get(place)}, and {theirs.get(place)} for serval")
    print(f"{tokens} tokens compared")


main()
