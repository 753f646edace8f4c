#!/usr/bin/env python3
"""Copies the models that every installation needs, for all processors, out of a directory of models, after their
checksums were compared with models/manifest.toml. Usage: model-package.py MODELS TO COPYRIGHT

COPYRIGHT is the package's copyright file: a model that it does not name may not be in the package. A model that
something stands in for is left out where it is not there, and that is told."""

import hashlib
import shutil
import sys
import tomllib
from pathlib import Path


def sha256(path):
    with path.open("rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()


def main():
    if len(sys.argv) != 4:
        sys.exit(__doc__)
    models, to, copyright_file = map(Path, sys.argv[1:])
    named = copyright_file.read_text(encoding="utf-8").split()
    manifest = tomllib.loads((Path(__file__).parent.parent / "models/manifest.toml").read_text(encoding="utf-8"))
    copied = 0
    for model in manifest["models"]:
        name, files = model["name"], model["files"]
        if not model.get("default") or any("arch" in file for file in files):
            continue
        if f"usr/share/joi/models/{name}/*" not in named:
            sys.exit(f"model-package.py: {copyright_file} says nothing of the model {name}; add who made it")
        missing = [file["path"] for file in files if not (models / name / file["path"]).is_file()]
        if missing and "stand_in" in model:
            print(f"joi: {name} is not in {models} and is left out of the package", file=sys.stderr)
            continue
        if missing:
            sys.exit(f"model-package.py: {models / name} lacks {missing[0]}; run `joi models fetch {name}`")
        for file in files:
            source, target = models / name / file["path"], to / name / file["path"]
            if sha256(source) != file["sha256"]:
                sys.exit(f"model-package.py: {source} is damaged; run `joi models fetch {name}`")
            target.parent.mkdir(parents=True, exist_ok=True)
            shutil.copyfile(source, target)
            target.chmod(0o644)
            copied += 1
    if copied == 0:
        sys.exit("model-package.py: models/manifest.toml has no model that every installation needs")


main()
